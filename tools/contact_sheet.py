"""Draw the pictures that are hardest to draw well on one sheet, to compare two versions by eye.

    python tools/contact_sheet.py after.png
    PYTHONPATH=../older/src python tools/contact_sheet.py before.png

Charts are of generated tables with simulated noise, the same in every version. What an older
version cannot do is left out of its sheet. Below each picture stands how many of its texts leave
the page, and how many overlap.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import matplotlib.style
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PIL import Image, ImageDraw

import sfumato as sf

ROWS = 20_000
DPI = 110
SIZES = ((2.5, 1.8), (3.6, 2.7), (6.4, 4.4))
LONG = [f"{name} {'and its surroundings, as they were'}"[:45] for name in "ABCDEFGHIJKL"]
MANY = [f"place {number:03d}" for number in range(221)]
FORTY = [f"carrier {number}" for number in range(40)]
SEABORN_TALK = {
    "font.size": 18.0,
    "axes.labelsize": 18.0,
    "axes.titlesize": 18.0,
    "xtick.labelsize": 16.5,
    "ytick.labelsize": 16.5,
    "legend.fontsize": 16.5,
    "font.family": ["sans-serif"],
    "axes.facecolor": "#EAEAF2",
    "grid.color": "white",
    "axes.grid": True,
    "text.color": ".15",
    "axes.labelcolor": ".15",
    "xtick.color": ".15",
}
"""What ``sns.set_theme(context="talk")`` sets."""

_LOOKS = ("title", "caption", "palette", "cmap", "log_scale", "figsize", "dpi")


@dataclass(frozen=True)
class Picture:
    """A chart, how it is drawn, how large, and in which style."""

    name: str
    chart: str
    size: tuple[float, float] = (3.6, 2.7)
    style: Any = "default"
    view: dict[str, Any] = field(default_factory=dict[str, Any])


@cache
def table() -> pa.Table:
    """Make up a table with everything that is hard to draw."""
    chance = np.random.default_rng(20)
    skewed = chance.zipf(1.4, ROWS)
    return pa.table(
        {
            "age": chance.normal(45, 18, ROWS).clip(0, 100),
            "pay": np.exp(chance.normal(7, 1.2, ROWS)).clip(1, 1e6),
            "long": [LONG[place % len(LONG)] for place in skewed],
            "many": [MANY[place] for place in chance.integers(0, len(MANY), ROWS)],
            "forty": [FORTY[place % 40] for place in skewed],
            "group": [("north", "south", "east")[place % 3] for place in skewed],
            "lon": chance.normal(-73.95, 0.05, ROWS),
            "lat": chance.normal(40.75, 0.04, ROWS),
            "bmi": chance.normal(25, 4, ROWS).clip(10, 50),
        }
    )


CHARTS: dict[str, Callable[[], Any]] = {
    "age": lambda: sf.histplot(table(), x="age", bounds=(0, 100), budget=0.1),
    "outlines": lambda: sf.histplot(
        table(),
        x="age",
        hue="group",
        hue_order=["north", "south", "east"],
        bounds=(0, 100),
        budget=0.3,
    ),
    "long": lambda: sf.histplot(table(), x="long", order=LONG, budget=0.3),
    "many": lambda: sf.histplot(table(), x="many", order=MANY, budget=0.3),
    "square": lambda: sf.histplot(
        table(), x="age", y="bmi", bins=12, bounds={"age": (0, 100), "bmi": (10, 50)}, budget=0.3
    ),
    "boxes": lambda: sf.boxplot(
        table(), x="group", y="age", order=["north", "south", "east"], bounds=(0, 100), budget=2.0
    ),
    "forty": lambda: sf.boxplot(
        table(), x="forty", y="pay", order=FORTY, bounds=(1, 1e6), budget=4.0
    ),
    "quantiles": lambda: sf.quantiles(
        table(), x="age", hue="long", hue_order=LONG[:6], bounds=(0, 100), budget=2.0
    ),
    "map": lambda: sf.heatmap(
        table(), x="lon", y="lat", bounds={"lon": (-74.1, -73.8), "lat": (40.65, 40.85)}, budget=0.5
    ),
    "components": lambda: sf.pca(
        table(),
        columns=["age", "pay", "bmi"],
        bounds={"age": (0, 100), "pay": (1, 1e6), "bmi": (10, 50)},
        budget=sf.Budget(2.0, 1e-6),
    ),
}


@cache
def release(name: str) -> Any:
    """Return a chart with simulated noise, the same every time."""
    with sf.testing.seeded(20):
        return CHARTS[name]()


def pictures() -> Iterator[Picture]:
    """Yield every picture of the sheet."""
    for chart in CHARTS:
        yield from (Picture(chart, chart, size) for size in SIZES)
    for style in ("dark_background", "ggplot", SEABORN_TALK):
        name = style if isinstance(style, str) else "talk"
        for chart in ("age", "outlines", "boxes", "map"):
            yield Picture(f"{chart}, {name}", chart, (4.5, 3.4), style)
    yield Picture("counts, log", "many", (4.5, 3.4), view={"log_scale": True})
    yield Picture("pay, log", "forty", (4.5, 3.4), view={"log_scale": True})
    yield Picture("no caption", "age", view={"caption": False, "title": "Ages"})
    yield Picture("palette", "outlines", view={"palette": "Set2", "caption": "short"})
    yield Picture("cmap", "square", view={"cmap": "magma", "caption": "short"})


def draw(picture: Picture) -> Figure | None:
    """Draw one picture on a page of its own; None where this version cannot."""
    made = release(picture.chart)
    known = inspect.signature(made.plot).parameters
    if not set(picture.view) <= set(known):
        return None
    with matplotlib.style.context(picture.style):
        page = plt.figure(figsize=picture.size, dpi=DPI)
        made.plot(ax=page.add_axes((0, 0, 1, 1)), **picture.view)
        page.canvas.draw()
    return page


def list_texts(page: Figure) -> list[tuple[Text, Bbox]]:
    """Return what is written on a page, and where; not what is written across it."""
    canvas = FigureCanvasAgg(page)
    canvas.draw()
    renderer = canvas.get_renderer()
    ticks = {id(text): shown for ax in page.findobj(Axes) for text, shown in _list_ticks(ax)}
    return [
        (text, text.get_window_extent(renderer))
        for text in page.findobj(Text)
        if text.get_visible()
        and text.get_text().strip()
        and text.get_alpha() is None  # a watermark is meant to lie over all
        and ticks.get(id(text), _is_shown(text))
    ]


def _list_ticks(ax: Axes) -> Iterator[tuple[Text, bool]]:
    """Yield the labels of ticks, and whether they are drawn: those beyond the ends are not."""
    sides = ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim()))
    for axis, (low, high) in ((axis, sorted(ends)) for axis, ends in sides):
        slack = 1e-6 * (high - low)
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            inside = low - slack <= tick.get_loc() <= high + slack
            drawn = ax.axison and ax.get_visible() and axis.get_visible()
            yield tick.label1, bool(inside and drawn and tick.label1.get_visible())
            yield tick.label2, bool(inside and drawn and tick.label2.get_visible())


def _is_shown(text: Text) -> bool:
    owner = next(
        (ax for ax in text.figure.findobj(Axes) if text in (ax.xaxis.label, ax.yaxis.label)), None
    )
    ax = owner or text.axes
    return ax is None or (ax.get_visible() and (ax.axison or owner is None))


def list_faults(page: Figure, slack: float = 1.5) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the texts that leave a page, and the pairs that overlap, by more than some pixels."""
    boxed = [(text.get_text(), *_corners(text, box)) for text, box in list_texts(page)]
    width, height = page.bbox.width, page.bbox.height
    outside = [
        words
        for words, corners, _ in boxed
        if corners[:, 0].min() < -slack
        or corners[:, 1].min() < -slack
        or corners[:, 0].max() > width + slack
        or corners[:, 1].max() > height + slack
    ]
    crossing = [
        (first[0], second[0])
        for first, second in combinations(boxed, 2)
        if overlap(first[1], second[1]) > slack
    ]
    return outside, crossing


