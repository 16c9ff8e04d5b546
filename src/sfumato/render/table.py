"""The released values as a table, for those who cannot or need not see the chart."""

from __future__ import annotations

from html import escape
from itertools import islice

from sfumato.figure import Figure
from sfumato.render.words import Reading, readings

MOST_ROWS = 2000


def table(figure: Figure) -> str:
    """Return a table that opens on request; a figure of very many cells has none."""
    rows = list(islice(readings(figure), MOST_ROWS + 1))
    if not 0 < len(rows) <= MOST_ROWS:
        return ""
    names = [name for name, _ in (*rows[0].place, *rows[0].value)]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    body = "".join(map(_row, rows))
    return (
        "<details><summary>The released values as a table</summary>"
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        "</div></details>"
    )


def _row(reading: Reading) -> str:
    words = (words for _, words in (*reading.place, *reading.value))
    return f"<tr>{''.join(f'<td>{escape(word)}</td>' for word in words)}</tr>"
