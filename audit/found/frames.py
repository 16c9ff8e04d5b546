"""Frames, Arrow and Parquet: blocks that were read otherwise than their rows."""

from __future__ import annotations

from found.find import Find

FINDS: tuple[Find, ...] = ()
