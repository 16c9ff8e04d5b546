"""A whole figure on one Axes."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from functools import partial
from typing import Any, Protocol, cast

from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.text import Text

from sfumato.figure import (
    Arrows,
    Bars,
    Boxes,
    Cells,
    Clouds,
    Dots,
    Figure,
    Heat,
    Outline,
    Panel,
    Points,
)
from sfumato.render import theme
from sfumato.render.matplotlib.arrows import draw_arrows
from sfumato.render.matplotlib.axis import AxisLabels, dress
from sfumato.render.matplotlib.bars import draw_bars
from sfumato.render.matplotlib.boxes import draw_boxes
from sfumato.render.matplotlib.cells import draw_cells
from sfumato.render.matplotlib.clouds import draw_clouds, draw_outline
from sfumato.render.matplotlib.counts import BoxWords
from sfumato.render.matplotlib.dots import draw_dots
from sfumato.render.matplotlib.frame import Fitting, Frame, frame_of
from sfumato.render.matplotlib.heat import draw_heat
from sfumato.render.matplotlib.key import Key
from sfumato.render.matplotlib.lettering import LITERAL, Fitted
from sfumato.render.matplotlib.panels import PanelGrid
from sfumato.render.matplotlib.points import draw_points
from sfumato.render.matplotlib.shape import shaped_size
from sfumato.render.matplotlib.ticks import Ticks
from sfumato.render.matplotlib.tones import tones
from sfumato.render.matplotlib.watermark import draw_watermark, fit_watermark
from sfumato.render.scale import colour_limits, coloured, headlines, panels, series, title_of
from sfumato.render.text import clean


class Sharing(Protocol):
    """Matplotlib's record of which Axes share an axis."""

    def get_siblings(self, a: Axes) -> list[Axes]:
        """Return all Axes that share it with `a`."""
        ...


def draw(figure: Figure, host: Axes) -> Axes:
    """Draw all panels in the space of `host`, and install the frame that keeps them in place."""
    before = _make_way(host, figure)
    grid = PanelGrid(host, figure)
    labels = _dress(figure, grid)
    colours, sized = _draw_marks(figure, grid)
    stamps = [draw_watermark(ax, figure.watermark) for ax in grid.axes if figure.watermark]
    title = _write_title(figure, host)
    key = _draw_key(figure, host, colours)
    footers = [*(before.remaining if before else ()), *_write_footers(figure, host)]
    fittings: list[Fitting] = [
        *(before.fittings if before else ()),
        *(label.fit for label in labels),
        *(Ticks(ax, grid.overhang).fit for ax in grid.axes),
        *(partial(fit_watermark, text) for text in stamps),
        *sized,
    ]
    frame = Frame(host, grid=grid, key=key, title=title, footers=footers, fittings=fittings)
    host.set_axes_locator(cast(Any, frame))
    return host


def current_axes(figure: Figure) -> Axes:
    """Return pyplot's current Axes, or new ones if there are none or they hold a release already.

    New ones for what keeps its shape have a page of that shape to themselves.
    """
    from matplotlib import pyplot

    if pyplot.get_fignums() and not frame_of(ax := pyplot.gca()):
        return ax
    size = shaped_size(figure)
    page = pyplot.figure(figsize=size)
    if size and page.get_layout_engine() is None:
        page.subplots_adjust(left=0, bottom=0, right=1, top=1)  # the frame will leave room
    return page.gca()


def _make_way(host: Axes, figure: Figure) -> Frame | None:
    """Prepare for drawing over an earlier release, and return its frame: its captions stay true.

    Panels cannot be drawn over each other: there the earlier release is taken away.
    """
    before = frame_of(host)
    if before is None:
        return None
    if before.grid.insets or len(figure.panels) > 1:
        host.clear()
        host.set_axis_on()
        return None
    if before.key is not None:
        before.key.remove()
    return before


