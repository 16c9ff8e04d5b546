"""A whole figure on one Axes, or in a file: the same figure gives the same bytes."""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Sequence
from functools import partial
from io import BytesIO
from typing import Any, Protocol, cast

import matplotlib.style
from matplotlib import rcParams, rcParamsDefault
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.cm import ScalarMappable
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.text import Text

from sfumato.errors import ReleaseError
from sfumato.figure import (
    Arrows,
    Bars,
    Boxes,
    Cells,
    Clouds,
    Contour,
    Curve,
    Dots,
    Figure,
    Heat,
    LetterValues,
    Matrix,
    Panel,
    Points,
    Regions,
    Summaries,
    Violins,
)
from sfumato.render import theme
from sfumato.render.matplotlib import PictureKind
from sfumato.render.matplotlib.arrows import draw_arrows
from sfumato.render.matplotlib.axis import AxisLabels, TickFitter, style_axes
from sfumato.render.matplotlib.bars import draw_bars, draw_cells
from sfumato.render.matplotlib.boxes import MatplotlibBoxLabels, draw_boxes
from sfumato.render.matplotlib.frame import (
    AxesFrame,
    Fitting,
    Key,
    PanelGrid,
    find_frame,
    list_handles,
)
from sfumato.render.matplotlib.lettering import (
    LITERAL,
    FittedText,
    Sizes,
    choose_tones,
    convert_points,
    get_text_size,
    make_text_measure,
)
from sfumato.render.matplotlib.plane import (
    draw_clouds,
    draw_dots,
    draw_heat,
    draw_outline,
    draw_points,
)
from sfumato.render.matplotlib.shapes import (
    draw_curve,
    draw_letter_values,
    draw_matrix,
    draw_regions,
    draw_summaries,
    draw_violins,
)
from sfumato.render.plane import find_ratio
from sfumato.render.scale import (
    Coloured,
    Limits,
    colour_limits,
    count_columns,
    count_lying_rows,
    headlines,
    list_captions,
    list_coloured,
    list_panels,
    list_series,
    list_titles,
)
from sfumato.render.text import clean, fit_stamp

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


_WIDEST, _NARROWEST, _TALLEST = 5.5, 3.4, 5.8  # inches of a panel that keeps its shape
_BESIDE, _ABOVE_AND_BELOW = 0.9, 2.2
_ROW = 0.15  # inches that a name beside a lying bar takes
_LONGEST, _BROADEST = 32.0, 24.0  # inches of a page


def shaped_size(figure: Figure) -> tuple[float, float] | None:
    """Return the size of a page for what keeps its shape, and None where any page will do.

    A size that someone has set for all their figures is left to them.
    """
    theirs = rcParams["figure.figsize"] != rcParamsDefault["figure.figsize"]
    shaped = any(find_ratio(panel) is not None for panel in figure.panels)
    return natural_size(figure) if shaped and not theirs else None


def natural_size(figure: Figure) -> tuple[float, float]:
    """Return a width and a height, in inches, that suit the number of panels."""
    count = len(figure.panels)
    if count == 1 and (ratio := find_ratio(figure.panels[0])) is not None:
        return _surround_panel(ratio)
    tall = max((_ROW * count_lying_rows(panel) for panel in figure.panels), default=0.0)
    if count <= 1:
        return 6.4, max(4.4, min(_LONGEST, 1.6 + tall))
    columns = count_columns(figure)
    if figure.grid is not None:
        width = max(6.4, 0.4 + 1.6 * columns)
        return width, 1.9 + 0.75 * width
    rows = math.ceil(count / columns)
    ratio = find_ratio(figure.panels[0])
    if ratio is None:
        high = min(1.6 + max(2.2, tall) * rows, max(_LONGEST, 1.6 + 2.2 * rows))
        return min(max(6.4, 2.4 * columns), _BROADEST), high
    return max(6.4, 0.7 + 2.3 * columns), 2.2 + (0.5 + 2.1 * min(ratio, 2.0)) * rows


