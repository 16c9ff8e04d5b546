"""Figures on a page of their own, or on yours: no network, real text around the chart."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape, unescape
from itertools import islice
from typing import Any

from sfumato.figure import Figure, Heat
from sfumato.render import theme
from sfumato.render.description import Description, describe_aloud, describe_figure
from sfumato.render.scale import headlines, list_captions, list_marks
from sfumato.render.text import clean
from sfumato.render.vega import VERSION, build_bare_vega
from sfumato.render.vega.panel import PIXELS, measure_width

# Where there is no room for it, as on a phone, the still picture stays, which shrinks to fit.
_START = """
const specification = document.getElementById("specification");
const picture = document.getElementById("picture");
if (specification && picture && picture.clientWidth >= 600) {
  document.getElementById("hint").hidden = false;
  const settings = {ast: true, actions: false, renderer: "canvas", mode: "vega"};
  vegaEmbed(picture, JSON.parse(specification.textContent), settings);
}
"""


def embed_chart(spec: dict[str, Any], still: str) -> str:
    """Return the place of a picture on a page: `still` until, and unless, the script draws it."""
    from vl_convert import vegalite_to_vega

    from sfumato.render.vega import VERSION

    compiled = vegalite_to_vega(spec, vl_version=VERSION)
    del compiled["$schema"]  # names an older Vega than the runtime, which understands both
    # Within a script element, nothing but its own end is markup.
    data = json.dumps(compiled, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    return (
        f'<div id="picture">{still}</div>\n'
        f'<script type="application/json" id="specification">{data}</script>\n'
    )


@cache
def write_script() -> str:
    """Return the runtime, and the lines that start it."""
    from vl_convert import javascript_bundle

    from sfumato.render.vega import VERSION

    return javascript_bundle(_START, vl_version=VERSION).replace("</script", "<\\/script")


def hash_script(code: str) -> str:
    """Return what a page's policy calls a script of this content."""
    return f"'sha256-{b64encode(sha256(code.encode()).digest()).decode()}'"


MOST_ROWS = 2000


def build_table(figure: Figure) -> str:
    """Return a table that opens on request; a figure of very many cells has none.

    Marks that say different things have a table for each kind.
    """
    rows = list(islice(describe_figure(figure), MOST_ROWS + 1))
    if not 0 < len(rows) <= MOST_ROWS:
        return ""
    kinds: dict[tuple[str, ...], list[Description]] = {}
    for row in rows:
        kinds.setdefault(_names(row), []).append(row)
    tables = "".join(_table(names, alike) for names, alike in kinds.items())
    return f"<details><summary>The released values as a table</summary>{tables}</details>"


def _table(names: tuple[str, ...], rows: list[Description]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    body = "".join(map(_row, rows))
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        "</div>"
    )


def _names(reading: Description) -> tuple[str, ...]:
    return tuple(name for name, _ in (*reading.place, *reading.value))


def _row(reading: Description) -> str:
    words = (words for _, words in (*reading.place, *reading.value))
    return f"<tr>{''.join(f'<td>{escape(word)}</td>' for word in words)}</tr>"


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_LIVELY_WIDTH = 600
NARROW_WIDTH = 270
"""Pixels of all panels together on a phone, whose screen has some 360."""

