"""The picture of scores, described as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.figure import Arrows, Axis, Dots, Estimates, Figure, Panel, format_percent
from sfumato.postprocess.significance import LEVEL
from sfumato.releases import wording
from sfumato.releases.release import WATERMARK
from sfumato.releases.scoreplot import METHODS
from sfumato.releases.scoreplot.density import (
    COARSE,
    FINE,
    SHARES,
    SMOOTH,
    ScoreView,
    clouds,
    heat,
    outlines,
    unseen,
)
from sfumato.render.text import format_number, shorten

if TYPE_CHECKING:
    from sfumato.releases.scoreplot import ScoreplotRelease

_LONGEST = 0.4  # of the frame's side, from the mean
_SHORTEST = 1e-9  # a loading that can be enlarged
_NAMED = 4


def figure(release: ScoreplotRelease, view: ScoreView) -> Figure:
    """Describe the picture of a score plot."""
    return Figure(
        title=wording.title(release),
        panels=_panels(release, view),
        caption=caption(release, view),
        legend=release.hue.column if release.hue else "",
        notes=_notes(release),
        watermark="" if release.private else WATERMARK,
    )


def caption(release: ScoreplotRelease, view: ScoreView) -> str:
    """Say what protects whom, how it was measured and what the picture's signs mean."""
    parts = [
        wording.guarantee(release),
        _directions_words(release),
        _noise_words(release),
        _signs_words(release, view),
        _arrows_words(release, view),
        f"The {view.points} points are synthetic, drawn from this density." if view.points else "",
        "Rows are clipped to the frame, found privately.",
        *wording.parsed(release.pca.lattice.bounds),
        *wording.left_out([release.hue], release.found),
    ]
    return " ".join(part for part in parts if part)


def _directions_words(release: ScoreplotRelease) -> str:
    if release.alone:
        return "This includes the directions."
    promise = release.pca.guarantee
    spent = promise.amounts
    if promise.unit != release.guarantee.unit:
        spent += f", protecting {promise.unit}"
    told = f"The directions were released before ({spent}){promise.weakness}."
    if release.pca.selection == release.selection:
        return told
    rows = " ".join(wording.selected(release.pca)) or "All rows, and stored columns."
    return f"{told} They were found otherwise: {rows}"


def _noise_words(release: ScoreplotRelease) -> str:
    cells = f"{release.x.cells} × {release.y.cells} cells"
    what = METHODS[release.method]
    if release.noise is None:
        return f"{what} on a grid of {cells}. No interval available."
    scale = f"{release.noise.scale * release.step:,.4g}"
    least = ""
    if release.threshold is not None:
        least = f" {format_number(float(f'{release.threshold * release.step:.4g}'))}"
    return f"Gaussian noise of scale {scale} on the count of each of {cells}; {what}{least}."


def _signs_words(release: ScoreplotRelease, view: ScoreView) -> str:
    smooth = f"Smoothed by {SMOOTH:g} cells."
    surely = f"({format_percent(LEVEL)} jointly)"
    counted = release.noise is not None and release.threshold is None
    if view.apart(len(release.groups)):
        grey = f" Grey: not distinguishable from noise {surely}."
        return smooth + (grey if counted else "")
    core, most = map(format_percent, SHARES)
    whole = f"what is distinguishable from noise {surely}" if counted else "what is shown of it"
    return (
        f"{smooth} Colours: density relative to each group's peak; "
        f"lines enclose {core} and {most} of {whole}."
    )


def _arrows_words(release: ScoreplotRelease, view: ScoreView) -> str:
    if not view.loadings:
        return ""
    sure = format_percent(release.pca.uncertainty["components"].coverage)
    return (
        "Arrows: the longest loadings, on one scale of their own; "
        f"bars: {sure} intervals of the noise."
    )


def _panels(release: ScoreplotRelease, view: ScoreView) -> tuple[Panel, ...]:
    count = len(release.groups)
    if not count:
        return ()
    x, y = _axes(release)
    upon = (_arrows_of(release, view.loadings),) if view.loadings else ()
    dots = _dots(release, view.points)
    if not view.apart(count):
        return (Panel(x, y, (clouds(release), *outlines(release), *dots, *upon)),)
    points = FINE if count == 1 else COARSE
    return tuple(
        Panel(x, y, (heat(release, group, points), *_alone(dots, name), *upon), name)
        for group, name in enumerate(release.groups)
    )


def _axes(release: ScoreplotRelease) -> tuple[Axis, Axis]:
    first, second = (
        Axis(release.pca.axis_label(axis), limits=(grid.bounds.lower, grid.bounds.upper))
        for axis, grid in zip(release.axes, (release.x, release.y), strict=True)
    )
    return first, second


def _dots(release: ScoreplotRelease, count: int) -> tuple[Dots, ...]:
    """Return synthetic points of each group that can be seen, in proportion to their sizes."""
    hidden = unseen(release) if release.hue else ()
    sizes = [
        0.0 if name in hidden else float(mass.sum())
        for name, mass in zip(release.groups, release.mass, strict=True)
    ]
    whole = sum(sizes)
    shares = np.cumsum(sizes) / whole if whole > 0 else np.zeros(len(sizes))
    numbers = np.diff(np.rint(count * shares), prepend=0).astype(int).tolist()
    values = release.hue.categories.values if release.hue else (None,)
    drawn = zip(release.groups, values, numbers, strict=True)
    return tuple(
        Dots(*map(tuple, release.points(number, value).T.tolist()), series=name)
        for name, value, number in drawn
        if number
    )


def _alone(dots: tuple[Dots, ...], name: str) -> tuple[Dots, ...]:
    """Return the points of one group, which its panel names already."""
    return tuple(Dots(each.x, each.y) for each in dots if each.series == name)


def _arrows_of(release: ScoreplotRelease, count: int) -> Arrows:
    """Return the arrows of the columns that weigh most in both components.

    All are longer than the loadings they stand for by the same factor, so that the longest nearly
    reaches the frame.
    """
    pca, sure = release.pca, release.pca.uncertainty["components"]
    places = [axis - 1 for axis in release.axes]
    loading, low, high = (
        np.reshape(ends, pca.components.shape)[places]
        for ends in (pca.components, sure.low, sure.high)
    )
    length = np.hypot(*loading)
    chosen = np.argsort(-length, kind="stable")[:count]
    side = min(release.x.bounds.width, release.y.bounds.width)
    factor = _LONGEST * side / max(float(length.max()), _SHORTEST)
    x, y = (
        Estimates(*(tuple((ends[axis][chosen] * factor).tolist()) for ends in (loading, low, high)))
        for axis in (0, 1)
    )
    names = [pca.columns[int(place)] for place in chosen]
    return Arrows((0.0, 0.0), x, y, tuple(names), sure.coverage)


def _notes(release: ScoreplotRelease) -> tuple[str, ...]:
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
        return [f"{names} cannot be distinguished from noise: other directions vary as much."]
    if within in blurred:
        return [f"Noise may have turned PC{first} and PC{second} within their plane."]
    return []


def _groups(release: ScoreplotRelease) -> str:
    if not release.groups:
        return wording.nobody(release.guarantee.unit)
    lost = unseen(release)
    if len(lost) == len(release.groups):
        return "Nothing here is distinguishable from noise."
    if not lost:
        return ""
    named = [shorten(name, 30) for name in lost[:_NAMED]]
    if len(lost) > _NAMED:
        named.append(f"{len(lost) - _NAMED} more")
    *others, last = named
    names = f"{', '.join(others)} and {last}" if others else last
    return f"Not distinguishable from noise: {names}."
