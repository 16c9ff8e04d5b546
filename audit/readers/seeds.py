"""What the readers are fed with at first: small files that the library wrote itself."""

# Keywords that charts share.
# pyright: basic

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

import sfumato as sf
from readers.shuffled import PROTOCOLS
from sfumato.distributed.shuffle import Client
from sfumato.privacy.budget import Cost

_BODY = {"heart_rate": (30, 220), "systolic": (60, 260), "bmi": (10, 60)}
_ISLAND = {"lon": (-30.1, -29.9), "lat": (44.94, 45.06)}
_SOME = sf.Budget(epsilon=4, delta=1e-6)
_USERS = sf.PrivacyUnit.users("person_id")
_FEW = sf.PrivacyUnit.users("person_id", max_rows=3)


def write(folder: Path) -> None:
    """Write the seeds of every reader, each kind into a folder of its own."""
    people, visits = sf.testing.city(people=200), sf.testing.checkins(people=60)
    counted, chosen = _counted(people, visits), _chosen(people)
    for release in chain(counted, chosen, _mapped(visits), _turned(people)):
        content = json.dumps(release.to_dict(), ensure_ascii=False).encode()
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


def _counted(people: Any, visits: Any) -> Iterator[sf.Release]:
    sexes = {"hue": "sex", "hue_order": ["female", "male"]}
    yield sf.histplot(people, x="age", bounds=(0, 100), bins=3, budget=1.0)
    yield sf.histplot(people, x="sex", order=["female", "male"], stat="proportion", budget=0.5)
    yield sf.histplot(people, x="age", bounds=(0, 100), bins=[0, 18, 100], budget=_SOME, **sexes)
    both = {"age": (0, 100), "income": (0, 1e5)}
    yield sf.histplot(people, x="age", y="income", bounds=both, bins=2, stat="density", budget=1.0)
    searched = sf.private(delta=1e-6)
    yield sf.histplot(people, x="district", order=searched, unit=_FEW, budget=9.0)
    with sf.testing.seeded(1):
        days = _days()
        yield sf.histplot(visits, x="time", bounds=days, bins=2, unit=_USERS, budget=1.0)


def _chosen(people: Any) -> Iterator[sf.Release]:
    sexes: dict[str, Any] = {"x": "sex", "order": ["female", "male"]}
    ages: dict[str, Any] = {"y": "age", "bounds": (0, 100)}
    for method in ("fence", "dpboxplot", "jointexp", "approx", "single", "unbounded"):
        yield sf.boxplot(people, **ages, method=method, budget=3.0)
    yield sf.boxplot(people, **sexes, **ages, unit=_FEW, step=1, budget=3.0)
    yield sf.boxplot(people, x="moved_in", bounds=_days(), budget=_SOME)
    for method in ("joint", "jointexp", "approx", "single", "unbounded"):
        yield sf.quantiles(people, x="age", bounds=(0, 100), method=method, budget=2.0)
    yield sf.quantiles(people, x="moved_in", bounds=_days(), q=[0.5], budget=_SOME)
    yield sf.quantiles(people, x="age", bounds=(0, 100), neighbours="replace", n=200, budget=2.0)
    groups = {"hue": "sex", "hue_order": ["female", "male"]}
    yield sf.quantiles(people, x="age", bounds=(0, 100), q=[0.5], **groups, budget=2.0)


def _mapped(visits: Any) -> Iterator[sf.Release]:
    for method in ("adaptive", "pyramid", "laplace", "dense"):
        yield sf.heatmap(
            visits, x="lon", y="lat", resolution=4, method=method, bounds=_ISLAND, unit=_USERS,
            budget=1.0,
        )  # fmt: skip
    timed = {"time": _days(), "lat": _ISLAND["lat"]}
    yield sf.heatmap(visits, x="time", y="lat", resolution=2, bounds=timed, budget=1.0)


def _turned(people: Any) -> Iterator[sf.Release]:
    columns = list(_BODY)
    body = sf.pca(people, columns=columns, bounds=_BODY, budget=_SOME)
    yield body
    shared = sf.pca(people, columns=columns[:2], bounds=_BODY, unit=_USERS, budget=_SOME)
    yield shared
    yield sf.scoreplot(people, body, bins=2, hue="sex", hue_order=["female", "male"], budget=_SOME)
    for method in ("haar", "additive", "sparse", "pyramid"):
        yield sf.scoreplot(
            people, columns=columns[:2], bins=4, method=method, bounds=_BODY, budget=_SOME
        )


def _days() -> tuple[Any, Any]:
    from datetime import date

    return date(2000, 1, 1), date(2030, 1, 1)


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
