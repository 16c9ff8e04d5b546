"""What every layer of a panel is drawn on: the same two scales, in the same space."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.figure import Figure, Panel
from sfumato.render.vega.axis import Spec


@dataclass(frozen=True)
class Canvas:
    """A panel's position channels, its size in pixels, and whether its axes can be moved."""

    figure: Figure
    panel: Panel
    x: Spec
    y: Spec
    width: int
    height: int
    lively: bool = False

    def positions(self, x: str, y: str, **ends: Spec) -> Spec:
        """Return the position channels of a layer over two fields, with ``x2`` or ``y2``."""
        return {"x": {**self.x, "field": x}, "y": {**self.y, "field": y}, **ends}

    def box(self) -> Spec:
        """Return the position channels of rectangles, by the fields that hold their ends."""
        return self.positions("left", "low", x2={"field": "right"}, y2={"field": "high"})

    @property
    def cut(self) -> Spec:
        """Cut marks at the axes where these can move; a page of many pictures has none that do."""
        return {"clip": True} if self.lively else {}
