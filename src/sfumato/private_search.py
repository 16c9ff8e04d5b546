"""`Private`: a request for an estimate where nothing is declared."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from sfumato.domain import Bounds, Spelled, convert_to_float
from sfumato.ends import read_end
from sfumato.errors import SHARED, DomainError, PrivateSearch, Worded

LIMIT = 2.0**40
"""Private bounds are searched for between ± this number, about 10¹², unless you say otherwise."""

_LARGEST, _SMALLEST = 1e100, 1e-100
_NARROWEST = 2.0**-20
_USUAL, _FOR_BOUNDS = 0.1, 0.25


@dataclass(frozen=True)
class Private:
    """A request to estimate bounds or categories from the data, for a share of the budget.

    Parameters
    ----------
    share, delta, within
        As in `private`.
    """

    share: float | None = None
    delta: float | None = None
    within: tuple[float, float] | Bounds | None = None

    def __post_init__(self) -> None:
        if self.share is not None and not 0 < convert_to_float(self.share) < 1:
            raise DomainError(
                f"A share of {self.share!r} must lie between 0 and 1.",
                "It is what the private search may spend; the rest pays for the chart.",
                ("Write ", SHARED, "."),
            )
        if self.delta is not None and not 0 < convert_to_float(self.delta) < 1:
            raise DomainError(
                f"A δ of {self.delta!r} must lie between 0 and 1.",
                "It is the probability of showing a category that only one person has.",
                ("Write ", PrivateSearch(delta=1e-6), "."),
            )
        if self.within is not None:
            object.__setattr__(self, "within", _read_limits(self.within))

    def __repr__(self) -> str:
        within = "" if self.within is None else f", within={self.within!r}"
        return f"Private(share={self.share!r}, delta={self.delta!r}{within})"

    @property
    def usual_share(self) -> float:
        """The share that was asked for, or a tenth."""
        return _USUAL if self.share is None else self.share

    @property
    def bounds_share(self) -> float:
        """The share that was asked for, or a quarter: what a search for bounds needs."""
        return _FOR_BOUNDS if self.share is None else self.share

    @property
    def limits(self) -> Bounds:
        """The public range in which bounds are searched for."""
        if isinstance(self.within, Bounds):
            return self.within
        return Bounds(-LIMIT, LIMIT) if self.within is None else Bounds(*self.within)


def private(
    *,
    share: float | None = None,
    delta: float | None = None,
    within: Bounds | tuple[float, float] | tuple[Spelled, Spelled] | None = None,
) -> Private:
    """Ask for a private estimate in place of a public declaration.

    Parameters
    ----------
    share
        The part of the chart's ε that the estimate may spend. Left out, a tenth; for bounds a
        quarter, with which the search succeeds wherever what follows it can be drawn.
    delta
        The probability of showing a category that belongs to one person alone; required where
        categories are estimated, and not needed for bounds.
    within
        A public range to look for bounds in, however generous; ±2⁴⁰, about a million million, if
        left out. Values beyond it are moved to its ends. A range that is known to start at zero,
        or to end somewhere, makes the search a little sharper. Bounds of dates need it, since no
        date is a natural zero to search around.

    Examples
    --------
    >>> private(delta=1e-6)
    Private(share=None, delta=1e-06)
    >>> private(within=(0, 1e6)).limits
    Bounds(lower=0.0, upper=1000000.0)
    """
    return Private(share, delta, cast("tuple[float, float] | None", within))


def find_searches(bounds: object) -> Any:
    """Return what of some bounds asks for a private search: all of it, some columns, or nothing.

    Examples
    --------
    >>> find_searches({"lon": private(within=(-180, 180)), "lat": (40, 41)}).keys()
    dict_keys(['lon'])
    >>> find_searches((0, 1)) is None
    True
    """
    if not isinstance(bounds, Mapping):
        return bounds if isinstance(bounds, Private) else None
    named = cast(Mapping[str, object], bounds)
    return {name: each for name, each in named.items() if isinstance(each, Private)} or None


def _read_limits(within: object) -> tuple[float, float] | Bounds:
    """Read a pair of dates, or of numbers that a search can divide as finely as charts ask for."""
    pair = cast(tuple[object, ...], within) if isinstance(within, tuple | list) else ()
    spelled = None not in map(read_end, pair) and pair
    limits = Bounds.of(cast(tuple[Spelled, ...], pair)) if spelled else cast(object, within)
    if isinstance(limits, Bounds):
        if not limits.time:  # dates end with the calendar, and numbers where a search can divide
            _check_sizes(limits.lower, limits.upper)
        return limits
    lower, upper = map(convert_to_float, pair) if len(pair) == 2 else (math.nan, math.nan)
    _check_sizes(lower, upper)
    return lower, upper


def _check_sizes(lower: float, upper: float) -> None:
    """Refuse limits in which what is found could be too wide or too narrow for a chart.

    Privacy
    -------
    Whether a chart fails after its search must not depend on what was found.
    """
    farthest = max(abs(lower), abs(upper))
    if not (_SMALLEST <= farthest <= _LARGEST and upper - lower >= _NARROWEST * farthest):
        raise DomainError(
            "The limits of a private search are two numbers of sizes from 1e-100 to 1e100, lower "
            "< upper, not closer than one part in a million.",
            "The search divides what lies between them, and both are public.",
            ("Write ", Worded("sf.private(within=(0, 1e6))", in_shell="private"), "."),
        )
