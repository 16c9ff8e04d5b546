"""The grid that quantiles are chosen from: public facts in, cells out."""

import math
from datetime import date
from fractions import Fraction

import numpy as np
import pytest

from sfumato.charts.allocation import Allocation
from sfumato.charts.boxplot.plan import compute_cell_centre
from sfumato.charts.values import MOST_VALUES, Values, check_search
from sfumato.domain import Bounds, Domain
from sfumato.engines.engine import Schema
from sfumato.errors import DomainError, SourceError
from sfumato.grid import MOST_CELLS
from sfumato.mechanisms.joint import MOST_CELLS as MOST_CHOSEN_FROM
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import private

ROWS = PrivacyUnit.rows()


def values(bounds=(0, 240), step=None, search=None):
    domain, whole = Domain(wait=bounds), Allocation.of(Budget(1))
    return Values.plan("wait", domain, ROWS, whole, search=search, step=step)


def grid(bounds=(0, 240), step=None, groups=1):
    return values(bounds, step).grid(Bounds.of(bounds), groups)


@pytest.mark.parametrize(
    ("groups", "cells"),
    [(0, 2**20), (1, 2**20), (16, 2**20), (17, 2**19), (1000, 2**14), (2**24, 1), (2**30, 1)],
)
def test_many_groups_have_fewer_cells_so_that_one_answer_holds_them(groups, cells):
    assert grid(groups=groups).cells == cells
    assert cells == 1 or cells * groups <= MOST_CELLS


def test_values_that_floats_hardly_tell_apart_have_fewer_cells():
    assert grid((1e15, 1e15 + 100)).cells == 32
    assert grid((date(2026, 1, 1), date(2026, 1, 2))).cells == MOST_VALUES
    with pytest.raises(DomainError, match="too narrow"):
        grid((1e15, 1e15 + 1))


@pytest.mark.parametrize(
    ("bounds", "step", "centres"),
    [
        ((0, 4), 1, [0, 1, 2, 3, 4]),
        ((0, 10), 3, [0, 3, 6, 9]),
        ((-1, 1), 0.5, [-1, -0.5, 0, 0.5, 1]),
        ((0, 1), 0.1, [tenth / 10 for tenth in range(11)]),
        ((0.5, 3), 1, [0.5, 1.5, 2.5]),
        ((0, 4), 4, [0, 4]),
        ((0, 4), 5, [0]),
        ((0, 4), 1e300, [0]),
    ],
)
def test_a_step_has_one_cell_for_each_value_from_the_lower_bound_on(bounds, step, centres):
    cells = grid(bounds, step)
    found = [compute_cell_centre(cells, cell) for cell in range(cells.cells)]
    assert found == pytest.approx(centres, abs=1e-12)
    assert values(bounds, step).spacing(cells) == step
    assert all(bounds[0] <= value <= bounds[1] + 1e-9 for value in found)


@pytest.mark.parametrize("step", [0.1, 0.01, 1 / 3, 1, 7])
def test_every_multiple_of_the_step_lies_well_inside_its_own_cell(step):
    cells = grid((0, 240), step)
    multiples = np.arange(cells.cells) * step
    position = (multiples - cells.bounds.lower) / cells.bounds.width * cells.cells
    assert np.abs(position - np.arange(cells.cells) - 0.5).max() < 1e-6


def test_as_many_steps_as_one_answer_may_have_and_no_more():
    assert grid((0, MOST_CHOSEN_FROM - 2), 1).cells == MOST_CHOSEN_FROM - 1
    for groups, most in ((1, MOST_CHOSEN_FROM), (1000, MOST_CELLS // 1000)):
        with pytest.raises(DomainError, match="larger step"):
            grid((0, most), 1, groups)
    with pytest.raises(DomainError, match="larger step"):
        grid(step=math.ulp(0.0))


def test_found_bounds_start_at_a_multiple_of_the_step():
    searched = values(search=private(), step=5)
    cells = searched.grid(Bounds(3, 21), 1)
    assert [compute_cell_centre(cells, cell) for cell in range(cells.cells)] == [0, 5, 10, 15, 20]
    assert searched.spacing(cells) == 5


def test_found_bounds_with_too_many_steps_are_cut_as_if_there_were_none():
    searched = values(search=private(), step=1e-9)
    cells = searched.grid(Bounds(3, 21), 1)
    assert cells.cells == MOST_VALUES and cells.bounds == Bounds(3, 21)
    assert searched.spacing(cells) is None


@pytest.mark.parametrize("step", [0, -1, math.nan, math.inf, "1", "x", [1]])
def test_a_step_is_a_number_above_zero(step):
    with pytest.raises(DomainError, match="above 0"):
        values(step=step)


def _all_that_may_be_found(extent):
    rungs = range(extent.key.cells)
    return [extent.widen(low, high) for high in rungs for low in range(high + 1)]


@pytest.mark.parametrize("share", [0, 1e-7, 0.01, 1])
@pytest.mark.parametrize("limits", [(-3, 2), (0, 1e-90), (-1e100, -1e99), (1e6, 1e6 + 1)])
def test_whatever_bounds_are_found_there_is_a_grid(limits, share):
    """The search is paid for by then, so that a refusal would tell what it found."""
    search = private(within=limits)
    searched = values(search=search, step=share * search.limits.width or None)
    for found in _all_that_may_be_found(searched.bounds):
        assert 1 <= searched.grid(found, groups=3).cells <= MOST_CHOSEN_FROM


@pytest.mark.parametrize("step", [5.1, 1e300, 1.7e308])
def test_a_step_is_no_wider_than_what_is_searched(step):
    with pytest.raises(DomainError, match="no wider than what is searched"):
        values(search=private(within=(-3, 2)), step=step)


@pytest.mark.parametrize("step", [np.int64(1), np.float32(0.5), 1, True])
def test_a_step_is_kept_as_a_plain_float(step):
    assert type(values(step=step).step) is float


def test_dates_have_a_step_from_their_type_or_their_bounds_alone():
    with pytest.raises(DomainError, match="dates have theirs from their type"):
        values((date(2026, 1, 1), date(2026, 2, 1)), step=1)


@pytest.mark.parametrize("within", [("00:00", "23:59:59"), ("2025-01-01", "2026-01-01")])
def test_times_whose_bounds_are_searched_for_have_no_step_of_the_askers(within):
    """Half a step beyond what is found, a clock or the calendar could have ended."""
    with pytest.raises(DomainError, match="theirs from their type"):
        values(step=1e6, search=private(within=within))


def test_declared_bounds_are_free_and_a_search_costs_its_share():
    assert values().cost == Cost.nothing()
    assert values(search=private(share=0.25)).cost == Cost.pure(Fraction(1, 4))
    assert values().settle(None, None).bounds == Bounds(0, 240)


def test_a_table_that_cannot_answer_is_refused():
    for asked in (values(), values(search=private())):
        with pytest.raises(SourceError, match="no column"):
            asked.check(Schema({"ward": "text"}), ROWS)
        with pytest.raises(SourceError, match="dates"):
            asked.check(Schema({"wait": "time"}), ROWS)
        assert asked.check(Schema({"wait": "number"}), ROWS) is None


@pytest.mark.parametrize("bounds", [(0, 1), Bounds(0, 1), "private", 0, {"wait": (0, 1)}])
def test_a_chart_takes_no_bounds_but_a_search(bounds):
    check_search(None)
    check_search(private())
    with pytest.raises(DomainError, match="and nothing else"):
        check_search(bounds)
