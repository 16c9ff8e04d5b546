"""Quantiles without intervals, and searches that found nothing."""

from __future__ import annotations

from found.find import Find

FINDS: tuple[Find, ...] = ()
