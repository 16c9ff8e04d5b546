"""Limits of memory, disk and threads that spoke of the table."""

from __future__ import annotations

from found.find import Find

FINDS: tuple[Find, ...] = ()
