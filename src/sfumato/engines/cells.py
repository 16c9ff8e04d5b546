"""The kernel every engine shares: one batch of rows to cells, points and projections."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain

import numpy as np
import pyarrow as pa

from sfumato.engines.columns import Floats, Integers, find_positions, read_numbers
from sfumato.engines.locating import locate
from sfumato.engines.times import find_parts, read_values
from sfumato.grid import Edges, Grid, Key, Labels
from sfumato.lattice import REACH, DistanceCells, Lattice, Point, Projection, Question
from sfumato.plane import Outside, Plane, Weight, interleave
from sfumato.regions import Areas

STRIP = 2**13
"""How many rows to work on at once: their columns fit in the caches, and NumPy is fastest here."""

_FEW = 16  # edges, among which bisection is fast


def iterate_points(
    block: pa.RecordBatch, lattice: Lattice, room: Floats | None = None
) -> Generator[Floats]:
    """Yield the points of a block, one line for each column; NaN makes a row be nowhere.

    They are put into `room`, or into an array of their own, which is used again: whoever asks may
    write into it, and must be done with it before asking for the next.

    Privacy
    -------
    A row's point depends on that row and public facts alone: every step is one correctly rounded
    operation, with the same result wherever in a table the row stands.
    """
    ranges = zip(lattice.columns, lattice.bounds, strict=True)
    columns = [read_values(block.column(name), bounds) for name, bounds in ranges]
    gappy = [(line, gaps) for line, (_, gaps) in enumerate(columns) if gaps.any()]
    room = np.empty((len(columns), STRIP)) if room is None else room
    for start in range(0, block.num_rows, room.shape[1]):
        some = slice(start, start + room.shape[1])
        points = room[:, : block.num_rows - start]
        _place_on_lattice([values[some] for values, _ in columns], lattice, points)
        for line, gaps in gappy:
            points[line, gaps[some]] = np.nan
        yield points


def _place_on_lattice(columns: list[Floats], lattice: Lattice, points: Floats) -> None:
    lowest, highest = lattice.corners
    with np.errstate(over="ignore", invalid="ignore"):  # a signalling NaN would warn of itself
        for values, middle, line in zip(columns, lattice.middles, points, strict=True):
            np.subtract(values, middle, out=line)
        points *= lattice.factors[:, np.newaxis]
        np.rint(points, out=points)
        # All steps keep the order of values, so their bounds may as well be met at the end.
        np.clip(points, lowest[:, np.newaxis], highest[:, np.newaxis], out=points)


def compute_scores(
    block: pa.RecordBatch, questions: Sequence[Projection | DistanceCells]
) -> list[Floats]:
    """Return what each question asks for, in scaled units; NaN is nowhere.

    Privacy
    -------
    A row's score depends on that row and public facts alone: sums are exact, and whatever else is
    done is one correctly rounded operation after the other.
    """
    found = [np.empty(block.num_rows) for _ in questions]
    for lattice in dict.fromkeys(question.lattice for question in questions):
        start = 0
        for points in iterate_points(block, lattice):
            some = slice(start, start + points.shape[1])
            for question, values in zip(questions, found, strict=True):
                if question.lattice == lattice:
                    values[some] = _compute_score(points, question)
            start = some.stop
    return found


def _compute_score(points: Floats, question: Projection | DistanceCells) -> Floats:
    with np.errstate(over="ignore"):  # an infinite distance has its cell
        if isinstance(question, Projection):
            return _project(points, question.origin, question.vector) * question.lattice.unit
        return np.sqrt(_compute_squares(points, question)) * question.lattice.unit


def _compute_squares(points: Floats, question: DistanceCells) -> Floats:
    if not question.vectors:
        apart = points - np.array(question.origin, dtype=np.float64)[:, np.newaxis]
        return squared_lengths(apart)
    projected = [_project(points, question.origin, vector) for vector in question.vectors]
    return reduce(np.add, [each * each for each in projected])


def squared_lengths(points: Floats) -> Floats:
    """Return the squared length of each point: below 2⁴⁹, so that its sum is exact."""
    return np.einsum("ij,ij->j", points, points)


def _project(points: Floats, origin: Point, vector: Point) -> Floats:
    """Return the projections on a vector, in steps: below 2⁴⁶ before they are divided, and exact.

    A matrix product might leave out what is multiplied by 0, and with it what is nowhere.
    """
    whole = np.einsum("i,ij->j", np.array(vector, dtype=np.float64), points)
    whole -= sum(one * other for one, other in zip(origin, vector, strict=True))
    whole /= REACH
    return whole


_COARSE = 2.0**44


def list_columns(keys: Sequence[Question]) -> list[str]:
    """Return the columns that questions are about."""
    return list(chain.from_iterable(map(_list_key_columns, keys)))


def _list_key_columns(key: Question) -> Sequence[str]:
    if isinstance(key, Areas):
        return key.columns
    return [key.column] if isinstance(key, Key) else key.lattice.columns


def find_cells(batch: pa.RecordBatch, keys: Sequence[Question]) -> Integers:
    """Return the flat cell of each row, or -1 where it is counted nowhere.

    The first key varies slowest. Without keys there is one cell, which holds every row.

    Privacy
    -------
    A row's cell depends on that row and public facts alone.
    """
    if not keys:
        return np.zeros(batch.num_rows, dtype=np.int64)
    return _join_cells(keys, _find_axis_cells(batch, keys))


def find_marginal_cells(
    batch: pa.RecordBatch, marginals: Sequence[Sequence[Question]]
) -> list[Integers]:
    """Return what `find_cells` does for each list of keys, asking what they share only once.

    Privacy
    -------
    A row's cells depend on that row and public facts alone.
    """
    different = list(dict.fromkeys(chain.from_iterable(marginals)))
    known = dict(zip(different, _find_axis_cells(batch, different), strict=True))
    return [
        _join_cells(keys, (known[key] for key in keys)) if keys else find_cells(batch, ())
        for keys in marginals
    ]


def _join_cells(keys: Sequence[Question], cells: Iterable[Integers]) -> Integers:
    flat, *others = cells
    for key, here in zip(keys[1:], others, strict=True):
        # All bits are set in -1, and where one of two is negative, so is what has the bits of both.
        either = flat | here
        flat = either if key.cells == 1 else (flat * key.cells + here) | (either >> 63)
    return flat


def _find_axis_cells(batch: pa.RecordBatch, keys: Sequence[Question]) -> Iterator[Integers]:
    scores = [key for key in keys if isinstance(key, Projection | DistanceCells)]
    scored = iter(compute_scores(batch, scores))
    for key in keys:
        if isinstance(key, Projection):
            yield grid_cells(next(scored), key.grid)
        elif isinstance(key, DistanceCells):
            yield edges_cells(next(scored), key.ladder)
        elif isinstance(key, Areas):
            yield locate(key, *(read_numbers(batch.column(name)) for name in key.columns))
        elif isinstance(key, Labels):
            column = batch.column(key.column)
            if key.part is None:
                yield find_positions(column, key.categories)
            else:
                yield find_parts(column, key.part, key.zone)
        else:
            yield _find_bounded_cells(batch.column(key.column), key)


def _find_bounded_cells(column: pa.Array, key: Grid | Edges) -> Integers:
    values, gaps = read_values(column, key.bounds)
    found = grid_cells(values, key) if isinstance(key, Grid) else edges_cells(values, key)
    found[gaps] = -1
    if key.drop:
        found[(values < key.bounds.lower) | (values > key.bounds.upper)] = -1
    return found


def grid_cells(values: Floats, grid: Grid) -> Integers:
    """Return ``i`` where ``edges[i] <= value < edges[i + 1]`` to the bit, or -1 for NaN.

    Let u = 2⁻⁵³ and K = max|bound| · cells / width. The scaled value below is within 6u(K + cells)
    cells of its exact position, and each edge within 3u(K + cells) of its own. Together this is
    far below ½ while K ≤ 2⁴⁴, so the nearest edge is the lower or the upper end of the true cell,
    and one comparison with it tells which. Finer grids are searched.
    """
    if grid.cells == 1:
        return -np.isnan(values).astype(np.int64)
    lower, upper = grid.bounds.lower, grid.bounds.upper
    # The last cell holds its upper edge, as it holds the number just below.
    inside = np.clip(values, lower, math.nextafter(upper, lower))
    with np.errstate(over="ignore", invalid="ignore"):  # NaN becomes any integer, until the end
        scale = np.float64(grid.cells) / grid.bounds.width
        if scale * max(abs(lower), abs(upper)) <= _COARSE:
            position = inside * scale
            position += 0.5 - lower * scale
            found = position.astype(np.int64)
            found -= inside < grid.edges.take(found, mode="clip", out=position)
        else:
            found = np.searchsorted(grid.edges, inside, side="right") - 1
    found[np.isnan(values)] = -1
    return found


def edges_cells(values: Floats, key: Edges) -> Integers:
    """Return the cell between public edges of each value, or -1 beyond them and for NaN."""
    inside = np.clip(values, key.bounds.lower, key.bounds.upper)
    few = key.cells <= _FEW
    found = np.searchsorted(key.edges, inside, side="right") - 1 if few else key.index.find(inside)
    np.minimum(found, key.cells - 1, out=found)  # the last cell holds its upper edge
    found[(inside > key.edges[-1]) | np.isnan(values)] = -1
    return found


def make_cell_locator(plane: Plane) -> Callable[[pa.RecordBatch], Integers]:
    """Return a function from rows to the Morton codes of their cells, or -1 for nowhere.

    Privacy
    -------
    A row's cell depends on that row and public facts alone.
    """
    columns, rows = np.arange(plane.x.cells), np.arange(plane.y.cells)
    # A code is that of its column or that of its row, bit by bit. All bits are set in the last
    # entry, which -1 looks up: whatever it is joined with, the answer is -1 again.
    across = np.append(interleave(columns, np.zeros_like(columns)), -1)
    along = np.append(interleave(np.zeros_like(rows), rows), -1)

    def place(batch: pa.RecordBatch) -> Integers:
        x, y = (
            _find_window_cells(batch.column(g.column), g, plane.outside) for g in (plane.x, plane.y)
        )
        codes = np.bitwise_or(across[x], along[y])
        if plane.hue is None:
            return codes
        group = find_cells(batch, [plane.hue])
        placed = codes + (group << 2 * plane.levels)
        return np.where((codes < 0) | (group < 0), -1, placed)

    return place


def weigh_rows(column: pa.Array, weight: Weight) -> Integers:
    """Return what each row weighs, in integer steps from 0 to ``weight.whole``.

    What is no number weighs nothing, and what lies beyond the bounds is moved to the nearer one.
    """
    with np.errstate(invalid="ignore"):  # a signalling NaN would warn of itself
        inside = np.clip(read_numbers(column), 0.0, weight.most)
        inside *= weight.steps  # a power of two, so the product is exact
    inside[np.isnan(inside)] = 0.0
    return inside.astype(np.int64)


def _find_window_cells(column: pa.Array, grid: Grid, outside: Outside) -> Integers:
    values, gaps = read_values(column, grid.bounds)
    found = grid_cells(values, grid)
    found[gaps] = -1
    if outside == "drop":
        found[(values < grid.bounds.lower) | (values > grid.bounds.upper)] = -1
    return found
