"""The page of the demonstration, with the code that makes each chart, from the chart itself."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from string import Template
from typing import Any, get_args

from sfumato.catalogue import unusual
from sfumato.demo.examples import SUBJECTS, DemoChart, Section
from sfumato.domain import Bounds, Categories, convert_to_datetime
from sfumato.privacy.budget import format_amount
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.privacy.ledger import Ledger
from sfumato.private_search import Private
from sfumato.regions import Region
from sfumato.releases.release import Release
from sfumato.render import html


def write_program(example: DemoChart) -> str:
    """Return a program that makes this chart in the folder of the demonstration."""
    subject = SUBJECTS[example.table]
    asked = unusual(example.chart)
    facts = [
        f"{column}={_spell_value(fact)}"
        for column, fact in subject.domain.columns.items()
        if column in asked.values() or column in asked.get("columns", ())
    ]
    unit, drawn = subject.unit, _write_arguments(dict(example.view))
    lines = [
        "from datetime import date\n" if any("date(" in fact for fact in facts) else "",
        "import sfumato as sf\n\n",
        f'{example.table} = sf.Session(\n    "{example.table}.parquet",\n',
        f"    unit={_spell_value(unit)},\n" if unit != PrivacyUnit.rows() else "",
        f"    domain=sf.Domain({', '.join(facts)}),\n" if facts else "",
        f"    budget=sf.{subject.budget!r},\n",
        f'    ledger="{example.table}.ledger",\n)\n',
        f"chart = {example.table}.{example.chart.verb}({_write_arguments(asked)}, ",
        f"budget={_write_budget(example)})\n",
        f"chart.save({', '.join(filter(None, (json.dumps(example.name + '.svg'), drawn)))})",
    ]
    return "".join(lines)


def _write_budget(example: DemoChart) -> str:
    return f"sf.{example.budget!r}" if example.delta else str(example.epsilon)


def _write_arguments(asked: dict[str, Any]) -> str:
    return ", ".join(f"{name}={_spell_value(value)}" for name, value in asked.items())


def _spell_value(value: Any) -> str:
    """Spell a public fact as a person would type it."""
    match value:
        case Bounds():
            return f"({', '.join(_spell_end(end, value) for end in (value.lower, value.upper))})"
        case Categories():
            return json.dumps(value.values)
        case Private():
            return f"sf.private({_write_arguments(unusual(value))})"
        case PrivacyUnit():
            return f"sf.{value!r}".replace("'", '"')
        case [Region() | str(), *_]:
            return json.dumps(list(value) if isinstance(value[0], str) else "districts.geojson")
        case _:
            return json.dumps(value) if isinstance(value, str) else repr(value)


def _spell_end(end: float, bounds: Bounds) -> str:
    if not bounds.time:
        return f"{end:g}"
    if bounds.clock:
        return f'"{bounds.show(end)}"'
    day = convert_to_datetime(end, bounds.zone)
    return f"date({day.year}, {day.month}, {day.day})"


GENERATOR = '<!doctype html><html lang="en"><meta name="generator" content="sfumato demo">'
"""How a page begins, and how one is known to be ours."""

_NARROW = 270

Pictures = Sequence[tuple[DemoChart, Release]]


def build_page(pictures: Pictures, ledgers: Mapping[str, Ledger]) -> str:
    """Lay out all releases and their ledgers on one page."""
    here = Path(__file__)
    total = sum(subject.budget.epsilon for subject in SUBJECTS.values())
    words = {
        "style": here.with_name("style.css").read_text(encoding="utf-8"),
        "charts": str(len(pictures)),
        "total": f"{total:g}",
        "odds": f"{math.exp(total):.0f}",
        "failure": f"{1 / sum(subject.budget.delta for subject in SUBJECTS.values()):,.0f}",
        "ledgers": "".join(
            _draw_ledger(name, ledger, pictures) for name, ledger in ledgers.items()
        ),
        **{section: _build_cards(pictures, section) for section in get_args(Section)},
    }
    template = Template(here.with_name("page.html").read_text(encoding="utf-8"))
    return GENERATOR + template.substitute(words)


def _build_cards(pictures: Pictures, section: Section) -> str:
    return "".join(
        _build_card(example, release) for example, release in pictures if example.section == section
    )


def _build_card(example: DemoChart, release: Release) -> str:
    link = f'<p><a href="{example.name}.html">Pan, zoom and point at it.</a></p>'
    return (
        f'<article id="{example.name}">{_draw_figures(example, release)}'
        f'<div class="story"><p>{escape(example.story)}</p>{link if example.lively else ""}'
        f'<details><summary><span class="price">ε = {example.epsilon:g}</span> the code</summary>'
        f"<pre><code>{escape(write_program(example))}</code></pre></details></div></article>"
    )


def _draw_figures(example: DemoChart, release: Release) -> str:
    """Draw a figure for wide screens and for narrow ones, where scaled letters are too small."""
    figure = replace(release.figure(**example.view), title=example.title)
    narrow = html.build_fragment(figure, heading="h3", width=_NARROW)
    if example.section == "price":
        return narrow
    wide = html.build_fragment(figure, heading="h3")
    return f'<div class="wide">{wide}</div><div class="narrow">{narrow}</div>'


def _draw_ledger(name: str, ledger: Ledger, pictures: Pictures) -> str:
    """Show one ledger as a bar of what each chart took, and as a table."""
    mine = [example for example, _ in pictures if example.table == name]
    paid = list(zip(mine, ledger.entries, strict=True))
    measure = ledger.rule.choose_measure(ledger.spent)
    bar = "".join(
        f'<a href="#{example.name}" title="{escape(example.title)}" '
        f'style="width:{100 * float(measure(entry.cost)):.2f}%"></a>'
        for example, entry in paid
    )
    rows = "".join(
        f'<tr><td><a href="#{example.name}">{escape(example.title)}</a><td>{escape(entry.label)}'
        f"<td>{escape(str(entry.cost))}<td>{entry.time:%Y-%m-%d %H:%M} UTC"
        for example, entry in paid
    )
    share = format_amount(100 * (1 - measure(ledger.spent)), up=False, digits=3)
    left = f"{share} % of {escape(repr(ledger.budget))} is left"
    return (
        f'<section class="ledger"><h3>{name}.ledger <small>{left}</small></h3>'
        f'<div class="bar">{bar}</div>'
        '<div class="scroll"><table>'
        f"<tr><th>chart<th>what was asked<th>what it cost<th>when{rows}</table></div></section>"
    )
