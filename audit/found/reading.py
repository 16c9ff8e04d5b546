"""CSV files: where a piece, a record or a file begins and ends."""

from __future__ import annotations

from found.find import Find

FINDS: tuple[Find, ...] = ()
