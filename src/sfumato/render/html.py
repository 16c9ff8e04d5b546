"""Figures on a page of their own, or on yours: no network, real text around the chart.

The chart is an SVG made from the same Vega-Lite as `sfumato.render.vega`. Pointing at a bar or a
cell shows its released numbers, and a screen reader reads them. There is no script, but for a
map alone on a page of its own, which can be panned and zoomed.
"""

from __future__ import annotations

import re
from html import escape, unescape

from sfumato.figure import Figure, Heat
from sfumato.render import runtime, theme
from sfumato.render.scale import headlines, marks_of
from sfumato.render.table import table
from sfumato.render.text import clean
from sfumato.render.vega import VERSION, bare
from sfumato.render.vega.settings import WIDTH
from sfumato.render.words.summary import spoken

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_LIVELY_WIDTH = 600
_FONT = ", ".join(f"'{font}'" if " " in font else font for font in theme.FONTS)
_STYLE = f"""
:root {{ color-scheme: light; }}
body {{ margin: 2rem auto; max-width: 44rem; padding: 0 1rem; background: {theme.PAPER};
  color: {theme.INK}; font: 1rem/1.5 {_FONT}; }}
table {{ border-collapse: collapse; font-size: 0.8rem; margin-top: 0.5rem; }}
th, td {{ border-bottom: 1px solid {theme.GRID}; padding: 0.15rem 0.8rem 0.15rem 0;
  text-align: left; vertical-align: top; overflow-wrap: break-word; max-width: 20rem; }}
.wide {{ overflow-x: auto; }}
summary {{ cursor: pointer; font-size: 0.8rem; color: {theme.SOFT_INK}; }}
"""
_HINT = (
    f'<p id="hint" hidden style="margin:0.3em 0;font-size:0.75em;color:{theme.SOFT_INK}">'
    "Drag to move, scroll to zoom, double-click to return; point at a place to read its "
    "numbers.</p>"
)
_MARK = re.compile(r'<path aria-label="([^"]*)"([^>]*?)/>')
# What has no words of its own lets the pointer through to what has.
_UNSPOKEN = re.compile(
    r'<g (?=class="mark-(?:rule|symbol|text|line) role-mark[^>]*>(?!<path[^>]*><title>))'
)
_NAMESPACE = re.compile(r' xmlns(:xlink)?="[^"]*"')
_PLACE = re.compile(r'(?<=transform="translate\()[^)]*')
_LONG = re.compile(r"\d+\.\d{3,}")
_VERBOSE = re.compile(r' (?:role|aria-roledescription)="[^"]*"')


def html(figure: Figure) -> str:
    """Return one self-contained page with the chart, its caption and a table of its values."""
    if len(figure.panels) != 1 or not marks_of(figure, Heat):
        return page(figure.title, fragment(figure, heading="h1") + table(figure))
    chart = runtime.block(bare(figure, width=_LIVELY_WIDTH, lively=True), _svg(figure, WIDTH))
    body = _framed(figure, "h1", chart + _HINT) + table(figure)
    return page(figure.title, body, script=runtime.script())


def fragment(figure: Figure, *, heading: str = "p", width: int = WIDTH) -> str:
    """Return the chart for a page that exists already, such as a notebook.

    It has no script and no ids, so any number of them can stand on one page. `width` is that of
    the panels in pixels; a browser scales the picture down where there is less room, and its
    letters with it.
    """
    return _framed(figure, heading, _svg(figure, width))


def _framed(figure: Figure, heading: str, chart: str) -> str:
    lines = [*((note, theme.INK) for note in figure.notes), (figure.caption, theme.SOFT_INK)]
    footer = "".join(
        f'<p style="margin:0.3em 0;color:{colour}">{_text(words)}</p>'
        for words, colour in lines
        if words
    )
    return (
        f'<figure style="margin:0 0 1.5em;max-width:42em;padding:0.5em;background:{theme.PAPER};'
        f'color:{theme.INK};font-family:{escape(_FONT)};text-align:left">'
        f"{_headline(figure, heading)}{chart}"
        f'<figcaption style="font-size:0.75em;line-height:1.4">{footer}</figcaption>'
        "</figure>"
    )


def page(title: str, body: str, *, script: str = "") -> str:
    """Return a page around `body`, which a browser will not let reach the network.

    Only the given script runs on it.
    """
    policy = f"{_POLICY}; script-src {runtime.source(script)}" if script else _POLICY
    run = f"<script>{script}</script>\n" if script else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n{run}</body>\n</html>\n"
    )


def _headline(figure: Figure, element: str) -> str:
    style = "margin:0 0 0.4em;font-size:1.1em;font-weight:bold"
    return f'<{element} style="{style}">{"<br>".join(map(_text, headlines(figure)))}</{element}>'


def _svg(figure: Figure, width: int) -> str:
    from vl_convert import vegalite_to_svg

    opening, _, rest = vegalite_to_svg(bare(figure, width=width), vl_version=VERSION).partition(">")
    opening = _NAMESPACE.sub("", opening).removeprefix("<svg")
    rest = _UNSPOKEN.sub(r'<g pointer-events="none" ', _MARK.sub(_spoken, rest))
    rest = _PLACE.sub(_shortened, rest)
    style = 'style="max-width:100%;height:auto" role="group"'
    return f'<svg {style} aria-label="{_text(spoken(figure))}"{opening}>{rest}'


def _spoken(mark: re.Match[str]) -> str:
    """Turn a label that only screen readers hear into one that is shown, too, when pointed at."""
    words, rest = mark.groups()
    rest = _LONG.sub(_rounded, _VERBOSE.sub("", rest))
    return f"<path{rest}><title>{escape(unescape(words))}</title></path>"


def _shortened(place: re.Match[str]) -> str:
    return _LONG.sub(_rounded, place[0])


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}"


def _text(words: str) -> str:
    return escape(clean(words))
