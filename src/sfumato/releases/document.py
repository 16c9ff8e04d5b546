"""The JSON document of a release: its schema version, reading and writing."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sfumato.errors import ReleaseError, SfumatoError, Worded
from sfumato.privacy.accountant import proves
from sfumato.releases.forms import Record, record
from sfumato.releases.spelling import HeadWords

if TYPE_CHECKING:
    from sfumato.releases.release import Release

FORMAT = "sfumato release"
VERSION = 1
PARTS = ("parameters", "values")
_LARGEST = 2**29  # bytes; a release of the most cells there can be is smaller
_NESTED = frozenset({bool, dict, list})  # plain numbers and texts are compared all at once


def write(release: Release) -> dict[str, Any]:
    """Return a release as plain JSON values, exact to the bit."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": release.kind,
        **head().write(release),
        "parameters": release.parameters,
        "values": release.values(),
    }


@cache
def head() -> Record:
    """Return the form of what every release says first."""
    return record(HeadWords, dict)


@cache
def part(kind: type[Release], name: str) -> Record:
    """Return the form of one part of a release, its parameters or its values."""
    return record(kind, dict, name)


def load(path: str | Path) -> Release:
    """Load a saved release. Drawing it again is free.

    Examples
    --------
    >>> load("nowhere.json")
    Traceback (most recent call last):
    ...
    sfumato.errors.ReleaseError: There is no release at 'nowhere.json'. ...
    """
    return read(parsed(_content(Path(path))))


def parsed(content: bytes) -> Mapping[str, Any]:
    """Return the document in the content of a file."""
    document: Any = None
    try:
        text = content.decode()
        document = json.loads(
            text, parse_float=_finite, parse_constant=_refuse, object_pairs_hook=_once
        )
        if "\\u" in text:  # which can spell half a letter, and that no file can hold
            json.dumps(document, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise _malformed()
    return cast(dict[str, Any], document)


def read(document: Mapping[str, Any]) -> Release:
    """Rebuild a release from what `write` returned, and from nothing else.

    A document is believed only where the release would be written in just these words, and where
    its guarantee is no better than its cost and its noise.
    """
    known = kinds()
    _check_header(document, known)
    try:
        kind = known[document["kind"]]
        complete = _completed(kind, document)
        release = _built(kind, complete)
        if _same(write(release), complete) and _keeps_its_promise(release):
            return release
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, SfumatoError):
        pass
    except RecursionError:  # lists within lists, where a text should stand
        pass
    raise _malformed()


def _completed(kind: type[Release], document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with what older files do not say."""
    whole = head().completed(dict(document))
    parts = {name: part(kind, name).completed(document[name]) for name in PARTS}
    return {**whole, **parts}


def _built(kind: type[Release], document: Mapping[str, Any]) -> Release:
    first = head()
    named = [field.key for field in first.fields if field.key in document]
    said = first.read({key: document[key] for key in named})
    for name in PARTS:
        said |= part(kind, name).read(document[name])
    return kind(**said)


def _keeps_its_promise(release: Release) -> bool:
    """Tell whether the guarantee is no better than the cost, nor the cost lower than the noise."""
    cost, least, promise = release.cost, release.least_cost, release.guarantee
    # The cost may say of its noise what is not so; the noise itself must prove the guarantee, too.
    kept = (proves(each, promise.epsilon, promise.delta) for each in (cost, least))
    return all(kept) and least.within(cost)


def kinds() -> dict[str, type[Release]]:
    """Return all kinds of releases by their names."""
    from sfumato.releases.boxplot import BoxplotRelease
    from sfumato.releases.choropleth import ChoroplethRelease
    from sfumato.releases.choropleth.means import RegionalMeansRelease
    from sfumato.releases.distribution import DistributionRelease
    from sfumato.releases.heatmap import HeatmapRelease
    from sfumato.releases.histogram import HistogramRelease
    from sfumato.releases.means import MeansRelease
    from sfumato.releases.pairplot import PairplotRelease
    from sfumato.releases.pca import PcaRelease
    from sfumato.releases.quantiles import QuantilesRelease
    from sfumato.releases.scoreplot import ScoreplotRelease

    every = (
        HistogramRelease,
        BoxplotRelease,
        QuantilesRelease,
        DistributionRelease,
        HeatmapRelease,
        PairplotRelease,
        ChoroplethRelease,
        MeansRelease,
        RegionalMeansRelease,
        PcaRelease,
        ScoreplotRelease,
    )
    return {kind.kind: kind for kind in every}


def _content(path: Path) -> bytes:
    if not path.is_file():
        raise ReleaseError(
            f"There is no release at {str(path)!r}.",
            "A release must be saved before it can be drawn again.",
            (
                "Check the path, or make it: ",
                Worded("release.save('chart.json')", in_shell="-o chart.json"),
                ".",
            ),
        )
    try:
        if path.stat().st_size <= _LARGEST:
            return path.read_bytes()
    except OSError:
        pass
    raise _malformed()


def _check_header(document: Mapping[str, Any], kinds: Mapping[str, object]) -> None:
    version, kind = document.get("version"), document.get("kind")
    if document.get("format") != FORMAT or type(version) is not int or version < VERSION:
        raise _malformed()
    if version > VERSION or not isinstance(kind, str) or kind not in kinds:
        raise ReleaseError(
            "This release was written by a newer sfumato.",
            "Drawing it with this one could show the wrong guarantee.",
            "Upgrade sfumato, then load it again.",
        )


def _same(written: object, found: object) -> bool:
    """Compare plain values: 1 is 1.0, but a flag is no number and nothing is left over."""
    match written, found:
        case dict(), dict():
            one, other = cast(dict[str, Any], written), cast(dict[str, Any], found)
            return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
        case list(), list():
            pair = cast(list[Any], written), cast(list[Any], found)
            if _NESTED.isdisjoint(map(type, pair[0] + pair[1])):
                return pair[0] == pair[1]
            return len(pair[0]) == len(pair[1]) and all(map(_same, *pair))
        case _:
            return written == found and isinstance(written, bool) == isinstance(found, bool)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # Of a name said twice, others might read the first where we read the last.
    if len(document := dict(pairs)) != len(pairs):
        raise ValueError("A name is said twice.")
    return document


def _finite(digits: str) -> float:
    # Python reads 1e999 as infinity, which no file can hold.
    if math.isfinite(number := float(digits)):
        return number
    raise ValueError("A number is too large.")


def _refuse(constant: str) -> float:
    raise ValueError(constant)


def _malformed() -> ReleaseError:
    return ReleaseError(
        "This file is not a release, or it was changed by hand.",
        "Its numbers and its guarantee could no longer be trusted to belong together.",
        "Save the release again from its source.",
    )