_FONT = ", ".join(f"'{font}'" if " " in font else font for font in theme.FONTS)
_STYLE = f"""
:root {{ color-scheme: light; }}
body {{ margin: 2rem auto; max-width: 44rem; padding: 0 1rem; background: {theme.PAPER};
  color: {theme.INK}; font: 1rem/1.5 {_FONT}; }}
table {{ border-collapse: collapse; font-size: 0.8rem; margin-top: 0.5rem; }}
th, td {{ border-bottom: 1px solid {theme.GRID}; padding: 0.15rem 0.8rem 0.15rem 0;
  text-align: left; vertical-align: top; overflow-wrap: break-word; max-width: 20rem; }}
.wide {{ overflow-x: auto; }}
.phone {{ display: none; }}
@media (max-width: 34rem) {{
  body {{ margin: 0.5rem auto; padding: 0 0.3rem; }}
  .desk {{ display: none; }}
  .phone {{ display: block; }}
}}
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


def build_html(figure: Figure) -> str:
    """Return one self-contained page with the chart, its caption and a table of its values."""
    if len(figure.panels) != 1 or not list_marks(figure, Heat):
        body = _frame_chart(figure, "h1", _draw_twice(figure)) + build_table(figure)
        return build_page(figure.title, body, about=figure.caption)
    width = _LIVELY_WIDTH if figure.look.size is None else measure_width(figure)
    lively = build_bare_vega(figure, width=width, lively=True)
    chart = embed_chart(lively, _draw_twice(figure))
    body = _frame_chart(figure, "h1", chart + _HINT) + build_table(figure)
    return build_page(figure.title, body, about=figure.caption, script=write_script())


def _draw_twice(figure: Figure) -> str:
    """Return the chart for a desk and for a phone, whose letters would else be too small."""
    if figure.look.size is not None:
        return _svg(figure, None)
    narrow = _svg(figure, NARROW_WIDTH)
    return f'<div class="desk">{_svg(figure, None)}</div><div class="phone">{narrow}</div>'


def build_fragment(figure: Figure, *, heading: str = "p", width: int | None = None) -> str:
    """Return the chart for a page that exists already, such as a notebook.

    It has no script and no ids, so any number of them can stand on one page. `width` is that of
    the panels in pixels; a browser scales the picture down where there is less room, and its
    letters with it.
    """
    return _frame_chart(figure, heading, _svg(figure, width))


def _frame_chart(figure: Figure, heading: str, chart: str) -> str:
    caption = next(iter(list_captions(figure)), "")
    lines = [*((note, theme.INK) for note in figure.notes), (caption, theme.SOFT_INK)]
    footer = "".join(
        f'<p style="margin:0.3em 0;color:{colour}">{_text(words)}</p>'
        for words, colour in lines
        if words
    )
    return (
        f'<figure style="margin:0 0 1.5em;max-width:{_widest(figure)};padding:0.5em;'
        f"background:{theme.PAPER};"
        f'color:{theme.INK};font-family:{escape(_FONT)};text-align:left">'
        f"{_headline(figure, heading)}{chart}"
        f'<figcaption style="font-size:0.75em;line-height:1.4">{footer}</figcaption>'
        "</figure>"
    )


def build_page(title: str, body: str, *, about: str = "", script: str = "") -> str:
    """Return a page around `body`, which a browser will not let reach the network.

    Only the given script runs on it. What it is `about` is told to who looks into the file.
    """
    described = f'<meta name="description" content="{_text(about)}">\n' if about else ""
    policy = f"{_POLICY}; script-src {hash_script(script)}" if script else _POLICY
    run = f"<script>{script}</script>\n" if script else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"{described}<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n{run}</body>\n</html>\n"
    )


def _headline(figure: Figure, element: str) -> str:
    style = "margin:0 0 0.4em;font-size:1.1em;font-weight:bold"
    return f'<{element} style="{style}">{"<br>".join(map(_text, headlines(figure)))}</{element}>'


def _widest(figure: Figure) -> str:
    return "42em" if figure.look.size is None else f"{figure.look.size[0] * PIXELS:.0f}px"


def _svg(figure: Figure, width: int | None) -> str:
    from vl_convert import vegalite_to_svg

    opening, _, rest = vegalite_to_svg(
        build_bare_vega(figure, width=width), vl_version=VERSION
    ).partition(">")
    opening = _NAMESPACE.sub("", opening).removeprefix("<svg")
    rest = _UNSPOKEN.sub(r'<g pointer-events="none" ', _MARK.sub(_show_label, rest))
    rest = _PLACE.sub(_shorten_path, rest)
    style = 'style="max-width:100%;height:auto" role="group"'
    return f'<svg {style} aria-label="{_text(describe_aloud(figure))}"{opening}>{rest}'


def _show_label(mark: re.Match[str]) -> str:
    """Turn a label that only screen readers hear into one that is shown, too, when pointed at."""
    words, rest = mark.groups()
    rest = _LONG.sub(_round_number, _VERBOSE.sub("", rest))
    return f"<path{rest}><title>{escape(unescape(words))}</title></path>"


def _shorten_path(place: re.Match[str]) -> str:
    return _LONG.sub(_round_number, place[0])


def _round_number(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}"


def _text(words: str) -> str:
    return escape(clean(words))
