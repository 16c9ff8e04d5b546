"""`HeatmapPlan`: what a heatmap will cost and how fine it will be."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.charts.allocation import CategorySearch
from sfumato.charts.chart import Plan, describe_text_columns
from sfumato.charts.heatmap.method import HeatProcedure, side
from sfumato.charts.heatmap.published import MOST_CELLS
from sfumato.charts.heatmap.window import WindowSearch
from sfumato.domain import convert_to_float
from sfumato.engines.engine import Schema
from sfumato.errors import DomainError, Setting
from sfumato.grid import Grid, Labels
from sfumato.mechanisms.laplace import laplace_scale
from sfumato.plane import MOST_LEVELS, Plane, Weight, influence
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.releases.heatmap.area import Aspect, on_earth


@dataclass(frozen=True)
class HeatmapPlan(Plan):
    """The cost of a heatmap and the noise on each of its squares.

    Parameters
    ----------
    x, y
        The window, with the cells of the picture.
    plane
        The cells that are counted in.
    weight
        How much rows weigh.
    method
        How the budget is divided, and what noise that means.
    hue
        The groups, each with a map of its own, or a search for them.
    window, share
        The sides of the window that are searched for, within `x` and `y`, and the share of the
        budget that all of them take.
    """

    x: Grid
    y: Grid
    plane: Plane
    weight: Weight | None
    method: HeatProcedure
    name: str
    aspect: Aspect
    hue: Labels | CategorySearch | None = None
    window: tuple[WindowSearch, ...] = ()
    share: float = 0.0

    def __post_init__(self) -> None:
        l1, _ = influence(self.guarantee.unit, self.weight)
        laplace_scale(l1, self.method.least)  # refuses noise that would drown everything
        if self.hue is not None and self.hue.cells * 4**self.plane.levels > 4**MOST_LEVELS:
            raise DomainError(
                f"The maps of {self.hue.cells} groups have more than 2^40 cells together.",
                "Finer ones would hold nobody, and noise alone would be drawn.",
                ("Write ", Setting("resolution", 256), "."),
            )
        cells = self.plane.x.cells * self.plane.y.cells
        if self.name == "laplace" and cells > MOST_CELLS:
            raise DomainError(
                f"{cells} cells are more than the {MOST_CELLS} that 'laplace' can add noise to.",
                "Nearly all of them would contain only noise.",
                "Leave the method out, or ask for a smaller resolution.",
            )
        if self.aspect == "map" and not on_earth(self.x, self.y):
            raise DomainError(
                (Setting("aspect", "map"), " is for degrees of longitude on x and latitude on y."),
                "Other bounds would give distances without meaning.",
                ("Write ", Setting("aspect", "equal"), ", or leave it out."),
            )

    @property
    def noise(self) -> NoiseLaw:
        """The law of the noise on one of the squares that are shown, in integer steps."""
        l1, _ = influence(self.guarantee.unit, self.weight)
        return NoiseLaw("laplace", laplace_scale(l1, self.method.finest))

    @property
    def expected_error(self) -> float:
        """The mean absolute error of one measured square, in rows or people."""
        _, step = influence(self.guarantee.unit, self.weight)
        return self.noise.mean_absolute * step

    def detail(self, *, size: float) -> tuple[float, float]:
        """Return how small the squares will be, along x and y, where people are spread evenly.

        Parameters
        ----------
        size
            A guess of the number of rows or people in the window.

        Examples
        --------
        >>> import sfumato as sf
        >>> chart, domain = sf.Heatmap("lon", "lat"), sf.Domain(lon=(0, 1), lat=(0, 1))
        >>> plan = chart.plan(domain, sf.PrivacyUnit.users("user"), sf.Budget(epsilon=1))
        >>> [round(side, 3) for side in plan.detail(size=10_000)]
        [0.014, 0.014]
        """
        if not convert_to_float(size) > 0:
            raise DomainError(
                "A guess of size must be a number above 0.",
                "It turns noise into detail, and must not be read from the data.",
                "Write size=1000.",
            )
        part = side(size, float(self.method.finest))
        return part * self.x.bounds.width, part * self.y.bounds.width

    def check(self, schema: Schema) -> None:
        """Refuse a table that lacks a column, or holds another kind, before any charge."""
        weights = [] if self.weight is None else [self.weight.column]
        groups = [self.hue] if isinstance(self.hue, Labels) else []
        searched = [self.hue.column] if isinstance(self.hue, CategorySearch) else []
        for each in self.window:
            each.walk.check(schema)
        keys = [self.plane.x, self.plane.y, *groups]
        schema.check(keys, self.guarantee.unit, numbers=weights, unlisted=searched)

    def lines(self) -> list[tuple[str, str]]:
        """Return what there is to know, as names and values to print."""
        counted = self.guarantee.unit.people
        fine = [(size, self.detail(size=size)) for size in (1_000, 100_000)]
        return [
            ("method", self.name),
            ("expected error", f"{self.expected_error:,.3g} {counted} per measured cell"),
            *(
                (f"with {size:,} {counted}", f"cells of about {x:,.3g} × {y:,.3g}")
                for size, (x, y) in fine
                if self.name == "adaptive" and not self.window
            ),
            *(
                (f"window of {each.column}", line)
                for each in self.window
                for _, line in each.walk.lines()
            ),
            *([self.hue.line] if isinstance(self.hue, CategorySearch) else []),
            *describe_text_columns((self.x.bounds, self.y.bounds)),
        ]
