"""What `order=`, `bounds=` and `bins=` mean on one axis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import count
from typing import Literal, cast

import numpy as np

from sfumato.charts.option import About
from sfumato.dates import MOST, Pace, find_pace
from sfumato.domain import (
    Bounds,
    Categories,
    Domain,
    Listed,
    Spelled,
    convert_to_float,
    is_on_calendar,
    list_values,
)
from sfumato.ends import CYCLES, UNITS, Part
from sfumato.errors import DomainError, Setting, Worded
from sfumato.grid import MOST_CELLS, Edges, Grid, Key, Labels
from sfumato.private_search import Private

Order = Categories | Private | Listed
"""Public categories: a list, a range, an array, an index, an enum or a categorical."""

HUE = About(help="The column whose categories are groups, one colour each.", metavar="COLUMN")
"""What every `hue` says about itself."""


def about_order(axis: str) -> About:
    """Return what the order of an axis says about itself."""
    return About(
        help=f"The public categories of {axis}, in the order to show them.",
        session="Default: all that are declared.",
        python="``sf.private(delta=1e-6)`` searches for them instead, with that δ.",
        typed="private:1e-6 searches for them, with that δ.",
        metavar="A,B",
        spelled="order",
        panel="What is public",
    )


HUE_ORDER = about_order("`hue`")
"""What every `hue_order` says about itself."""


def read_order(order: Order | None) -> Categories | Private | None:
    """Read a list of categories; a request for a search stays one."""
    return order if isinstance(order, Private | None) else Categories.of(order)


def read_labels(domain: Domain, column: str | None, order: Order | None) -> Labels | None:
    """Return the public categories of a column, in the order asked for."""
    if column is None:
        return None
    wanted = cast(Categories | None, read_order(order))
    return Labels(column, select_categories(domain, column, wanted))


def select_categories(domain: Domain, column: str, order: Categories | None) -> Categories:
    """Return the categories asked for: some of those declared, or where none are, what is given.

    Privacy
    -------
    An order is given by whoever asks, and so as public as a declaration.
    """
    if order is not None and column not in domain:
        return order
    return domain.categories(column).select(order, column)


def list_order(order: Order | None) -> Order | None:
    """Return an order that can be read again and compared: a list of Python's own values.

    What is no list stays, and is refused where it is read.
    """
    if isinstance(order, Categories | Private | None):
        return order
    return cast(Order, list_values(order)) or order


Range = Bounds | Sequence[float] | Sequence[date] | Sequence[Spelled]
"""A public range: its two ends, or a ``range`` of whole numbers."""


def declare_bounds(
    column: str, bounds: Range | Private | Mapping[str, Range] | None
) -> dict[str, object]:
    """Return the bounds of named columns, or of the one that is meant where none is named."""
    if bounds is None or isinstance(bounds, Private):
        return {}
    return dict(bounds) if isinstance(bounds, Mapping) else {column: Bounds.of(bounds)}


def declare_categories(orders: Mapping[str | None, Order | None]) -> dict[str, object]:
    """Return the categories of columns whose order is given, and not searched for."""
    return {
        column: Categories.of(order)
        for column, order in orders.items()
        if column is not None and order is not None and not isinstance(order, Private)
    }


_TWO = Worded("bins=(20, [0, 1, 5])", in_shell="--bins 20 --bins 0,1,5")

USUAL = 20
"""How many bins values have that may lie anywhere."""

FINE = 100
"""Bins of so many values, or more, look alike whether they have one more or not."""

MOST_ALIGNED = 2**16
"""More bins than so many are left where they are: nobody sees one of them."""

Clipping = Literal["clip", "drop"]
"""What becomes of values beyond the bounds: they are moved to the nearer one, or left out."""

AxisBins = int | str | Sequence[float] | Sequence[date] | Sequence[Spelled]
Bins = AxisBins | tuple[AxisBins | None, AxisBins | None]


def convert_bins(bins: Bins | None) -> Bins | None:
    """Return edges that came as a list or an array as a tuple."""
    if isinstance(bins, str) or not isinstance(bins, Iterable) or getattr(bins, "ndim", 1) == 0:
        return bins
    return cast(Bins, tuple(convert_bins(item) for item in cast(Iterable[AxisBins], bins)))


def is_cycle(bins: object) -> bool:
    """Tell whether bins are parts of a day, a week or a year, which come around again."""
    return isinstance(bins, str) and bins in CYCLES


def select_axis_bins(bins: Bins | None, axis: int, axes: int) -> AxisBins | None:
    """Return what `bins` says about one of one or two axes: a number of bins, or their edges."""
    if bins is None or axes == 1 or isinstance(bins, int | np.integer):
        return cast(AxisBins | None, bins)
    if isinstance(bins, tuple) and len(bins) == axes:
        return cast(tuple[AxisBins | None, AxisBins | None], bins)[axis]
    raise DomainError(
        "bins of a two-dimensional histogram is one number, or a pair with one entry per axis.",
        "Otherwise it is ambiguous which axis is meant.",
        ("Write ", Setting("bins", 20), ", or ", _TWO, "."),
    )


def make_axis_key(
    domain: Domain,
    column: str,
    order: Categories | None,
    bins: AxisBins | None,
    outside: Clipping = "clip",
) -> Key:
    """Return the public cells of one axis, from what is declared about its column."""
    if is_cycle(bins) and order is None:
        return _make_cycle(domain, column, cast(Part, bins))
    if order is not None:
        return Labels(column, select_categories(domain, column, order))
    if column not in domain and isinstance(bins, tuple):  # edges are bounds too
        domain |= {column: Bounds.of(cast(Range, (*bins[:1], *bins[-1:])))}
    match domain.fact(column):
        case Categories() as categories:
            return Labels(column, categories)
        case Bounds():
            key = _make_numeric_key(column, domain.spaced_bounds(column), bins)
            return replace(key, drop=outside == "drop")


def _make_cycle(domain: Domain, column: str, part: Part) -> Labels:
    """Return the hours of a day, the days of a week or the months of a year, on local clocks."""
    known, declared = domain.typed(column), domain.columns.get(column)
    zone = declared.zone if known.parsed and isinstance(declared, Bounds) else known.zone
    return Labels(column, Categories(CYCLES[part]), part, zone)


def _make_numeric_key(column: str, bounds: Bounds, bins: AxisBins | None) -> Grid | Edges:
    if bins is None:
        return _make_default_bins(column, bounds)
    if isinstance(bins, int | np.integer) and not isinstance(bins, bool):
        return _make_equal_bins(column, bounds, int(bins))
    if isinstance(bins, str):
        return _make_calendar_bins(column, bounds, bins)
    edges = _read_edges(bounds, cast(Sequence[object], bins))
    if edges is None:
        raise DomainError(
            f"bins of {column!r} must be a whole number, a unit of the calendar or a list of "
            "edges of the kind that its bounds are.",
            "Bins found from the data would leak it.",
            ("Write ", Setting("bins", 20), ", or ", Setting("bins", [0, 18, 65, 110]), "."),
        )
    return Edges(column, bounds, edges)


def _make_calendar_bins(column: str, bounds: Bounds, unit: str) -> Edges:
    """Return bins that begin with units of the calendar; the first and the last end at bounds."""
    if unit not in UNITS:
        words = ", ".join(repr(word) for word in (*UNITS, *CYCLES))
        raise DomainError(
            (Setting("bins", unit), f" of {column!r} is no unit of the calendar."),
            "Bins found from the data would leak it.",
            f"Write a whole number of bins, a list of edges, or one of {words}.",
        )
    if not bounds.time or (bounds.clock and unit != "hour"):
        raise DomainError(
            (Setting("bins", unit), f" of {column!r} is for dates, and its bounds are none."),
            "Only dates have units of the calendar.",
            ("Write a number of bins, or a list of edges: ", Setting("bins", 20), "."),
        )
    pace = Pace(unit)
    if bounds.width / pace.length > MOST_CELLS:
        raise DomainError(
            f"The bounds of {column!r} hold more than {MOST_CELLS} {pace}.",
            "Nearly all of them would contain only noise.",
            "Choose a longer unit, or narrower bounds.",
        )
    return Edges(column, bounds, pace.edges(bounds))


def _read_edges(bounds: Bounds, bins: Sequence[object]) -> tuple[float, ...] | None:
    """Return edges as numbers of the kind that bounds are; None where one is of another kind."""
    try:
        edges = tuple(bins)
    except TypeError:
        return None
    if bounds.time or bounds.duration:
        return bounds.read_edges(edges)
    numbers = tuple(map(convert_to_float, edges))
    return None if any(map(math.isnan, numbers)) else numbers


def _make_default_bins(column: str, bounds: Bounds) -> Grid | Edges:
    """Return bins where nobody said how many: whole values, units of the calendar, or 20.

    Each bin holds as many values, which are 1, 2, 5, 10, 20, … so that there are `MOST` bins at
    most; the last one holds what is left, and a twentieth more if that is all there is.
    """
    few = bounds.values is not None and bounds.values <= MOST
    if bounds.time and not few:
        pace = find_pace(bounds)
        return Edges(column, bounds, pace.edges(bounds)) if pace else Grid(column, bounds, USUAL)
    if bounds.values is None:
        return Grid(column, bounds, USUAL)
    width = next(each for each in _iterate_round_numbers() if bounds.values <= MOST * each)
    left = bounds.values % width
    return _make_whole_value_bins(
        column, bounds, range(0, bounds.values - (left if left < width / 19 else 0), width)
    )


def _make_equal_bins(column: str, bounds: Bounds, bins: int) -> Grid | Edges:
    """Return so many bins, as equal as whole values allow, and no more than there are values."""
    plain = Grid(column, bounds, bins)  # refuses what is no number of bins
    values = bounds.values
    if values is None or values >= FINE * bins or min(values, bins) > MOST_ALIGNED:
        return plain
    bins = min(bins, values)
    return _make_whole_value_bins(column, bounds, [values * index // bins for index in range(bins)])


def _make_whole_value_bins(column: str, bounds: Bounds, firsts: Sequence[int]) -> Grid | Edges:
    """Return bins that begin at the given ones of all values, with edges between two values.

    Edges of time lie on the values themselves, as those of a calendar do, and so do those of bins
    with so many values that the one on the last edge does not matter.
    """
    step = cast(float, bounds.step)
    if bounds.time:
        before, last = 0.0, bounds.upper + step
    elif firsts[1:2] and firsts[1] - firsts[0] >= FINE:
        before, last = 0.0, bounds.upper
    else:
        before, last = step / 2, bounds.upper + step / 2
    edges = [bounds.lower + first * step - before for first in firsts]
    if bounds.time and not is_on_calendar(bounds.lower, last):
        return Grid(column, bounds, USUAL)
    return Edges(column, bounds, (*(edge for edge in edges if edge < last), last))


def _iterate_round_numbers() -> Iterator[int]:
    return (digit * 10**power for power in count() for digit in (1, 2, 5))
