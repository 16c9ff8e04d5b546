"""What is shown when a mark is pointed at: several named values, one below the other."""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.render.vega.axis import Spec


def tooltip(named: Iterable[tuple[str, str]]) -> list[Spec]:
    """Return a channel from pairs of a name and the field that holds its words."""
    return [{"field": field, "type": "nominal", "title": _escaped(name)} for name, field in named]


def _escaped(name: str) -> str:
    # Vega-Lite writes titles into an expression and escapes the quotes in them, but nothing else.
    return name.replace("\\", "\\\\")
