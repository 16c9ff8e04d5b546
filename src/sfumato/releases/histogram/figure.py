"""The picture of a histogram, described as plain data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import Categories
from sfumato.errors import ReleaseError, Setting, abbreviate
from sfumato.figure import Axis, Bars, Cells, Figure, Interval, Orient, Panel, format_percent
from sfumato.grid import Edges, Grid, Key, Labels
from sfumato.releases import axes, wording
from sfumato.releases.facets import Pane, arrange_panes
from sfumato.releases.release import WATERMARK
from sfumato.render.logarithmic import BELOW_ZERO

if TYPE_CHECKING:
    from sfumato.releases.histogram import HistogramRelease, Multiple

Array = NDArray[np.float64]

_BAR_WIDTH = 0.8  # of the room a category has
_MOST_LAYERS = 4  # outlines that can be told apart
_MOST_ABREAST = 40  # bars side by side
_MOST_LETTERS = 110  # of all names below an axis, were all as long as the longest
_USUAL_COLUMNS = 3


@dataclass(frozen=True)
class Choice:
    """Which categories are drawn, by what was released; `of` are all there are."""

    places: tuple[int, ...]
    of: int

    @property
    def partial(self) -> bool:
        """Whether some are left out."""
        return len(self.places) < self.of


@dataclass(frozen=True)
class View:
    """How a histogram is drawn: by which categories, lying or not, and in which panels."""

    key: Key
    choice: Choice | None
    orient: Orient
    panes: tuple[Pane, ...]
    columns: int | None


_WORDS = {"sort": ("count",), "orient": ("v", "h"), "multiple": ("layer", "panels")}
_FREE = "Nothing was charged: drawing is free."


def check_view(*, listed: bool, **view: object) -> None:
    """Refuse a way to draw that there is not.

    Parameters
    ----------
    listed
        Whether the histogram has categories, in one dimension.
    """
    for name, words in _WORDS.items():
        if view.get(name) not in (None, *words):
            choices = " or ".join(map(repr, words))
            raise ReleaseError(
                (Setting(name, abbreviate(str(view[name]))), " is no way to draw a histogram."),
                _FREE,
                f"Choose {choices}, or leave it out.",
            )
    top = view.get("top")
    if top is not None and not (isinstance(top, int) and not isinstance(top, bool) and top >= 1):
        raise ReleaseError(
            "top must be a whole number from 1 up.",
            _FREE,
            ("Write ", Setting("top", 10), ", or leave it out."),
        )
    if not listed and (view.get("sort") or top is not None or view.get("orient") == "h"):
        raise ReleaseError(
            "Only categories in one dimension can be sorted, chosen or drawn lying.",
            "Bins have an order of their own.",
            "Leave sort, top and orient out.",
        )


def figure(
    release: HistogramRelease,
    *,
    sort: str | None = None,
    top: int | None = None,
    orient: Orient | None = None,
    multiple: Multiple | None = None,
) -> Figure:
    """Describe the picture of a histogram."""
    listed = isinstance(release.x, Labels) and release.y is None
    check_view(listed=listed, sort=sort, top=top, orient=orient, multiple=multiple)
    view = _view(release, _choose(release, sort, top), orient, multiple)
    drawn = _bars if release.y is None else _map
    return Figure(
        title=wording.title(release),
        panels=tuple(drawn(release, view, pane) for pane in view.panes),
        caption=caption(release, view.choice),
        legend=_legend(release, view),
        notes=_notes(release, view.choice),
        watermark="" if release.private else WATERMARK,
        columns=view.columns,
    )


def caption(release: HistogramRelease, choice: Choice | None = None) -> str:
    """Say what protects whom, and how noisy the numbers are."""
    parts = [
        wording.guarantee(release),
        wording.added(release.noise, release.step, "every count"),
        _how_sure(release, choice),
    ]
    if release.y is None and (_shown(release, choice) < 0).any():
        parts.append(BELOW_ZERO)
    binned = [key for key in release.keys if isinstance(key, Grid | Edges)]
    if any(_reaches(key) for key in binned):
        parts.append("Values are clipped to the axis.")
    parts += [
        f"Values of {key.column} outside "
        f"{wording.range_of(key.bounds, key.bounds.lower, key.bounds.upper)} are left out."
        for key in binned
        if key.drop
    ]
    parts += [*wording.binned(binned), *wording.parsed(key.bounds for key in binned)]
    if choice is not None and not choice.partial:
        parts.append("Ordered by released count.")
    return " ".join([*parts, *wording.left_out(release.keys, release.found)])


def _shown(release: HistogramRelease, choice: Choice | None) -> Array:
    numbers = release.numbers
    return numbers if choice is None else numbers[..., list(choice.places)]


def _reaches(key: Grid | Edges) -> bool:
    return not key.drop and bool(
        key.edges[0] <= key.bounds.lower and key.edges[-1] >= key.bounds.upper
    )


def _how_sure(release: HistogramRelease, choice: Choice | None) -> str:
    sure = release.uncertainty
    alone, together = (
        format_percent(sure.pointwise.coverage),
        format_percent(sure.simultaneous.coverage),
    )
    if release.y is not None:
        return f"Hatched: not distinguishable from noise ({together} jointly)."
    jointly = f"{together} for all {release.numbers.size} jointly"
    return (
        f"Thin bars: {jointly}."
        if choice is not None
        else f"Thick bars: {alone} intervals; thin: {jointly}."
    )


def _notes(release: HistogramRelease, choice: Choice | None) -> tuple[str, ...]:
    if release.numbers.size == 0:
        return (wording.nobody(release.guarantee.unit),)
    notes: list[str] = []
    if release.stat != "count" and release.counts.sum() <= 0:
        notes.append("The noisy total is not above zero: no proportions available.")
    if choice is not None and choice.partial:
        of = abbreviate(release.x.column)
        notes.append(f"{len(choice.places)} of {choice.of} categories of {of}, by released count.")
    return tuple(notes)


def _choose(release: HistogramRelease, sort: str | None, top: int | None) -> Choice | None:
    """Choose categories by all that was released about each of them."""
    if sort is None and top is None:
        return None
    totals = release.counts.reshape(-1, release.x.cells).sum(axis=0)
    order = np.argsort(-totals, kind="stable")[:top]
    return Choice(tuple(order.tolist()), release.x.cells)


def _view(
    release: HistogramRelease,
    choice: Choice | None,
    orient: Orient | None,
    multiple: Multiple | None,
) -> View:
    key = release.x
    if choice is not None and isinstance(key, Labels):
        kept = tuple(key.categories.values[place] for place in choice.places)
        key = Labels(axes.label(key), Categories(kept))
    apart = release.y is not None or _stands_apart(release, key, multiple)
    panes, columns = arrange_panes(release, release.hue if apart else None)
    return View(key, choice, _orient(release, key, orient, panes, columns), panes, columns)


def _stands_apart(release: HistogramRelease, key: Key, multiple: Multiple | None) -> bool:
    """Tell whether groups have panels of their own, rather than bars over or beside each other."""
    if release.hue is None or multiple is not None:
        return release.hue is not None and multiple == "panels"
    if release.facets or release.hue.cells <= _MOST_LAYERS:
        return False
    return not isinstance(key, Labels) or key.cells * release.hue.cells > _MOST_ABREAST


def _orient(
    release: HistogramRelease,
    key: Key,
    orient: Orient | None,
    panes: tuple[Pane, ...],
    columns: int | None,
) -> Orient:
    """Let bars lie where their names would not fit below them; public names decide."""
    if not isinstance(key, Labels) or release.y is not None:
        return "v"
    if orient is not None:
        return orient
    abreast = columns or min(len(panes), _USUAL_COLUMNS)
    longest = max((len(str(name)) for name in key.categories.values), default=0)
    # Parts of a day or a year run from left to right, as time does.
    fits = key.part is not None or (longest + 1) * key.cells * abreast <= _MOST_LETTERS
    return "v" if fits else "h"


def _legend(release: HistogramRelease, view: View) -> str:
    shared = any(pane.group is None for pane in view.panes)
    return release.hue.column if release.hue and shared else ""


def _numbers(release: HistogramRelease, view: View, pane: Pane) -> Array:
    """Return value, pointwise and simultaneous ends of one panel, by group, x and y."""
    sure = release.uncertainty
    ends = (sure.pointwise.low, sure.pointwise.high, sure.simultaneous.low, sure.simultaneous.high)
    groups = release.hue.cells if release.hue else 1
    size = (len(release.panels), groups, release.x.cells, release.y.cells if release.y else 1)
    each = [release.numbers.reshape(size), *(np.reshape(end, size) for end in ends)]
    told = np.array([numbers[pane.place] for numbers in each], dtype=np.float64)
    if pane.group is not None:
        told = told[:, [pane.group]]
    return told if view.choice is None else told[:, :, list(view.choice.places)]


def _bars(release: HistogramRelease, view: View, pane: Pane) -> Panel:
    told = _numbers(release, view, pane)[..., 0]
    names = ("",)
    if release.hue and pane.group is None:
        names = tuple(map(str, release.hue.categories.values))
    marks = tuple(
        _series(release, view, (index, len(names)), name, told[:, index])
        for index, name in enumerate(names)
    )
    along, up = axes.axis(view.key), Axis(_measure(release))
    if view.orient == "h":  # what comes first stands on top
        return Panel(up, replace(along, reversed=True), marks, facet=pane.facet)
    return Panel(along, up, marks, facet=pane.facet)


def _series(
    release: HistogramRelease, view: View, place: tuple[int, int], name: str, told: Array
) -> Bars:
    left, right = _ends(view.key, *place)
    sure = release.uncertainty
    alone = _interval(told[1:3], sure.pointwise.coverage) if view.choice is None else None
    return Bars(
        left=left,
        right=right,
        height=tuple(np.maximum(told[0], 0).tolist()),
        clipped=tuple((told[0] < 0).tolist()),
        pointwise=alone,
        simultaneous=_interval(told[3:5], sure.simultaneous.coverage),
        series=name,
        outline=bool(name) and not isinstance(view.key, Labels),
        orient=view.orient,
    )


def _ends(key: Key, index: int, groups: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return where the bars of one group stand; those of categories stand side by side."""
    if isinstance(key, Grid | Edges):
        edges = axes.edges(key)
        return edges[:-1], edges[1:]
    width = _BAR_WIDTH / groups
    left = tuple(position - _BAR_WIDTH / 2 + index * width for position in range(key.cells))
    return left, tuple(end + width for end in left)


def _map(release: HistogramRelease, view: View, pane: Pane) -> Panel:
    value, _, _, low_all, _ = _numbers(release, view, pane)[:, 0]
    alone = release.uncertainty.pointwise
    radius = np.array(alone.high) - release.numbers.ravel()
    y = release.y or release.x
    cells = Cells(
        x_edges=axes.edges(release.x),
        y_edges=axes.edges(y),
        value=tuple(map(tuple, np.maximum(value.T, 0).tolist())),
        muted=tuple(map(tuple, (low_all.T <= 0).tolist())),
        label=_measure(release),
        noise=float(np.median(radius)) if radius.size else 0.0,
        coverage=alone.coverage,
    )
    return Panel(axes.axis(release.x), axes.axis(y), (cells,), facet=pane.facet)


def _interval(ends: Array, coverage: float) -> Interval:
    low, high = (tuple(side) for side in np.maximum(ends, 0.0).tolist())
    return Interval(low, high, coverage)


def _measure(release: HistogramRelease) -> str:
    if release.stat != "count":
        return release.stat
    return wording.counted(release.guarantee.unit)