def _surround_panel(ratio: float) -> tuple[float, float]:
    """Return the size of a page around a panel that keeps its shape."""
    width = min(_WIDEST, max(_NARROWEST, _TALLEST / ratio))
    return width + _BESIDE, min(_TALLEST, width * ratio) + _ABOVE_AND_BELOW


# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


def draw_watermark(ax: Axes, words: str) -> Text:
    """Write `words` across the middle of `ax`."""
    text = ax.text(
        0.5,
        0.5,
        clean(words),
        transform=ax.transAxes,
        ha="center",
        va="center",
        color=choose_tones(ax).watermark,
        alpha=theme.WATERMARK_OPACITY,
        weight="bold",
        zorder=10,
        **LITERAL,
    )
    text.set_in_layout(False)
    return text


def fit_watermark(text: Text, renderer: RendererBase) -> None:
    """Turn and size a watermark so that it fills the Axes it is in."""
    if text.axes is None:
        return
    wide, size = (
        make_text_measure(text, renderer),
        get_text_size(text) * convert_points(renderer, 1),
    )
    chosen = fit_stamp(
        text.get_text(),
        width=text.axes.bbox.width,
        height=text.axes.bbox.height,
        measure=lambda words: wide(words) / size,
    )
    text.set(
        text="\n".join(chosen.lines),
        rotation=chosen.angle,
        fontsize=chosen.size / convert_points(renderer, 1),
    )


# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


class Sharing(Protocol):
    """Matplotlib's record of which Axes share an axis."""

    def get_siblings(self, a: Axes) -> list[Axes]:
        """Return all Axes that share it with `a`."""
        ...


def draw_figure(figure: Figure, host: Axes) -> Axes:
    """Draw all panels in the space of `host`, and install the frame that keeps them in place."""
    before = _prepare_redraw(host, figure)
    grid = PanelGrid(host, figure)
    labels = _style_panels(figure, grid)
    colours, sized = _draw_marks(figure, grid)
    stamps = [draw_watermark(ax, figure.watermark) for ax in grid.axes if figure.watermark]
    title = _write_title(figure, host)
    key = _draw_key(figure, grid, colours)
    footers = [*(before.remaining if before else ()), *_write_footers(figure, host)]
    fittings: list[Fitting] = [
        *(before.fittings if before else ()),
        *(label.fit for label in labels),
        *(TickFitter(ax, grid.overhang).fit for ax in grid.axes),
        *(partial(fit_watermark, text) for text in stamps),
        *sized,
    ]
    frame = AxesFrame(host, grid=grid, key=key, title=title, footers=footers, fittings=fittings)
    host.set_axes_locator(cast(Any, frame))
    return host


def get_current_axes(figure: Figure) -> Axes:
    """Return pyplot's current Axes, or new ones if there are none or they hold a release already.

    New ones for what keeps its shape have a page of that shape to themselves; so have those of a
    size that was asked for.
    """
    from matplotlib import pyplot

    asked = figure.look.size is not None or figure.look.dpi is not None
    if not asked and pyplot.get_fignums() and not find_frame(ax := pyplot.gca()):
        return ax
    size = figure.look.size or shaped_size(figure)
    page = pyplot.figure(figsize=size, dpi=figure.look.dpi)
    if size and page.get_layout_engine() is None:
        page.subplots_adjust(left=0, bottom=0, right=1, top=1)  # the frame will leave room
    return page.gca()


def check_given_axes(figure: Figure) -> None:
    """Refuse a size where someone else's Axes have theirs."""
    if figure.look.size is not None or figure.look.dpi is not None:
        raise ReleaseError(
            "figsize and dpi belong to a figure, and ax is in one already.",
            "Nothing was charged: drawing is free.",
            "Leave out ax, or say plt.subplots(figsize=...).",
        )


def _prepare_redraw(host: Axes, figure: Figure) -> AxesFrame | None:
    """Prepare for drawing over an earlier release, and return its frame: its captions stay true.

    Panels cannot be drawn over each other: there the earlier release is taken away.
    """
    before = find_frame(host)
    if before is None:
        return None
    if before.grid.insets or len(figure.panels) > 1:
        host.clear()
        host.set_axis_on()
        return None
    if before.key is not None:
        before.key.remove()
    return before


