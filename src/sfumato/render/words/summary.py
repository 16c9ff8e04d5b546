"""What a picture of densities shows, in a few sentences for those who cannot see it."""

from __future__ import annotations

import numpy as np

from sfumato.figure import Arrows, Clouds, Figure, Heat, Mark, Outline, Panel, percent
from sfumato.render.scale import title_of
from sfumato.render.text import clean, shorten
from sfumato.render.words.groups import brief, by_length, densest, overlaps
from sfumato.render.words.heat import DOUBT

_MOST_NAMED = 12
_LONGEST = 2000  # letters of a sentence, whatever names are in it


def spoken(figure: Figure) -> str:
    """Return what a screen reader says of the whole picture: its title, and what it shows."""
    told = summary(figure)
    return clean(f"{figure.title}. {told}" if told else figure.title)


def summary(figure: Figure) -> str:
    """Return a text for screen readers; empty where every mark is read for itself.

    Groups are named by where they are densest and how much they overlap, arrows by length.
    """
    told = [
        shorten(f"{_named(figure, panel)}{sentence}", _LONGEST)
        for panel in figure.panels
        for sentence in _sentences(figure, panel)
    ]
    return clean(" ".join(told))


def _sentences(figure: Figure, panel: Panel) -> list[str]:
    said = [sentence for mark in panel.marks for sentence in _sentence(figure, panel, mark)]
    shares = {mark.share for mark in panel.marks if isinstance(mark, Outline)}
    if shares:
        listed = " and ".join(map(percent, sorted(shares)))
        said.append(f"Lines enclose {listed} of each group.")
    return said


def _sentence(figure: Figure, panel: Panel, mark: Mark) -> list[str]:
    match mark:
        case Heat():
            return _density(panel, mark)
        case Clouds():
            return [*_groups(figure, panel, mark), *_overlap(mark)]
        case Arrows():
            return _arrows(mark)
        case _:
            return []


def _density(panel: Panel, heat: Heat) -> list[str]:
    peak = densest(panel, heat)
    of = f"Density of {heat.label}" if heat.label else "Density"
    if peak is None:
        return [f"{of}, zero everywhere."]
    value, doubtful = np.array(heat.value), np.array(heat.muted)
    doubt = DOUBT if doubtful.flat[value.argmax()] else ""
    return [f"{of}, highest at {panel.x.label} {peak[0]}, {panel.y.label} {peak[1]}{doubt}."]


def _groups(figure: Figure, panel: Panel, clouds: Clouds) -> list[str]:
    if len(clouds.series) < 2:
        opening = f"Density over {panel.x.label} and {panel.y.label}."
    else:
        of = f" of {figure.legend}" if figure.legend else ""
        count = len(clouds.series)
        opening = f"Densities of {count} groups{of} over {panel.x.label} and {panel.y.label}."
    said = [opening]
    for group, name in enumerate(clouds.series[:_MOST_NAMED]):
        peak = densest(panel, clouds, group)
        where = f"is densest at {peak[0]}, {peak[1]}" if peak else "is seen nowhere"
        said.append(f"{name or 'It'} {where}.")
    return said


def _overlap(clouds: Clouds) -> list[str]:
    names, shared = clouds.series, overlaps(clouds)
    pairs = [(a, b) for b in range(len(names)) for a in range(b)]
    if not pairs:
        return []
    most = max(pairs, key=lambda pair: float(shared[pair]))
    least = min(pairs, key=lambda pair: float(shared[pair]))
    if len(pairs) == 1:
        return [f"They overlap by {percent(float(shared[most]))}."]
    ends = (f"{names[a]} and {names[b]} ({percent(float(shared[a, b]))})" for a, b in (most, least))
    return ["Most overlap: {}; least: {}.".format(*ends)]


def _arrows(arrows: Arrows) -> list[str]:
    if not arrows.label:
        return []
    ordered = by_length(arrows)
    listed = ", ".join(f"{arrows.label[place]} {brief(size)}" for place, size in ordered)
    return [f"Arrows by length: {listed}."]


def _named(figure: Figure, panel: Panel) -> str:
    return f"{title_of(figure, panel)}: " if panel.title else ""
