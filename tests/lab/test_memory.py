"""The engine of simulations answers as the engine of users does."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from boxplots.memory import GROUP, VALUE, MemoryEngine
from sfumato.domain import Bounds, Categories
from sfumato.engines.dispatch import DuckEngine
from sfumato.grid import Edges, Grid, Key, Labels
from sfumato.privacy.guarantee import PrivacyUnit

ROWS = PrivacyUnit.rows()
BOUNDS = Bounds(-2, 2)


@pytest.mark.parametrize(
    "keys",
    [
        [Grid(VALUE, BOUNDS, 64)],
        [Edges(VALUE, BOUNDS, (-2.0, 0.0, 0.5, 2.0))],
        [Labels(GROUP, Categories(("0", "1", "2"))), Grid(VALUE, BOUNDS, 16)],
    ],
)
def test_it_counts_as_the_engine_of_users_does(keys: list[Key]) -> None:
    generator = np.random.default_rng(0)
    values, groups = generator.standard_normal(5000), generator.integers(0, 3, 5000)
    table = pa.table({VALUE: values, GROUP: groups.astype(str)})
    ours = MemoryEngine(values, groups).counts(keys, ROWS)
    theirs = DuckEngine(table).counts(keys, ROWS)
    assert (ours.reveal() == theirs.reveal()).all()
    assert (ours.l1, ours.l2_squared, ours.step) == (theirs.l1, theirs.l2_squared, theirs.step)


def test_a_query_is_counted_once() -> None:
    engine, keys = MemoryEngine(np.zeros(3)), [Grid(VALUE, BOUNDS, 4)]
    assert engine.counts(keys, ROWS) is engine.counts([Grid(VALUE, BOUNDS, 4)], ROWS)


def test_people_are_refused() -> None:
    with pytest.raises(ValueError, match="no people"):
        MemoryEngine(np.zeros(3)).counts([], PrivacyUnit.users("person"))
