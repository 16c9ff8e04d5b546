"""How well releases of two neighbouring tables can be told apart, measured from outside.

An auditor draws many releases of either table, looks at half of them for an event that tells the
tables apart, and counts it in the other half. If it has probability p under one table and q under
the other, no mechanism with an ε below ln(p/q) could have made the releases.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Draws = NDArray[np.float64]
"""One row for each release, one column for each number that the auditor looks at."""

Scores = NDArray[np.float64]

_BINS = 12  # values of one number are told apart no more finely
_FAINT = 2.0  # added to every count, so that no single draw proves much
_RAREST = 0.02  # an event must be as likely as this to be worth looking for


def measured_epsilon(one: Draws, other: Draws, *, confidence: float = 0.95) -> float:
    """Return a number that ε is at least, with this confidence.

    The event is that a score lies above, or below, a mark. Score and mark are chosen on the first
    half of the draws, and the bound of Clopper and Pearson is taken on the second.
    """
    (one_first, one_second), (other_first, other_second) = (
        np.array_split(draws, 2) for draws in (one, other)
    )
    score = _score(one_first, other_first)
    best = 0.0
    for sign, left, right, left_kept, right_kept in (
        (1, one_first, other_first, one_second, other_second),
        (-1, other_first, one_first, other_second, one_second),
    ):
        mark = _mark(sign * score(left), sign * score(right), confidence)
        hits = [int((sign * score(kept) >= mark).sum()) for kept in (left_kept, right_kept)]
        bound = epsilon_bound(hits[0], len(left_kept), hits[1], len(right_kept), confidence)
        best = max(best, bound)
    return best


def epsilon_bound(
    hits: int, draws: int, misses: int, others: int, confidence: float, *, delta: float = 0.0
) -> float:
    """Return ln((p - δ)/q) for the least p and the largest q that both counts allow.

    Each of the two may be wrong with half of what confidence leaves.
    """
    doubt = (1 - confidence) / 2
    least = float(stats.beta.ppf(doubt, hits, draws - hits + 1)) if hits else 0.0
    most = float(stats.beta.ppf(1 - doubt, misses + 1, others - misses)) if misses < others else 1.0
    return math.log((least - delta) / most) if least > delta else -math.inf


def _score(one: Draws, other: Draws) -> Callable[[Draws], Scores]:
    """Learn how much each number speaks for one table, as if numbers were independent."""
    speaking = [_speaking(*columns) for columns in zip(one.T, other.T, strict=True)]

    def score(draws: Draws) -> Scores:
        heard = [says(column) for says, column in zip(speaking, draws.T, strict=True)]
        return np.sum(heard, axis=0)

    return score


def _speaking(one: Scores, other: Scores) -> Callable[[Scores], Scores]:
    pooled = np.concatenate([one, other])
    edges = np.unique(np.quantile(pooled, np.linspace(0, 1, _BINS + 1)[1:-1], method="lower"))
    first, second = (
        np.bincount(np.searchsorted(edges, column), minlength=edges.size + 1) + _FAINT
        for column in (one, other)
    )
    weights = np.log(first / first.sum()) - np.log(second / second.sum())
    return lambda column: weights[np.searchsorted(edges, column)]


def _mark(left: Scores, right: Scores, confidence: float) -> float:
    """Return the mark whose event would give the largest bound on these draws."""
    marks = np.unique(np.quantile(left, np.linspace(0, 1 - _RAREST, 60)))
    bounds = [
        epsilon_bound(
            int((left >= mark).sum()), left.size, int((right >= mark).sum()), right.size, confidence
        )
        for mark in marks
    ]
    return float(marks[int(np.argmax(bounds))])
