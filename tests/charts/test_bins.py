"""Bins of whole numbers and of dates: every value in one bin, and as many values in each."""

from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.charts.axes import FINE, make_axis_key
from sfumato.charts.histogram import Histogram
from sfumato.dates import MOST
from sfumato.domain import Bounds, ColumnType, Domain
from sfumato.engines.cells import edges_cells, grid_cells
from sfumato.engines.dispatch import DuckEngine
from sfumato.grid import Grid, count_values_in_cells
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.wording import binned
from sfumato.testing import measure_planned

DAY = timedelta(days=1)
RANGES = st.builds(
    lambda start, values, step: range(start, start + values * step, step),
    st.integers(-1000, 1000),
    st.integers(2, 3000),
    st.sampled_from([1, 1, 1, 2, 5, 7]),
)


def bins_of(bounds, bins=None):
    return make_axis_key(Domain(x=Bounds.of(bounds)), "x", None, bins)


def cells_of(values, key):
    floats = np.asarray(values, dtype=np.float64)
    return grid_cells(floats, key) if isinstance(key, Grid) else edges_cells(floats, key)


@given(RANGES, st.none() | st.integers(1, 200))
def test_every_whole_number_is_in_one_bin_and_bins_hold_as_many_unless_the_caption_says_so(
    values, bins
):
    key = bins_of(values, bins)
    cells = cells_of(values, key)
    assert cells.min() == 0 and cells.max() == key.cells - 1
    held = np.bincount(cells, minlength=key.cells)
    assert held.min() >= 1
    assert held.tolist() == count_values_in_cells(key).tolist()
    assert held.max() <= 1.01 * held.min() or binned([key])
    if bins is None:
        assert key.cells <= MOST
    else:
        assert key.cells == min(bins, len(values))


@given(RANGES, st.sampled_from([0.1, 0.25, 0.01]))
def test_values_between_whole_numbers_are_in_their_bins_too(values, step):
    bounds = Bounds(values[0] * step, values[-1] * step, step=step * values.step)
    key = bins_of(bounds)
    held = np.bincount(cells_of([number * step for number in values], key), minlength=key.cells)
    # Edges of bins with many values lie on values, and may be off by a rounding.
    assert np.abs(held - count_values_in_cells(key)).max() <= (held.max() >= FINE)


@pytest.mark.parametrize(
    ("values", "cells", "edges"),
    [
        (range(24), 24, (-0.5, 0.5, 23.5)),
        (range(1, 13), 12, (0.5, 1.5, 12.5)),
        (range(40), 40, (-0.5, 0.5, 39.5)),
        (range(17, 91), 37, (16.5, 18.5, 90.5)),
        (range(100), 20, (-0.5, 4.5, 99.5)),
        (range(101), 21, (-0.5, 4.5, 100.5)),
        (range(1001), 20, (-0.5, 49.5, 1000.5)),
        (range(150_001), 30, (0.0, 5000.0, 150_000.0)),
        (range(0, 100, 5), 20, (-2.5, 2.5, 97.5)),
    ],
)
def test_the_usual_bins_hold_one_two_five_or_ten_values(values, cells, edges):
    key = bins_of(values)
    assert key.cells == cells
    assert (key.edges[0], key.edges[1], key.edges[-1]) == edges


@pytest.mark.parametrize(
    ("values", "bins", "said"),
    [
        (range(24), None, []),
        (range(24), 8, []),
        (range(24), 7, ["Bins of x hold 3 or 4 values."]),
        (range(101), None, ["Bins of x hold 5 values each, the last 1."]),
        (range(101), 10, ["Bins of x hold 10 values each, the last 11."]),
        (range(101), [0, 25, 50, 75, 100], ["Bins of x hold 25 values each, the last 26."]),
        (range(111), [0, 18, 65, 110], []),  # which nobody takes for equal
        (range(10_001), 20, []),
    ],
)
def test_the_caption_says_which_bins_hold_more_than_others(values, bins, said):
    assert binned([bins_of(values, bins)]) == said


def test_there_are_no_more_bins_than_values():
    assert bins_of(range(24), 48).cells == 24


def test_bins_of_many_values_lie_where_they_always_did():
    key = bins_of(range(2 * FINE * 10), 10)
    assert key == Grid("x", key.bounds, 10)


def test_values_that_may_lie_anywhere_have_twenty_bins():
    assert bins_of((0, 24)) == Grid("x", Bounds(0, 24), 20)


def test_dates_are_cut_at_units_of_the_calendar():
    key = bins_of((date(2026, 1, 1), date(2027, 1, 1)))
    assert key.cells == 12
    assert np.diff(key.edges).tolist()[:3] == [days * 86_400e6 for days in (31, 28, 31)]
    assert binned([key]) == ["Bins of x are months in UTC, cut at the ends of the axis."]


@given(st.dates(), st.integers(1, 5000))
def test_every_day_is_in_one_bin_and_the_last_day_alone_where_bins_are_days(first, more):
    try:
        bounds = Bounds.of((first, first + more * DAY), step=DAY)
    except OverflowError:
        return
    key = bins_of(bounds)
    days = bounds.lower + 86_400e6 * np.arange(more + 1)
    held = np.bincount(cells_of(days, key), minlength=key.cells)
    assert held.sum() == more + 1 and held.min() >= 1
    if more < MOST and not isinstance(key, Grid):
        assert held.tolist() == [1] * (more + 1)


def test_a_uniform_column_of_hours_has_no_peak():
    table = pa.table({"hour": list(range(24)) * 50, "weekday": list(range(7)) * 171 + [0, 1, 2]})
    for chart in (Histogram("hour"), Histogram("hour", "weekday"), Histogram("hour", bins=8)):
        engine = DuckEngine(table)
        domain = engine.schema().refine(Domain(hour=(0, 23), weekday=(0, 6)))
        plan = chart.plan(domain, PrivacyUnit.rows(), Budget(10_000, weak=True))
        counts = measure_planned(chart, engine, plan).counts
        assert counts.max() <= 1.15 * counts.min()


def test_a_type_without_a_spacing_changes_nothing():
    domain = Domain(x=(0, 24)).with_types({"x": ColumnType()})
    assert make_axis_key(domain, "x", None, None) == make_axis_key(
        Domain(x=(0, 24)), "x", None, None
    )
