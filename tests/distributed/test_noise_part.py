"""Parts of noise add up to discrete Laplace noise, from whatever bits they are drawn."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from distributed.people import counted, discrete_laplace
from sfumato.distributed import noise_part as module
from sfumato.distributed.noise_part import NoisePart, get_noise_part, table_size

RARE = 1e-6


def together(part, rounds):
    draws = part.draw(2 * part.among * rounds).reshape(2, part.among, rounds).sum(axis=1)
    return draws[0] - draws[1]


@pytest.mark.parametrize(("among", "rate"), [(2, "1/3"), (20, "1/10"), (50, "3/2"), (7, "5")])
def test_a_table_holds_the_law_to_its_stated_error(among, rate):
    error = 60
    part = NoisePart(among, Fraction(rate), error)
    law = stats.nbinom(1 / among, -math.expm1(-float(Fraction(rate))))
    ends = np.array([end / 2**256 for end in part._ends])
    np.testing.assert_allclose(ends, law.cdf(np.arange(len(ends))), rtol=1e-12)
    left = 2**256 - part._ends[-1]
    assert 0 <= left <= 2 ** (256 - error - 1)
    assert len(ends) <= 1.2 * table_size(Fraction(rate), error) + 2


def test_parts_add_up_to_discrete_laplace_noise_and_to_no_other_scale():
    rate = Fraction(1, 5)
    noise = together(NoisePart(20, rate, 60), 40_000)
    seen = counted(noise, 25)
    assert stats.chisquare(seen, discrete_laplace(0.2, 25) * len(noise)).pvalue > RARE
    for wrong in (0.18, 0.22):
        assert stats.chisquare(seen, discrete_laplace(wrong, 25) * len(noise)).pvalue < RARE


def test_one_part_instead_of_two_and_fewer_parts_are_noticed():
    part = NoisePart(20, Fraction(1, 5), 60)
    law = discrete_laplace(0.2, 25) * 40_000
    single = part.draw(20 * 40_000).reshape(20, -1).sum(axis=0)
    assert stats.chisquare(counted(single, 25), law).pvalue < RARE
    halves = part.draw(2 * 10 * 40_000).reshape(2, 10, -1).sum(axis=1)
    assert stats.chisquare(counted(halves[0] - halves[1], 25), law).pvalue < RARE


def test_where_64_bits_do_not_decide_the_others_do(monkeypatch):
    part = get_noise_part(3, Fraction(1, 2), 40)
    end = part._ends[2]
    head, rest = end >> 192, end & (2**192 - 1)

    def draws(whole):
        parts = [whole >> shift & (2**64 - 1) for shift in (192, 128, 64, 0)]
        pieces = iter([parts[:1], parts[1:]])
        monkeypatch.setattr(
            module, "draw_words", lambda count: np.array(next(pieces), dtype=np.uint64)
        )
        return part.draw(1).tolist()

    assert rest > 0
    assert draws(end) == [3]
    assert draws(end - 1) == [2]
    assert draws(head << 192) == [2]


def test_words_at_both_ends_are_drawn(monkeypatch):
    part = get_noise_part(3, Fraction(1, 2), 70)
    drawn = iter([[0, 2**64 - 1], [2**64 - 1] * 3])
    monkeypatch.setattr(module, "draw_words", lambda count: np.array(next(drawn), dtype=np.uint64))
    assert part.draw(2).tolist() == [0, len(part._ends)]
