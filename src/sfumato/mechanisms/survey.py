"""Noisy masses of squares, asked for one after another. The argument stands in `survey.md`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import OverspentError
from sfumato.exact import Exact
from sfumato.mechanisms.gaussian import gaussian_scale
from sfumato.mechanisms.laplace import laplace_scale
from sfumato.mechanisms.meter import Meter, Receipt
from sfumato.mechanisms.noise import Family, add_noise
from sfumato.plane import interleave
from sfumato.privacy.budget import Cost

Integers = NDArray[np.int64]

MOST_ASKS = 60
"""How often one survey may ask: each has a bit of its own in the account."""


@dataclass(frozen=True, eq=False)
class NoisySquares:
    """Squares of a quadtree that do not overlap, and their noisy masses in integer steps.

    Parameters
    ----------
    level, code
        How often the window was halved, and the Morton code at that level.
    steps
        The noisy masses.
    scale
        The scale of their noise, in steps.
    """

    level: Integers
    code: Integers
    steps: Integers
    scale: float


def survey(
    meter: Meter, exact: Exact, levels: int, price: Fraction, family: Family = "laplace"
) -> Survey:
    """Pay for a survey of one map, whatever of it will be asked for.

    Parameters
    ----------
    exact
        The masses of all occupied cells of the finest level, from `Engine.masses`.
    levels
        How often the window is halved down to those cells.
    price
        The most that the answers along any path from the root may cost together: an ε for Laplace
        noise, a ρ for Gaussian noise.
    family
        The noise of all answers.

    Privacy
    -------
    Pure ε-DP with Laplace noise and ρ-zCDP with Gaussian noise, for the unit that `exact` was
    counted under, however the squares are chosen from earlier answers.

    Examples
    --------
    >>> cells = np.array([0, 5, 15])
    >>> masses = Exact(l1=1, l2_squared=1, step=1.0, _values=np.array([7, 2, 1]), _places=cells)
    >>> with Meter(Cost.pure(Fraction(1))) as meter:
    ...     asked = survey(meter, masses, 2, Fraction(1))
    ...     whole = asked.ask([0], [0], Fraction(1, 4))
    ...     quarters = asked.ask([1] * 4, range(4), Fraction(3, 4))
    >>> meter.spent
    Cost(ε = 1, ρ = 0.5)
    """
    receipt = meter.pay(_Noise(family, exact.l1).cost(price))
    return Survey(receipt, exact, levels, price, family)


def surveys(
    meter: Meter, exact: Exact, levels: int, price: Fraction, family: Family = "laplace"
) -> list[Survey]:
    """Pay once for a survey of the map of every group.

    Parameters
    ----------
    exact
        Counts ``[..., row, column]`` of all groups.

    Privacy
    -------
    As `survey`, for all groups together: one unit changes all maps by no more than it may change
    one of them, so that every path of every map may spend the price (`survey.md`).

    Examples
    --------
    >>> counts = Exact(l1=1, l2_squared=1, step=1.0, _values=np.arange(8).reshape(2, 2, 2))
    >>> with Meter(Cost.pure(Fraction(1))) as meter:
    ...     for each in surveys(meter, counts, 1, Fraction(1)):
    ...         whole = each.ask([0], [0], Fraction(1))
    >>> meter.spent.epsilon
    Fraction(1, 1)
    """
    receipt = meter.pay(_Noise(family, exact.l1).cost(price))
    return [Survey(receipt, each, levels, price, family) for each in split_into_maps(exact)]


def survey_groups(
    meter: Meter, exact: Exact, levels: int, price: Fraction, groups: int
) -> list[Survey]:
    """Pay once for surveys with Laplace noise of maps that stand one after the other.

    Parameters
    ----------
    exact
        The masses of all occupied cells, from `Engine.masses` of a plane with a `hue`: the cells of
        each group follow those of the group before.

    Privacy
    -------
    As `surveys`: one unit adds no more to all maps together than to one of them, and every path
    lies in one map, so that each may spend the price (`survey.md`, many groups).

    Examples
    --------
    >>> cells = np.array([1, 4, 7])
    >>> masses = Exact(l1=1, l2_squared=1, step=1.0, _values=np.array([7, 2, 1]), _places=cells)
    >>> with Meter(Cost.pure(Fraction(1))) as meter:
    ...     for each in survey_groups(meter, masses, 1, Fraction(1), groups=2):
    ...         whole = each.ask([0], [0], Fraction(1))
    >>> meter.spent.epsilon
    Fraction(1, 1)
    """
    receipt = meter.pay(_Noise("laplace", exact.l1).cost(price))
    return [
        Survey(receipt, exact, levels, price, "laplace", start=group * 4**levels)
        for group in range(groups)
    ]


class Survey:
    """Answers about the squares of one map, within one price for every path from the root.

    It changes, as a ledger does: a copy for every answer could be asked twice, and either would
    forget what the other has spent. `survey` and `surveys` pay for it.

    Parameters
    ----------
    receipt
        What was paid for the price of every path.
    exact
        The masses of all occupied cells of the finest level, from `Engine.masses`.
    levels
        How often the window is halved down to those cells.
    price
        The most that the answers along any path from the root may cost together: an ε for Laplace
        noise, a ρ for Gaussian noise.
    family
        The noise of all answers.
    start
        Which of the cells is the map's first, where those of several stand one after the other.

    Privacy
    -------
    Pure ε-DP with Laplace noise and ρ-zCDP with Gaussian noise, for the unit that `exact` was
    counted under. The ε or ρ of `cost` is the largest sum over the squares that hold one cell,
    however the squares were chosen from earlier answers: no more than was paid.
    """

    def __init__(
        self,
        receipt: Receipt,
        exact: Exact,
        levels: int,
        price: Fraction,
        family: Family,
        *,
        start: int = 0,
    ) -> None:
        self._receipt, self._exact, self._start = receipt, exact, start
        self._levels, self._price = levels, price
        self._noise = _Noise(family, exact.l1)
        self._asked: list[NoisySquares] = []

    @property
    def family(self) -> Family:
        """The noise of all answers."""
        return self._noise.family

    @property
    def asked(self) -> tuple[NoisySquares, ...]:
        """All that was asked so far, with the answers."""
        return tuple(self._asked)

    @property
    def cost(self) -> Cost:
        """What all answers so far cost together, of what was paid."""
        return self._noise.cost(self._compute_path_price(self._asked))

    def ask(
        self, level: Sequence[int] | Integers, code: Sequence[int] | Integers, price: Fraction
    ) -> NoisySquares:
        """Return the noisy masses of squares that do not overlap.

        Privacy
        -------
        Adds noise to each: discrete Laplace of scale ``l1 / ε``, or discrete Gaussian of variance
        ``l1² / 2ρ``, for the ε or ρ that is the price. What would take a path beyond the survey's
        own is refused before anything is drawn; that depends on what was asked, and not on a true
        mass.
        """
        levels, codes = (np.array(each, dtype=np.int64) for each in (level, code))
        for each in (levels, codes):
            each.flags.writeable = False  # the account reads them again
        noise, scale = self._noise, self._noise.scale(price)
        nothing = np.zeros(len(codes), dtype=np.int64)
        self._check([*self._asked, NoisySquares(levels, codes, nothing, scale)])
        noisy = add_noise(self._receipt, self._masses(levels, codes), noise.family, scale)
        self._asked.append(NoisySquares(levels, codes, noisy, scale))
        return self._asked[-1]

    def _check(self, asks: Sequence[NoisySquares]) -> None:
        last = asks[-1]
        inside = (last.level >= 0) & (last.level <= self._levels) & (last.code >= 0)
        inside &= last.code < 4 ** np.clip(last.level, 0, self._levels)
        apart = lie_apart(*self._ranges(last.level, last.code))
        within = len(asks) <= MOST_ASKS and self._compute_path_price(asks) <= self._price
        if not (inside.all() and apart and within):
            raise make_overspent_error("A map asked for squares")

    def _ranges(self, level: Integers, code: Integers) -> tuple[Integers, Integers]:
        """Return the first cell of each square, and the first one after it."""
        finer = 2 * (self._levels - level)
        return code << finer, (code + 1) << finer

    def _compute_path_price(self, asks: Sequence[NoisySquares]) -> Fraction:
        """Return the largest sum of prices over the squares that hold one cell."""
        ranges = [self._ranges(each.level, each.code) for each in asks]
        return compute_path_price(ranges, [self._noise.price(each.scale) for each in asks])

    def _masses(self, level: Integers, code: Integers) -> Integers:
        first, end = self._ranges(level, code)
        return self._exact.reveal_between(first + self._start, end + self._start)


@dataclass(frozen=True, eq=False)
class NoisyIntervals:
    """Intervals of cells that do not overlap, and their noisy masses in integer steps.

    Parameters
    ----------
    first, end
        The first cell of each, and the first one after it.
    steps
        The noisy masses.
    scale
        The scale of their noise, in steps.
    """

    first: Integers
    end: Integers
    steps: Integers
    scale: float


def survey_intervals(
    meter: Meter,
    exact: Exact,
    cells: int,
    price: Fraction,
    family: Family = "laplace",
    *,
    groups: int = 1,
) -> list[IntervalSurvey]:
    """Pay once for surveys of intervals of one line of cells, or of the line of every group.

    Parameters
    ----------
    exact
        Counts of all cells, those of each group after those of the group before.
    cells
        How many cells each group has.
    price
        The most that the intervals that hold any one cell may cost together: an ε for Laplace
        noise, a ρ for Gaussian noise.

    Privacy
    -------
    As `surveys`: one unit adds no more to all groups together than to one of them, and no cell lies
    in two groups, so that the intervals around every cell may spend the price (`survey.md`).

    Examples
    --------
    >>> counts = Exact(l1=1, l2_squared=1, step=1.0, _values=np.array([[7, 2, 1, 0], [0, 1, 0, 0]]))
    >>> with Meter(Cost.pure(Fraction(1))) as meter:
    ...     for each in survey_intervals(meter, counts, 4, Fraction(1), groups=2):
    ...         whole = each.ask([0], [4], Fraction(1, 4))
    ...         parts = each.ask([0, 1], [1, 4], Fraction(3, 4))
    >>> meter.spent.epsilon
    Fraction(1, 1)
    """
    receipt = meter.pay(_Noise(family, exact.l1).cost(price))
    return [
        IntervalSurvey(receipt, exact, cells, price, family, start=group * cells)
        for group in range(groups)
    ]


class IntervalSurvey:
    """Answers about intervals of one line of cells, within one price for every cell.

    It changes, as `Survey` does, and for the same reason. `survey_intervals` pays for it.

    Parameters
    ----------
    receipt
        What was paid for the price of every cell.
    exact
        The counts of all cells of all lines.
    cells
        How many cells this line has.
    price
        The most that the intervals that hold any one cell may cost together: an ε for Laplace
        noise, a ρ for Gaussian noise.
    start
        Which of all cells is the line's first.

    Privacy
    -------
    Pure ε-DP with Laplace noise and ρ-zCDP with Gaussian noise, as `Survey`: intervals need not be
    nested for it (`survey.md`).
    """

    def __init__(
        self,
        receipt: Receipt,
        exact: Exact,
        cells: int,
        price: Fraction,
        family: Family,
        *,
        start: int = 0,
    ) -> None:
        self._receipt, self._exact, self._start = receipt, exact, start
        self._cells, self._price = cells, price
        self._noise = _Noise(family, exact.l1)
        self._asked: list[NoisyIntervals] = []

    @property
    def family(self) -> Family:
        """The noise of all answers."""
        return self._noise.family

    @property
    def asked(self) -> tuple[NoisyIntervals, ...]:
        """All that was asked so far, with the answers."""
        return tuple(self._asked)

    @property
    def cost(self) -> Cost:
        """What all answers so far cost together, of what was paid."""
        return self._noise.cost(self._compute_cell_price(self._asked))

    @property
    def left(self) -> Fraction:
        """What may still be spent on any interval."""
        return self._price - self._compute_cell_price(self._asked)

    def scale(self, price: Fraction) -> float:
        """Return the scale of the noise that a price buys, in steps."""
        return self._noise.scale(price)

    def ask(
        self, first: Sequence[int] | Integers, end: Sequence[int] | Integers, price: Fraction
    ) -> NoisyIntervals:
        """Return the noisy masses of intervals that do not overlap.

        Privacy
        -------
        Adds noise to each: discrete Laplace of scale ``l1 / ε``, or discrete Gaussian of variance
        ``l1² / 2ρ``, for the ε or ρ that is the price. What would take a cell beyond the survey's
        own is refused before anything is drawn; that depends on what was asked, and not on a true
        mass.
        """
        starts, ends = (np.array(each, dtype=np.int64) for each in (first, end))
        for each in (starts, ends):
            each.flags.writeable = False  # the account reads them again
        noise, scale = self._noise, self._noise.scale(price)
        nothing = np.zeros(len(starts), dtype=np.int64)
        self._check([*self._asked, NoisyIntervals(starts, ends, nothing, scale)])
        masses = self._exact.reveal_between(starts + self._start, ends + self._start)
        noisy = add_noise(self._receipt, masses, noise.family, scale)
        self._asked.append(NoisyIntervals(starts, ends, noisy, scale))
        return self._asked[-1]

    def _check(self, asks: Sequence[NoisyIntervals]) -> None:
        last = asks[-1]
        alike = last.first.shape == last.end.shape and last.first.ndim == 1
        inside = alike and bool(
            ((last.first >= 0) & (last.first < last.end) & (last.end <= self._cells)).all()
        )
        within = len(asks) <= MOST_ASKS and self._compute_cell_price(asks) <= self._price
        if not (inside and lie_apart(last.first, last.end) and within):
            raise make_overspent_error("A line asked for intervals")

    def _compute_cell_price(self, asks: Sequence[NoisyIntervals]) -> Fraction:
        ranges = [(each.first, each.end) for each in asks]
        return compute_path_price(ranges, [self._noise.price(each.scale) for each in asks])


def compute_path_price(
    ranges: Sequence[tuple[Integers, Integers]], prices: Sequence[Fraction]
) -> Fraction:
    """Return the largest sum of prices over the ranges that hold one cell.

    Ranges of one ask do not overlap, so each ask has a bit of its own, which is set from the first
    cell of a range on and cleared after its last: the running sum tells which asks hold a cell.

    Parameters
    ----------
    ranges
        Of each ask, the first cells and the first ones after the last.
    prices
        What each ask costs wherever it holds a cell.

    Examples
    --------
    >>> asks = [(np.array([0]), np.array([4])), (np.array([0, 3]), np.array([1, 4]))]
    >>> compute_path_price(asks, [Fraction(1, 4), Fraction(1, 2)])
    Fraction(3, 4)
    """
    if not ranges:
        return Fraction(0)
    places = np.concatenate([ends for each in ranges for ends in each])
    changes = [
        np.full(len(ends), sign << bit, dtype=np.int64)
        for bit, each in enumerate(ranges)
        for ends, sign in zip(each, (1, -1), strict=True)
    ]
    where, at = np.unique(places, return_inverse=True)
    change = np.zeros(len(where), dtype=np.int64)
    np.add.at(change, at, np.concatenate(changes))
    held: list[int] = np.unique(np.cumsum(change)).tolist()
    return max(
        sum((price for bit, price in enumerate(prices) if asks_held >> bit & 1), Fraction(0))
        for asks_held in held
    )


def lie_apart(first: Integers, end: Integers) -> bool:
    """Tell whether ranges do not overlap, whatever their order."""
    order = np.argsort(first, kind="stable")
    return bool(np.all(end[order][:-1] <= first[order][1:]))


def make_overspent_error(asked: str) -> OverspentError:
    """Return what a survey is refused with that nobody has paid for."""
    return OverspentError(
        f"{asked} that overlap, do not exist or cost more than was charged.",
        "This is a bug in sfumato: the numbers are withheld.",
        "Please report it.",
    )


def split_into_maps(exact: Exact) -> list[Exact]:
    """Return counts ``[..., row, column]`` as one map for each group, to survey one by one.

    Privacy
    -------
    Nothing here is private. One unit changes all maps together by as much as the counts.

    Examples
    --------
    >>> counts = Exact(l1=1, l2_squared=1, step=1.0, _values=np.arange(8).reshape(2, 2, 2))
    >>> len(split_into_maps(counts))
    2
    """
    rows, columns = exact.reveal().shape[-2:]
    row, column = np.divmod(np.arange(rows * columns, dtype=np.int64), columns)
    codes = interleave(column, row)
    order = np.argsort(codes)
    groups = exact.reveal().reshape(-1, rows * columns)[:, order]
    return [
        Exact(exact.l1, exact.l2_squared, exact.step, _values=each, _places=codes[order])
        for each in groups
    ]


@dataclass(frozen=True)
class _Noise:
    """What noise on all squares of an ask costs a unit that has all its weight in one of them."""

    family: Family
    weight: int

    def scale(self, price: Fraction) -> float:
        """Return the smallest scale that costs no more than this."""
        if self.family == "laplace":
            return laplace_scale(self.weight, price)
        return gaussian_scale(self.weight**2, price)

    def price(self, scale: float) -> Fraction:
        """Return the ε or ρ of one ask."""
        if self.family == "laplace":
            return self.weight / Fraction(scale)
        return self.weight**2 / (2 * Fraction(scale) ** 2)

    def cost(self, price: Fraction) -> Cost:
        """Return an ε or ρ in every currency it has a price in."""
        return (
            Cost.laplace(price, self.weight) if self.family == "laplace" else Cost.gaussian(price)
        )
