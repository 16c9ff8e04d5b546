"""A small version of `lab/boxplot.py`: every method runs, and ours errs less where it should."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boxplots.measuring import METHODS, METRICS, NONPRIVATE
from boxplots.several import Task as SeveralTask
from boxplots.several import part
from boxplots.several import simulate as simulate_several
from boxplots.study import CLIPPED, Cell, Errors, Task, simulate
from boxplots.summary import ratio

SIZE, EPSILON = 1000, 1.0


@pytest.fixture(scope="module")
def errors() -> Errors:
    few = simulate(Task("normal", SIZE, 0, 4, (EPSILON,)))
    more = simulate(Task("normal", SIZE, 4, 36, (EPSILON,), METHODS[:2]))
    return {cell: np.concatenate([few[cell], more.get(cell, few[cell][:0])]) for cell in few}


def test_every_method_has_four_errors_of_a_sensible_size(errors: Errors) -> None:
    assert {cell.method for cell in errors} == {NONPRIVATE, *METHODS, CLIPPED}
    for found in errors.values():
        assert (found >= 0).all()
        assert (found[:, :, :3] < 20).all()
        assert (found[:, :, 3] <= SIZE).all()


def test_the_sample_is_its_own_boxplot(errors: Errors) -> None:
    found = errors[Cell("normal", SIZE, math.inf, NONPRIVATE)]
    assert (found[:, 1] == 0).all()
    assert (found[:, 0] > 0).all()


@pytest.mark.parametrize("metric", ["skewness", "tails"])
def test_fence_errs_less_than_dpboxplot_in_whiskers_and_tails(errors: Errors, metric: str) -> None:
    ours, theirs = (
        errors[Cell("normal", SIZE, EPSILON, method)][:, 1, METRICS.index(metric)]
        for method in METHODS[:2]
    )
    assert ratio(ours, theirs).high < 1


def test_several_boxes_are_compared_by_every_method() -> None:
    found = simulate_several(SeveralTask(5, 500, 0, 1))
    assert {scenario.method for scenario in found} == {NONPRIVATE, *METHODS}
    assert all(np.isfinite(pairs).all() for pairs in found.values())


def test_rows_are_parted_into_groups_of_a_least_size() -> None:
    generator = np.random.default_rng(0)
    for _ in range(100):
        sizes = part(generator, 10, 500)
        assert (len(sizes), sum(sizes), min(sizes) >= 26) == (10, 500, True)
