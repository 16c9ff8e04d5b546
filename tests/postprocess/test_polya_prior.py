"""The law of shares behind the Pólya-tree decoder."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import betainc

from sfumato.postprocess.polya import INSIDE, WINDOW, Prior

SHARES = np.linspace(0, 1, 2001)


@pytest.mark.parametrize("prior", [WINDOW, INSIDE], ids=["window", "inside"])
@pytest.mark.parametrize("units", [0.0, 1.0, 30.0, 1e9])
def test_a_law_rises_from_nothing_to_all_and_treats_both_halves_alike(prior, units):
    below = prior.below(SHARES, np.array(units))
    assert below[0] == 0
    assert below[-1] == 1
    assert (np.diff(below) >= 0).all()
    np.testing.assert_allclose(below + below[::-1], 1, atol=1e-9)


@pytest.mark.parametrize("shape", [0.002, 0.15, 0.6, 2.0, 100.0])
def test_broken_lines_follow_a_beta_law(shape):
    law = Prior(many=((shape, 3.0),), single=((1.0, 1.0),))
    exact = betainc(shape, shape, SHARES)
    np.testing.assert_allclose(law.below(SHARES, np.array(1e12)), exact, atol=1e-3)


def test_a_small_mass_is_expected_in_one_half():
    share = np.full(3, 0.01)
    within = 1 - 2 * INSIDE.below(share, np.array([0.1, 1.5, 100.0]))
    assert within[0] < within[1] < within[2]
