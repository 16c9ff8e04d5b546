"""Ticks that never touch: plain numbers, dates in UTC and names, as many as there is room for."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC
from itertools import pairwise, product

from matplotlib.axes import Axes
from matplotlib.axis import Axis as MatplotlibAxis
from matplotlib.backend_bases import RendererBase
from matplotlib.dates import (
    HOURLY,
    MINUTELY,
    MONTHLY,
    SECONDLY,
    AutoDateLocator,
    ConciseDateFormatter,
)
from matplotlib.ticker import FixedLocator, Formatter, MaxNLocator

from sfumato.figure import Axis
from sfumato.render.matplotlib.categories import Names, fit_names
from sfumato.render.matplotlib.lettering import LITERAL, points, ruler
from sfumato.render.matplotlib.steady import Steady
from sfumato.render.text import Measure, number, numbers

_MOST = 9
_MOST_DATES = 7
_DATE_WIDTH = 32.0
_TICK_GAP = 6.0
_TICK_HEIGHT = 22.0


class Numbers(Formatter):
    """Ticks in plain digits: no offset, no powers of ten, thin separators."""

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002
        """Print one number, as under a cursor."""
        return number(x)

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """Print all ticks of an axis alike."""
        return numbers([float(value) for value in values])


def set_ticks(axis: MatplotlibAxis, content: Axis) -> None:
    """Choose ticks for the kind of an axis."""
    match content.kind:
        case "number":
            whole = content.step is not None and content.step.is_integer()
            steps = [1, 2, 2.5, 5, 10]
            axis.set_major_locator(MaxNLocator(nbins="auto", steps=steps, integer=whole))
            axis.set_major_formatter(Numbers())
        case "time":
            axis.axis_date(UTC)
            _set_dates(axis, _MOST_DATES)
        case "category":
            axis.set_major_locator(FixedLocator(range(len(content.categories))))
            axis.set_major_formatter(Names(content.categories))
            for label in axis.get_ticklabels():  # which may be measured before they are fitted
                label.set(**LITERAL)


class Ticks:
    """As many ticks as there is room for.

    Parameters
    ----------
    overhang
        How far, in points, the outermost labels may reach beyond the sides of `ax`, if that can be
        helped.
    """

    def __init__(self, ax: Axes, overhang: float) -> None:
        self.ax = ax
        self.overhang = overhang
        self.width = Steady()
        self.height = Steady(slack=0.1)

    def fit(self, renderer: RendererBase) -> None:
        """Choose the ticks, or set names again, for the size the Axes have now."""
        fit_names(self.ax, renderer)
        point = points(renderer, 1)
        width, height = self.ax.bbox.width / point, self.ax.bbox.height / point
        if self.width.moved(width):
            self._fit_level(width, ruler(self.ax.xaxis, renderer))
        if self.height.moved(height):
            self._fit_upright(int(height / _TICK_HEIGHT))

    def _fit_level(self, width: float, measure: Measure) -> None:
        axis = self.ax.xaxis
        locator = _ours(axis)
        if locator is not None:
            self._thin_out(locator, width, measure)
        elif isinstance(axis.get_major_formatter(), ConciseDateFormatter):
            _set_dates(axis, max(3, min(_MOST_DATES, int(width / _DATE_WIDTH))))

    def _fit_upright(self, most: int) -> None:
        axis = self.ax.yaxis
        locator = _ours(axis)
        if locator is not None:
            most = max(1, min(_MOST, most))
            locator.set_params(nbins=most, min_n_ticks=min(2, most))
        elif isinstance(axis.get_major_formatter(), ConciseDateFormatter):
            _set_dates(axis, max(3, min(_MOST_DATES, most)))

    def _thin_out(self, locator: MaxNLocator, width: float, measure: Measure) -> None:
        """Choose the largest number of ticks whose labels leave a gap between them.

        Where an axis ends on a round number, no choice keeps its last label from reaching beyond.
        """
        low, high = sorted(self.ax.get_xlim())
        for overhang, most in product((self.overhang, math.inf), range(_MOST, 0, -1)):
            locator.set_params(nbins=most, min_n_ticks=min(2, most))
            ticks = [float(tick) for tick in locator() if low <= tick <= high]
            places = [width * (tick - low) / (high - low) for tick in ticks] or [width / 2]
            widths = [measure(label) for label in numbers(ticks)] or [0.0]
            apart = min((b - a for a, b in pairwise(places)), default=width)
            beyond = max(widths[0] / 2 - places[0], places[-1] + widths[-1] / 2 - width)
            kept = beyond <= overhang and (len(ticks) > 1 or overhang == math.inf)
            if kept and max(widths) + _TICK_GAP <= apart:
                return


def _ours(axis: MatplotlibAxis) -> MaxNLocator | None:
    """Return what places the numbers of an axis, unless someone else has chosen its ticks since."""
    locator = axis.get_major_locator()
    if isinstance(locator, MaxNLocator) and isinstance(axis.get_major_formatter(), Numbers):
        return locator
    return None


def _set_dates(axis: MatplotlibAxis, most: int) -> None:
    locator = AutoDateLocator(tz=UTC, minticks=2, maxticks=most)
    # Without whole years, days, hours and minutes, three ticks would be too few for some ranges.
    for unit, whole in ((MONTHLY, 12), (HOURLY, 24), (MINUTELY, 60), (SECONDLY, 60)):
        locator.intervald[unit] = [*locator.intervald[unit], whole]
    axis.set_major_locator(locator)
    axis.set_major_formatter(ConciseDateFormatter(locator, tz=UTC))
