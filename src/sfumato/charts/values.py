"""`Values`: the column whose quantiles are asked for, and the grid they are chosen from."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from sys import float_info

from sfumato.asking import Private
from sfumato.charts.extent import Extent, FoundBounds
from sfumato.charts.option import About, Ranges
from sfumato.charts.portion import Portion
from sfumato.domain import Bounds, Domain, on_calendar, real
from sfumato.engines.engine import Engine, Schema
from sfumato.errors import DomainError
from sfumato.grid import MOST_CELLS, Grid
from sfumato.mechanisms.joint import MOST_CELLS as MOST_CHOSEN_FROM
from sfumato.mechanisms.meter import Meter
from sfumato.phrases import BoundsOf, PrivateSearch, Setting
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit

MOST_VALUES = 2**20
"""How many cells a value grid has where neither `step` nor the groups ask for fewer."""

STEP = About(
    help="How far apart values lie: 1 for whole numbers. Left out, the type of the column tells.",
    python="A ``range`` for bounds tells it too.",
    metavar="NUMBER",
)
"""What every `step` says about itself."""

SEARCH = About(
    help="``sf.private()``, to search for bounds that nobody declared, with a share of the price.",
)
"""What `bounds` say about themselves in a session, which has declared all that is public."""

RANGES = Ranges(
    help="The public range of the values, ``(lower, upper)``; or ``sf.private()`` to search for it "
    "with a share of the price.",
    typed="The range of the values, 1..12 if they are whole numbers; private searches for it, "
    "private:0.2 with that share of the price.",
    type="Range | Private | Mapping[str, Range] | None",
)
"""What `bounds` are where a chart stands alone."""


@dataclass(frozen=True)
class Values:
    """A column of numbers or dates with public bounds, or with a search for them.

    Parameters
    ----------
    step
        How far apart values lie; None where they may lie anywhere.
    asked
        Whether the chart itself was asked for with that step, and is refused if it is too small;
        otherwise bounds or the type of the column tell it.
    """

    column: str
    bounds: Bounds | Extent
    step: float | None
    asked: bool = True

    def __post_init__(self) -> None:
        if self.step is None or not self.asked:
            return
        if isinstance(self.bounds, Bounds):
            dated, widest = self.bounds.time, float_info.max
        else:  # around bounds that are found, a wider step could leave what floats can hold
            dated, widest = False, self.bounds.key.bounds.width
        if dated or not 0 < real(self.step) <= widest:
            raise DomainError(
                f"A step of {self.step!r} for {self.column!r} must be a number above 0, no wider "
                "than what is searched, and dates have theirs from their type.",
                "It says how far apart values lie, and must be known without looking.",
                ("Write ", Setting("step", 1), " for whole numbers, and leave it out for others."),
            )
        object.__setattr__(self, "step", float(self.step))

    @classmethod
    def plan(
        cls,
        column: str,
        domain: Domain,
        unit: PrivacyUnit,
        whole: Portion,
        *,
        search: Private | None,
        step: float | None,
    ) -> Values:
        """Look up the bounds, or price a search for them with its share of a portion."""
        known = domain.typed(column)
        if search is None:
            bounds = domain.spaced_bounds(column)
            spacing = bounds.step
        else:
            bounds = Extent.plan(column, unit, search, whole, parsed=known.parsed)
            spacing = None if known.time else known.spacing
        return cls(column, bounds, spacing if step is None else step, asked=step is not None)

    @property
    def limits(self) -> Bounds:
        """The bounds, or the range in which they are searched for."""
        return self.bounds.key.bounds if isinstance(self.bounds, Extent) else self.bounds

    @property
    def cost(self) -> Cost:
        """What the search for bounds costs, if there is one."""
        return self.bounds.cost if isinstance(self.bounds, Extent) else Cost.nothing()

    def check(self, schema: Schema, unit: PrivacyUnit) -> None:
        """Refuse a table that cannot answer, before anything is charged."""
        if isinstance(self.bounds, Extent):
            self.bounds.check(schema)
        else:
            schema.check([self.grid(self.bounds, 1)], unit)

    def settle(self, engine: Engine, meter: Meter) -> FoundBounds:
        """Return the bounds, searched for where they are not declared.

        Privacy
        -------
        A search spends its planned cost; declared bounds cost nothing.
        """
        if isinstance(self.bounds, Extent):
            return self.bounds.run(engine, meter)
        return FoundBounds(self.bounds)

    def grid(self, bounds: Bounds, groups: int) -> Grid:
        """Return the cells that `groups` groups can be counted in.

        Bounds with more steps than can be counted are cut as if no step were known, unless it was
        asked for.
        """
        room = min(MOST_CELLS // max(groups, 1), MOST_CHOSEN_FROM)
        bounds = replace(bounds, step=None)
        if self.step is not None:
            if self._fits(bounds, self.step, room):
                return self._stepped(bounds, self.step)
            if self.asked and isinstance(self.bounds, Bounds):
                raise DomainError(
                    f"A step of {self.step:g} cuts {self.column!r} into more values than the "
                    f"{room} that an answer may have for each of its groups, here {groups}.",
                    "Most of them would hold nobody.",
                    "Choose a larger step, or leave it out.",
                )
        fine = bounds.width / (16 * math.ulp(max(abs(bounds.lower), abs(bounds.upper))))
        cells = max(1.0, min(MOST_VALUES, room, fine))
        return Grid(self.column, bounds, 2 ** math.floor(math.log2(cells)))

    def spacing(self, grid: Grid) -> float | None:
        """Return the step that the cells of a grid have; none where it was too small for them."""
        stepped = self.step and math.isclose(grid.bounds.width, grid.cells * self.step)
        return self.step if stepped else None

    def _fits(self, bounds: Bounds, step: float, room: int) -> bool:
        # Half a step beyond its ends, time itself may have ended.
        dated = not bounds.time or on_calendar(bounds.lower - step, bounds.upper + step)
        wide = self.asked or step <= bounds.width
        return dated and wide and bounds.width / step + 2 <= room

    def _stepped(self, bounds: Bounds, step: float) -> Grid:
        """Return cells whose centres are the steps from the lower bound on, up to the upper one."""
        lower = bounds.lower
        if isinstance(self.bounds, Extent):
            lower = math.floor(lower / step) * step
        # A bound that is a step but for its rounding is that step.
        cells = math.floor((bounds.upper - lower) / step + 1e-9) + 1
        lower -= step / 2
        return Grid(self.column, replace(bounds, lower=lower, upper=lower + cells * step), cells)


def check_search(bounds: object) -> None:
    """Refuse bounds that are neither left out nor a request for a search."""
    if not isinstance(bounds, Private | None):
        raise DomainError(
            "The bounds of a chart ask for a private search, and nothing else.",
            "What is public about a column holds for all charts of a table.",
            (
                "Declare it, ",
                BoundsOf("wait"),
                ", or write ",
                Setting("bounds", PrivateSearch()),
                ".",
            ),
        )
