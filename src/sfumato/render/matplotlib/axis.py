"""Axes dressed for print: light grid, no box, ticks that never touch, dates in UTC."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import tzinfo
from itertools import pairwise, product
from typing import Any

import numpy as np
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
    date2num,  # pyright: ignore[reportUnknownVariableType]
)
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, Formatter, MaxNLocator, NullLocator

from sfumato.ends import DAY, format_clock
from sfumato.figure import Axis, Figure, Panel
from sfumato.render import theme
from sfumato.render.logarithmic import choose_log_ticks
from sfumato.render.matplotlib.lettering import (
    LITERAL,
    SLACK,
    FittedText,
    Sizes,
    SteadyLength,
    choose_tones,
    convert_points,
    find_page,
    make_tick_measure,
)
from sfumato.render.scale import Limits, choose_ruled_axes, x_limits, y_limits
from sfumato.render.text import (
    LONGEST,
    LabelSetting,
    Measure,
    format_number,
    format_numbers,
    set_below,
    set_beside,
    shorten,
)
from sfumato.zones import find_zone

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


_BESIDE = 0.16  # of the page, for the names of categories


class CategoryTicks(Formatter):
    """Category 0, 1, 2, … by name, in lines and at a size that fit the Axes."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.setting = LabelSetting(tuple(shorten(name, LONGEST) for name in names), 0, 0)
        self.slot = SteadyLength()
        self.scale = Sizes.choose().tick / theme.TICK_SIZE

    def enlarge(self, setting: LabelSetting) -> LabelSetting:
        """Return labels at the size of the user's style."""
        return replace(setting, size=setting.size * self.scale)

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002
        """Return the lines of one category's name."""
        place = round(x)
        inside = abs(x - place) < 1e-9 and 0 <= place < len(self.names)
        return self.setting.texts[place] if inside else ""


def fit_names(ax: Axes, renderer: RendererBase) -> None:
    """Set the category labels of both axes for the size `ax` has now."""
    box = ax.get_window_extent(renderer)
    point = convert_points(renderer, 1)
    below, beside = ax.xaxis.get_major_formatter(), ax.yaxis.get_major_formatter()
    if isinstance(below, CategoryTicks):
        slot = box.width / point / max(1, len(below.names))
        room = max(38.0, 0.3 * box.height / point)
        if below.slot.moved(slot):
            tight, measure = slot * (1 - SLACK), make_tick_measure(ax.xaxis, renderer)
            below.setting = below.enlarge(
                set_below(
                    below.names,
                    slot=tight / below.scale,
                    room=room / below.scale,
                    measure=measure,
                )
            )
        _style_labels(ax.get_xticklabels(), below.setting)
    if isinstance(beside, CategoryTicks):
        slot = box.height / point / max(1, len(beside.names))
        room = max(50.0, 0.3 * box.width / point, _BESIDE * find_page(ax).bbox.width / point)
        beside.setting = beside.enlarge(
            set_beside(
                beside.names,
                slot=slot / beside.scale,
                room=room / beside.scale,
                measure=make_tick_measure(ax.yaxis, renderer),
            )
        )
        _style_labels(ax.get_yticklabels(), beside.setting, level="center", side="right")


def _style_labels(
    labels: Sequence[Text], setting: LabelSetting, *, level: str = "top", side: str = "center"
) -> None:
    for label in labels:
        label.set(
            fontsize=setting.size,
            rotation=setting.angle,
            rotation_mode="anchor" if setting.angle else "default",
            horizontalalignment="right" if setting.angle else side,
            verticalalignment="center" if setting.angle == 90 else level,
            **LITERAL,
        )


# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


TICK_STEPS = [1, 2, 2.5, 5, 10]
"""What ticks lie apart, but for a power of ten."""

_MOST = 9
_MINUTE = 60e6
_MOST_DATES = 7
_DATE_WIDTH = 32.0
_TICK_GAP = 6.0
_TICK_HEIGHT = 22.0


