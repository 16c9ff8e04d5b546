"""Which store keeps a ledger: what the place of a ledger, as it is typed, stands for."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import LedgerError, Setting
from sfumato.privacy.place import exists
from sfumato.privacy.records import Terms
from sfumato.privacy.sqlite import FileStore, MemoryStore, create
from sfumato.privacy.store import Store

if TYPE_CHECKING:
    from sfumato.privacy.postgres import PostgresStore

Place = str | os.PathLike[str]
"""Where a ledger is kept: the path of a file, or the address of a server."""


def find_store(place: Place) -> Store | None:
    """Return the store of the ledger at `place`; None where there is none."""
    if _is_address(place):
        store = _load_server(str(place))
        return store if store.exists() else None
    path = _resolve_path(place)
    return FileStore(path) if exists(path) else None


def create_store(place: Place, terms: Terms) -> Store:
    """Begin a ledger at `place`, where none may be, and return its store."""
    if _is_address(place):
        store = _load_server(str(place))
        store.create(terms)
        return store
    path = _resolve_path(place)
    create(path, terms)
    return FileStore(path)


def create_in_memory(terms: Terms) -> Store:
    """Begin a ledger that lives as long as this process."""
    return MemoryStore(terms)


def name_place(place: Place) -> str:
    """Return what errors call `place`; a password in it is left out."""
    return _load_server(str(place)).name if _is_address(place) else str(_resolve_path(place))


def spell_place(place: Place) -> str:
    """Return `place` as it is typed; a password in it is left out."""
    return name_place(place) if _is_address(place) else str(place)


def _is_address(place: Place) -> bool:
    """Tell whether `place` is a server's, or refuse an address that was taken for a path."""
    text = os.fspath(place)
    if isinstance(place, str):
        return re.match("postgres(ql)?://", text) is not None
    if re.match("postgres(ql)?:/", text):
        raise LedgerError(
            "The address of a server was made a path, which lost a part of it.",
            "A ledger in a file of that name would be another ledger.",
            ("Write it as a text: ", Setting("ledger", "postgresql://user@host/database"), "."),
        )
    return False


def _load_server(address: str) -> PostgresStore:
    # Only who keeps a ledger on a server has to install what speaks to one.
    try:
        from sfumato.privacy.postgres import Address, PostgresStore
    except ImportError:
        pass
    else:
        return PostgresStore(Address.of(address))
    raise LedgerError(
        "A ledger on a server needs psycopg, which is not installed.",
        "Without it nothing can be charged.",
        "Type pip install 'sfumato[postgres]'.",
    )


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
