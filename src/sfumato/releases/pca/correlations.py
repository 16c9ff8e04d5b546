"""The picture of correlations, and its caption."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.figure import Axis, Figure, Matrix, Panel, format_percent
from sfumato.postprocess.correlation import COVERAGE
from sfumato.releases import wording
from sfumato.releases.release import WATERMARK
from sfumato.render.text import format_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sfumato.releases.pca import PcaRelease

_NEGLIGIBLE = 0.1  # of half of a usual interval


def describe(release: PcaRelease) -> str:
    """Return what is shown, in words."""
    return release.label.replace("principal components", "correlations", 1)


def figure(release: PcaRelease) -> Figure:
    """Describe correlations as a triangle of cells, in the order of the columns."""
    return Figure(
        title=wording.title(release, describe(release)),
        panels=(_panel(release),),
        caption=caption(release),
        notes=_notes(release),
        watermark="" if release.private else WATERMARK,
    )


def caption(release: PcaRelease) -> str:
    """Say what protects whom, what the correlations are of, and how sure they are."""
    from sfumato.releases.pca import SCALED

    sure = format_percent(COVERAGE)
    return " ".join(
        [
            wording.guarantee(release),
            f"Pearson correlations with {sure} intervals; grey: noise alone could have made it, at "
            f"{sure} for all pairs jointly.",
            SCALED[release.scaled],
            *_tell_clipping(release),
            *wording.parsed(release.lattice.bounds),
        ]
    )


def _tell_clipping(release: PcaRelease) -> list[str]:
    """Say which rows are clipped, and what that changes."""
    shorter, longer = (
        format_number(float(f"{sums.length(release.lattice):.2g}"))
        for sums in (release.directions, release.spread)
    )
    if release.correlations.shorter.any():
        other = "of all rows" if release.excess == 0 else f"to {longer}"
        said = f"Combines sums of rows clipped to length {shorter}, and {other}."
        return [said, *_tell_bias(release)]
    if release.excess == 0:
        return ["No row is clipped."]
    said = f"Rows farther than {longer} from the released mean are clipped to that distance."
    if release.excess is None:
        return [said, "Correlations are of rows so clipped; without clipping they may be stronger."]
    return [said, *_tell_bias(release)]


def _tell_bias(release: PcaRelease) -> list[str]:
    found = release.correlations
    pairs = np.outer(found.told, found.told) & np.tri(len(found.told), k=-1, dtype=bool)
    if not pairs.any():
        return []
    most, usual = found.clipping[pairs].max(), np.median((found.high - found.low)[pairs]) / 2
    if most < _NEGLIGIBLE * usual:
        return ["Bias from clipping: negligible."]
    moved = format_number(float(f"{min(most, 1.0):.1g}"))
    return [f"Clipping moves correlations by up to about {moved}; intervals allow for it."]


def _notes(release: PcaRelease) -> tuple[str, ...]:
    found = release.correlations
    lost = [name for name, told in zip(release.columns, found.told, strict=True) if not told]
    below = np.tril_indices(len(release.columns), -1)
    said: list[str] = []
    if lost:
        said.append(f"Too noisy to have correlations: {', '.join(lost)}.")
    if found.muted[below].all():
        said.append("No correlation can be distinguished from noise.")
    return tuple(said)


def _panel(release: PcaRelease) -> Panel:
    """Describe the pairs below the diagonal: the first column has no row, the last no column."""
    found, names = release.correlations, release.columns
    pairs = len(names) - 1
    cells = Matrix(
        value=_rows(found.value),
        low=_rows(found.low),
        high=_rows(found.high),
        muted=_rows(found.muted),
        shown=tuple(tuple(column <= row for column in range(pairs)) for row in range(pairs)),
        label="correlation",
        coverage=COVERAGE,
    )
    limits = (-0.5, pairs - 0.5)
    across = Axis("", "category", limits, names[:-1])
    down = Axis("", "category", limits, names[1:], reversed=True)
    return Panel(across, down, (cells,))


def _rows(matrix: NDArray[Any]) -> tuple[tuple[Any, ...], ...]:
    """Return the rows and columns of a matrix that hold pairs."""
    return tuple(tuple(row) for row in matrix[1:, :-1].tolist())