class NumberTicks(Formatter):
    """Ticks in plain digits: no offset, no powers of ten, thin separators."""

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002
        """Print one number, as under a cursor."""
        return format_number(x)

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """Print all ticks of an axis alike."""
        return format_numbers([float(value) for value in values])


class LogTicks(Formatter):
    """Ticks of a logarithmic axis, each in as few digits as it takes."""

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002
        """Print one number."""
        return format_number(x)


def _refit_powers(axis: MatplotlibAxis, most: int) -> None:
    """Choose at most so many round numbers, unless someone else has chosen the ticks since."""
    if isinstance(axis.get_major_formatter(), LogTicks):
        low, high = sorted(float(end) for end in axis.get_view_interval())
        axis.set_major_locator(FixedLocator(choose_log_ticks(low, high, most)))


def set_ticks(axis: MatplotlibAxis, content: Axis) -> None:
    """Choose ticks for the kind of an axis."""
    match content.kind:
        case "number" if content.log:
            axis.set_major_locator(FixedLocator([]))
            axis.set_minor_locator(NullLocator())
            axis.set_major_formatter(LogTicks())
            _refit_powers(axis, _MOST)
        case "number":
            whole = content.step is not None and content.step.is_integer()
            axis.set_major_locator(MaxNLocator(nbins="auto", steps=TICK_STEPS, integer=whole))
            axis.set_major_formatter(NumberTicks())
        case "time":
            zone = find_zone(content.zone).clock
            axis.axis_date(zone)
            _set_dates(axis, _MOST_DATES, zone, ClockTicks if content.clock else DateTicks)
        case "category":
            axis.set_major_locator(FixedLocator(range(len(content.categories))))
            axis.set_major_formatter(CategoryTicks(content.categories))
            for label in axis.get_ticklabels():  # which may be measured before they are fitted
                label.set(**LITERAL)


class TickFitter:
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
        self.width = SteadyLength()
        self.height = SteadyLength(slack=0.1)
        self.scale = Sizes.choose().tick / theme.TICK_SIZE

    def fit(self, renderer: RendererBase) -> None:
        """Choose the ticks, or set names again, for the size the Axes have now."""
        fit_names(self.ax, renderer)
        point = convert_points(renderer, 1)
        width, height = self.ax.bbox.width / point, self.ax.bbox.height / point
        if self.width.moved(width):
            wide = make_tick_measure(self.ax.xaxis, renderer)
            self._fit_level(width, lambda text: self.scale * wide(text))
        if self.height.moved(height):
            self._fit_upright(int(height / _TICK_HEIGHT / max(1.0, self.scale)))

    def _fit_level(self, width: float, measure: Measure) -> None:
        axis = self.ax.xaxis
        locator = _find_own_locator(axis)
        if locator is not None:
            self._thin_out(locator, width, measure)
        else:
            _refit_dates(axis, max(3, min(_MOST_DATES, int(width / _DATE_WIDTH / self.scale))))
            self._thin_out_powers(width, measure)

    def _fit_upright(self, most: int) -> None:
        axis = self.ax.yaxis
        locator = _find_own_locator(axis)
        if locator is not None:
            most = max(1, min(_MOST, most))
            locator.set_params(nbins=most, min_n_ticks=min(2, most))
        else:
            _refit_dates(axis, max(3, min(_MOST_DATES, most)))
            _refit_powers(axis, max(2, min(_MOST, most)))

    def _thin_out_powers(self, width: float, measure: Measure) -> None:
        """Choose the largest number of powers whose labels leave a gap between them."""
        if not isinstance(self.ax.xaxis.get_major_formatter(), LogTicks):
            return
        low, high = sorted(self.ax.get_xlim())
        most = _MOST
        for most in range(_MOST, 0, -1):
            ticks = choose_log_ticks(low, high, most)
            places = [width * math.log(tick / low) / math.log(high / low) for tick in ticks]
            widest = max((measure(format_number(tick)) for tick in ticks), default=0.0)
            if all(b - a >= widest + _TICK_GAP for a, b in pairwise(places)):
                break
        _refit_powers(self.ax.xaxis, most)

    def _thin_out(self, locator: MaxNLocator, width: float, measure: Measure) -> None:
        """Choose the largest number of ticks whose labels leave a gap between them.

        Where an axis ends on a round number, no choice keeps its last label from reaching beyond.
        """
        low, high = sorted(self.ax.get_xlim())
        for overhang, most in product((self.overhang, math.inf), range(_MOST, 0, -1)):
            locator.set_params(nbins=most, min_n_ticks=min(2, most))
            ticks = [float(tick) for tick in locator() if low <= tick <= high]
            places = [width * (tick - low) / (high - low) for tick in ticks] or [width / 2]
            widths = [measure(label) for label in format_numbers(ticks)] or [0.0]
            apart = min((b - a for a, b in pairwise(places)), default=width)
            beyond = max(widths[0] / 2 - places[0], places[-1] + widths[-1] / 2 - width)
            kept = beyond <= overhang and (len(ticks) > 1 or overhang == math.inf)
            if kept and max(widths) + _TICK_GAP <= apart:
                return


