"""Files as functions of a release, and what their sizes tell.

The noisy numbers of neighbours have different distributions, so the sizes of their files have, too:
a count of 10 has a digit more than one of 9. That is post-processing and costs nothing. What must
hold is that a file is a function of the release alone, byte by byte; then nothing can be told from
its size, or from anything else about it, that the noisy numbers do not tell. Both are tried: files
of a release, of the same release loaded again, and of the same noisy numbers over another table are
compared; and an auditor who sees nothing but sizes tries to tell two tables apart.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import sfumato
from sfumato.charts.histogram import Histogram
from sfumato.domain import Domain
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.release import Release, plain_text
from sfumato.testing import measure_planned
from sums.asked import Asked
from sums.replay import replayed
from telling.auditing import Measured, measured
from telling.remembering import Remembering

ENDINGS = ("json", "svg", "png", "html")
EPSILON = 1.0


def differing(asked: Asked, one: pa.Table, other: pa.Table, endings: tuple[str, ...]) -> list[str]:
    """Return the files that depend on more than the noisy numbers of a release."""
    found = replayed(asked, one, other)
    with tempfile.TemporaryDirectory(prefix="silence-") as folder:
        saved = _saved(found.release, Path(folder) / "first", endings)
        loaded = sfumato.load(Path(folder) / "first.json")
        again = _saved(loaded, Path(folder) / "loaded", endings)
        played = _saved(found.other, Path(folder) / "played", endings)
    figures = {"figure": found.release.figure() == loaded.figure() == found.other.figure()}
    figures["vega"] = found.release.to_vega() == loaded.to_vega() == found.other.to_vega()
    same = {end: saved[end] == again[end] == played[end] for end in endings} | figures
    return [name for name, held in same.items() if not held]


def _saved(release: Release, path: Path, endings: tuple[str, ...]) -> dict[str, bytes]:
    return {end: release.save(path.with_suffix(f".{end}")).read_bytes() for end in endings}


def sizes(rows: int, draws: int) -> NDArray[np.float64]:
    """Return the sizes of the JSON files of many histograms, each of one bin that holds `rows`."""
    chart, unit = Histogram("x", bins=1), PrivacyUnit.rows()
    plan = chart.plan(Domain(x=(0, 1)), unit, Budget(epsilon=EPSILON))
    engine = Remembering(pa.table({"x": np.full(rows, 0.5)}))
    releases = (measure_planned(chart, engine, plan) for _ in range(draws))
    return np.array([[size(release)] for release in releases], dtype=np.float64)


def size(release: Release) -> int:
    """Return how many bytes the JSON file of a release has."""
    return len(plain_text(release.to_dict(), indent=release.indent))


def told_by_sizes(draws: int) -> Measured:
    """Return what an auditor who sees sizes alone can tell of nine rows and ten."""
    return measured(sizes(9, draws), sizes(10, draws), epsilon=EPSILON)
