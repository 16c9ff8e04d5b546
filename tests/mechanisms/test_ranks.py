"""Ranks and chains: exact where they say so, and sums that miss nothing."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.branches import Script, answers, coins
from sfumato.exact import Exact
from sfumato.mechanisms.meter import simulated
from sfumato.mechanisms.ranks import paths as balance
from sfumato.mechanisms.ranks import paths as chain
from sfumato.mechanisms.ranks import profile
from sfumato.mechanisms.ranks import profile as stretch
from sfumato.mechanisms.ranks import profile as windows
from sfumato.mechanisms.ranks.paths import TargetRanks, draw_rising_sequence, imbalance
from sfumato.mechanisms.ranks.profile import MOST_UNITS, RankProfile, read_profiles, running_sums

counts = st.one_of(st.integers(0, 9), st.integers(0, 2**62))
rows = st.lists(counts, min_size=1, max_size=12)
small = st.lists(st.sampled_from([0, 0, 1, 2, 3, 20, 90]), min_size=1, max_size=12)
levels = st.lists(
    st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000),
    min_size=1,
    max_size=4,
    unique=True,
).map(sorted)


def group(row, unit=1):
    """A profile of one row, without the cap on cells."""
    table = np.array(row, dtype=np.int64)
    where = np.flatnonzero(table)
    return RankProfile(0, table.size, unit, where, table[where])


@given(rows)
def test_sums_do_not_leave_64_bits(row):
    one = group(row)
    before = [sum(row[:cell]) for cell in one.where.tolist()]
    assert [one.before(index) for index in range(one.where.size)] == before
    assert one.size == sum(row)


@given(rows, st.integers(0, 1000), st.integers(1, 2**30))
def test_ranks_near_a_target_are_exact(row, part, unit):
    one = group(row, unit)
    target = Fraction(sum(row) * part, 1000)
    for index, found in enumerate(one.beyond(target).tolist()):
        steps = one.before(index) - target
        assert abs(Fraction(found) * unit - steps) <= (abs(steps) + 1) * Fraction(1, 2**51)


@given(rows, st.data())
def test_cutting_a_cell_neither_loses_nor_doubles_anything(row, data):
    cell = data.draw(st.integers(0, len(row) - 1))
    position = data.draw(st.sampled_from([0, 1, 2**39, 2**40 - 1]))
    left, right = group(row).cut(cell, position)
    assert left.size + right.size == sum(row)
    assert (left.start, left.stop, right.start, right.stop) == (0, cell + 1, cell, len(row))
    for part in (left, right):
        assert ((part.where >= part.start) & (part.where < part.stop)).all()
        assert (part.counts > 0).all()


@given(rows, st.lists(st.integers(0, 3), min_size=12, max_size=12), st.data())
def test_what_a_unit_adds_goes_to_either_side_of_a_cut_but_not_to_both(row, unit, data):
    cell = data.draw(st.integers(0, len(row) - 1))
    position = data.draw(st.integers(0, 2**40 - 1))
    more = [n + w for n, w in zip(row, unit, strict=False)]
    sides = zip(group(row).cut(cell, position), group(more).cut(cell, position), strict=True)
    grown = [_dense(after, len(row)) - _dense(before, len(row)) for before, after in sides]
    assert all((side >= 0).all() for side in grown)
    assert sum(grown).tolist() == unit[: len(row)]


def _dense(one, cells):
    table = np.zeros(cells, dtype=np.int64)
    table[one.where] = one.counts
    return table


@given(rows, st.integers(0, 2**61))
def test_what_a_size_lacks_is_added_to_the_last_cell(row, size):
    filled = group(row[:1]).pad_to_size(size)
    assert _dense(filled, 1).tolist() == [max(row[0], size)]
    filled = group([*row, 0]).pad_to_size(size)
    assert _dense(filled, len(row) + 1).tolist() == [*row, max(0, size - sum(row))]


def test_a_cell_holds_no_more_units_than_positions_can_tell_apart():
    table = np.array([[2**62, 5, 0], [0, 2**36, 2**36 + 1]])
    found = read_profiles(Exact(1, 1, 1.0, _values=table))
    assert found[0].counts.tolist() == [MOST_UNITS, 5]
    assert found[1].counts.tolist() == [MOST_UNITS, MOST_UNITS]
    shared = read_profiles(Exact(2**30, 2**60, 2.0**-30, _values=table))
    assert shared[0].counts.tolist() == [2**62, 5]


@given(small, st.integers(0, 10), st.sampled_from([0.5, 3.0, 40.0]), st.sampled_from([0.1, 1.0]))
def test_states_hold_every_position_near_a_target_once(row, part, reach, pitch):
    with pytest.MonkeyPatch.context() as patch:
        for place in (profile, stretch):
            patch.setattr(place, "POSITIONS", 16)
        one = group(row)
        origin = Fraction(sum(row) * part, 10)
        states = stretch.gather_stretch(one, origin, -reach, reach, pitch=pitch)
        seen = []
        for state, (piece, low) in enumerate(zip(states.piece, states.low, strict=True)):
            index, sliced = divmod(int(piece), 2)
            for offset in range(states.positions(state)):
                first = int(one.where[index]) * 16 + int(low) if sliced else int(low) * 16
                seen.append((first + offset, state))
        _every_position_once(row, origin, reach, states, seen)


def _every_position_once(row, origin, reach, states, seen):
    places = [place for place, _ in seen]
    assert places == sorted(set(places))
    assert (np.diff(states.rank) >= 0).all()
    rank = {
        16 * cell + u: sum(row[:cell]) + Fraction(row[cell] * (2 * u + 1), 32) - origin
        for cell in range(len(row))
        for u in range(16)
    }
    assert {place for place, error in rank.items() if abs(error) < reach} <= set(places)
    for place, state in seen:
        assert abs(float(rank[place]) - states.rank[state]) <= states.half[state] + 1e-9


def arrivals(one):
    """What arrives at each state, by a sum over all pairs of states."""
    for index in range(len(one.levels) - 1):
        here, there = one.levels[index], one.levels[index + 1]
        weights = np.sum(one._terms[index], axis=0)
        order, later = np.arange(here.start, here.stop), np.arange(there.start, there.stop)
        factor = np.exp(-one.rate * abs(there.error[:, None] - here.error))
        if here.stretch is there.stretch:
            factor *= order < later[:, None]
        yield one._arrivals[index + 1], factor @ weights


@pytest.mark.parametrize("few", [0, windows._FEW])
@given(row=small, levels=levels, rate=st.sampled_from([0.001, 0.3, 4.0]), extra=st.integers(-9, 9))
def test_what_arrives_at_a_state_is_the_sum_over_all_before_it(few, row, levels, rate, extra):
    size = max(sum(row) + extra, Fraction(1, 2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "_FEW", few)
        one = TargetRanks(group(row), levels, sum(row)).chain(rate, Fraction(size))
    for found, expected in arrivals(one):
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-250)


@pytest.mark.parametrize("slip", ["blocks", "own", "split", "before"])
def test_the_double_sum_notices_a_window_that_is_off_by_one(slip, monkeypatch):
    class Slipped(windows.Windows):
        def sums(self, errors, weights, targets, rate):
            kept = {name: getattr(self, name) for name in ("blocks", "own", "split", "before")}
            kept[slip] = np.clip(kept[slip] - 1, 0, None)
            return windows.Windows(**kept).sums(errors, weights, targets, rate)

    given_table = TargetRanks(
        group([3, 0, 20, 0, 0, 9, 1, 1, 1]), [Fraction(1, 4), Fraction(1, 2)], 35
    )
    for found, expected in arrivals(given_table.chain(0.3)):
        assert found == pytest.approx(expected, rel=1e-9)
    monkeypatch.setattr(chain, "Windows", Slipped)
    for found, expected in arrivals(given_table.chain(0.3)):
        assert found != pytest.approx(expected, rel=1e-3)


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=60), st.sets(st.integers(1, 59)))
def test_running_sums_begin_anew_at_every_start(values, starts):
    begins = [0, *sorted(start for start in starts if start < len(values))]
    parts = np.split(np.array(values), begins[1:])
    expected = np.concatenate([np.cumsum(part) for part in parts])
    for few in (0, 60):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(windows, "_FEW", few)
            found = running_sums(np.array(values), np.array(begins))
        assert found == pytest.approx(expected, rel=1e-12)


@given(small, levels, st.sampled_from([0.01, 0.3, 4.0]))
def test_the_weight_of_a_chain_is_that_of_all_its_paths(row, levels, rate):
    """For one level: each state times its positions, lift and miss."""
    one = TargetRanks(group(row), levels[:1], sum(row)).chain(rate)
    (level,) = one.levels
    states = slice(level.start, level.stop)
    lifted = np.exp(2 * rate * (level.stretch.half[states] - abs(level.error)))
    assert one.weight == pytest.approx(float((level.stretch.width[states] * lifted).sum()))


@pytest.mark.parametrize(("limit", "number"), [(1, 3), (2, 2), (3, 3), (4, 1)])
def test_rising_sequences_are_all_as_likely(limit, number):
    class Once(Script):
        def below(self, limit):
            if self._made == number:
                return self.pick(self._seen[0])  # drawn again: no answer
            self._seen = self._seen or [()]
            return self.choose(np.full(limit, 1 / limit))

    found = answers(lambda chance: tuple(draw_rising_sequence(limit, number, chance)), Once)
    every = list(combinations_with_replacement(range(limit), number))
    assert found == pytest.approx({sequence: 1 / len(every) for sequence in every})


@given(
    st.lists(st.floats(-100, 100), min_size=2, max_size=6),
    st.lists(st.floats(0.01, 1), min_size=6, max_size=6),
)
def test_imbalance_is_the_distance_to_shares_of_any_size(misses, parts):
    shares = np.array(parts[: len(misses)]) / sum(parts[: len(misses)])
    penalty, best = imbalance(misses, shares.tolist())
    assert penalty == pytest.approx(abs(np.array(misses) - shares * best).sum(), abs=1e-9)
    sizes = np.linspace(-2000, 2000, 501)
    assert penalty <= abs(np.array(misses) - shares * sizes[:, None]).sum(axis=1).min() + 1e-9


def test_imbalance_of_quartiles_is_the_two_largest_gaps_less_the_two_smallest():
    gaps = [3.0, 11.0, 5.0, 8.0]
    misses = [gap - sum(gaps) / 4 for gap in gaps]
    assert imbalance(misses, [0.25] * 4)[0] == pytest.approx(11 + 8 - 5 - 3)


def test_paths_come_as_often_as_their_weights_say():
    """With real positions: the states of the last level, against the sums they are drawn from."""
    given_table = TargetRanks(group([2, 0, 9, 1]), [Fraction(1, 3), Fraction(2, 3)], 12)
    one = given_table.chain(0.4)
    with simulated(np.random.default_rng(1)):
        chance = coins()
    seen = Counter(one.path(chance)[-1].state for _ in range(3000))
    weights = one._ends[0].reshape(2, -1).sum(axis=0)
    for place, weight in enumerate((weights / weights.sum()).tolist()):
        number = seen[one.levels[-1].start + place]
        assert abs(number - 3000 * weight) <= 5 * math.sqrt(3000 * weight) + 5


def test_sizes_are_drawn_when_patience_ends(monkeypatch):
    given_table = TargetRanks(group([2, 0, 9, 1]), [Fraction(1, 3), Fraction(2, 3)], 12)
    called = []
    monkeypatch.setattr(balance, "PATIENCE", 0)
    monkeypatch.setattr(balance, "draw_sized", lambda *given: called.append(given) or [])
    assert balance.draw_balanced(given_table, (0.3, 0.4), coins()) == []
    assert called[0][:2] == (given_table, 0.4)
