"""Readers broken on purpose, one way at a time: what must be found if the fuzzing is any good."""

# What is broken here is private.
# pyright: basic

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Twin:
    """A way to break a reader, and how what is then found begins."""

    reader: str
    found: str
    breaks: Callable[[], None]
    runs: int = 300  # of which tens meet it


def _read_without_care() -> None:
    from sfumato.releases import document

    def read(plain: Any) -> Any:
        return document._built(document.kinds()[plain["kind"]], plain)

    document.read = read


def _evaluate() -> None:
    from sfumato.releases import document

    names = {"true": True, "false": False, "null": None}

    def parsed(content: bytes) -> Any:
        try:
            return eval(content, {"__builtins__": {}}, names)
        except Exception:  # noqa: BLE001 - the reader that is parodied says no more either
            raise document._malformed() from None

    document.parsed = parsed


def _quote() -> None:
    from sfumato.errors import ReleaseError
    from sfumato.releases import document

    def refuse(content: bytes) -> Any:
        raise ReleaseError(f"This file is not a release: {content[:40]!r}.", "", "")

    document.parsed = refuse


def _believe_promises() -> None:
    from sfumato.releases import document

    document.proves = lambda *_: True  # pyright: ignore[reportPrivateImportUsage]


def _believe_prices() -> None:
    from sfumato.privacy.budget import Cost
    from sfumato.releases.histogram import HistogramRelease

    HistogramRelease.least_cost = Cost.nothing()  # pyright: ignore[reportAttributeAccessIssue]


def _believe_any_schema() -> None:
    from sfumato.privacy import sqlite

    sqlite._read_schema = lambda _: sqlite._make_schema(2)


def _pay_anything() -> None:
    from sfumato.privacy.accountant import PrivacyFilter

    PrivacyFilter.admits = lambda *_: True  # pyright: ignore[reportAttributeAccessIssue]


def _sum_what_there_is() -> None:
    from sfumato.distributed.shuffle import Analyser

    Analyser._check = lambda *_: None  # pyright: ignore[reportAttributeAccessIssue]


TWINS = {
    "lets a KeyError through": Twin("histogram", "KeyError", _read_without_care),
    "evaluates what it reads": Twin("histogram", "reading did something", _evaluate),
    "quotes what it reads": Twin("histogram", "an error says", _quote),
    "believes any promise": Twin("histogram", "a release promises more", _believe_promises, 800),
    "believes any price": Twin("histogram", "a release promises more", _believe_prices, 500),
    "takes any tables for its own": Twin(
        "ledger", "a ledger had SQLite", _believe_any_schema, 2500
    ),
    "pays whatever is asked": Twin("ledger", "a charge went beyond", _pay_anything, 500),
    "adds up what there is": Twin("shuffle", "", _sum_what_there_is),
}
