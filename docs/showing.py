"""What a block gives, as Markdown: pictures on light and on dark paper, tables, text."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sfumato.figure import Figure as Description
from sfumato.releases.release import Release

Publish = Callable[[str, bytes], str]
"""Takes a file's name and content, and returns the link to it."""

PAPERS = {"light": ("#ffffff", "#1f1f1f"), "dark": ("#1f2129", "#e6e6e6")}
_INKS = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
_DOTS = 170  # an inch, since screens have small dots
_DRAFT = "SITE_DRAFT"
"""Whoever sets this variable wants to know that pages run, and does not look at their pictures."""


@contextlib.contextmanager
def paper(name: str) -> Iterator[None]:
    """Let Matplotlib draw on such paper; charts choose their ink by it."""
    mpl.use("agg")
    colour, ink = PAPERS[name]
    surfaces = dict.fromkeys(("figure.facecolor", "axes.facecolor"), colour)
    with mpl.rc_context({**surfaces, **dict.fromkeys(_INKS, ink)}):
        yield
    plt.close("all")


def shown(value: Any, again: Callable[[], Any], name: str, publish: Publish) -> str:
    """Return Markdown that shows a value.

    Parameters
    ----------
    value
        What a block gave, on light paper.
    again
        Gives it once more, for other paper: Matplotlib chooses colours while it draws.
    name
        How pictures of it are called.
    publish
        Keeps a picture.
    """
    if value is None:
        return ""
    if isinstance(value, Release):
        return _pictures(value.label, (value.plot, value.plot), name, publish)
    if isinstance(value, Axes | Figure):
        return _pictures(_title(value), (lambda: value, again), name, publish)
    if isinstance(value, Description):
        raise TypeError("A figure as plain data is no picture: give release.styled(…).")
    if hasattr(value, "to_html") and hasattr(value, "columns"):
        table = value.to_html(index=False, border=0, float_format=lambda number: f"{number:,.6g}")
        return f'\n\n<div class="shown" markdown="0">{table}</div>\n'
    return said(f"{value}\n")


def said(text: str) -> str:
    """Return Markdown that shows what was printed."""
    return f"\n\n``` {{.text .shown}}\n{text.rstrip()}\n```\n" if text else ""


def _pictures(words: str, drawing: Sequence[Callable[[], Any]], name: str, publish: Publish) -> str:
    links, words = list[str](), re.sub(r"[^\w .,=×-]", " ", words)
    for tone, picture in _drawn(drawing):
        link = publish(f"{name}-{tone}.png", picture)
        links.append(f"![{words}]({link}#only-{tone})")
    return "\n\n" + "\n".join(links) + "\n"


def _drawn(drawing: Sequence[Callable[[], Any]]) -> Iterator[tuple[str, bytes]]:
    """Draw on each paper; in a draft once for both, and write down an empty sheet."""
    draft, picture = bool(os.environ.get(_DRAFT)), b""
    for tone, draw in zip(PAPERS, drawing, strict=True):
        if not (draft and picture):
            with paper(tone):
                drawn = draw()
                picture = _png(Figure((1, 1)), 10) if draft else _png(drawn, _DOTS)
        yield tone, picture


def _title(drawn: Axes | Figure) -> str:
    axes = drawn.axes if isinstance(drawn, Figure) else [drawn]
    titles = [ax.get_title(loc=loc) for ax in axes for loc in ("center", "left")]
    return next(filter(None, titles), "private chart")


def _png(drawn: Any, dots: int) -> bytes:
    content = io.BytesIO()
    figure: Any = drawn if isinstance(drawn, Figure) else drawn.figure
    figure.savefig(content, dpi=dots, metadata={"Software": None})
    return content.getvalue()
