import numpy as np
import pytest

from sfumato.postprocess.rank_interval import rank_layout


@pytest.mark.parametrize("cells", [1, 2, 7, 100, 2**20])
@pytest.mark.parametrize("size", [-50.0, 0.0, 1e3, 1e9])
def test_bins_rise_within_the_grid_and_leave_every_quantile_its_own_cell(cells, size):
    generator = np.random.default_rng(3)
    for many in (1, 2, 3, 9):
        chosen = np.sort(generator.integers(0, cells, many)).tolist()
        levels = np.arange(1, many + 1) / (many + 1)
        starts = rank_layout(chosen, levels, cells, size=size, reach=30.0, ends=True)
        assert starts[0] == 0 and starts[-1] < cells
        assert (np.diff(starts) > 0).all()
        assert set(chosen) <= set(starts.tolist())
        assert {cell + 1 for cell in chosen} <= {*starts.tolist(), cells}


def test_bins_end_where_the_ranks_in_doubt_are_expected():
    """Between two quantiles of a large group, evenly filled, at the same ranks from either."""
    starts = rank_layout([10_000, 20_000], [0.25, 0.75], 2**15, size=10_000, reach=100.0)
    ranks = (starts[(starts > 10_001) & (starts < 15_000)] - 10_001) / 2
    assert ranks == pytest.approx([80, 160, 320, 1600], abs=1)


def test_a_lone_quantile_has_bins_of_every_size():
    starts = rank_layout([2**19], [0.5], 2**20, size=1e4, reach=30.0)
    above = starts[starts > 2**19 + 1] - (2**19 + 1)
    assert above[0] < 10 and above[-1] > 2**18
    assert len(starts) < 30


def test_few_bins_are_counted_however_large_the_group():
    for size in (1e2, 1e4, 1e6, 1e8):
        starts = rank_layout([1000, 5000, 9000], [0.25, 0.5, 0.75], 2**20, size=size, reach=30.0)
        assert len(starts) <= 45


def test_the_first_and_the_last_cell_stand_alone_where_bounds_were_searched_for():
    alone = rank_layout([40, 60], [0.25, 0.75], 100, size=500, reach=30.0, ends=True)
    assert alone[1] == 1 and alone[-1] == 99