def _dress(figure: Figure, grid: PanelGrid) -> list[AxisLabels]:
    labels: list[AxisLabels] = []
    for ax, panel in zip(grid.axes, panels(figure), strict=True):
        keep_x = _in_view(ax, cast(Sharing, ax.get_shared_x_axes()))
        keep_y = _in_view(ax, cast(Sharing, ax.get_shared_y_axes()))
        dress(ax, panel, figure, keep_x=keep_x, keep_y=keep_y)
        title = None
        if ax is not grid.host:
            words = clean(title_of(figure, panel))
            title = ax.set_title(words, **_title_style(ax, theme.LABEL_SIZE))
        labels.append(AxisLabels(ax, title, grid.title_width))
    grid.share_labels(figure)
    return labels


def _in_view(ax: Axes, sharing: Sharing) -> bool:
    """Tell whether a release is shown on `ax`, or on Axes that share an axis with it."""
    return any(frame_of(other) for other in sharing.get_siblings(ax))


def _draw_marks(figure: Figure, grid: PanelGrid) -> tuple[ScalarMappable | None, list[Fitting]]:
    names = series(figure)
    limits = colour_limits(figure)
    colours: ScalarMappable | None = None
    sized: list[Fitting] = []
    for ax, panel in zip(grid.axes, panels(figure), strict=True):
        for mark in panel.marks:
            match mark:
                case Cells() if mark.value and mark.value[0]:
                    colours = draw_cells(ax, panel, mark, limits)
                case Heat() if mark.value and mark.value[0]:
                    colours = draw_heat(ax, panel, mark, limits)
                case Cells() | Heat():
                    pass
                case Clouds():
                    places = [names.index(name) if name else 0 for name in mark.series]
                    draw_clouds(ax, panel, mark, places)
                case Arrows():
                    sized.append(draw_arrows(ax, panel, mark).fit)
                case Outline() | Dots():
                    _draw_group(ax, panel, mark, names.index(mark.series) if mark.series else 0)
                case _:
                    place = names.index(mark.series) if mark.series else 0
                    sized.append(_draw_series(ax, panel, mark, place))
        if any(isinstance(mark, Boxes) for mark in panel.marks):
            sized.append(BoxWords(ax, panel).fit)
    return colours, sized


def _draw_series(ax: Axes, panel: Panel, mark: Bars | Boxes | Points, index: int) -> Fitting:
    match mark:
        case Bars():
            return draw_bars(ax, panel, mark, index).fit
        case Boxes():
            return draw_boxes(ax, panel, mark, index).fit
        case Points():
            return draw_points(ax, panel, mark, index).fit


def _draw_group(ax: Axes, panel: Panel, mark: Outline | Dots, index: int) -> None:
    match mark:
        case Outline():
            draw_outline(ax, panel, mark, index)
        case Dots():
            draw_dots(ax, panel, mark, index)


def _draw_key(figure: Figure, host: Axes, colours: ScalarMappable | None) -> Key | None:
    if colours is None and not host.get_legend_handles_labels()[1]:
        return None
    key = Key(host)
    if colours is None:
        key.add_legend(figure.legend)
    else:
        key.add_strip(colours, coloured(figure)[0], colour_limits(figure))
    return key


def _write_title(figure: Figure, host: Axes) -> Fitted:
    heading = "\n".join(map(clean, headlines(figure)))
    style = _title_style(host, theme.TITLE_SIZE)
    if len(figure.panels) > 1:
        style["y"] = 1.0  # the frame will say how high
    return Fitted(host.set_title(heading, **style), most_lines=4)


def _title_style(ax: Axes, size: float) -> dict[str, Any]:
    type_ = {"fontsize": size, "fontweight": "bold", "color": tones(ax).ink, **LITERAL}
    return {"loc": "left", "pad": theme.TITLE_PAD, **type_}


def _write_footers(figure: Figure, host: Axes) -> list[Fitted]:
    tone = tones(host)
    coloured = [*((note, tone.ink) for note in figure.notes), (figure.caption, tone.soft_ink)]
    return [Fitted(_footer(host, words, colour)) for words, colour in coloured if words]


def _footer(host: Axes, words: str, colour: str) -> Text:
    return host.text(
        0,
        0,
        "\n".join(map(clean, words.split("\n"))),
        transform=host.transAxes,
        ha="left",
        va="top",
        fontsize=theme.CAPTION_SIZE,
        color=colour,
        linespacing=theme.LINE_HEIGHT,
        **LITERAL,
    )
