"""`ScoreplotRelease`: where rows lie in the plane of two principal components."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Annotated, Any, ClassVar, Literal, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ReleaseError
from sfumato.expressions import Selection
from sfumato.figure import Figure
from sfumato.grid import Grid, Labels, shape
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Cost
from sfumato.privacy.payment import Payment
from sfumato.releases import axes, document
from sfumato.releases.pca import PcaRelease
from sfumato.releases.release import Release
from sfumato.releases.scoreplot.density import ScoreView
from sfumato.releases.spelling import (
    As,
    Integer,
    NullWhere,
    Parameter,
    Released,
    Saved,
    Scale,
    Share,
    Spelled,
    Step,
    Within,
)
from sfumato.releases.uncertainty import Uncertainty
from sfumato.render.look import Looks

Array = NDArray[np.float64]


Method = Literal["haar", "additive", "sparse", "pyramid"]

METHODS: dict[Method, str] = {
    "haar": "smoothed by Haar shrinkage",
    "additive": "values below zero are shown as zero",
    "sparse": "empty cells have no noise, and none is shown below",
    "pyramid": "Gaussian noise on squares of five sizes, decoded together, drawn",
}
"""What became of the noisy counts, as the caption says it."""


class GaussianWords:
    """The known law of the noise on each integer, in steps, which is Gaussian.

    Parameters
    ----------
    kind
        Always the same here.
    scale
        How wide it is, in steps: z has a probability proportional to exp(−z² / (2 scale²)).
    """

    kind: Literal["gaussian"]
    scale: Scale


_Gaussian = Annotated[NoiseLaw, Spelled(GaussianWords, NoiseLaw)]
_Component = Annotated[int, Within(minimum=1)]
_Pca = Annotated[object, Saved(PcaRelease.kind)]
_SHOWN = ("haar", "additive", "pyramid")  # all counts, and so without a threshold


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreplotRelease(Release):
    """A histogram of scores on two principal components, by group if asked.

    Parameters
    ----------
    pca
        The components that rows were projected on: a whole release, with a guarantee and a cost of
        its own.
    axes
        Which two components, counted from 1: first along x, then along y.
    method
        How the histogram was measured, and masses made of the noisy counts.
    x
        The cells along the first component, in scaled units from the released mean.
    y
        The cells along the second component.
    hue
        The groups; None where there are none.
    noise
        The Gaussian noise on each integer; None for ``"pyramid"``, which has no single one.
    step
        What one integer is worth: 1, or 2**-30 where a person's rows share its weight.
    threshold
        What a noisy integer must reach to be shown, for ``"sparse"``; None for the others.
    steps
        The noisy integers: all cells of the first group, then of the next; within a group row by
        row from the lower end of y, each from the lower end of x. Times `step` they are counts. For
        ``"sparse"``, 0 where nothing is shown; empty for ``"pyramid"``.
    masses
        How much is estimated to lie in each cell, in the same order.
    split
        How the budget was shared among the steps of the measurement.
    alone
        Whether the cost of this release includes that of `pca`.
    found
        The columns whose categories or bounds were found by a private search, and paid for.

    Notes
    -----
    Two score plots are equal when all their numbers are.
    """

    kind: ClassVar[str] = "scoreplot"
    indent: ClassVar[int | None] = None

    pca: Released[Annotated[PcaRelease, As(_Pca, document.write, document.read)]]
    axes: Parameter[tuple[_Component, _Component]]
    method: Parameter[Method]
    x: Parameter[Grid]
    y: Parameter[Grid]
    hue: Parameter[Labels | None]
    noise: Parameter[Annotated[_Gaussian | None, NullWhere("method", ("pyramid",))]]
    step: Parameter[Step]
    threshold: Parameter[Annotated[Integer | None, NullWhere("method", _SHOWN)]]
    steps: Released[tuple[Integer, ...]]
    masses: Released[tuple[Annotated[float, Within(minimum=0)], ...]]
    split: Parameter[tuple[Share, ...]]
    alone: Parameter[bool]
    found: Parameter[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        _check_plane(self)
        measured = 0 if self.method == "pyramid" else math.prod(self.shape)
        if len(self.masses) != math.prod(self.shape) or len(self.steps) != measured:
            raise ValueError("There is one number for each cell of each group.")
        if (self.noise is None) != (self.method == "pyramid"):
            raise ValueError("Noisy counts have a law of noise.")
        if (self.threshold is None) == (self.method == "sparse"):
            raise ValueError("Counts are left out below a threshold.")
        if not all(0 <= mass < math.inf for mass in self.masses) or not 0 < self.step <= 1:
            raise ValueError("There is not less than nothing in a cell.")
        if self.private and not self.pca.private:
            raise ValueError("A plot is no more private than its directions.")

    def marked(
        self,
        *,
        private: bool,
        paid: tuple[Payment, ...] = (),
        selection: Selection | None = None,
    ) -> Self:
        """Return the same numbers, no more private than the directions they are about.

        Directions that were paid for together with the plot name no entry of their own.
        """
        own = self.pca.marked(private=private, selection=selection)
        pca = own if self.alone else self.pca
        private = private and pca.private
        return replace(self, pca=pca, private=private, paid=paid, selection=selection)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ScoreplotRelease) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.label, self.guarantee, self.masses))

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups; one without a name where nobody asked for any."""
        return tuple(map(str, self.hue.categories.values)) if self.hue else ("",)

    @property
    def shape(self) -> tuple[int, int, int]:
        """The number of groups, rows and columns."""
        return len(self.groups), self.y.cells, self.x.cells

    @cached_property
    def mass(self) -> Array:
        """What is estimated to lie in each cell: ``mass[group, row, column]``, never below zero."""
        return np.array(self.masses, dtype=np.float64).reshape(self.shape)

    @cached_property
    def counts(self) -> Array | None:
        """The noisy counts in the same order, if cells were counted; sometimes below zero."""
        if self.noise is None:
            return None
        return np.array(self.steps, dtype=np.float64).reshape(self.shape) * self.step

    @cached_property
    def uncertainty(self) -> Uncertainty | None:
        """Intervals around `counts`, known from the noise alone; none for ``"pyramid"``.

        A count that was left out lies below what noise can have hidden.
        """
        if self.noise is None or self.counts is None:
            return None
        sure = Uncertainty.of_counts(self.counts.ravel(), self.noise, self.step)
        if self.threshold is None:
            return sure
        return sure.left_out(np.array(self.steps) == 0, (self.threshold - 1) * self.step)

    def to_array(self, group: object = None) -> Array:
        """Return the density of a group as an array ``[row, column]`` that sums to 1.

        Rows run with the second component and columns with the first, from the lower ends up.
        Where all masses are zero the density is the same everywhere.

        Parameters
        ----------
        group
            One of the categories of `hue`; everyone if left out.
        """
        chosen = slice(None) if group is None else slice(*self._place(group))
        mass = np.asarray(self.mass[chosen].sum(axis=0), dtype=np.float64)
        total = float(mass.sum())
        return mass / total if total > 0 else np.full(mass.shape, 1 / mass.size)

    def points(self, n: int, group: object = None) -> Array:
        """Draw synthetic points ``[point, component]`` from the released density, free of charge.

        No point is anybody's. Within a cell all places are equally probable, and each call draws
        new points.
        """
        ScoreView(points=n)  # refuses what is no number of points
        return _points(self.to_array(group), (self.x, self.y), n)

    @property
    def included(self) -> tuple[Release, ...]:
        """The components, where they were released before."""
        return () if self.alone else (self.pca,)

    @property
    def least_cost(self) -> Cost:
        """What the noise on the counts costs, and the directions where they are paid for here."""
        directions = self.pca.cost if self.alone else Cost.nothing()
        if self.noise is None:
            return directions
        return directions + self.noise.cost(self.guarantee.unit.weight)

    def records(self) -> list[dict[str, Any]]:
        """Return one record per cell of each group: its ends, count, mass and intervals.

        ``low`` and ``high`` belong to the noisy count, for itself; ``low_all`` and ``high_all`` to
        all counts together.
        """
        groups: list[dict[str, Any]] = axes.places(self.hue) if self.hue else [{}]
        places = product(groups, axes.places(self.y), axes.places(self.x))
        return [
            {**group, **across, **up, **self._numbers(cell)}
            for cell, (group, up, across) in enumerate(places)
        ]

    def figure(
        self,
        *,
        panels: bool | None = None,
        loadings: int = 0,
        points: int = 0,
        **look: Unpack[Looks],
    ) -> Figure:
        """Describe the picture as plain data.

        Parameters
        ----------
        panels
            A panel for each group, instead of all in one; if left out, for more than ten.
        loadings
            Draw arrows for so many columns, those that weigh most in both components.
        points
            Draw so many synthetic points from the released density. None of them is anybody's.
        """
        from sfumato.releases.scoreplot import figure

        shown = figure.figure(self, ScoreView(panels, loadings, points))
        return self._dressed(shown, look)

    def caption(self) -> str:
        """Say what protects whom, how noisy the picture is and what its signs mean."""
        from sfumato.releases.scoreplot import figure

        return figure.caption(self, ScoreView())

    def _numbers(self, cell: int) -> dict[str, float | None]:
        numbers: dict[str, float | None] = {"count": None, "mass": self.masses[cell]}
        sure = self.uncertainty
        if sure is not None:
            numbers["count"] = self.steps[cell] * self.step
            for suffix, ends in (("", sure.pointwise), ("_all", sure.simultaneous)):
                numbers[f"low{suffix}"] = ends.low[cell]
                numbers[f"high{suffix}"] = ends.high[cell]
        return numbers

    def _place(self, group: object) -> tuple[int, int]:
        known = self.hue.categories.values if self.hue else ()
        if group in known:
            place = known.index(group)
            return place, place + 1
        raise ReleaseError(
            f"There is no group {group!r} in this score plot.",
            "A group that was not asked for was not measured.",
            "Write one of the categories of its hue, or leave group out.",
        )


def _check_plane(release: ScoreplotRelease) -> None:
    first, second = release.axes
    known = range(1, release.pca.kept + 1)
    if first == second or first not in known or second not in known:
        raise ValueError("A plane has two directions.")
    names = (release.x.column, release.y.column)
    if names != (f"PC{first}", f"PC{second}"):
        raise ValueError("Cells lie along both directions.")
    shape([release.x, release.y, *([release.hue] if release.hue else [])])


def _points(density: Array, grids: tuple[Grid, Grid], n: int) -> Array:
    """Draw points ``[point, axis]``, each anywhere within its cell alike.

    Parameters
    ----------
    density
        The probability of each cell, ``[row, column]``.
    grids
        The cells along x, the columns, and along y, the rows.
    """
    random = np.random.default_rng()
    cells = random.choice(density.size, size=n, p=density.ravel())
    rows, columns = np.divmod(cells, density.shape[1])
    drawn = [
        key.edges[place] + random.random(n) * np.diff(key.edges)[place]
        for key, place in zip(grids, (columns, rows), strict=True)
    ]
    return np.stack(drawn, axis=1)
