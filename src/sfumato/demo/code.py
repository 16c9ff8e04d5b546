"""The code that makes a chart, written out from the chart itself so that it cannot be wrong."""

from __future__ import annotations

import json
from typing import Any

from sfumato.asking import Private
from sfumato.catalogue import unusual
from sfumato.demo.examples import Example
from sfumato.demo.subjects import SUBJECTS
from sfumato.domain import Bounds, Categories, moment
from sfumato.privacy.guarantee import PrivacyUnit


def code(example: Example) -> str:
    """Return a program that makes this chart in the folder of the demonstration."""
    subject = SUBJECTS[example.table]
    asked = unusual(example.chart)
    facts = [
        f"{column}={_spelled(fact)}"
        for column, fact in subject.domain.columns.items()
        if column in asked.values() or column in asked.get("columns", ())
    ]
    unit, drawn = subject.unit, _call(dict(example.view))
    lines = [
        "from datetime import date\n" if any("date(" in fact for fact in facts) else "",
        "import sfumato as sf\n\n",
        f'{example.table} = sf.Session(\n    "{example.table}.parquet",\n',
        f"    unit={_spelled(unit)},\n" if unit != PrivacyUnit.rows() else "",
        f"    domain=sf.Domain({', '.join(facts)}),\n" if facts else "",
        f"    budget=sf.{subject.budget!r},\n",
        f'    ledger="{example.table}.ledger",\n)\n',
        f"chart = {example.table}.{example.chart.verb}({_call(asked)}, ",
        f"budget={_price(example)})\n",
        f"chart.save({', '.join(filter(None, (json.dumps(example.name + '.svg'), drawn)))})",
    ]
    return "".join(lines)


def _price(example: Example) -> str:
    return f"sf.{example.budget!r}" if example.delta else str(example.epsilon)


def _call(asked: dict[str, Any]) -> str:
    return ", ".join(f"{name}={_spelled(value)}" for name, value in asked.items())


def _spelled(value: Any) -> str:
    """Spell a public fact as a person would type it."""
    match value:
        case Bounds():
            return f"({', '.join(_end(end, value.time) for end in (value.lower, value.upper))})"
        case Categories():
            return json.dumps(value.values)
        case Private():
            return f"sf.private({_call(unusual(value))})"
        case PrivacyUnit():
            return f"sf.{value!r}".replace("'", '"')
        case [str(), *_]:
            return json.dumps(list(value))
        case _:
            return json.dumps(value) if isinstance(value, str) else repr(value)


def _end(end: float, time: bool) -> str:
    if not time:
        return f"{end:g}"
    day = moment(end)
    return f"date({day.year}, {day.month}, {day.day})"