def _corners(text: Text, box: Bbox) -> tuple[Any, float]:
    """Return the corners of a text as it lies, not of the upright box around it."""
    angle = np.deg2rad(text.get_rotation())
    straight = box
    if text.get_rotation() % 90:
        turned = text.get_rotation()
        text.set_rotation(0)
        straight = text.get_window_extent()
        text.set_rotation(turned)
    half = np.array([straight.width, straight.height]) / 2
    middle = np.array([box.x0 + box.width / 2, box.y0 + box.height / 2])
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    if text.get_rotation() % 90 == 0:
        return middle + signs * np.array([box.width, box.height]) / 2, 0.0
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return middle + (signs * half) @ turn.T, float(angle)


def overlap(first: Any, second: Any) -> float:
    """Return by how many pixels two rectangles overlap: the least way to part them."""
    depth = np.inf
    for shape in (first, second):
        for side in (shape[1] - shape[0], shape[2] - shape[1]):
            length = float(np.hypot(*side)) or 1.0
            across = np.array([-side[1], side[0]]) / length
            a, b = first @ across, second @ across
            depth = min(depth, min(a.max(), b.max()) - max(a.min(), b.min()))
    return float(depth)


def sheet() -> Image.Image:
    """Draw every picture, in rows, each with its name and its faults."""
    drawn: list[tuple[str, Image.Image]] = []
    for picture in pictures():
        try:
            page = draw(picture)
        except Exception as error:  # noqa: BLE001 - a sheet shows what fails
            print(f"{picture.name}: {type(error).__name__}: {error}")
            continue
        if page is None:
            continue
        outside, crossing = list_faults(page)
        content = BytesIO()
        page.savefig(content, format="png", dpi=DPI, facecolor=page.get_facecolor())
        plt.close(page)
        size = " × ".join(map(str, picture.size))
        said = f"{picture.name}, {size}: {len(outside)} outside, {len(crossing)} overlap"
        drawn.append((said, Image.open(content).convert("RGB")))
        print(said, outside[:3], crossing[:3])
    return _arrange(drawn)


def _arrange(drawn: list[tuple[str, Image.Image]], width: int = 2000) -> Image.Image:
    places: list[tuple[int, int]] = []
    x = y = tallest = 0
    for _, image in drawn:
        if x and x + image.width > width:
            x, y, tallest = 0, y + tallest + 26, 0
        places.append((x, y))
        x, tallest = x + image.width + 10, max(tallest, image.height)
    page = Image.new("RGB", (width, y + tallest + 26), "#c8c8c8")
    for (said, image), (left, top) in zip(drawn, places, strict=True):
        page.paste(image, (left, top + 14))
        ImageDraw.Draw(page).text((left + 2, top + 1), said, fill="black")
    return page


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "contact-sheet.png")
    sheet().save(target)
    print(f"Wrote {target}")
