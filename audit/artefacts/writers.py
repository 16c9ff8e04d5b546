"""Every form a release can be written in, as bytes."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np

from sfumato.cli.output import show_numbers
from sfumato.releases.heatmap import HeatmapRelease
from sfumato.releases.release import Release
from sfumato.releases.scoreplot import ScoreplotRelease

Writer = Callable[[Release, Path], bytes]

_NUMBERS = re.compile(r"(?:-?[\d.]+(?:e-?\d+)?(?:, |\), \()){20,}")


def _saved(release: Release, folder: Path, ending: str, **view: object) -> bytes:
    path = folder / f"saved.{ending}"
    try:
        return release.save(path, **view).read_bytes()
    finally:
        path.unlink(missing_ok=True)


def _saving(ending: str) -> Writer:
    return lambda release, folder: _saved(release, folder, ending)


def _printed(release: Release, folder: Path) -> bytes:
    """Return what the command line prints of it."""
    del folder
    stream = StringIO()
    with redirect_stdout(stream):
        show_numbers(release)
    return stream.getvalue().encode()


def _vega(release: Release, folder: Path) -> bytes:
    del folder
    return json.dumps(release.to_vega()).encode()


def _plain(release: Release, folder: Path) -> bytes:
    """Return what Python prints of it, and every word of its picture.

    NumPy shows arrays as its user has told it to. The numbers of pictures stand in other forms.
    """
    del folder
    with np.printoptions(precision=8, threshold=1000):
        texts = [repr(release), str(release), release.caption(), repr(release.parameters)]
    return "\n".join([*texts, _NUMBERS.sub("…", repr(release.figure()))]).encode()


def _table(release: Release, folder: Path) -> bytes:
    del folder
    frame = release.to_frame()
    return "\n".join([frame.to_csv(), frame.to_json(), frame.to_html(), repr(frame.attrs)]).encode()


def _notebook(release: Release, folder: Path) -> bytes:
    del folder
    return release._repr_html_().encode()  # pyright: ignore[reportPrivateUsage]


def _pickled(release: Release, folder: Path) -> bytes:
    """Return a copy of a release as it is sent to another process."""
    del folder
    return pickle.dumps(copy.deepcopy(release))


def _otherwise(release: Release, folder: Path) -> bytes:
    """Return the pictures that have choices, chosen otherwise than usual."""
    match release:
        case HeatmapRelease():
            view: dict[str, object] = {"leaves": True, "smooth": 0}
        case ScoreplotRelease():
            view = {"panels": True, "loadings": 2}
        case _:
            return b""
    return _saved(release, folder, "svg", **view)


PLAIN: dict[str, Writer] = {
    "json": _saving("json"),
    "printed": _printed,
    "python": _plain,
    "frame": _table,
    "vega": _vega,
}
"""The forms that cost next to nothing."""

DRAWN: dict[str, Writer] = {
    **{ending: _saving(ending) for ending in ("svg", "png", "pdf", "html")},
    "notebook": _notebook,
    "otherwise": _otherwise,
}
"""The forms that are drawn."""

UNSTEADY: dict[str, Writer] = {"pickle": _pickled}
"""The forms whose bytes Python does not promise to repeat."""


def writers(release: Release) -> dict[str, Writer]:
    """Return all forms that a release can be written in."""
    maps: dict[str, Writer] = {}
    if isinstance(release, HeatmapRelease) and not release.x.bounds.time:
        maps = {"geojson": _saving("geojson")}
    return {**PLAIN, **maps, **DRAWN, **UNSTEADY}
