"""The shape of a release: all of its document and figure that is not a noisy number."""

from __future__ import annotations

from typing import Any, cast

from sfumato.figure import Axis
from sfumato.releases.release import Release


def shape(release: Release) -> object:
    """Return what releases of neighbouring tables must have in common.

    Where noisy numbers decide themselves how many there are, as squares of a map do, the names of
    what is published remain; that nothing but these numbers decided it is shown by playing them
    back over another table (`sums.replay`).
    """
    document = release.to_dict()
    parameters, values = document.pop("parameters"), document.pop("values")
    declared = not parameters.get("found") and release.kind not in ("pca", "scoreplot")
    settled = not parameters.get("found") and _settled(release.kind, parameters)
    kept = parameters if declared else _without_numbers(parameters, texts=settled)
    if not settled:
        return document, kept, sorted(values)
    if not declared:  # which groups and arrows can be drawn, noisy numbers decide
        return document, kept, _without_numbers(values)
    return document, kept, _without_numbers(values), _drawn(release)


_NOISY = ("boxplot", "quantiles", "distribution", "means", "pairplot", "regional_means")
"""Kinds of releases in which noisy numbers decide how many there are, or where an axis ends."""


def _settled(kind: str, parameters: dict[str, Any]) -> bool:
    """Tell whether public facts decide how many numbers there are."""
    if kind == "heatmap":
        return parameters["method"] == "laplace"
    return kind not in _NOISY


def _without_numbers(plain: Any, *, texts: bool = True) -> object:
    """Return plain data with the type of each number in its place."""
    match plain:
        case dict():
            parts = cast(dict[str, Any], plain).items()
            return {name: _without_numbers(part, texts=texts) for name, part in parts}
        case list() | tuple():
            many = [_without_numbers(part, texts=texts) for part in cast(list[Any], plain)]
            return many if texts else sorted(set(map(repr, many)))
        case bool() | int() | float():
            return type(plain).__name__
        case str() if not texts:
            return "text"
        case _:
            return plain


def _drawn(release: Release) -> object:
    """Return titles, axes and kinds of marks, with the limits that are public."""
    figure = release.figure()
    panels = [
        (
            panel.title,
            *(_axis(axis) for axis in (panel.x, panel.y)),
            [type(mark).__name__ for mark in panel.marks],
        )
        for panel in figure.panels
    ]
    return figure.title, figure.legend, figure.watermark, panels


def _axis(axis: Axis) -> tuple[object, ...]:
    return axis.label, axis.kind, axis.limits, axis.categories, axis.reversed
