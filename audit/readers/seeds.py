"""What the readers are fed with at first: small files that the library wrote itself."""

# Keywords that charts share.
# pyright: basic

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date
from fractions import Fraction
from itertools import chain
from pathlib import Path

import sfumato as sf
from privacy.forging import lay_version_1
from readers.released import LONGEST
from readers.shuffled import PROTOCOLS
from sfumato.catalogue import CITY, citizens, requests
from sfumato.distributed.shuffle import Client
from sfumato.privacy.budget import Cost
from sfumato.privacy.payment import Payment
from sfumato.releases.signature import Signature

_EPSILON = 4.0


def write(folder: Path) -> None:
    """Write the seeds of every reader, each kind into a folder of its own."""
    for release in chain(_released(), _odd()):
        content = json.dumps(release.to_dict(), ensure_ascii=False).encode()
        if len(content) <= LONGEST:
            _put(folder / release.kind, content)
    for content in _ledgers(folder):
        _put(folder / "ledger", content)
    for content in _messages():
        _put(folder / "shuffle", content)
    for words in _words():
        _put(folder / "words", words.encode())


def _put(folder: Path, content: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{len(list(folder.iterdir())):02}").write_bytes(content)


def _released() -> Iterator[sf.Release]:
    """Yield what is released for every request whose file can be small."""
    table = citizens(60)
    for request in requests(CITY):
        cells = {"heatmap": "resolution", "scoreplot": "bins"}.get(request.verb)
        # As many cells as noise allows would make a file that hardly any change leaves readable.
        if cells is None or cells in request.options:
            few = replace(request, chart=request.like(**({} if cells is None else {cells: 4})))
            yield few.release(few.session(table, CITY.domain), few.budget(_EPSILON))


def _odd() -> Iterator[sf.Release]:
    """Yield what the catalogue has none of: noise that is not private, times of day, signatures."""
    year = date(2025, 1, 1), date(2026, 1, 1)
    visits, users = sf.testing.checkins(people=60), sf.PrivacyUnit.users("person_id")
    with sf.testing.seeded(1):
        yield sf.histplot(visits, x="time", bounds=year, bins=2, unit=users, budget=1.0)
    yield sf.quantiles(visits, x="time", bounds=year, q=[0.5], unit=users, budget=1.0)
    ages = sf.histplot(citizens(60), x="age", bounds=(0, 100), bins=2, budget=1.0)
    payment = Payment("0f" * 16, 7, "a1" * 32)
    yield replace(ages, paid=(payment,), signature=Signature("b2" * 32, "c3" * 64))


def _ledgers(folder: Path) -> Iterator[bytes]:
    budgets = (sf.Budget(1), sf.Budget(2, 1e-6), sf.Budget(3, 1e-5, reserve=1e-6))
    folder.mkdir(parents=True, exist_ok=True)
    for number, budget in enumerate(budgets):
        path = folder / f"{number}.ledger"
        ledger = sf.Ledger.create(path, budget=budget, unit="user" if number else None, table="t")
        for charge in range(2 * number):
            pure = Cost.pure(Fraction(1, 10), delta=Fraction(charge % 2, 10**8))
            ledger.charge(f"chart {charge}", pure if charge else Cost.gaussian(Fraction(1, 10**4)))
        if number == 1:
            yield path.read_bytes()
        yield _shrunk(path)
        path.unlink()
    yield lay_version_1(folder / "first.ledger").read_bytes()


def _shrunk(path: Path) -> bytes:
    """Return the same ledger in the smallest pages, so that it has more of them in less room."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA page_size = 512")
        connection.execute("VACUUM")
    return path.read_bytes()


def _messages() -> Iterator[bytes]:
    for number, protocol in enumerate(PROTOCOLS):
        sent = [Client(protocol).encode([(0.1, 0.2)]) for _ in range(protocol.participants)]
        yield bytes([number]) + b"".join(each.pack(protocol) for each in sent)


def _words() -> tuple[str, ...]:
    return (
        "0,240", "lon=-74.3,-73.7\nlat=40.5,40.9", "day=2026-01-01,2027-01-01T10:00+02:00",
        "private:0.2", "private:1e-6:0.2", "0.25,0.5,0.75", "20", "20\n0,1,5", "320,240",
        'A,"B, C",D', "1,2,3.5", "true,false", "age=20\nweight=15", "user_id:20", "user_id",
    )  # fmt: skip
