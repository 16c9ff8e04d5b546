"""Pictures as files: the same figure gives the same bytes, with no date and no host in them."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import hashlib
import math
import warnings
from io import BytesIO
from typing import Any

import matplotlib.style
from matplotlib.figure import Figure as MatplotlibFigure

from sfumato.figure import Figure
from sfumato.render import theme
from sfumato.render.heat import ratio_of
from sfumato.render.matplotlib import PictureKind
from sfumato.render.matplotlib.drawing import draw
from sfumato.render.text import clean

_DPI = 200
_WIDEST, _NARROWEST, _TALLEST = 5.5, 3.4, 5.8  # inches of a panel that keeps its shape
_BESIDE, _ABOVE_AND_BELOW = 0.9, 2.2
_METADATA: dict[PictureKind, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
_STYLE: dict[str, Any] = {
    "font.family": ["sans-serif"],
    "font.sans-serif": list(theme.FONTS[:-1]),
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}


def picture(figure: Figure, kind: PictureKind, size: tuple[float, float] | None) -> bytes:
    """Draw a figure on a page of its own, in our style whatever the user's may be."""
    salt = hashlib.sha256(repr(figure).encode("utf-8", "replace")).hexdigest()[:16]
    style = ["default", {**_STYLE, "svg.hashsalt": salt}]
    with matplotlib.style.context(style), warnings.catch_warnings():
        # A letter the font lacks is drawn as a box; the picture says so, a warning need not.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        page = MatplotlibFigure(figsize=size or natural_size(figure))
        draw(figure, page.add_axes((0, 0, 1, 1)))
        buffer = BytesIO()
        metadata = {**_METADATA[kind], "Title": clean(figure.title)}
        page.savefig(buffer, format=kind, dpi=_DPI, metadata=metadata)
    return buffer.getvalue()


def natural_size(figure: Figure) -> tuple[float, float]:
    """Return a width and a height, in inches, that suit the number of panels."""
    count = len(figure.panels)
    if count == 1 and (ratio := ratio_of(figure.panels[0])) is not None:
        return _around(ratio)
    if count <= 1:
        return 6.4, 4.4
    columns = count if count <= 3 else math.ceil(math.sqrt(count))
    rows = math.ceil(count / columns)
    ratio = ratio_of(figure.panels[0])
    if ratio is None:
        return max(6.4, 2.4 * columns), 1.6 + 2.2 * rows
    return max(6.4, 0.7 + 2.3 * columns), 2.2 + (0.5 + 2.1 * min(ratio, 2.0)) * rows


def _around(ratio: float) -> tuple[float, float]:
    """Return the size of a page around a panel that keeps its shape."""
    width = min(_WIDEST, max(_NARROWEST, _TALLEST / ratio))
    return width + _BESIDE, min(_TALLEST, width * ratio) + _ABOVE_AND_BELOW
