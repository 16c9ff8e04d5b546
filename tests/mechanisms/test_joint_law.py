"""Quantiles together: what the code may draw is followed to the last outcome, and has the law."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy import stats

from mechanisms.branches import answers, coins, rising
from sfumato.exact import Exact
from sfumato.mechanisms import joint as module
from sfumato.mechanisms.joint import DecayRates, draw_positions
from sfumato.mechanisms.meter import simulated
from sfumato.mechanisms.ranks import paths as balance
from sfumato.mechanisms.ranks import paths as chain
from sfumato.mechanisms.ranks import paths as wanted
from sfumato.mechanisms.ranks import profile
from sfumato.mechanisms.ranks import profile as stretch
from sfumato.mechanisms.ranks.paths import TargetRanks, draw_sized
from telling.enumerated import ideal
from telling.enumerated.ideal import joint_law, rate

THIRDS = [Fraction(1, 3), Fraction(2, 3)]


def counts(rows, unit=1):
    return Exact(unit, unit**2, 1 / unit, _values=np.atleast_2d(np.array(rows, dtype=np.int64)))


def group(table, unit=1):
    (found,) = profile.read_profiles(counts(table, unit))
    return found


@pytest.fixture
def few_positions(monkeypatch):
    """Let cells have few positions, and follow every choice that is made."""
    monkeypatch.setattr(wanted, "draw_rising_sequence", rising)
    monkeypatch.setattr(TargetRanks, "chain", cache(TargetRanks.chain))

    def change(number):
        for place in (profile, stretch, chain, wanted):
            monkeypatch.setattr(place, "POSITIONS", number)

    return change


def drawn_law(table, levels, epsilon, score, positions, unit=1, size=None, *, by_size=False):
    """The chances of all sequences that the code draws, by following all that it might do."""
    rates = DecayRates.of(levels, Fraction(epsilon), score, replaced=size is not None)
    one = group(table, unit)
    given = TargetRanks(one, levels, one.size)

    def run(chance):
        if by_size:
            places = draw_sized(given, rates.balanced, chance)
        else:
            places = draw_positions(one, levels, rates, chance, size=size)
        return tuple(place.cell * positions + place.position for place in places)

    # `draw_positions` makes its own Wanted; one and the same lets its chain be built once.
    if size is not None:
        one = one.pad_to_size(size)
        given = TargetRanks(one, levels, size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "TargetRanks", lambda *_: given)
        # Where hardly a path is accepted, those that are may be rare.
        return answers(run, never=1e-20 if by_size else 1e-45)


def distance(drawn, table, levels, epsilon, score, positions, unit=1, size=None):
    """The largest difference of logarithms, among outcomes that are not all but impossible."""
    factor = rate(levels, epsilon, score, replaced=size is not None)
    wanted_law = joint_law(table, levels, score, factor, positions, unit, size)
    every = ideal.sequences(len(table) * positions, len(levels)).tolist()
    if not set(drawn) <= set(map(tuple, every)):
        return math.inf
    return max(
        abs(math.log(drawn.get(tuple(sequence), 1e-300)) - chance)
        for sequence, chance in zip(every, wanted_law.tolist(), strict=True)
        if chance > math.log(1e-12)
    )


def instances(number, seed):
    """Tables with atoms, gaps and ties; units of one step or three; levels near and far."""
    generator = np.random.default_rng(seed)
    for _ in range(number):
        positions, cells = int(generator.choice([1, 2, 4])), int(generator.integers(1, 5))
        scale = int(generator.choice([1, 1, 6]))
        table = tuple(int(n) * scale for n in generator.choice([0, 0, 1, 2, 5, 9], cells))
        most = 3 if cells * positions <= 8 else 2
        chosen = generator.choice(np.arange(1, 20), int(generator.integers(1, most + 1)), False)
        levels = [Fraction(int(level), 20) for level in np.sort(chosen)]
        unit, epsilon = int(generator.choice([1, 3])), float(generator.choice([0.1, 1, 4, 20]))
        # As with all its positions, one step along the grid must not leave the reach of a rank.
        epsilon = min(epsilon, 100 * unit * positions / max(1, *table, 1))
        yield table, levels, epsilon, positions, unit


@pytest.mark.parametrize("score", ["balanced", "published"])
def test_the_code_draws_what_the_table_of_weights_says(score, few_positions):
    for table, levels, epsilon, positions, unit in instances(150, seed=1):
        few_positions(positions)
        drawn = drawn_law(table, levels, epsilon, score, positions, unit)
        assert distance(drawn, table, levels, epsilon, score, positions, unit) < 1e-9


def test_drawing_sizes_as_well_gives_the_same_law(few_positions):
    for table, levels, epsilon, positions, unit in instances(6, seed=2):
        few_positions(positions)
        drawn = drawn_law(table, levels, epsilon, "balanced", positions, unit, by_size=True)
        assert distance(drawn, table, levels, epsilon, "balanced", positions, unit) < 1e-9


def test_rows_that_are_counted_nowhere_lie_in_the_last_cell(few_positions):
    for table, levels, epsilon, positions, _ in instances(15, seed=3):
        few_positions(positions)
        for missing in (0, 7, 30):
            size = sum(table) + missing
            drawn = drawn_law(table, levels, epsilon, "published", positions, size=size)
            assert distance(drawn, table, levels, epsilon, "published", positions, size=size) < 1e-9


@pytest.mark.parametrize("score", ["balanced", "published"])
@pytest.mark.parametrize(
    "table", [(300, 300), (500, 100), (0, 400, 0, 200), (90, 0, 0, 510)], ids=str
)
def test_levels_out_of_reach_of_each_other_are_drawn_alike(table, score, few_positions):
    """So much ε that the states near one level have none in common with those near the other."""
    few_positions(32 // len(table))
    levels = [Fraction(1, 5), Fraction(4, 5)]
    seen = TargetRanks(group(table), levels, 600).chain(rate(levels, 3, "published"))
    assert seen.levels[0].stretch is not seen.levels[1].stretch
    drawn = drawn_law(table, levels, 3, score, 32 // len(table))
    assert distance(drawn, table, levels, 3, score, 32 // len(table)) < 1e-9


def same_law(few_positions, score, *, by_size=False):
    for table, levels, epsilon, positions, unit in instances(3 if by_size else 12, seed=4):
        few_positions(positions)
        drawn = drawn_law(table, levels, epsilon, score, positions, unit, by_size=by_size)
        found = distance(drawn, table, levels, epsilon, score, positions, unit)
        if found > 0.001:
            return False
        assert found < 1e-9
    return True


def test_the_law_is_another_without_the_lift(few_positions, monkeypatch):
    def bare(states, *rest):
        found = _level(states, *rest)
        return chain.Level(
            states, found.start, found.stop, found.error, found.width, np.ones_like(found.lift)
        )

    assert same_law(few_positions, "published")
    _level = chain._make_level
    monkeypatch.setattr(chain, "_make_level", bare)
    assert not same_law(few_positions, "published")


def test_the_law_is_another_without_ties(few_positions, monkeypatch):
    every = chain.Chain._ending_at

    def alone(self, index):
        return [term if run == 0 else 0 * term for run, term in enumerate(every(self, index))]

    monkeypatch.setattr(chain.Chain, "_ending_at", alone)
    assert not same_law(few_positions, "published")


def test_the_law_is_another_with_a_window_off_by_one(few_positions, monkeypatch):
    class Wider(chain.Windows):
        def sums(self, errors, weights, targets, rate):
            before = np.minimum(self.before + 1, errors.size)
            wide = chain_windows(self.blocks, self.own, self.split, before)
            return wide.sums(errors, weights, targets, rate)

    chain_windows = chain.Windows
    monkeypatch.setattr(chain, "Windows", Wider)
    assert not same_law(few_positions, "published")


def test_the_law_is_another_if_a_size_proposes_paths_that_others_suit_better(
    few_positions, monkeypatch
):
    assert same_law(few_positions, "balanced", by_size=True)
    source = balance.imbalance

    def vague(misses, parts):
        penalty, size = source(misses, parts)
        return penalty, size / 2

    monkeypatch.setattr(balance, "imbalance", vague)
    assert not same_law(few_positions, "balanced", by_size=True)


def test_counting_everything_in_other_steps_changes_nothing(few_positions):
    few_positions(2)
    for table, score in product([(1, 0, 4), (2, 5, 1), (0, 3, 0)], ("balanced", "published")):
        one = drawn_law(table, THIRDS, 2, score, 2)
        other = drawn_law(tuple(7 * n for n in table), THIRDS, 2, score, 2, unit=7)
        assert one == pytest.approx(other, rel=1e-9)


def test_a_table_seen_in_a_mirror_has_a_mirrored_law(few_positions):
    few_positions(2)
    levels = [Fraction(1, 5), Fraction(1, 2)]
    mirrored = [1 - level for level in reversed(levels)]
    for table, score in product([(1, 0, 4), (2, 5, 1), (0, 3, 0)], ("balanced", "published")):
        one = drawn_law(table, levels, 2, score, 2)
        other = drawn_law(table[::-1], mirrored, 2, score, 2)
        last = 2 * len(table) - 1
        turned = {tuple(last - x for x in reversed(xs)): p for xs, p in other.items()}
        assert one == pytest.approx(turned, rel=1e-9)


def test_with_all_its_positions_a_cell_is_as_likely_as_with_a_few():
    """The real number of positions, against so many that more would change little."""
    table, levels, draws = (3, 0, 11, 4), [Fraction(1, 4), Fraction(1, 2)], 1500
    for score in ("balanced", "published"):
        fine = joint_law(table, levels, score, rate(levels, 2, score), 40)
        chances = np.exp(ideal.by_cells(fine, 4, 40, 2))
        rates = DecayRates.of(levels, Fraction(2), score, replaced=False)
        given = TargetRanks(group(table), levels, sum(table))
        with simulated(np.random.default_rng(5)), pytest.MonkeyPatch.context() as patch:
            patch.setattr(TargetRanks, "chain", cache(TargetRanks.chain))
            patch.setattr(module, "TargetRanks", lambda *_, given=given: given)
            chance = coins()
            found = [draw_positions(given.profile, levels, rates, chance) for _ in range(draws)]
        codes = [first.cell + 4 * second.cell for first, second in found]
        pairs = sorted(a + 4 * b for a, b in product(range(4), repeat=2) if a <= b)
        seen = np.array([codes.count(code) for code in pairs])
        likely = chances * draws >= 5
        expected = np.append(chances[likely], chances[~likely].sum()) * draws
        counted = np.append(seen[likely], seen[~likely].sum())
        assert stats.chisquare(counted, expected).pvalue > 1e-6


def test_one_draw_in_many_does_not_look_at_the_data(few_positions):
    few_positions(2)
    rates = DecayRates.of(THIRDS, Fraction(64), "balanced", replaced=False)

    def run(chance):
        chance.below = lambda limit: 0
        places = draw_positions(group((0, 900)), THIRDS, rates, chance)
        return tuple(place.cell * 2 + place.position for place in places)

    drawn = answers(run)
    assert len(drawn) == 10
    assert list(drawn.values()) == pytest.approx([1 / 10] * 10)


def test_a_path_that_is_proposed_is_never_too_rare():
    """The exponent of the last coin is not below 0 by more than rounding, whatever the cells."""
    generator = np.random.default_rng(6)
    with simulated(generator):
        chance = coins()
    for _ in range(60):
        cells = int(generator.integers(1, 9))
        heaviest = int(generator.choice([3, 200, 10**6, 2**36, 2**62]))
        table = generator.integers(0, heaviest, cells) * generator.integers(0, 2, cells)
        unit = int(generator.choice([1, 5, 2**30]))
        levels = [Fraction(k, 7) for k in range(1, int(generator.integers(2, 8)))]
        epsilon = Fraction(float(generator.choice([1e-4, 0.1, 1, 64])))
        one = group(table, unit)
        given = TargetRanks(one, levels, one.size)
        rates = DecayRates.of(levels, epsilon, "balanced", replaced=False)
        drawn = given.chain(rates.published)
        for _ in range(4):
            places, proposed = given.propose(drawn, chance)
            misses = given.compute_misses(places)
            plain = rates.published * math.fsum(map(abs, misses))
            even = rates.balanced * balance.imbalance(misses, given.shares)[0]
            assert plain - proposed > -1e-9
            assert even - plain > -1e-9
