"""The picture of means, sums and counts, described as plain data."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ReleaseError, Setting, abbreviate
from sfumato.figure import Axis, Curve, Estimates, Figure, Orient, Panel, Summaries
from sfumato.grid import Edges, Grid, Labels
from sfumato.releases import axes, wording
from sfumato.releases.facets import Pane, arrange_panes
from sfumato.releases.means.merging import merge_bins
from sfumato.releases.release import WATERMARK
from sfumato.releases.uncertainty import LEVEL
from sfumato.render.boxes import TOO_FEW
from sfumato.render.shapes import list_runs
from sfumato.render.text import format_number

if TYPE_CHECKING:
    from sfumato.releases.means import GroupedRelease, MeansRelease

_NOISY = {"count": "every count", "median": "counts around every median"}
_ROOM = 0.8  # of a category, or of a bin, that its bars fill
_MOST_LETTERS = 110  # of all names below an axis, were all as long as the longest
_USUAL_COLUMNS = 3
_MERGED = (
    " Neighbouring bins are merged where noise could have made their differences; counts and sums "
    "are averages per bin."
)
_APART = 0.3  # of a category, over which points of several colours are spread
_NEGLIGIBLE = 0.3  # of the usual interval, to either side: it holds the truth nearly as often
_ENDLESS = 1e4  # times the range that values are clipped to: as good as no limit


def check_view(*, listed: bool, chosen: bool, orient: object = None, merge: object = False) -> None:
    """Refuse a way to draw that there is not.

    Parameters
    ----------
    listed
        Whether the groups are categories.
    chosen
        Whether the numbers are chosen one by one, as medians are, or drawn one by one.
    """
    if merge and (listed or chosen):
        raise ReleaseError(
            (Setting("merge"), " is for lines of sums, counts and means along bins."),
            "Categories have no neighbours, and medians do not add up. Nothing was charged.",
            "Leave merge out.",
        )
    if orient not in (None, "v", "h"):
        raise ReleaseError(
            (Setting("orient", abbreviate(str(orient))), " is no way to draw means."),
            "Nothing was charged: drawing is free.",
            "Choose 'v' or 'h', or leave it out.",
        )
    if orient == "h" and not listed:
        raise ReleaseError(
            "Only categories can be drawn lying.",
            "Bins stand along an axis of their own.",
            "Leave orient out.",
        )


def figure(release: MeansRelease, *, orient: Orient | None = None, merge: bool = False) -> Figure:
    """Describe the picture of means, sums or counts."""
    listed = not isinstance(release.x, Grid | Edges)
    chosen = release.estimator == "median" or release.view != "line"
    check_view(listed=listed, chosen=chosen, orient=orient, merge=merge)
    panes, columns = arrange_panes(release)
    lying = _lies(release, orient, columns or min(len(panes), _USUAL_COLUMNS))
    return Figure(
        title=wording.title(release),
        panels=tuple(_panel(release, pane, lying=lying, merge=merge) for pane in panes),
        caption=caption(release) + (_MERGED if merge else ""),
        legend=release.hue.column if release.hue else "",
        notes=_notes(release),
        watermark="" if release.private else WATERMARK,
        columns=columns,
    )


def caption(release: MeansRelease) -> str:
    """Say what protects whom, how noisy the numbers are, and what clipping does to them."""
    told = release.estimates
    parts = [
        wording.guarantee(release),
        describe_noise(release, "group"),
        wording.how_sure(
            "Band" if _is_curve(release) else "Error bars", release.uncertainty.coverage
        ),
    ]
    if not told.reliable.all():
        parts.append(f"Not drawn: {tell_missing(release)}.")
    if _muted(release).any():
        parts.append("Grey: not distinguishable from zero.")
    parts += describe_clipping(release)
    binned = [key for key in release.keys if isinstance(key, Grid | Edges)]
    parts += [*wording.binned(binned), *wording.parsed(key.bounds for key in binned)]
    return " ".join([*parts, *wording.left_out(release.keys, release.found)])


def tell_missing(release: GroupedRelease) -> str:
    """Say what there is too little of, where a number is not told."""
    return TOO_FEW if release.clip_found else f"{TOO_FEW} to find where to clip"


def describe_noise(release: GroupedRelease, group: str) -> str:
    """Say how noisy what was released of every group is."""
    of = _NOISY.get(release.estimator, f"both sums of every {group}")
    return wording.added(release.noise, release.step, of)


def describe_clipping(release: GroupedRelease) -> list[str]:
    """Say where values were clipped, who chose that, and how far it moves means."""
    if release.clipped is None or release.estimator == "count":
        return []
    low, high = release.clipped.edges.tolist()
    kept = release.declared is not None and release.declared.values == release.clipped.values
    private = ", found privately" if release.ladder or not kept else ""
    bounds = release.clipped.bounds
    said = f"Values are clipped to {wording.range_of(bounds, low, high)}{private}."
    return [said, *_tell_bias(release), *wording.parsed([bounds])]


def _tell_bias(release: GroupedRelease) -> list[str]:
    if not release.ladder:
        return []
    least, most = release.bias_range
    if least == most == 0:
        return ["Bias from clipping: none."]
    told = release.estimates
    if release.estimator == "mean" and told.reliable.any():
        usual = float(np.median((told.high - told.low)[told.reliable])) / 2
        if max(-least, most) < _NEGLIGIBLE * usual:
            return ["Bias from clipping: negligible."]
    ends = f"from {format_number(least)} to {format_number(most)}"
    if not release.bias_known and release.clipped is not None:
        endless = max(-least, most) > _ENDLESS * float(np.ptp(release.clipped.edges))
        moved = f"could move the overall mean by {'any amount' if endless else f'anything {ends}'}"
        return [f"Bias from clipping: unknown; values too few to be seen {moved}."]
    return [f"Clipping moves the overall mean by about {format_number(release.bias)} ({ends})."]


def _notes(release: MeansRelease) -> tuple[str, ...]:
    if release.groups == 0:
        return (wording.nobody(release.guarantee.unit),)
    return ()


def _lies(release: MeansRelease, orient: Orient | None, abreast: int) -> bool:
    """Tell whether bars lie, where their names would not fit below them; public names decide."""
    if not isinstance(release.x, Labels) or orient is not None or release.x.part is not None:
        return orient == "h"
    longest = max((len(str(name)) for name in release.x.categories.values), default=0)
    return (longest + 1) * release.x.cells * abreast > _MOST_LETTERS


def _muted(release: MeansRelease) -> NDArray[np.bool_]:
    """Return which numbers noise alone could have made."""
    told = release.estimates
    return told.reliable & (told.low <= 0) & (told.high >= 0)


def _panel(release: MeansRelease, pane: Pane, *, lying: bool, merge: bool) -> Panel:
    names = ("",)
    if release.hue:
        names = tuple(map(str, release.hue.categories.values))
    marks = tuple(
        _merge(release, pane.place, index, name)
        if merge
        else _series(release, pane.place, (index, len(names)), name, lying=lying)
        for index, name in enumerate(names)
    )
    along = Axis("", "category", categories=("",)) if release.x is None else axes.axis(release.x)
    up = Axis(release.measure)
    if lying:  # what comes first stands on top
        return Panel(up, replace(along, reversed=True), marks, facet=pane.facet)
    return Panel(along, up, marks, facet=pane.facet)


def _series(
    release: MeansRelease, panel: int, place: tuple[int, int], name: str, *, lying: bool
) -> Summaries | Curve:
    position, width = _places(release, *place)
    told = release.estimates
    size = (len(release.panels), release.hue.cells if release.hue else 1, -1)
    value, low, high, reliable, muted = (
        tuple(each.reshape(size)[panel, place[0]].tolist())
        for each in (told.value, told.low, told.high, told.reliable, _muted(release))
    )
    if _is_curve(release):
        return _curve(release, name, Estimates(value, low, high), reliable, muted)
    return Summaries(
        position=position,
        width=width,
        value=Estimates(value, low, high),
        reliable=reliable,
        muted=muted,
        coverage=LEVEL,
        joined=release.view != "bars",
        series=name,
        orient="h" if lying else "v",
    )


def _merge(release: MeansRelease, panel: int, hue: int, name: str) -> Curve:
    """Return a step for each run of merged bins that has data enough to be told."""
    pairs, groups = release.pairs, release.hue.cells if release.hue else 1
    size = (len(release.panels), groups, -1, pairs.shape[1])
    runs, told = merge_bins(release, pairs.reshape(size)[panel, hue])
    edges = np.asarray(cast(Any, release.x).edges, dtype=np.float64)
    kept = np.flatnonzero(told.reliable).tolist()
    breaks = [start for start, _ in list_runs(kept)[1:]]
    parts = (kept[start:stop] for start, stop in pairwise([0, *breaks, len(kept)]) if stop)
    ends = ([runs[part[0]][0], *(runs[place][1] for place in part)] for part in parts)
    numbers = (tuple(each[kept].tolist()) for each in (told.value, told.low, told.high))
    return Curve(
        x=tuple(edges[[end for part in ends for end in part]].tolist()),
        y=Estimates(*numbers),
        muted=tuple(((told.low <= 0) & (told.high >= 0))[kept].tolist()),
        coverage=LEVEL,
        steps=True,
        series=name,
        breaks=tuple(breaks),
    )


def _is_curve(release: MeansRelease) -> bool:
    return release.view == "line" and isinstance(release.x, Grid | Edges)


def _curve(
    release: MeansRelease,
    name: str,
    told: Estimates,
    reliable: tuple[bool, ...],
    muted: tuple[bool, ...],
) -> Curve:
    """Return a line through the middles of all bins that are told, broken where one is not."""
    position, _ = _places(release, 0, 1)
    kept = [place for place, sure in enumerate(reliable) if sure]

    def taken(numbers: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(numbers[place] for place in kept)

    return Curve(
        x=taken(position),
        y=Estimates(taken(told.value), taken(told.low), taken(told.high)),
        muted=tuple(muted[place] for place in kept),
        coverage=LEVEL,
        points=True,
        series=name,
        breaks=tuple(start for start, _ in list_runs(kept)[1:]),
    )


def _places(release: MeansRelease, index: int, groups: int) -> tuple[tuple[float, ...], float]:
    """Return where the bars of one colour stand, and how wide they are."""
    if isinstance(release.x, Grid | Edges):
        edges = release.x.edges
        middles, room = (edges[:-1] + edges[1:]) / 2, float(np.diff(edges).min())
    else:
        middles, room = np.arange(1 if release.x is None else release.x.cells, dtype=float), 1.0
    filled = room * (_ROOM if release.view == "bars" else _APART)
    width = filled / groups
    shift = (index + 0.5) * width - filled / 2
    return tuple((middles + shift).tolist()), width if release.view == "bars" else 0.0
