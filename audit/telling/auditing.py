"""How well releases of two neighbouring tables can be told apart, measured from outside.

An auditor draws many releases of either table. From a few it learns what speaks for which table,
on a few more it chooses an event, and among all others it counts that event. If its probability is
p under one table and q under the other, then no mechanism whose ε is below ln((p − δ)/q), or whose
δ is below p − e^ε q, can have made the releases.

The event is fixed before it is counted, so the bounds hold whatever the auditor believed: a bad
guess at what speaks for a table gives a small number and never one that is too large.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

Floats = NDArray[np.float64]
Score = Callable[[Floats], Floats]
"""From what is seen of releases, a row each, to how much each speaks for the first table."""

AT_MOST = 2000
"""More measurements than one run makes."""

DOUBT = 1e-6 / AT_MOST
"""How likely one measurement is to be too large; all of a run hold together but for 10⁻⁶."""

_VALUES = 400  # a number with more values than that is told apart by quantiles
_BINS = 24
_FAINT = 1.0  # added to every count, so that no single draw proves much
_MARKS = 40
_LEARNING = 0.15  # of the draws, and as many to choose an event


@dataclass(frozen=True)
class Measured:
    """What was seen: ε is at least this, and δ is at least that.

    Parameters
    ----------
    epsilon
        A lower bound on the ε of any mechanism that has the promised δ.
    delta
        A lower bound on the δ of any mechanism that has the promised ε.
    trials
        How many releases of both tables were looked at.
    """

    epsilon: float
    delta: float
    trials: int

    def within(self, epsilon: float, delta: float) -> bool:
        """Return whether a promise may be true."""
        return self.epsilon <= epsilon and self.delta <= delta


@dataclass(frozen=True)
class Event:
    """That a score, or its negative, reaches a mark; it speaks for one of the two tables."""

    score: Score
    sign: int
    mark: float
    swapped: bool

    def hits(self, one: Floats, other: Floats) -> tuple[int, int]:
        """Count it among the table it speaks for, and among the other."""
        tables = (other, one) if self.swapped else (one, other)
        left, right = (int((self.sign * self.score(draws) >= self.mark).sum()) for draws in tables)
        return left, right


def measured(
    one: Floats, other: Floats, *, epsilon: float, delta: float = 0.0, doubt: float = DOUBT
) -> Measured:
    """Return lower bounds on ε at the promised δ, and on δ at the promised ε.

    Both hold together but for a chance of `doubt`.
    """
    learning, choosing, counting = zip(_parts(one), _parts(other), strict=True)
    scores = [learned(*learning), *map(_column, range(one.shape[1]))]

    def loss(p: Floats, q: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(np.maximum(p - delta, 0) / q)

    def excess(p: Floats, q: Floats) -> Floats:
        return p - math.exp(epsilon) * q

    trials = [len(draws) for draws in counting]
    found: list[float] = []
    for gain in (loss, excess):
        event = chosen(scores, choosing, trials, gain, doubt / 4)
        swapped = trials[::-1] if event.swapped else trials
        bounds = probabilities(event.hits(*counting), swapped, doubt / 4)
        found.append(max(0.0, float(gain(*map(np.asarray, bounds)))))
    return Measured(found[0], found[1], len(one) + len(other))


def probabilities(
    hits: tuple[ArrayLike, ArrayLike], trials: Sequence[int], doubt: float
) -> tuple[Floats, Floats]:
    """Return the least p and the largest q that the counts allow (Clopper and Pearson).

    Each of the two may be wrong with a chance of `doubt`.
    """
    (left, right), (all_left, all_right) = map(np.asarray, hits), trials
    # One hit fewer, or more, than any at all: the bounds there are 0 and 1.
    least = betaincinv(np.maximum(left, 1), all_left - left + 1, doubt)
    most = betaincinv(right + 1, np.maximum(all_right - right, 1), 1 - doubt)
    return np.where(left > 0, least, 0.0), np.where(right < all_right, most, 1.0)


def learned(one: Floats, other: Floats) -> Score:
    """Learn how much each number speaks for the first table, as if numbers were independent."""
    speaking = [_speaking(*columns) for columns in zip(one.T, other.T, strict=True)]

    def score(draws: Floats) -> Floats:
        heard = [says(column) for says, column in zip(speaking, draws.T, strict=True)]
        return np.sum(heard, axis=0)

    return score


def chosen(
    scores: Sequence[Score],
    draws: tuple[Floats, Floats],
    trials: Sequence[int],
    gain: Callable[[Floats, Floats], Floats],
    doubt: float,
) -> Event:
    """Return the event that promises most, if it is as frequent in `trials` as in these draws."""
    best: tuple[float, Event] | None = None
    for event, hits in _events(scores, draws):
        here = (draws[1], draws[0]) if event[2] else draws
        there = trials[::-1] if event[2] else trials
        expected = tuple(
            np.floor(count * all_ / len(seen))
            for count, all_, seen in zip(hits, there, here, strict=True)
        )
        gains = gain(*probabilities(cast(tuple[Floats, Floats], expected), there, doubt))
        place = int(np.argmax(gains))
        if best is None or gains[place] > best[0]:
            score, sign, swapped, marks = event
            best = float(gains[place]), Event(score, sign, float(marks[place]), swapped)
    assert best is not None
    return best[1]


_Candidates = tuple[Score, int, bool, Floats]


def _events(
    scores: Sequence[Score], draws: tuple[Floats, Floats]
) -> Iterator[tuple[_Candidates, tuple[Floats, Floats]]]:
    """Yield marks for each score, sign and order of the tables, and how often each is reached."""
    for score in scores:
        seen = [score(table) for table in draws]
        for sign in (1, -1):
            one, other = (np.sort(sign * values) for values in seen)
            marks = _marks(np.concatenate([one, other]))
            hits = [_reaching(values, marks) for values in (one, other)]
            yield (score, sign, False, marks), (hits[0], hits[1])
            yield (score, sign, True, marks), (hits[1], hits[0])


def _marks(values: Floats) -> Floats:
    distinct = np.unique(values)
    if distinct.size <= _MARKS:
        return distinct
    return np.unique(np.quantile(values, np.linspace(0, 1, _MARKS), method="nearest"))


def _reaching(rising: Floats, marks: Floats) -> Floats:
    return (rising.size - np.searchsorted(rising, marks)).astype(np.float64)


def _parts(draws: Floats) -> tuple[Floats, Floats, Floats]:
    few = int(_LEARNING * len(draws))
    return draws[:few], draws[few : 2 * few], draws[2 * few :]


def _column(place: int) -> Score:
    return lambda draws: draws[:, place]


def _speaking(one: Floats, other: Floats) -> Callable[[Floats], Floats]:
    """Learn how much a number speaks for the first table: by its value, or by where it lies."""
    pooled = np.concatenate([one, other])
    values = np.unique(pooled)
    if values.size > _VALUES:
        values = np.unique(np.quantile(pooled, np.linspace(0, 1, _BINS), method="lower"))

    def places(column: Floats) -> NDArray[np.intp]:
        return np.searchsorted(values, column, side="right")

    first, second = (
        np.bincount(places(column), minlength=values.size + 1) + _FAINT for column in (one, other)
    )
    weights = np.log(first / first.sum()) - np.log(second / second.sum())
    return lambda column: weights[places(column)]