def _find_own_locator(axis: MatplotlibAxis) -> MaxNLocator | None:
    """Return what places the numbers of an axis, unless someone else has chosen its ticks since."""
    locator = axis.get_major_locator()
    if isinstance(locator, MaxNLocator) and isinstance(axis.get_major_formatter(), NumberTicks):
        return locator
    return None


class DateTicks(ConciseDateFormatter):
    """Moments on the clocks of a zone, which `AutoDateLocator` leaves to be asked for."""

    def __init__(self, locator: AutoDateLocator, zone: tzinfo) -> None:
        super().__init__(locator, tz=zone)
        self.zone = zone

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """Print what tells ticks apart; below the first on an x axis what they share."""
        labels, shared = list(super().format_ticks(list(values))), super().get_offset()
        told = [place for place, label in enumerate(labels) if label]
        if shared and told and self._lies_level:
            labels[told[0]] += f"\n{shared}"
        return labels

    def get_offset(self) -> str:
        """Return what all ticks share; nothing on an x axis, whose label would lie there."""
        return "" if self._lies_level else super().get_offset()

    @property
    def _lies_level(self) -> bool:
        return getattr(self.axis, "axis_name", "") == "x"


class ClockTicks(DateTicks):
    """Times of day, which have no date."""

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """Print hours and minutes; the end of the day is 24:00."""
        return [format_clock(round(value * DAY / _MINUTE) * _MINUTE) for value in values]

    def get_offset(self) -> str:
        """Return nothing: a time of day shares no date."""
        return ""


def _refit_dates(axis: MatplotlibAxis, most: int) -> None:
    """Choose at most so many dates, unless someone else has chosen the ticks since."""
    ticks = axis.get_major_formatter()
    if isinstance(ticks, DateTicks):
        _set_dates(axis, most, ticks.zone, type(ticks))


def _set_dates(axis: MatplotlibAxis, most: int, zone: tzinfo, ticks: type[DateTicks]) -> None:
    locator = AutoDateLocator(tz=zone, minticks=2, maxticks=most)
    # Without whole years, days, hours and minutes, three ticks would be too few for some ranges.
    for unit, whole in ((MONTHLY, 12), (HOURLY, 24), (MINUTELY, 60), (SECONDLY, 60)):
        locator.intervald[unit] = [*locator.intervald[unit], whole]
    axis.set_major_locator(locator)
    axis.set_major_formatter(ticks(locator, zone))


# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


_SHORTEST_SIDE = 42.0