def _style_panels(figure: Figure, grid: PanelGrid) -> list[AxisLabels]:
    labels: list[AxisLabels] = []
    for ax, panel in zip(grid.axes, list_panels(figure), strict=True):
        keep_x = _is_in_view(ax, cast(Sharing, ax.get_shared_x_axes()))
        keep_y = _is_in_view(ax, cast(Sharing, ax.get_shared_y_axes()))
        style_axes(ax, panel, figure, keep_x=keep_x, keep_y=keep_y)
        title, (words, *shorter) = None, map(clean, list_titles(figure, panel))
        if ax is not grid.host:
            title = ax.set_title(words, **_title_style(ax, Sizes.choose().label))
        labels.append(AxisLabels(ax, title, grid.title_width, shorter))
    grid.share_labels(figure)
    return labels


def _is_in_view(ax: Axes, sharing: Sharing) -> bool:
    """Tell whether a release is shown on `ax`, or on Axes that share an axis with it."""
    return any(find_frame(other) for other in sharing.get_siblings(ax))


def _draw_marks(figure: Figure, grid: PanelGrid) -> tuple[ScalarMappable | None, list[Fitting]]:
    names = list_series(figure)
    limits = colour_limits(figure)
    chosen, ramp = figure.look.colours or _read_cycle(), figure.look.ramp
    colours: ScalarMappable | None = None
    sized: list[Fitting] = []
    for ax, panel in zip(grid.axes, list_panels(figure), strict=True):
        for mark in panel.marks:
            match mark:
                case Cells() | Heat() | Regions():
                    colours = _draw_coloured(ax, panel, mark, limits, ramp) or colours
                case Clouds():
                    places = [names.index(name) if name else 0 for name in mark.series]
                    draw_clouds(ax, panel, mark, places, chosen)
                case Arrows() | Matrix():
                    sized.append(_draw_unnamed(ax, panel, mark))
                case Contour() | Dots():
                    place = names.index(mark.series) if mark.series else 0
                    _draw_group(ax, panel, mark, place, chosen)
                case _:
                    place = names.index(mark.series) if mark.series else 0
                    sized.append(_draw_series(ax, panel, mark, place, chosen))
        if any(isinstance(mark, Boxes) for mark in panel.marks):
            sized.append(MatplotlibBoxLabels(ax, panel).fit)
    return colours, sized


def _draw_unnamed(ax: Axes, panel: Panel, mark: Arrows | Matrix) -> Fitting:
    if isinstance(mark, Matrix):
        return draw_matrix(ax, mark).fit
    return draw_arrows(ax, panel, mark).fit


def _draw_coloured(
    ax: Axes, panel: Panel, mark: Coloured, limits: Limits, ramp: Sequence[str]
) -> ScalarMappable | None:
    """Draw what has a colour scale, unless it is empty, and return the scale."""
    match mark:
        case Regions():
            return draw_regions(ax, mark, limits, ramp)
        case Cells() if mark.value and mark.value[0]:
            return draw_cells(ax, panel, mark, limits, ramp)
        case Heat() if mark.value and mark.value[0]:
            return draw_heat(ax, panel, mark, limits, ramp)
        case _:
            return None


def _read_cycle() -> tuple[str, ...]:
    """Return the colours of the user's style, if it has its own."""
    cycle = rcParams["axes.prop_cycle"]
    if cycle == rcParamsDefault["axes.prop_cycle"]:
        return ()
    return tuple(map(to_hex, cycle.by_key().get("color", ())))


Shape = Curve | Summaries | Violins | LetterValues


def _draw_series(
    ax: Axes, panel: Panel, mark: Bars | Boxes | Points | Shape, index: int, colours: Sequence[str]
) -> Fitting:
    match mark:
        case Bars():
            return draw_bars(ax, panel, mark, index, colours).fit
        case Boxes():
            return draw_boxes(ax, panel, mark, index, colours).fit
        case Points():
            return draw_points(ax, panel, mark, index, colours).fit
        case _:
            return _draw_shape(ax, panel, mark, index, colours)


