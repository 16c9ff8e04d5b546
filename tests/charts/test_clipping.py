"""A search for where to clip, at the ends of floats: whatever noise says, it ends within bounds."""

from __future__ import annotations

import math
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.charts.allocation import Allocation
from sfumato.charts.means.clipping import ClipSearch
from sfumato.charts.values import BoundsSearch
from sfumato.engines.dispatch import DuckEngine
from sfumato.testing import ample_meter, seeded

FAR = 1e9
ULP = math.ulp(FAR)
NARROW = (FAR, FAR + 40 * ULP)


def size(least: float, most: float) -> st.SearchStrategy[float]:
    return st.floats(least, most).map(lambda power: 10.0**power)


BOUNDS = st.one_of(
    st.tuples(st.sampled_from([1.0, -1.0, FAR, 1e300]), st.integers(1, 2**20)).map(
        lambda pair: (pair[0], pair[0] + pair[1] * math.ulp(pair[0]))
    ),
    st.tuples(size(-320, 300).map(lambda low: -low), size(-320, 307)),
    st.tuples(size(-320, 299), size(300, 307)),
    st.tuples(st.just(0.0), size(-320, 307)),
    st.just((-1e-310, 5e-324)),
)


@given(
    BOUNDS, st.integers(0, 2**32), st.floats(0, 1), st.floats(0, 1), st.sampled_from([1e-9, 1e9])
)
def test_whatever_walks_and_counts_say_ends_lie_within_the_bounds(
    bounds: tuple[float, float], seed: int, one: float, other: float, worth: float
) -> None:
    declared = sf.Bounds(*bounds)
    search = ClipSearch.plan("y", declared, sf.PrivacyUnit.rows(), Allocation(Fraction(1)))
    cells = len(search.search.key.edges) - 1
    low, high = sorted(int(part * (cells - 1)) for part in (one, other))
    values = np.random.default_rng(seed).choice(np.linspace(*bounds, 5), 200)
    engine = DuckEngine(pa.table({"y": values}))
    stopped = patch.object(BoundsSearch, "walk", return_value=(low, high))
    with seeded(seed), ample_meter() as meter, stopped:
        found = search.find(engine, meter, worth).bounds
    assert found is not None
    assert declared.lower <= found.lower < found.upper <= declared.upper


@pytest.mark.parametrize(
    ("bounds", "value"),
    [
        *((NARROW, FAR + place * ULP) for place in range(0, 41, 8)),
        ((-1e-9, 1e308), -1e-310),
        ((-1e-310, 5e-324), 0.0),
        ((2.0**-1070, 1e300), 1.0),
    ],
)
def test_no_bounds_make_a_mean_fail_after_the_charge(
    bounds: tuple[float, float], value: float
) -> None:
    table = pa.table({"y": [value] * 300})
    release = sf.barplot(table, y="y", bounds=bounds, budget=sf.Budget(10))
    assert release.figure().panels
    assert release.caption()
