"""Which store keeps a ledger: what the place of a ledger, as it is typed, stands for."""

from __future__ import annotations

import os
from pathlib import Path

from sfumato.errors import LedgerError, Setting
from sfumato.privacy.place import exists
from sfumato.privacy.records import Terms
from sfumato.privacy.sqlite import FileStore, MemoryStore, create
from sfumato.privacy.store import Store

Place = str | os.PathLike[str]
"""Where a ledger is kept: the path of a file."""


def find_store(place: Place) -> Store | None:
    """Return the store of the ledger at `place`; None where there is none."""
    path = _resolve_path(place)
    return FileStore(path) if exists(path) else None


def create_store(place: Place, terms: Terms) -> Store:
    """Begin a ledger at `place`, where none may be, and return its store."""
    path = _resolve_path(place)
    create(path, terms)
    return FileStore(path)


def create_in_memory(terms: Terms) -> Store:
    """Begin a ledger that lives as long as this process."""
    return MemoryStore(terms)


def name_place(place: Place) -> str:
    """Return what errors call `place`."""
    return str(_resolve_path(place))


def _resolve_path(path: Place) -> Path:
    # Made absolute once: changing the working directory must not change the ledger.
    place = Path(path).absolute()
    # SQLite would stop reading the name there, and open another file.
    if "\0" in str(place):
        raise LedgerError(
            "A ledger's file name must not hold a NUL character.",
            "Another file might be opened in its place.",
            ("Write a plain name: ", Setting("ledger", "visits.ledger"), "."),
        )
    return place
