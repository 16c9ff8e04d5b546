"""A small version of `lab/boxplot_honesty.py`."""

from __future__ import annotations

import numpy as np
import pytest

from boxplot_honesty import demands
from boxplots.honesty import UNITS, Seen, Task, simulate, true_box


def test_large_groups_are_solid_and_small_ones_dashed() -> None:
    large, small = (simulate(Task("delays", 10, units, 16)) for units in (UNITS[-1], UNITS[0]))
    assert all(one.solid and one.off <= 1 for one in large)
    assert not any(one.solid for one in small)
    assert demands([*large, *small], interval=False)


@pytest.mark.parametrize("method", ["dpboxplot", "unbounded"])
def test_published_methods_are_tried_as_well(method: str) -> None:
    seen = simulate(Task("two values", 1, 1000, 8, method))
    assert len(seen) == 8
    assert {one.shape for one in seen} == {"two values"}


def test_one_solid_box_in_a_hundred_that_is_off_misses_the_demand() -> None:
    right = Seen("normal", 1, 100, solid=True, off=0.2, held=(True,) * 7)
    wrong = Seen("normal", 1, 100, solid=True, off=30.0, held=(True,) * 7)
    dashed = Seen("normal", 1, 100, solid=False, off=30.0, held=(True,) * 7)
    assert demands([*[right] * 100, dashed], interval=True)
    assert not demands([*[right] * 99, wrong, dashed], interval=True)


def test_the_true_box_ends_at_the_fence_or_before() -> None:
    box = true_box(np.array([0.0, 1, 2, 3, 4, 100]))
    assert (box.lower_whisker, box.outliers_below, box.outliers_above) == (0.0, 0.0, 1.0)
    assert box.upper_whisker == box.q3 + 1.5 * (box.q3 - box.q1)
