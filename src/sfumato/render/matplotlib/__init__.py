"""Figures drawn with Matplotlib, into your Axes or into a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sfumato.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PictureKind = Literal["svg", "png", "pdf"]


def draw(figure: Figure, *, ax: Axes | None = None) -> Axes:
    """Draw into `ax`, or into pyplot's current Axes, and return it.

    A figure of several panels divides the space of the given Axes among them. Without `ax`, a
    current Axes that already holds a release is left alone, and a new one is made. Where pyplot has
    no figure yet, what keeps its shape gets a page of that shape, unless ``figure.figsize`` is set.
    """
    from sfumato.render.matplotlib import drawing

    if ax is not None:
        drawing.check_given_axes(figure)
    return drawing.draw_figure(figure, drawing.get_current_axes(figure) if ax is None else ax)


def render_picture(
    figure: Figure, kind: PictureKind, *, size: tuple[float, float] | None = None
) -> bytes:
    """Return the content of a picture file; the same figure gives the same bytes.

    Parameters
    ----------
    size
        Width and height in inches; chosen by the figure's panels if left out.
    """
    from sfumato.render.matplotlib import drawing as file

    return file.draw_picture(figure, kind, size)
