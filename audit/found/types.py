"""Bins that invent peaks, and budgets spent on nothing."""

from __future__ import annotations

from found.find import Find

FINDS: tuple[Find, ...] = ()
