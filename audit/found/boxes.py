"""Boxes that look certain and are noise."""

from __future__ import annotations

from found.find import Find

FINDS: tuple[Find, ...] = ()
