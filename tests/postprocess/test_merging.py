"""Neighbours are merged where noise could have made their differences, and only there."""

import numpy as np
import pytest

from sfumato.postprocess.merging import find_runs


@pytest.mark.parametrize("count", [12, 52, 365])
def test_noise_alone_makes_a_step_in_fewer_than_one_of_twenty_lines(count):
    draw = np.random.default_rng(count)
    lines = draw.laplace(0, 2**-0.5, (200, count))
    stepped = sum(len(find_runs(line, np.ones(count))) > 1 for line in lines)
    assert stepped <= 20  # of 10 that are expected, three deviations more


def test_a_step_is_found_where_it_is_and_nothing_is_known_of_some_places():
    draw = np.random.default_rng(1)
    value = np.repeat([10.0, 13.0, 10.0], 20) + draw.laplace(0, 2**-0.5, 60)
    precision = np.ones(60)
    value[5:10], precision[5:10] = 1e6, 0.0
    runs = find_runs(value, precision)
    assert [stop - start for start, stop in runs] == pytest.approx([20, 20, 20], abs=2)
    assert runs[0][0] == 0 and runs[-1][1] == 60


@pytest.mark.parametrize("count", [0, 1])
def test_a_line_of_one_place_or_none_is_one_run_or_none(count):
    assert find_runs(np.ones(count), np.ones(count)) == [(0, 1)][:count]