def _draw_shape(ax: Axes, panel: Panel, mark: Shape, index: int, colours: Sequence[str]) -> Fitting:
    match mark:
        case Curve():
            return draw_curve(ax, panel, mark, index, colours).fit
        case Summaries():
            return draw_summaries(ax, panel, mark, index, colours).fit
        case Violins():
            return draw_violins(ax, panel, mark, index, colours).fit
        case LetterValues():
            return draw_letter_values(ax, panel, mark, index, colours).fit


def _draw_group(
    ax: Axes, panel: Panel, mark: Contour | Dots, index: int, colours: Sequence[str]
) -> None:
    match mark:
        case Contour():
            draw_outline(ax, panel, mark, index, colours)
        case Dots():
            draw_dots(ax, panel, mark, index, colours)


def _draw_key(figure: Figure, grid: PanelGrid, colours: ScalarMappable | None) -> Key | None:
    if colours is None and not list_handles(grid.axes):
        return None
    key = Key(grid.host)
    if colours is None:
        key.add_legend(figure.legend, grid.axes)
    else:
        key.add_strip(colours, list_coloured(figure)[0], colour_limits(figure))
    return key


def _write_title(figure: Figure, host: Axes) -> FittedText:
    heading = "\n".join(map(clean, headlines(figure)))
    style = _title_style(host, Sizes.choose().title)
    if len(figure.panels) > 1:
        style["y"] = 1.0  # the frame will say how high
    return FittedText(host.set_title(heading, **style), most_lines=4)


def _title_style(ax: Axes, size: float) -> dict[str, Any]:
    type_ = {"fontsize": size, "fontweight": "bold", "color": choose_tones(ax).ink, **LITERAL}
    return {"loc": "left", "pad": theme.TITLE_PAD, **type_}


def _write_footers(figure: Figure, host: Axes) -> list[FittedText]:
    tone = choose_tones(host)
    caption, *shorter = list_captions(figure) or [""]
    notes = [FittedText(_write_footer(host, words, tone.ink)) for words in figure.notes if words]
    if not caption:
        return notes
    below = _write_footer(host, caption, tone.soft_ink)
    return [*notes, FittedText(below, shorter=[_clean_lines(words) for words in shorter])]


def _clean_lines(words: str) -> str:
    return "\n".join(map(clean, words.split("\n")))


def _write_footer(host: Axes, words: str, colour: str) -> Text:
    return host.text(
        0,
        0,
        _clean_lines(words),
        transform=host.transAxes,
        ha="left",
        va="top",
        fontsize=Sizes.choose().caption,
        color=colour,
        linespacing=theme.LINE_HEIGHT,
        **LITERAL,
    )


# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


_DPI = 200
_METADATA: dict[PictureKind, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
_WHOLE_CAPTION: dict[PictureKind, str] = {
    "svg": "Description",
    "png": "Description",
    "pdf": "Subject",
}
_STYLE: dict[str, Any] = {
    "font.family": ["sans-serif"],
    "font.sans-serif": list(theme.FONTS[:-1]),
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}


def draw_picture(figure: Figure, kind: PictureKind, size: tuple[float, float] | None) -> bytes:
    """Draw a figure on a page of its own, in our style whatever the user's may be."""
    salt = hashlib.sha256(repr(figure).encode("utf-8", "replace")).hexdigest()[:16]
    style = ["default", {**_STYLE, "svg.hashsalt": salt}]
    with matplotlib.style.context(style), warnings.catch_warnings():
        # A letter the font lacks is drawn as a box; the picture says so, a warning need not.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        page = MatplotlibFigure(figsize=size or figure.look.size or natural_size(figure))
        draw_figure(figure, page.add_axes((0, 0, 1, 1)))
        buffer = BytesIO()
        said = {"Title": clean(figure.title), _WHOLE_CAPTION[kind]: clean(figure.caption)}
        metadata = {**_METADATA[kind], **said}
        page.savefig(buffer, format=kind, dpi=figure.look.dpi or _DPI, metadata=metadata)
    return buffer.getvalue()
