"""Rows to projections and distances in a lattice."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
import pyarrow as pa

from sfumato.engines.columns import Floats
from sfumato.engines.points import strips
from sfumato.lattice import REACH, Distance, Point, Projection


def scores(block: pa.RecordBatch, questions: Sequence[Projection | Distance]) -> list[Floats]:
    """Return what each question asks for, in scaled units; NaN is nowhere.

    Privacy
    -------
    A row's score depends on that row and public facts alone: sums are exact, and whatever else is
    done is one correctly rounded operation after the other.
    """
    found = [np.empty(block.num_rows) for _ in questions]
    for lattice in dict.fromkeys(question.lattice for question in questions):
        start = 0
        for points in strips(block, lattice):
            some = slice(start, start + points.shape[1])
            for question, values in zip(questions, found, strict=True):
                if question.lattice == lattice:
                    values[some] = _scored(points, question)
            start = some.stop
    return found


def _scored(points: Floats, question: Projection | Distance) -> Floats:
    with np.errstate(over="ignore"):  # an infinite distance has its cell
        if isinstance(question, Projection):
            return _along(points, question.origin, question.vector) * question.lattice.unit
        return np.sqrt(_squares(points, question)) * question.lattice.unit


def _squares(points: Floats, question: Distance) -> Floats:
    if not question.vectors:
        apart = points - np.array(question.origin, dtype=np.float64)[:, np.newaxis]
        return squared_lengths(apart)
    projected = [_along(points, question.origin, vector) for vector in question.vectors]
    return reduce(np.add, [each * each for each in projected])


def squared_lengths(points: Floats) -> Floats:
    """Return the squared length of each point: below 2⁴⁹, so that its sum is exact."""
    return np.einsum("ij,ij->j", points, points)


def _along(points: Floats, origin: Point, vector: Point) -> Floats:
    """Return the projections on a vector, in steps: below 2⁴⁶ before they are divided, and exact.

    A matrix product might leave out what is multiplied by 0, and with it what is nowhere.
    """
    whole = np.einsum("i,ij->j", np.array(vector, dtype=np.float64), points)
    whole -= sum(one * other for one, other in zip(origin, vector, strict=True))
    whole /= REACH
    return whole
