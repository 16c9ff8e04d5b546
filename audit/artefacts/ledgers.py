"""The ledger's file: its terms and its entries, and not one byte that does not follow from them."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import sfumato as sf
from artefacts.canaries import DOMAIN, ONE
from sfumato.errors import SfumatoError
from sfumato.privacy.records import read_log, read_terms
from sfumato.privacy.sqlite import create_tables, open_book


@dataclass(frozen=True)
class Kept:
    """What is left of a ledger that was charged, refused and failed upon."""

    content: bytes
    beside: tuple[str, ...]
    free_pages: int
    rebuilt: bool
    texts: str


def kept(folder: Path) -> Kept:
    """Charge a ledger for charts of the canaries, some of which are refused."""
    table, place = ONE.write(folder), folder / "audit.ledger"
    session = sf.Session(
        table, unit="person", domain=DOMAIN, budget=2.0, ledger=place, name="declared"
    )
    session.histplot(x="wait", bins=10, budget=1.0)
    for budget, column in ((5.0, "wait"), (0.5, "note"), (0.25, "nobody")):
        with suppress(SfumatoError):
            session.histplot(x=column, bins=10, budget=budget)
    session.quantiles(x="wait", budget=0.5)
    ledger = session.ledger
    texts = [repr(ledger), str(ledger), ledger._repr_html_()]  # pyright: ignore[reportPrivateUsage]
    beside = tuple(sorted(path.name for path in folder.iterdir() if path.is_file()))
    content = place.read_bytes()
    with closing(sqlite3.connect(place)) as connection:
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        rebuilt = _rebuilt(connection, folder / "rebuilt.ledger") == content
    # The ledger's own place is what its repr is for.
    shown = "\n".join(map(str, texts)).replace(str(folder), "")
    return Kept(content, beside, free, rebuilt, shown)


def _rebuilt(ledger: sqlite3.Connection, place: Path) -> bytes:
    """Return the file of a ledger with the same terms and entries, and nothing behind it."""
    book = open_book(ledger)
    read_log(book, read_terms(book))
    with closing(sqlite3.connect(place, isolation_level=None)) as fresh:
        create_tables(fresh, book.read_facts())
        for row in book.read_rows():
            fresh.execute("BEGIN IMMEDIATE")
            open_book(fresh).append(row)
            fresh.execute("COMMIT")
    return place.read_bytes()
