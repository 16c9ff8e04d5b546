"""`Pyramid`: squares of all sizes, which tell coarse from fine better than equal cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from sfumato.charts.heat.method import Mapped, mapped, tree_of, unit_of
from sfumato.charts.portion import Portion
from sfumato.charts.scores.filling import Filled, keys_of
from sfumato.charts.scores.frame import FoundFrame
from sfumato.engines.engine import Engine
from sfumato.grid import Labels
from sfumato.mechanisms.gaussian import gaussian_scale
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.survey import Survey, surveys
from sfumato.plane import Plane
from sfumato.postprocess.density import spread
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.postprocess.polya import decode
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit

LEVELS = range(2, 7)
"""How often the frame is halved: from 4 squares a side to 64."""


@dataclass(frozen=True)
class Pyramid:
    """Gaussian noise on squares of several sizes, all decoded together.

    The heatmap's algorithm on scores, with noise that is priced in ρ: for the same ρ, Laplace noise
    would be larger. Every level has the same share, so that large squares, whose errors carry mass
    the farthest, are known best for what they hold.
    """

    portion: Portion
    unit: PrivacyUnit

    def __post_init__(self) -> None:
        self.noise  # noqa: B018 - refuses a portion too small to buy any noise

    @property
    def cost(self) -> Cost:
        """What it will spend."""
        return self.portion.cost

    @property
    def share(self) -> Fraction:
        """The ρ of each level."""
        return self.portion.amount / len(LEVELS)

    @property
    def noise(self) -> NoiseLaw:
        """The law of the noise on one square of any level, in integer steps."""
        return NoiseLaw("gaussian", gaussian_scale(self.unit.weight**2, self.share))

    @property
    def threshold(self) -> int | None:
        """Every square is looked at."""
        return None

    def fill(
        self,
        engine: Engine,
        meter: Meter,
        frame: FoundFrame,
        hue: Labels | None,
        unit: PrivacyUnit,
    ) -> Filled:
        """Map each group, and draw the squares in the cells of the frame.

        Privacy
        -------
        A unit's weight is bounded over the maps of all groups together, and the loss is a convex
        function of how it is divided: all maps cost what one costs (`mechanisms/survey.md`).
        """
        side = 2 ** LEVELS[-1]
        squares = replace(frame, x=replace(frame.x, cells=side), y=replace(frame.y, cells=side))
        plane = Plane(squares.x.grid, squares.y.grid)
        counts = engine.counts(keys_of(squares, hue), unit)
        asked = surveys(meter, counts, plane.levels, self.portion.amount, "gaussian")
        found = [self.map(each, plane, counts.step, unit_of(counts)) for each in asked]
        pictures = [spread(each.leaves, (frame.x.cells, frame.y.cells)) for each in found]
        shape = len(found), frame.y.cells, frame.x.cells
        return Filled(None, np.array(pictures, dtype=np.float64).reshape(shape))

    def side(self, people: float) -> int:
        """Return how many cells a side to draw: as many as are measured, whatever there is."""
        del people
        return 2 ** LEVELS[-1]

    def map(self, survey: Survey, plane: Plane, step: float, unit: float) -> Mapped:
        """Ask for all squares of every level, and decode them together.

        Privacy
        -------
        Every path from the frame to a cell is asked once on each level, for ρ in all; which
        squares are asked for is public.
        """
        for level in LEVELS:
            codes = np.arange(4**level, dtype=np.int64)
            survey.ask(np.full_like(codes, level), codes, self.share)
        tree = tree_of(survey, step)
        return mapped(survey, plane, tree, decode(tree, unit))