def style_axes(ax: Axes, panel: Panel, figure: Figure, *, keep_x: bool, keep_y: bool) -> None:
    """Set limits, ticks, labels and grid of one panel.

    Where another release is in view on an axis, that is kept in view.
    """
    ax.set_xscale("log" if panel.x.log else "linear")
    ax.set_yscale("log" if panel.y.log else "linear")
    x = convert_positions(panel.x, x_limits(panel, figure))
    y = convert_positions(panel.y, y_limits(panel, figure))
    ax.set_xlim(*_unite_limits(x, ax.get_xlim() if keep_x else x))
    ax.set_ylim(*_unite_limits(y, ax.get_ylim() if keep_y else y))
    ax.xaxis.set_inverted(panel.x.reversed)
    ax.yaxis.set_inverted(panel.y.reversed)
    if panel.ratio:
        ax.set_aspect(panel.ratio * (x[1] - x[0]) / (y[1] - y[0]), adjustable="box")
        ax.set_anchor("NW")
    set_ticks(ax.xaxis, panel.x)
    set_ticks(ax.yaxis, panel.y)
    soft_ink = choose_tones(ax).soft_ink
    style: dict[str, Any] = {"fontsize": Sizes.choose().label, "color": soft_ink, **LITERAL}
    ax.set_xlabel(shorten(panel.x.label, theme.LONGEST_LABEL), **style)
    ax.set_ylabel(shorten(panel.y.label, theme.LONGEST_LABEL), **style)
    _set_lines(ax, panel)


class AxisLabels:
    """The labels of both axes, and the title of a panel, kept within the sides they belong to."""

    def __init__(
        self,
        ax: Axes,
        title: Text | None,
        room: Callable[[], float],
        shorter: Sequence[str] = (),
    ) -> None:
        self.ax = ax
        self.room = room
        self.shortened = bool(shorter)
        most = 1 + shorter[-1].count(" | ") if shorter else 3
        self.title = FittedText(title, most_lines=most, shorter=shorter) if title else None
        self.level = FittedText(ax.xaxis.get_label(), most_lines=2)
        self.upright = FittedText(ax.yaxis.get_label(), most_lines=2)

    def fit(self, renderer: RendererBase) -> None:
        """Break the labels into lines for the size the Axes have now."""
        least = convert_points(renderer, _SHORTEST_SIDE)
        self.level.fit(max(least, self.ax.bbox.width), renderer)
        self.upright.fit(max(least, self.ax.bbox.height), renderer)
        if self.title is not None:
            self.title.fit(self.room(), renderer, most=1 if self.shortened else math.inf)


def convert_positions(axis: Axis, values: Sequence[float]) -> tuple[float, ...]:
    """Return where values stand on an axis: dates in Matplotlib's own days, numbers as they are."""
    if axis.kind != "time":
        return tuple(values)
    moments = np.rint(values).astype(np.int64).astype("datetime64[us]")
    days = np.asarray(date2num(moments), dtype=np.float64)  # pyright: ignore[reportUnknownArgumentType]
    return tuple(float(day) for day in days)


def _set_lines(ax: Axes, panel: Panel) -> None:
    ink, soft_ink = choose_tones(ax).ink, choose_tones(ax).soft_ink
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set(color=ink, linewidth=0.8)
    ax.tick_params(labelsize=Sizes.choose().tick, labelcolor=ink, color=ink, width=0.6)
    ax.tick_params(axis="x", length=0 if panel.x.kind == "category" else 3)
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_offset_text().set(fontsize=theme.CAPTION_SIZE, color=soft_ink)
    ax.set_axisbelow(True)
    ax.grid(visible=False)
    lines = choose_ruled_axes(panel)
    ticks = lines in (None, "x") and panel.y.kind != "category"
    ax.tick_params(axis="y", length=3 if ticks else 0)
    if lines:
        ax.grid(visible=True, axis=lines, color=choose_tones(ax).grid, linewidth=0.7)


def _unite_limits(wanted: Sequence[float], shown: Sequence[float]) -> Limits:
    return min(*wanted, *shown), max(*wanted, *shown)
