import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.postprocess.box_counts import choose_tail_bins, fence_cells, fence_layout
from sfumato.postprocess.noise_law import NoiseLaw

WHIS = st.sampled_from([0.0, 0.1, 0.5, 1.5, 3.0, 1e6])


@st.composite
def chosen(draw):
    cells = draw(st.sampled_from([1, 2, 3, 10, 1000, 2**20]))
    first, median, third = sorted(draw(st.tuples(*[st.integers(0, cells - 1)] * 3)))
    return (first, median, third), cells


@given(chosen(), WHIS, st.integers(1, 64))
def test_bins_cover_the_grid_once(case, whis, bins):
    quartiles, cells = case
    starts = fence_layout(quartiles, cells, whis, bins)
    assert starts.dtype == np.int64
    assert starts[0] == 0 and starts[-1] < cells and (np.diff(starts) > 0).all()
    assert starts.size <= 2 * bins + 17


@given(chosen(), WHIS, st.integers(1, 64))
def test_every_quartile_has_a_bin_to_itself(case, whis, bins):
    quartiles, cells = case
    starts = fence_layout(quartiles, cells, whis, bins).tolist()
    for cell in quartiles:
        assert cell in starts and (cell + 1 in starts or cell + 1 == cells)


@given(chosen(), WHIS, st.integers(1, 64), st.integers(0, 2**32))
def test_outliers_are_the_cells_beyond_the_fences(case, whis, bins, seed):
    quartiles, cells = case
    values = np.random.default_rng(seed).integers(0, cells, 50)
    starts = fence_layout(quartiles, cells, whis, bins)
    lower, upper = fence_cells(quartiles, cells, whis)
    reach = whis * (quartiles[2] - quartiles[0])
    assert (values < lower).sum() == (values < quartiles[0] - reach).sum()
    assert (values >= upper).sum() == (values > quartiles[2] + reach).sum()
    assert lower in starts and (upper in starts or upper == cells)
    assert (starts[1:] >= lower).all() and (starts <= upper).all()


def test_more_units_or_less_noise_show_more_bins():
    law = NoiseLaw("laplace", 4.0)
    assert choose_tail_bins(-50, law) == choose_tail_bins(100, law) == 6
    assert (
        choose_tail_bins(1000, law)
        < choose_tail_bins(10_000, law)
        < choose_tail_bins(1e9, law)
        == 64
    )
    assert choose_tail_bins(1000, NoiseLaw("laplace", 1.0)) > choose_tail_bins(1000, law)
    assert choose_tail_bins(1000, NoiseLaw("laplace", 4.0 * 2**30), 2.0**-30) == choose_tail_bins(
        1000, law
    )
