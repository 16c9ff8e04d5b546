"""The picture of scores, described as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.figure import Arrows, Axis, Dots, Figure, Panel
from sfumato.releases import wording
from sfumato.releases.release import WATERMARK
from sfumato.releases.score_view import ScoreView
from sfumato.releases.scoreplot_arrows import arrows
from sfumato.releases.scoreplot_caption import caption
from sfumato.releases.scoreplot_density import COARSE, FINE, clouds, heat, outlines, unseen
from sfumato.releases.scoreplot_notes import notes

if TYPE_CHECKING:
    from sfumato.releases.scoreplot import ScoreplotRelease


def figure(release: ScoreplotRelease, view: ScoreView) -> Figure:
    """Describe the picture of a score plot."""
    return Figure(
        title=wording.title(release),
        panels=_panels(release, view),
        caption=caption(release, view),
        legend=release.hue.column if release.hue else "",
        notes=notes(release),
        watermark="" if release.private else WATERMARK,
    )


def _panels(release: ScoreplotRelease, view: ScoreView) -> tuple[Panel, ...]:
    count = len(release.groups)
    if not count:
        return ()
    x, y = _axes(release)
    upon, dots = _arrows(release, view), _dots(release, view.points)
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


def _arrows(release: ScoreplotRelease, view: ScoreView) -> tuple[Arrows, ...]:
    return (arrows(release, view.loadings),) if view.loadings else ()


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
