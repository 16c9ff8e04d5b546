"""What is written on a picture of scores that would otherwise mislead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.releases import wording
from sfumato.releases.scoreplot_density import unseen
from sfumato.render.text import shorten

if TYPE_CHECKING:
    from sfumato.releases.scoreplot import ScoreplotRelease

_NAMED = 4


def notes(release: ScoreplotRelease) -> tuple[str, ...]:
    """Say which directions and groups cannot be told from noise."""
    said = [*_directions(release), _groups(release)]
    return tuple(note for note in said if note)


def _directions(release: ScoreplotRelease) -> list[str]:
    """Say it where the gap beside a direction, in variance, could be noise.

    Two neighbours with a clear plane between them may only be turned within it.
    """
    first, second = sorted(release.axes)
    within = first if second == first + 1 else 0
    gaps = release.pca.distinct[: len(release.pca.columns) - 1]
    blurred = {gap for gap, clear in enumerate(gaps, 1) if not clear}
    lost = [axis for axis in (first, second) if ({axis - 1, axis} - {within}) & blurred]
    if lost and within in blurred:
        lost = [first, second]
    if lost:
        names = " and ".join(f"PC{axis}" for axis in lost)
        return [f"{names} cannot be told from noise: other directions vary as much."]
    if within in blurred:
        return [f"Noise may have turned PC{first} and PC{second} within their plane."]
    return []


def _groups(release: ScoreplotRelease) -> str:
    if not release.groups:
        return wording.NOBODY
    lost = unseen(release)
    if len(lost) == len(release.groups):
        return "Nothing here stands out from the noise."
    if not lost:
        return ""
    named = [shorten(name, 30) for name in lost[:_NAMED]]
    if len(lost) > _NAMED:
        named.append(f"{len(lost) - _NAMED} more")
    *others, last = named
    names = f"{', '.join(others)} and {last}" if others else last
    return f"Too small to stand out from the noise: {names}."
