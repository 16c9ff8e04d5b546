"""`ScoreplotRelease`: where rows lie in the plane of two principal components."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ReleaseError
from sfumato.figure import Figure
from sfumato.grid import Grid, Labels, shape
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Cost
from sfumato.releases import axes, document, strict
from sfumato.releases.pca import PcaRelease
from sfumato.releases.score_method import METHODS, Method
from sfumato.releases.score_view import ScoreView, ScoreViews
from sfumato.releases.uncertainty import Uncertainty

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreplotRelease(ScoreViews):
    """A histogram of scores on two principal components, by group if asked.

    Parameters
    ----------
    pca
        The directions that rows were projected on, with their own guarantee.
    axes
        Which two components: ``(1, 2)`` for the first two.
    method
        How the histogram was measured, and masses made of the noisy counts.
    x, y
        The frame and its cells, in scaled units from the released mean.
    hue, found
        The groups; the columns whose categories were found privately.
    noise, step
        The law of the noise on each integer, and what one integer is worth: 1, or 2**-30 where a
        person's rows share its weight. No law for ``"pyramid"``.
    threshold
        What a noisy integer must reach to be shown, for ``"sparse"``.
    steps
        The noisy integers, by group, row and column; none for ``"pyramid"``.
    masses
        What is estimated to lie in each cell, in units, in the same order.
    split
        How the budget was shared among the steps of the measurement.
    alone
        Whether the cost of this release includes that of `pca`.

    Notes
    -----
    Two score plots are equal when all their numbers are.
    """

    kind: ClassVar[str] = "scoreplot"
    indent: ClassVar[int | None] = None

    pca: PcaRelease
    axes: tuple[int, int]
    method: Method
    x: Grid
    y: Grid
    hue: Labels | None
    noise: NoiseLaw | None
    step: float
    threshold: int | None
    steps: tuple[int, ...]
    masses: tuple[float, ...]
    split: tuple[float, ...]
    alone: bool
    found: tuple[str, ...] = ()

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

    def marked(self, *, private: bool) -> Self:
        """Return the same numbers, no more private than the directions they are about."""
        pca = self.pca.marked(private=private) if self.alone else self.pca
        return replace(self, pca=pca, private=private and pca.private)

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
        from sfumato.releases import synthetic

        ScoreView(points=n)  # refuses what is no number of points
        return synthetic.points(self.to_array(group), (self.x, self.y), n)

    @property
    def least_cost(self) -> Cost:
        """What the noise on the counts costs, and the directions where they are paid for here."""
        directions = self.pca.cost if self.alone else Cost.nothing()
        if self.noise is None:
            return directions
        return directions + self.noise.cost(self.guarantee.unit.weight)

    @property
    def parameters(self) -> dict[str, Any]:
        """The public facts the release was made with."""
        law = self.noise
        return {
            "axes": list(self.axes),
            "method": self.method,
            "x": axes.write(self.x),
            "y": axes.write(self.y),
            "hue": axes.write(self.hue),
            "noise": None if law is None else {"kind": law.kind, "scale": law.scale},
            "step": self.step,
            "threshold": self.threshold,
            "split": list(self.split),
            "alone": self.alone,
            "found": list(self.found),
        }

    def values(self) -> dict[str, Any]:
        """Return the directions as the whole release they are, and the numbers of all cells."""
        return {
            "pca": document.write(self.pca),
            "steps": list(map(int, self.steps)),
            "masses": list(map(float, self.masses)),
        }

    @classmethod
    def from_parts(cls, common: Mapping[str, Any], parts: Mapping[str, Any]) -> ScoreplotRelease:
        """Rebuild a score plot from its document."""
        first, second = map(strict.integer, parts["axes"])
        threshold = parts["threshold"]
        return cls(
            **common,
            pca=_directions(parts["pca"]),
            axes=(first, second),
            method=strict.choice(parts["method"], tuple(METHODS)),
            x=strict.grid(parts["x"]),
            y=strict.grid(parts["y"]),
            hue=strict.labels(parts["hue"]),
            noise=_law(parts["noise"]),
            step=strict.number(parts["step"]),
            threshold=None if threshold is None else strict.integer(threshold),
            steps=tuple(map(strict.integer, parts["steps"])),
            masses=tuple(map(strict.number, parts["masses"])),
            split=tuple(strict.share(part, none=True) for part in parts["split"]),
            alone=strict.flag(parts["alone"]),
            found=tuple(map(str, parts["found"])),
        )

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

    def drawn(self, view: ScoreView) -> Figure:
        """Describe the picture as plain data."""
        from sfumato.releases import scoreplot_figure

        return scoreplot_figure.figure(self, view)

    def caption(self) -> str:
        """Say what protects whom, how noisy the picture is and what its signs mean."""
        from sfumato.releases import scoreplot_caption

        return scoreplot_caption.caption(self, ScoreView())

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


def _directions(plain: Mapping[str, Any]) -> PcaRelease:
    # Asked first, as a score plot within a score plot could go on for ever.
    release = document.read(plain) if plain["kind"] == PcaRelease.kind else None
    if isinstance(release, PcaRelease):
        return release
    raise ValueError("Scores have directions.")


def _law(plain: Mapping[str, Any] | None) -> NoiseLaw | None:
    if plain is None:
        return None
    return NoiseLaw(strict.choice(plain["kind"], ("gaussian",)), strict.scale(plain["scale"]))
