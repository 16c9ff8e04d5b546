"""`ScoreplotPlan`: what a score plot will cost, how it divides its budget, how noisy it will be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.charts.allocation import CategorySearch
from sfumato.charts.chart import Plan, describe_smallest, describe_text_columns
from sfumato.charts.pca.analysis import Analysis
from sfumato.charts.pca.plan import EPSILONS, GUESS, captured_share, compare_noise, describe_share
from sfumato.charts.scoreplot.cells import INFLATION, LEVEL, Filling, ScorePyramid, ScoreWindow
from sfumato.domain import convert_to_float, read_list
from sfumato.engines.engine import Schema
from sfumato.errors import DomainError, Setting
from sfumato.grid import MOST_CELLS, Grid, Labels
from sfumato.postprocess.haar import MOST_USUAL
from sfumato.postprocess.significance import estimate_least_visible
from sfumato.privacy.budget import to_fraction
from sfumato.privacy.guarantee import Guarantee

OURS = Fraction(35, 100), Fraction(5, 100), Fraction(60, 100)
_USUAL = tuple(map(float, OURS))
"""The shares of directions, frame and histogram."""


@dataclass(frozen=True)
class BudgetSplit:
    """The shares of ρ for directions, frame and histogram; they sum to 1.

    Directions take nothing where they were paid for before.
    """

    directions: Fraction
    frame: Fraction
    histogram: Fraction

    @classmethod
    def of(cls, spelling: str | Sequence[float] | None, *, paid: bool) -> BudgetSplit:
        """Read a split, where directions are `paid` for already or not.

        Examples
        --------
        >>> BudgetSplit.of("halves", paid=True)
        BudgetSplit(directions=Fraction(0, 1), frame=Fraction(1, 2), histogram=Fraction(1, 2))
        >>> BudgetSplit.of([0.2, 0.1, 0.7], paid=False).histogram
        Fraction(7, 10)
        """
        shares = _read_shares(spelling)
        if shares is None:
            shares = OURS[1:] if paid else OURS
            whole = sum(shares, Fraction(0))
            shares = tuple(share / whole for share in shares)
        if len(shares) != (2 if paid else 3):
            raise DomainError(
                (Setting("split", spelling), " has the wrong number of parts."),
                "Frame and histogram have one each, and directions one more where they are not "
                "paid for yet.",
                ("Write ", Setting("split", (0.1, 0.9) if paid else _USUAL), ", or leave it out."),
            )
        return cls(*((Fraction(0),) if paid else ()), *shares)

    @property
    def numbers(self) -> tuple[float, ...]:
        """The shares as floats, without directions that were paid for before."""
        shares = (self.directions, self.frame, self.histogram)
        return tuple(float(share) for share in shares if share)


def _read_shares(spelling: object) -> tuple[Fraction, ...] | None:
    match spelling:
        case None:
            return None
        case "halves":
            return (Fraction(1, 2),) * 2
        case "thirds":
            return (Fraction(1, 3),) * 3
        case _:
            pass
    numbers = [convert_to_float(share) for share in read_list(spelling)]
    if numbers and all(0 < share < 1 for share in numbers):
        shares = tuple(map(to_fraction, numbers))
        if sum(shares) == 1:
            return shares
    raise DomainError(
        (
            Setting("split", spelling),
            " must be 'halves', 'thirds' or shares above 0 that sum to 1.",
        ),
        "Less would waste budget, and more is not available.",
        ("Leave it out, or write ", Setting("split", _USUAL), "."),
    )


_SIZE = 10_000
_LUCKY = 2  # scales of noise, by which one of several full cells reaches a threshold earlier
# The width of a frame in standard deviations of normal scores, LEVEL of which lie before its
# half is inflated.
_FRAME = 2 * INFLATION * math.sqrt(-2 * math.log(1 - float(LEVEL)))


@dataclass(frozen=True)
class ScoreplotPlan(Plan):
    """The cost of a score plot and the noise on each of its cells.

    Parameters
    ----------
    analysis
        The components to find first; None where they are released already.
    cells
        How many cells the frame has along both axes; None where the number of rows, once it is
        released, is to tell.
    columns
        The columns that scores are made of.
    borrowed
        What the components guarantee that were released before.
    """

    analysis: Analysis | None
    frame: ScoreWindow
    filling: Filling
    hue: Labels | CategorySearch | None
    cells: tuple[int, int] | None
    columns: tuple[Grid, ...]
    borrowed: Guarantee | None = None

    def __post_init__(self) -> None:
        groups = 1 if self.hue is None else self.hue.cells
        across, along = self.cells or (MOST_USUAL, MOST_USUAL)
        if isinstance(self.filling, ScorePyramid):  # which counts in cells of its own
            across, along = max(across, self.filling.side(1)), max(along, self.filling.side(1))
        if groups * across * along > MOST_CELLS:
            raise DomainError(
                f"{groups} groups of {across} × {along} cells are more than the {MOST_CELLS} one "
                "answer may have.",
                "Nearly all of them would contain only noise.",
                "Write fewer bins, or name fewer groups.",
            )

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What the picture guarantees, and the directions in it."""
        return (self.guarantee,) if self.borrowed is None else (self.guarantee, self.borrowed)

    def usual_cells(self, size: float, groups: int = 1) -> tuple[int, int]:
        """Return how many cells make the best picture of so many rows or people.

        Each group carries the noise of all its cells, so groups of few have few cells.
        """
        side = self.filling.side(size / max(1, groups))
        return side, side

    @property
    def expected_error(self) -> float:
        """The mean absolute error of one cell's count, in rows or people."""
        return self.filling.noise.mean_absolute * self.guarantee.unit.step

    @property
    def smallest_group(self) -> float:
        """How many rows or people a group needs to stand out from the noise; 0 where none does not.

        In the frame of many rows, and where its scores are as wide as those of all.
        """
        groups = self.hue.cells if isinstance(self.hue, Labels) else 1
        side = max(self.cells or self.usual_cells(_SIZE, groups))
        unit, noise, threshold = self.guarantee.unit, self.filling.noise, self.filling.threshold
        if isinstance(self.filling, ScorePyramid):
            return 0.0
        if threshold is None:
            return estimate_least_visible(side, groups, noise.scale * unit.step, _FRAME)
        fullest = math.erf(_FRAME / side / math.sqrt(8)) ** 2
        return (threshold - _LUCKY * noise.scale) * unit.step / fullest

    def captured(self, *, size: float, explained: Sequence[float] = GUESS) -> float | None:
        """Return how much of what two exact components capture the noisy ones will.

        As `PcaPlan.captured`; None where components are released already.
        """
        return self._captured(size, explained, 1.0)

    def buys(
        self, *, size: float, epsilons: Sequence[float] = EPSILONS
    ) -> list[dict[str, float | None]]:
        """Return what other ε would buy at the same δ, one record for each.

        Examples
        --------
        >>> import sfumato as sf
        >>> domain = sf.Domain(a=(0, 1), b=(0, 1), c=(0, 1))
        >>> chart = sf.Scoreplot(columns=["a", "b", "c"])
        >>> plan = chart.plan(domain, sf.PrivacyUnit.rows(), sf.Budget(1, 1e-6))
        >>> errors = [row["error"] for row in plan.buys(size=1_000, epsilons=[0.1, 1, 10])]
        >>> errors == sorted(errors, reverse=True)
        True
        """
        return [
            {
                "epsilon": epsilon,
                "captured": self._captured(size, GUESS, factor),
                "error": self.expected_error * factor,
            }
            for epsilon, factor in compare_noise(self.guarantee, epsilons)
        ]

    def check(self, schema: Schema) -> None:
        """Refuse a table that lacks a column, or holds another kind, before any charge."""
        known = [self.hue] if isinstance(self.hue, Labels) else []
        searched = [self.hue.column] if isinstance(self.hue, CategorySearch) else []
        schema.check([*known, *self.columns], self.guarantee.unit, unlisted=searched)

    def lines(self) -> list[tuple[str, str]]:
        """Return what there is to know, as names and values to print."""
        counted = self.guarantee.unit.people
        groups = self.hue.cells if isinstance(self.hue, Labels) else 1
        across, along = self.cells or self.usual_cells(_SIZE, groups)
        lines = [("expected error", f"{self.expected_error:,.3g} {counted} per cell")]
        lines += [("assuming", f"{_SIZE:,} {counted}"), ("cells", f"{across} × {along}")]
        if self.smallest_group:
            lines += [describe_smallest(self.smallest_group, self.guarantee.unit)]
        for row in self.buys(size=_SIZE):
            share = row["captured"]
            seen = "" if share is None else f", {describe_share(share)}"
            lines += [(f"at ε = {row['epsilon']:g}", f"{row['error']:,.3g} per cell{seen}")]
        return lines + describe_text_columns(column.bounds for column in self.columns)

    def _captured(self, size: float, explained: Sequence[float], noise: float) -> float | None:
        if self.analysis is None:
            return None
        return captured_share(self.analysis, size, explained, noise=noise)
