"""A ledger as a table to read, in text and in HTML."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from html import escape

from sfumato.names import brief, printable
from sfumato.privacy.accountant import remaining
from sfumato.privacy.amount import show
from sfumato.privacy.budget import weakness
from sfumato.privacy.cost import Cost
from sfumato.privacy.entry import Entry, total
from sfumato.privacy.terms import Terms

Row = tuple[str, ...]


def as_text(terms: Terms, entries: Sequence[Entry]) -> str:
    """Write the ledger as lines of text."""
    rows = _rows(terms, entries)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [_line(row, widths) for row in rows]
    rule = "─" * len(lines[0])
    return "\n".join([_title(terms), rule, lines[0], rule, *lines[1:-2], rule, *lines[-2:]])


def as_html(terms: Terms, entries: Sequence[Entry]) -> str:
    """Write the ledger as an HTML table."""
    head, *body = _rows(terms, entries)
    table = _cells(head, "th") + "".join(_cells(row, "td") for row in body)
    return f"<table><caption>{escape(_title(terms))}</caption>{table}</table>"


def _title(terms: Terms) -> str:
    protected = brief(printable(terms.protects.removeprefix("user ")))
    why = weakness(terms.budget.epsilon, terms.budget.delta)
    weak = f". Protects little: {why}." if why else ""
    return f"Ledger of {terms.table}: {terms.budget!r}, protecting each {protected}{weak}"


def _rows(terms: Terms, entries: Sequence[Entry]) -> list[Row]:
    spent = total(entries)
    left = remaining(terms.budget, spent)
    # A pure budget has one currency; the others would only confuse.
    columns = 1 if terms.budget.pure else 3

    def row(number: str, time: str, label: str, cost: Cost, *, up: bool = True) -> Row:
        return (number, time, label, *_amounts(cost, up=up)[:columns])

    return [
        ("", "time (UTC)", "what for", *("ε", "ρ", "δ")[:columns]),
        *(row(str(e.number), f"{e.time:%Y-%m-%d %H:%M}", e.label, e.cost) for e in entries),
        row("", "", "spent", spent),
        row("", "", "left", left, up=False),
    ]


def _amounts(cost: Cost, *, up: bool) -> Row:
    def shown(amount: Fraction | None) -> str:
        return "–" if amount is None else show(amount, up=up)

    return shown(cost.epsilon), shown(cost.rho), shown(cost.delta)


def _line(row: Row, widths: Sequence[int]) -> str:
    words = [cell.ljust(width) for cell, width in zip(row[:3], widths[:3], strict=True)]
    numbers = [cell.rjust(width) for cell, width in zip(row[3:], widths[3:], strict=True)]
    return "  ".join(words + numbers).rstrip()


def _cells(row: Row, tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"
