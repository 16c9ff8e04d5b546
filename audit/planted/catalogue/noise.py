"""Bugs in how noise is drawn, scaled and priced."""

from __future__ import annotations

from functools import partial

from planted.mutant import Mutant

_noise = partial(Mutant, family="noise")

NOISE = (
    _noise(
        name="noise is halved",
        file="mechanisms/noise.py",
        old="_make_measurement(family, scale)(flat[block])",
        new="_make_measurement(family, scale / 2)(flat[block])",
        among="mechanisms/test_noise.py",
        notices="test_the_noise_fits_its_law_and_not_the_other_one[gaussian-0.7-real]",
    ),
    _noise(
        name="Laplace noise is drawn in floats and rounded",
        file="mechanisms/noise.py",
        old='return make_laplace(integers, l1_distance(T="i64"), float(scale))',
        new="return lambda counts: np.rint(counts + np.random.laplace(0, scale, len(counts)))",
        among="mechanisms/test_noise.py",
        notices="test_the_noise_fits_its_law_and_not_the_other_one[laplace-0.7-real]",
    ),
    _noise(
        name="noise comes from a generator with a seed",
        file="mechanisms/noise.py",
        old="""
        return _add_exact_noise(values, family, scale)
""",
        new="""
        noise = _simulate[family](np.random.default_rng(7), scale, values.size)
        return _add_saturating(values, noise.reshape(values.shape))
""",
        among="mechanisms/test_noise.py",
        notices="test_the_same_counts_get_other_noise_each_time[laplace]",
    ),
    _noise(
        name="noise that can be repeated calls itself private",
        file="mechanisms/meter.py",
        old="self._real = self._real is not False and source is None",
        new="self._real = True",
        among="mechanisms/test_noise.py",
        notices="test_simulated_noise_is_repeatable_and_never_called_private",
    ),
    _noise(
        name="noise is drawn again where it takes a count below zero",
        file="mechanisms/noise.py",
        old="""
        noisy[block] = _make_measurement(family, scale)(flat[block])
""",
        new="""
        first, again = (np.array(_make_measurement(family, scale)(flat[block])) for _ in range(2))
        noisy[block] = np.where(first < 0, again, first)
""",
        among="mechanisms/test_noise.py",
        notices="test_the_noise_fits_its_law_and_not_the_other_one[laplace-3221225472.0-real]",
    ),
    _noise(
        name="every block of counts gets the same noise",
        file="mechanisms/noise.py",
        old="""
            list(pool.map(draw, range(0, flat.size, _BLOCK)))
""",
        new="""
            draw(0)
            noisy[:] = flat + np.resize(noisy[:_BLOCK] - flat[:_BLOCK], flat.size)
""",
        among="mechanisms/test_noise.py",
        notices="test_blocks_do_not_repeat_their_noise",
    ),
    _noise(
        name="counts without rows get no noise",
        file="mechanisms/noise.py",
        old="return _add_exact_noise(values, family, scale)",
        new="return _add_exact_noise(values, family, scale) * (values > 0)",
        among="mechanisms/test_noise.py",
        notices="test_cells_get_noise_of_their_own_in_the_shape_they_came_in[laplace]",
    ),
    _noise(
        name="noise is so wide that it wraps around the end of 64 bits",
        file="mechanisms/noise.py",
        old="LARGEST_SCALE = 2.0**55",
        new="LARGEST_SCALE = 2.0**61",
        among="mechanisms/test_constants.py",
        notices="test_noise_leaves_64_bits_about_as_often_as_it_is_said",
    ),
    _noise(
        name="the scale is ε and not 1/ε",
        file="mechanisms/laplace.py",
        old="scale = Fraction(l1) / epsilon",
        new="scale = Fraction(l1) * epsilon",
        among="mechanisms/test_laplace.py",
        notices="test_the_scale_is_the_smallest_float_that_costs_at_most_epsilon",
    ),
    _noise(
        name="Laplace noise costs half of what it does",
        file="mechanisms/laplace.py",
        old="Cost.laplace(Fraction(exact.l1) / Fraction(scale), exact.l1)",
        new="Cost.laplace(Fraction(exact.l1) / (2 * Fraction(scale)), exact.l1)",
        among="mechanisms/test_laplace.py",
        notices="test_opendp_charges_the_same_up_to_its_rounding[0.1-1]",
    ),
    _noise(
        name="a variance is rounded down to less than was paid for",
        file="mechanisms/gaussian.py",
        old="** 2 >= variance:",
        new="** 2 >= variance * (1 - Fraction(1, 2**40)):",
        among="mechanisms/test_gaussian.py",
        notices="test_the_scale_is_the_smallest_float_that_costs_at_most_rho",
    ),
    _noise(
        name="the two halves of a symmetric matrix get noise of their own",
        file="mechanisms/moments.py",
        old="""
    noisy[above] = noisy.T[above] = beside
""",
        new="""
    noisy[above] = beside
    noisy.T[above] = add_noise(receipt, values[above], "gaussian", off_diagonal_scale(scale))
""",
        among="mechanisms/test_moments.py",
        notices="test_no_neighbours_diverge_by_more_than_promised_and_some_by_as_much[row]",
    ),
    _noise(
        name="coins are flipped by a generator with a seed",
        file="mechanisms/chance.py",
        old="return secrets.randbelow(limit)",
        new='return __import__("random").Random(7).randrange(limit)',
        among="mechanisms/test_chance.py",
        notices="test_the_systems_randomness_never_repeats_itself",
    ),
    _noise(
        name="the odds of a coin are rounded to floats",
        file="mechanisms/chance.py",
        old="return self.below(share + rest) < share",
        new="return self.below(2**53) < int(2**53 * (yes / (yes + no)))",
        among="mechanisms/test_chance.py",
        notices="test_odds_of_any_floats_are_whole_numbers_in_that_ratio",
    ),
)
