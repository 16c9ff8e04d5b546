"""Names of ledgers and columns, guarantees that protect little, constants of proofs."""

from __future__ import annotations

from found.find import Find

FINDS: tuple[Find, ...] = ()
