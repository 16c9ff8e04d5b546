"""The page of the demonstration: one file, no network, wide screens and narrow ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape
from pathlib import Path
from string import Template
from typing import get_args

from sfumato.demo.code import code
from sfumato.demo.examples import Example, Section
from sfumato.demo.subjects import SUBJECTS
from sfumato.privacy.budget import Cost, exactly, show
from sfumato.privacy.ledger import Ledger
from sfumato.releases.release import Release
from sfumato.render import html

GENERATOR = '<!doctype html><html lang="en"><meta name="generator" content="sfumato demo">'
"""How a page begins, and how one is known to be ours."""

_NARROW = 270

Pictures = Sequence[tuple[Example, Release]]


def page(pictures: Pictures, ledgers: Mapping[str, Ledger]) -> str:
    """Lay out all releases and their ledgers on one page."""
    here = Path(__file__)
    total = sum(subject.budget.epsilon for subject in SUBJECTS.values())
    words = {
        "style": here.with_name("style.css").read_text(encoding="utf-8"),
        "charts": str(len(pictures)),
        "total": f"{total:g}",
        "odds": f"{math.exp(total):.0f}",
        "failure": f"{1 / sum(subject.budget.delta for subject in SUBJECTS.values()):,.0f}",
        "ledgers": "".join(_ledger(name, ledger, pictures) for name, ledger in ledgers.items()),
        **{section: _cards(pictures, section) for section in get_args(Section)},
    }
    template = Template(here.with_name("page.html").read_text(encoding="utf-8"))
    return GENERATOR + template.substitute(words)


def _cards(pictures: Pictures, section: Section) -> str:
    return "".join(
        _card(example, release) for example, release in pictures if example.section == section
    )


def _card(example: Example, release: Release) -> str:
    link = f'<p><a href="{example.name}.html">Pan, zoom and point at it.</a></p>'
    return (
        f'<article id="{example.name}">{_figures(example, release)}'
        f'<div class="story"><p>{escape(example.story)}</p>{link if example.lively else ""}'
        f'<details><summary><span class="price">ε = {example.epsilon:g}</span> the code</summary>'
        f"<pre><code>{escape(code(example))}</code></pre></details></div></article>"
    )


def _figures(example: Example, release: Release) -> str:
    """Draw a figure for wide screens and for narrow ones, where scaled letters are too small."""
    figure = replace(release.figure(**example.view), title=example.title)
    narrow = html.fragment(figure, heading="h3", width=_NARROW)
    if example.section == "price":
        return narrow
    wide = html.fragment(figure, heading="h3")
    return f'<div class="wide">{wide}</div><div class="narrow">{narrow}</div>'


def _ledger(name: str, ledger: Ledger, pictures: Pictures) -> str:
    """Show one ledger as a bar of what each chart took, and as a table."""
    mine = [example for example, _ in pictures if example.table == name]
    paid = list(zip(mine, ledger.entries, strict=True))
    account = _account(ledger)
    bar = "".join(
        f'<a href="#{example.name}" title="{escape(example.title)}" '
        f'style="width:{100 * float(account.amount(entry.cost) / account.whole):.2f}%"></a>'
        for example, entry in paid
    )
    rows = "".join(
        f'<tr><td><a href="#{example.name}">{escape(example.title)}</a><td>{escape(entry.label)}'
        f"<td>{escape(str(entry.cost))}<td>{entry.time:%Y-%m-%d %H:%M} UTC"
        for example, entry in paid
    )
    left = show(account.amount(ledger.remaining), up=False)
    return (
        f'<section class="ledger"><h3>{name}.ledger <small>{left} of {account.currency} = '
        f'{show(account.whole, up=False)} is left</small></h3><div class="bar">{bar}</div>'
        '<div class="scroll"><table>'
        f"<tr><th>chart<th>what was asked<th>what it cost<th>when{rows}</table></div></section>"
    )


@dataclass(frozen=True)
class _Account:
    """What a ledger adds up: ε while every charge has one, ρ from the first Gaussian noise on."""

    currency: str
    whole: Fraction
    amount: Callable[[Cost], Fraction]


def _account(ledger: Ledger) -> _Account:
    if ledger.spent.epsilon is None:
        return _Account("ρ", ledger.budget.rho, lambda cost: cost.rho)
    whole = exactly(ledger.budget.epsilon)
    return _Account("ε", whole, lambda cost: cost.epsilon or Fraction(0))
