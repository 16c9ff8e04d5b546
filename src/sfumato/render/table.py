"""The released values as a table, for those who cannot or need not see the chart."""

from __future__ import annotations

from html import escape
from itertools import islice

from sfumato.figure import Figure
from sfumato.render.words import Reading, readings

MOST_ROWS = 2000


def table(figure: Figure) -> str:
    """Return a table that opens on request; a figure of very many cells has none.

    Marks that say different things have a table for each kind.
    """
    rows = list(islice(readings(figure), MOST_ROWS + 1))
    if not 0 < len(rows) <= MOST_ROWS:
        return ""
    kinds: dict[tuple[str, ...], list[Reading]] = {}
    for row in rows:
        kinds.setdefault(_names(row), []).append(row)
    tables = "".join(_table(names, alike) for names, alike in kinds.items())
    return f"<details><summary>The released values as a table</summary>{tables}</details>"


def _table(names: tuple[str, ...], rows: list[Reading]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    body = "".join(map(_row, rows))
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        "</div>"
    )


def _names(reading: Reading) -> tuple[str, ...]:
    return tuple(name for name, _ in (*reading.place, *reading.value))


def _row(reading: Reading) -> str:
    words = (words for _, words in (*reading.place, *reading.value))
    return f"<tr>{''.join(f'<td>{escape(word)}</td>' for word in words)}</tr>"
