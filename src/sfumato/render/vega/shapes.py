"""Curves, summaries, violins, nested boxes, matrices and regions as layers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

from sfumato.figure import (
    Curve,
    LetterValues,
    Matrix,
    Regions,
    Summaries,
    Violins,
)
from sfumato.render import theme
from sfumato.render.boxes import TOO_FEW
from sfumato.render.description import (
    Description,
    describe_curve,
    describe_letter_values,
    describe_matrix,
    describe_regions,
    describe_summaries,
    describe_violins,
    print_cell,
)
from sfumato.render.scale import colour_limits, list_series, x_limits, y_limits
from sfumato.render.shapes import (
    BAND_OPACITY,
    MUTED,
    MUTED_FILL,
    VIOLIN_OPACITY,
    choose_read,
    find_floor,
    find_middles,
    find_value_axis,
    has_band,
    letter_colour,
    list_lobes,
    list_matrix_cells,
    list_nests,
    list_strands,
    nest_colour,
    region_colour,
    signed_colour,
)
from sfumato.render.vega.axis import Canvas, Spec, convert_positions, convert_to_pixels
from sfumato.render.vega.key import colour_channel

Layers = list[tuple[int, Spec]]
_TWO_LINES = 90  # pixels a side that a number and its interval below it ask for
_READ: Spec = {"description": {"field": "words"}, "tooltip": {"field": "words"}}


class Turned:
    """Position channels of a layer whose marks stand along one axis and rise along the other."""

    def __init__(self, canvas: Canvas, mark: Curve | Summaries | Violins | LetterValues) -> None:
        self.canvas, self.orient = canvas, mark.orient
        panel = canvas.panel
        self.along, self.up = find_value_axis((panel.x, panel.y), mark.orient)
        names = list_series(canvas.figure)
        self.index = names.index(mark.series) if mark.series else 0
        self.own = theme.series_colour(self.index, canvas.colours)
        self.named = bool(mark.series)

    def places(self, values: Sequence[float]) -> tuple[float, ...]:
        """Return places in the unit of their axis."""
        return convert_positions(self.along, tuple(values))

    def values(self, values: Sequence[float]) -> tuple[float, ...]:
        """Return values in the unit of their axis, none below it."""
        floor = find_floor(self.up)
        return convert_positions(self.up, tuple(max(value, floor) for value in values))

    def layer(self, rows: Sequence[Spec], mark: Spec, fields: Sequence[str], **more: Spec) -> Spec:
        """Return a layer over the fields of places, of values, and of their ends, if any."""
        at, value, *ends = fields
        x, y = (at, value) if self.orient == "v" else (value, at)
        names = ("x2", "y2") if self.orient == "v" else ("y2", "x2")
        beyond = {name: {"field": end} for name, end in zip(names, ends, strict=False) if end}
        encoding = self.canvas.positions(x, y, **beyond)
        return {"data": {"values": list(rows)}, "mark": mark, "encoding": {**encoding, **more}}

    def colour(self, symbol: Any = "stroke", *, filled: bool = False) -> Spec:
        """Return the channel of a named series, which has the legend with it."""
        choose = theme.bar_colour if filled else theme.series_colour
        return {"color": colour_channel(self.canvas, choose, symbol=symbol)} if self.named else {}


def curve_layers(canvas: Canvas, curve: Curve) -> Layers:
    """Return one series, layer by layer, each with its depth."""
    turned = Turned(canvas, curve)
    rows: dict[bool, list[Spec]] = {False: [], True: []}
    for number, strand in enumerate(list_strands(curve, find_floor(turned.up))):
        corners = zip(
            turned.places(strand.x), *map(turned.values, (strand.y, strand.low, strand.high)),
            strict=True,
        )  # fmt: skip
        rows[strand.muted] += [
            {"at": x, "y": y, "low": a, "high": b, "order": order, "strand": number,
             "series": turned.index}
            for order, (x, y, a, b) in enumerate(corners)
        ]  # fmt: skip
    layers = _lay_areas(turned, curve, rows)
    split: Spec = {"order": {"field": "order"}, "detail": {"field": "strand"}}
    for muted, each in rows.items():
        if muted and not each:
            continue
        stroke = {"stroke": MUTED if muted else turned.own}
        named = {} if muted else turned.colour()
        look: Spec = {"type": "line", "strokeWidth": convert_to_pixels(theme.OUTLINE_WIDTH)}
        look |= {"aria": False, **({} if named else stroke)}
        layers.append((2, turned.layer(each, look, ("at", "y"), **split, **named)))
    return [*layers, (3, _read_curve(turned, curve))]


def _lay_areas(turned: Turned, curve: Curve, rows: dict[bool, list[Spec]]) -> Layers:
    """Return the band around a curve and the area below it."""
    split: Spec = {"detail": {"field": "strand"}}
    base = find_floor(turned.up) if turned.up.log else 0.0
    if curve.steps and curve.orient == "h":
        return _lay_steps(turned, curve, rows, base)
    layers: Layers = []
    for muted, each in rows.items():
        fill: Spec = {"fill": MUTED if muted else turned.own, "aria": False, "type": "area"}
        fill["orient"] = "vertical" if curve.orient == "v" else "horizontal"
        if curve.filled and each:
            look = {**fill, "opacity": theme.FILL_OPACITY}
            down = [{**row, "base": base} for row in each]
            layers.append((0, turned.layer(down, look, ("at", "y", "", "base"), **split)))
        if has_band(curve) and each:
            look = {**fill, "opacity": BAND_OPACITY}
            layers.append((1, turned.layer(each, look, ("at", "low", "", "high"), **split)))
    return layers


def _lay_steps(turned: Turned, curve: Curve, rows: dict[bool, list[Spec]], base: float) -> Layers:
    """Return both areas of a lying staircase, step by step: Vega-Lite sorts corners of equal x."""
    layers: Layers = []
    for muted, each in rows.items():
        steps = [
            {**one, "left": one["at"], "right": other["at"], "base": base}
            for one, other in pairwise(each)
            if one["strand"] == other["strand"] and one["at"] != other["at"]
        ]
        fill: Spec = {"fill": MUTED if muted else turned.own, "aria": False, "type": "rect"}
        if curve.filled and steps:
            look = {**fill, "opacity": theme.FILL_OPACITY}
            layers.append((0, turned.layer(steps, look, ("left", "base", "right", "y"))))
        if has_band(curve) and steps:
            look = {**fill, "opacity": BAND_OPACITY}
            layers.append((1, turned.layer(steps, look, ("left", "low", "right", "high"))))
    return layers


def _read_curve(turned: Turned, curve: Curve) -> Spec:
    """Return dots that tell each value; unseen ones, unless points are wanted."""
    read = choose_read(curve)
    words = describe_curve(turned.canvas.figure, turned.canvas.panel, curve)
    middles, values = turned.places(find_middles(curve)), turned.values(curve.y.value)
    rows = [
        {"at": middles[i], "y": values[i], "words": str(said),
         "tone": MUTED if curve.muted[i] else turned.own}
        for i, said in zip(read, words, strict=True)
    ]  # fmt: skip
    seen = curve.points or len(curve.y.value) == 1
    look: Spec = {"type": "circle", "size": 28 if seen else 80, "opacity": 1 if seen else 0}
    return turned.layer(rows, look, ("at", "y"), fill=_tone(), **_READ)


def _tone() -> Spec:
    return {"field": "tone", "type": "nominal", "scale": None, "legend": None}


def summary_layers(canvas: Canvas, mark: Summaries) -> Layers:
    """Return one series, layer by layer, each with its depth."""
    turned = Turned(canvas, mark)
    shown = [i for i, reliable in enumerate(mark.reliable) if reliable]
    rows = _list_summaries(turned, mark)
    seen, ink = [rows[i] for i in shown], theme.INK if mark.width else turned.own
    layers: Layers = []
    if mark.width:
        bar: Spec = {"type": "rect", "aria": True}
        layers.append((0, turned.layer(seen, bar, ("left", "base", "right", "y"),
                                       fill=_tone(), **_READ)))  # fmt: skip
        layers.append((0, _legend_layer(turned, "square", filled=True)))
    else:
        line: Spec = {"type": "line", "stroke": turned.own, "strokeWidth": 1.6, "aria": False}
        if mark.joined:
            split: Spec = {"order": {"field": "order"}, "detail": {"field": "strand"}}
            layers.append((1, turned.layer(seen, line, ("at", "y"), **split)))
        dot: Spec = {"type": "circle", "size": 46, "opacity": 1}
        layers.append((3, turned.layer(seen, dot, ("at", "y"), fill=_tone(), **_READ)))
        layers.append((0, _legend_layer(turned, "circle")))
    if mark.coverage:
        rule: Spec = {"type": "rule", "strokeWidth": 2.4, "aria": False}
        rule |= {"stroke": ink} if mark.width else {}
        tone = {} if mark.width else {"stroke": _tone()}
        layers.append((2, turned.layer(seen, rule, ("at", "low", "", "high"), **tone)))
    return layers + _write_too_few(turned, mark.position, mark.reliable)


def _list_summaries(turned: Turned, mark: Summaries) -> list[Spec]:
    words = describe_summaries(turned.canvas.figure, turned.canvas.panel, mark)
    half, base = mark.width / 2, find_floor(turned.up) if turned.up.log else 0.0
    at = turned.places(mark.position)
    left = turned.places([place - half for place in mark.position])
    right = turned.places([place + half for place in mark.position])
    values, low, high = map(turned.values, (mark.value.value, mark.value.low, mark.value.high))
    fill = theme.bar_colour(turned.index, turned.canvas.colours) if mark.width else turned.own
    grey = MUTED_FILL if mark.width else MUTED
    strand = list(accumulate(int(not sure) for sure in mark.reliable))
    return [
        {"at": at[i], "left": left[i], "right": right[i], "y": values[i], "low": low[i],
         "high": high[i], "base": base, "order": i, "tone": grey if mark.muted[i] else fill,
         "strand": strand[i], "words": str(said)}
        for i, said in enumerate(words)
    ]  # fmt: skip


def _legend_layer(turned: Turned, symbol: Any, *, filled: bool = False) -> Spec:
    """Return an unseen layer with the legend of named series."""
    x, y = (axis["scale"]["domain"][0] for axis in (turned.canvas.x, turned.canvas.y))
    named = turned.colour(symbol, filled=filled)
    return {
        "data": {"values": [{"x": x, "y": y, "series": turned.index}]},
        "mark": {"type": "square", "opacity": 0, "aria": False},
        "encoding": {**turned.canvas.positions("x", "y"), **named},
    }


def _write_too_few(turned: Turned, position: Sequence[float], reliable: Sequence[bool]) -> Layers:
    canvas, upright = turned.canvas, turned.orient == "v"
    panel, figure = canvas.panel, canvas.figure
    limits = y_limits(panel, figure) if upright else x_limits(panel, figure)
    (base,) = turned.values((limits[0],))
    places = [at for at, sure in zip(position, reliable, strict=True) if not sure]
    if not places:
        return []
    slot = (canvas.width if upright else canvas.height) / max(1, len(turned.along.categories))
    look: Spec = {
        "type": "text",
        "text": TOO_FEW if slot >= 14 else "–",
        "angle": 270 if upright else 0,
        "align": "left",
        "baseline": "middle",
        "fontSize": convert_to_pixels(theme.CAPTION_SIZE),
        "color": theme.SOFT_INK,
        ("dy" if upright else "dx"): 6 if not upright else 0,
        ("yOffset" if upright else "xOffset"): -6 if upright else 0,
    }
    rows = [{"at": at, "y": base} for at in turned.places(places)]
    return [(4, turned.layer(rows, look, ("at", "y")))]


def violin_layers(canvas: Canvas, mark: Violins) -> Layers:
    """Return one series, layer by layer, each with its depth."""
    turned = Turned(canvas, mark)
    rows: list[Spec] = [
        {"at": at, "y": value, "lobe": number, "order": order,
         "tone": MUTED_FILL if lobe.muted else turned.own}
        for number, lobe in enumerate(list_lobes(mark))
        for order, (at, value) in enumerate((*lobe.corners, lobe.corners[0]))
    ]  # fmt: skip
    for row, value in zip(rows, turned.values([row["y"] for row in rows]), strict=True):
        row["y"] = value
    split: Spec = {"order": {"field": "order"}, "detail": {"field": "lobe"}}
    look: Spec = {"type": "line", "strokeWidth": 0, "fillOpacity": VIOLIN_OPACITY, "aria": False}
    shape = turned.layer(rows, look, ("at", "y"), fill=_tone(), **split)
    layers: Layers = [(0, shape), (0, _legend_layer(turned, "square"))]
    layers += _lay_quartiles(turned, mark)
    layers.append((4, _read_groups(turned, mark, mark.at)))
    return layers + _write_too_few(turned, mark.position, mark.reliable)


def _lay_quartiles(turned: Turned, mark: Violins) -> Layers:
    layers: Layers = []
    at, shown = turned.places(mark.position), [i for i, r in enumerate(mark.reliable) if r]
    if mark.q1 is not None and mark.q3 is not None:
        low, high = turned.values(mark.q1.value), turned.values(mark.q3.value)
        rows = [{"at": at[i], "low": low[i], "high": high[i]} for i in shown]
        rule: Spec = {"type": "rule", "stroke": theme.INK, "strokeWidth": 5, "aria": False}
        layers.append((2, turned.layer(rows, rule, ("at", "low", "", "high"))))
    if mark.median is not None:
        middle = turned.values(mark.median.value)
        rows = [{"at": at[i], "y": middle[i]} for i in shown]
        dot: Spec = {"type": "circle", "fill": theme.PAPER, "stroke": theme.INK, "opacity": 1}
        dot |= {"size": 34, "strokeWidth": 1, "aria": False}
        layers.append((3, turned.layer(rows, dot, ("at", "y"))))
    return layers


def _read_groups(turned: Turned, mark: Violins | LetterValues, ends: Sequence[float]) -> Spec:
    """Return unseen boxes that tell the numbers of each group."""
    figure, panel = turned.canvas.figure, turned.canvas.panel
    words: Sequence[Description] = list(
        describe_violins(figure, panel, mark)
        if isinstance(mark, Violins)
        else describe_letter_values(figure, panel, mark)
    )
    half = mark.width / 2
    left = turned.places([place - half for place in mark.position])
    right = turned.places([place + half for place in mark.position])
    low, high = turned.values((min(ends, default=0.0), max(ends, default=1.0)))
    rows = [
        {"left": a, "right": b, "low": low, "high": high, "words": str(said)}
        for a, b, said in zip(left, right, words, strict=True)
    ]
    look: Spec = {"type": "rect", "opacity": 0}
    return turned.layer(rows, look, ("left", "low", "right", "high"), **_READ)


def letter_layers(canvas: Canvas, mark: LetterValues) -> Layers:
    """Return one series, layer by layer, each with its depth."""
    turned = Turned(canvas, mark)
    nests = list_nests(mark)
    low, high = (turned.values([getattr(nest, end) for nest in nests]) for end in ("low", "high"))
    rows = [
        {"left": nest.left, "right": nest.right, "low": a, "high": b,
         "tone": nest_colour(turned.own, nest.depth)}
        for nest, a, b in zip(nests, low, high, strict=True)
    ]  # fmt: skip
    box: Spec = {"type": "rect", "stroke": theme.PAPER, "strokeWidth": 0.8, "aria": False}
    half, middle = mark.width / 2, turned.values(mark.median.value)
    lines = [
        {"left": at - half, "right": at + half, "y": value}
        for at, value, sure in zip(mark.position, middle, mark.reliable, strict=True)
        if sure
    ]
    rule: Spec = {"type": "rule", "stroke": theme.INK, "strokeWidth": 2.1, "aria": False}
    ends = [value for nest in nests for value in (nest.low, nest.high)] or [0.0, 1.0]
    return [
        (0, turned.layer(rows, box, ("left", "low", "right", "high"), fill=_tone())),
        (2, turned.layer(lines, rule, ("left", "y", "right"))),
        (0, _legend_layer(turned, "square")),
        (4, _read_groups(turned, mark, ends)),
        *_write_too_few(turned, mark.position, mark.reliable),
    ]


def matrix_layers(canvas: Canvas, mark: Matrix) -> Layers:
    """Return a square for each number, with the number in it where there is room."""
    words = describe_matrix(canvas.figure, canvas.panel, mark)
    rows: list[Spec] = []
    for (row, column, value, muted), said in zip(list_matrix_cells(mark), words, strict=True):
        fill = signed_colour(value, muted)
        ends = {"left": column - 0.5, "right": column + 0.5, "low": row - 0.5, "high": row + 0.5}
        rows.append({**ends, "x": column, "y": row, "tone": fill, "ink": letter_colour(fill),
                     "text": print_cell(mark, row, column), "words": str(said)})  # fmt: skip
    box: Spec = {"type": "rect", "stroke": theme.PAPER, "strokeWidth": 1.3}
    cells: Spec = {"data": {"values": rows}, "mark": box}
    cells["encoding"] = {**canvas.box(), "fill": _tone(), **_READ}
    side = min(canvas.width, canvas.height) / max(1, len(mark.value))
    size = min(convert_to_pixels(theme.TICK_SIZE), 0.3 * side)
    ink: Spec = {"field": "ink", "type": "nominal", "scale": None, "legend": None}
    figures: Spec = {
        "data": {"values": rows},
        "mark": {"type": "text", "fontSize": round(size, 1), "aria": False},
        "encoding": {
            **canvas.positions("x", "y"),
            "text": {"field": "text", "type": "nominal"},
            "color": ink,
        },
    }
    if side < _TWO_LINES:
        rows[:] = [{**row, "text": row["text"][:1]} for row in rows]
    return [(0, cells), *([(1, figures)] if size >= 7 else [])]


def region_layers(canvas: Canvas, mark: Regions) -> Layers:
    """Return the regions, each a filled line around it that is joined to its holes."""
    limits, ramp = colour_limits(canvas.figure), canvas.figure.look.ramp
    words = describe_regions(canvas.figure, canvas.panel, mark)
    rows: list[Spec] = []
    for region, (rings, said) in enumerate(zip(mark.paths, words, strict=True)):
        value = mark.value.value[region]
        fill = MUTED_FILL if mark.muted[region] else region_colour(value, limits, ramp)
        shared: Spec = {"region": region, "tone": fill, "words": str(said)}
        rows += [
            {"x": x, "y": y, "order": order, **shared}
            for order, (x, y) in enumerate(_join_rings(rings))
        ]
    look: Spec = {"type": "line", "strokeWidth": 0, "fillOpacity": 1, "tooltip": True}
    filled: Spec = {"data": {"values": rows}, "mark": look}
    filled["encoding"] = {
        **canvas.positions("x", "y"),
        "fill": _tone(),
        "detail": {"field": "region"},
        "order": {"field": "order"},
        **_READ,
    }
    return [(0, filled), (1, _border_layer(canvas, mark))]


def _border_layer(canvas: Canvas, mark: Regions) -> Spec:
    rings = [ring for each in mark.paths for ring in each if ring]
    rows = [
        {"x": x, "y": y, "order": order, "ring": number}
        for number, ring in enumerate(rings)
        for order, (x, y) in enumerate((*ring, ring[0]))
    ]
    split: Spec = {"order": {"field": "order"}, "detail": {"field": "ring"}}
    look: Spec = {"type": "line", "stroke": theme.PAPER, "strokeWidth": 0.8, "aria": False}
    encoding = {**canvas.positions("x", "y"), **split}
    return {"data": {"values": rows}, "mark": look, "encoding": encoding}


def _join_rings(rings: Sequence[Sequence[tuple[float, float]]]) -> list[tuple[float, float]]:
    """Return one closed line through all rings: bridges between them are walked twice.

    Holes run against what they lie in, so that any rule of filling leaves them out.
    """
    if not rings or not rings[0]:
        return []
    home = rings[0][0]
    line = _orient_ring(rings, 0)
    for place in range(1, len(rings)):
        line += [*_orient_ring(rings, place), home]
    return line


def _orient_ring(
    rings: Sequence[Sequence[tuple[float, float]]], place: int
) -> list[tuple[float, float]]:
    ring = [*rings[place], rings[place][0]]
    inside = sum(_holds(other, ring[0]) for at, other in enumerate(rings) if at != place)
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise(ring))
    return ring if (area > 0) == (inside % 2 == 0) else ring[::-1]


def _holds(ring: Sequence[tuple[float, float]], point: tuple[float, float]) -> bool:
    """Tell whether a ring lies around a point, which a ray then leaves an odd number of times."""
    x, y = point
    crossed = [
        (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) + a[0] > x
        for a, b in pairwise((*ring, ring[0]))
        if (a[1] > y) != (b[1] > y)
    ]
    return sum(crossed) % 2 == 1
