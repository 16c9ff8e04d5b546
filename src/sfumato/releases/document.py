"""The JSON document of a release: its schema version, reading and writing."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sfumato.errors import ReleaseError, SfumatoError
from sfumato.privacy.cost import Cost
from sfumato.privacy.guarantee import Guarantee
from sfumato.privacy.unit import PrivacyUnit

if TYPE_CHECKING:
    from sfumato.releases.release import Release

FORMAT = "sfumato release"
VERSION = 1
_LARGEST = 2**29  # bytes; a release of the most cells there can be is smaller


def write(release: Release) -> dict[str, Any]:
    """Return a release as plain JSON values, exact to the bit."""
    guarantee, cost = release.guarantee, release.cost
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": release.kind,
        "label": release.label,
        "private": release.private,
        "guarantee": {
            "epsilon": guarantee.epsilon,
            "delta": guarantee.delta,
            "unit": {"column": guarantee.unit.column, "max_rows": guarantee.unit.max_rows},
            "size": guarantee.size,
            "neighbours": guarantee.neighbours,
            "replace_one": list(guarantee.replace_one),
        },
        "cost": {
            "epsilon": None if cost.epsilon is None else str(cost.epsilon),
            "rho": str(cost.rho),
            "delta": str(cost.delta),
        },
        "parameters": release.parameters,
        "values": release.values(),
    }


def load(path: str | Path) -> Release:
    """Load a saved release. Drawing it again is free.

    Examples
    --------
    >>> load("nowhere.json")
    Traceback (most recent call last):
    ...
    sfumato.errors.ReleaseError: There is no release at 'nowhere.json'. ...
    """
    return read(_parsed(Path(path)))


def read(document: Mapping[str, Any]) -> Release:
    """Rebuild a release from what `write` returned."""
    kinds = _kinds()
    _check_header(document, kinds)
    try:
        common = _common(document)
        return kinds[document["kind"]].from_parts(
            common, {**document["parameters"], **document["values"]}
        )
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, SfumatoError):
        pass
    raise _malformed()


def _kinds() -> dict[str, type[Release]]:
    from sfumato.releases.boxplot import BoxplotRelease
    from sfumato.releases.heatmap import HeatmapRelease
    from sfumato.releases.histogram import HistogramRelease
    from sfumato.releases.pca import PcaRelease
    from sfumato.releases.quantiles import QuantilesRelease
    from sfumato.releases.scoreplot import ScoreplotRelease

    kinds = (
        HistogramRelease,
        BoxplotRelease,
        QuantilesRelease,
        HeatmapRelease,
        PcaRelease,
        ScoreplotRelease,
    )
    return {kind.kind: kind for kind in kinds}


def _parsed(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        raise ReleaseError(
            f"There is no release at {str(path)!r}. A release must be saved before it can be "
            "drawn again. Check the path, or make it: release.save('chart.json')."
        )
    document: Any = None
    try:
        if path.stat().st_size <= _LARGEST:
            document = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
    except (OSError, ValueError, RecursionError):
        pass
    if not isinstance(document, dict):
        raise _malformed()
    return cast(dict[str, Any], document)


def _check_header(document: Mapping[str, Any], kinds: Mapping[str, object]) -> None:
    version = document.get("version")
    if document.get("format") != FORMAT or not isinstance(version, int):
        raise _malformed()
    if version > VERSION or document.get("kind") not in kinds:
        raise ReleaseError(
            "This release was written by a newer sfumato. Drawing it with this one could show the "
            "wrong guarantee. Upgrade sfumato, then load it again."
        )


def _common(document: Mapping[str, Any]) -> dict[str, Any]:
    guarantee, cost = document["guarantee"], document["cost"]
    unit = PrivacyUnit(guarantee["unit"]["column"], guarantee["unit"]["max_rows"])
    epsilon, delta = float(guarantee["epsilon"]), float(guarantee["delta"])
    if not (math.isfinite(epsilon) and epsilon >= 0 and 0 <= delta < 1):
        raise _malformed()
    return {
        "label": str(document["label"]),
        "private": document["private"] is True,
        "guarantee": Guarantee(epsilon, delta, unit, guarantee.get("size")),
        "cost": Cost(
            None if cost["epsilon"] is None else _fraction(cost["epsilon"]),
            _fraction(cost["rho"]),
            _fraction(cost["delta"]),
        ),
    }


def _fraction(text: str) -> Fraction:
    # Fraction also reads '1e999999999', which would take all memory there is.
    if not re.fullmatch(r"[0-9]{1,4000}(/[0-9]{1,4000})?", text):
        raise _malformed()
    return Fraction(text)


def _refuse(constant: str) -> float:
    raise ValueError(constant)


def _malformed() -> ReleaseError:
    return ReleaseError(
        "This file is not a release, or it was changed by hand. Its numbers and its guarantee "
        "could no longer be trusted to belong together. Save the release again from its source."
    )
