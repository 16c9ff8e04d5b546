"""Every file is a function of its release, and what is not would be noticed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from artefacts import beside, checking, hiding
from artefacts.broken import BROKEN
from artefacts.canaries import ONE, OTHER
from artefacts.checking import differing, forms, searched
from artefacts.commands import type_words
from artefacts.holding import secrets_held
from artefacts.making import Task, do
from artefacts.requests import REQUESTS, named, release
from artefacts.searching import together
from artefacts.surroundings import HERE, really
from sfumato.catalogue import Request
from sfumato.charts.chart import Chart
from sfumato.privacy import records
from sfumato.privacy.budget import Budget
from sfumato.privacy.records import Entry, Log, Mark
from sfumato.privacy.sqlite import SQLiteBook
from sfumato.releases.release import Release
from sfumato.session import Session
from sfumato.testing import seeded


def document(request: Request, table: object) -> str:
    with seeded(7):
        return json.dumps(release(request, table).to_dict())


def test_what_is_written_here_is_written_elsewhere_without_the_table(tmp_path: Path) -> None:
    wanted = forms("fast")
    wanted["pca"] = [*wanted["pca"], *BROKEN]
    checked = checking.redrawn(tmp_path, wanted)
    assert checking.noticed(checked) == [*BROKEN], "each broken writer is noticed"
    assert {Path(name).name for name in checked.differing} <= {*BROKEN}, "and no other"
    found = {hit.partition(":")[0] for hit in checked.found}
    assert {"pca/the user", "pca/the host", "pca/a variable", "pca/the home"} <= found
    assert {Path(name).name for name in found} <= {*BROKEN}
    assert not [place for place in checked.unasked if "litter" not in place]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request.name)
def test_tables_that_are_counted_alike_give_the_same_release(request_: Request) -> None:
    assert document(request_, ONE.table()) == document(request_, OTHER.table())


def test_a_release_that_quotes_its_table_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    measured, request = Session.release, named("histplot-hue")

    def quoting(
        self: Session, chart: Chart[Any, Release], *, budget: Budget, fresh: bool
    ) -> Release:
        made = measured(self, chart, budget=budget, fresh=fresh)
        table: Any = self._table.source  # pyright: ignore[reportPrivateUsage]
        return replace(made, label=f"{made.label} up to {max(table['code'].to_pylist()):.0f}")

    monkeypatch.setattr(Session, "release", quoting)
    assert document(request, ONE.table()) != document(request, OTHER.table())


def test_tables_that_are_counted_alike_have_no_value_in_common() -> None:
    one, other = ONE.search, OTHER.search
    assert not {*one.numbers} & {*other.numbers}
    assert not {text for _, text in one.texts} & {text for _, text in other.texts}


def test_the_command_line_writes_and_says_nothing_of_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SFUMATO_AUDIT_SECRET", HERE.secret)
    name, wanted = "quantiles-joint", ["json", "svg", "printed"]
    folder = tmp_path / "typed" / name
    folder.mkdir(parents=True)
    table = ONE.write(tmp_path, ending=".csv")
    type_words(name, str(table), folder, wanted)
    assert not searched(folder, together([ONE.search, HERE.search, really()]))
    do(Task({name: wanted}, str(tmp_path / "again"), releases=str(folder.parent)))
    assert not differing(folder.parent, tmp_path / "again")
    said = (folder / "said").read_text(encoding="utf-8")
    assert said.count("Error: ") == 4 and "Wrote" in said, "what is refused is searched as well"


def test_a_canary_is_found_wherever_it_is_put() -> None:
    assert hiding.missed() == []


def test_a_search_finds_nothing_where_nothing_is() -> None:
    search, rounded = OTHER.search, ("CSV, rounded", "an array of float32")
    found = [place for place, content in hiding.PLACES.items() if search(content())]
    assert sorted(found) == sorted(rounded), "the tables have no more than some digits in common"


def rows(tmp_path: Path) -> Iterator[beside.Row]:
    yield beside.ledger(tmp_path / "ledger")
    yield beside.memory("fast")
    if sys.platform != "win32":
        yield beside.terminal(tmp_path / "terminal")


def test_nothing_beside_the_files_tells_of_the_table(tmp_path: Path) -> None:
    assert not [row for row in rows(tmp_path) if not row.stood]


def test_a_release_that_holds_on_to_its_table_is_noticed() -> None:
    made = release(named("quantiles-joint"), ONE.table())
    assert secrets_held(made) == []
    # A view of one number keeps the whole column alive.
    object.__setattr__(made.guarantee, "source", pa.array(ONE.columns()["wait"]).to_numpy()[:1])
    assert "DoubleArray" in secrets_held(made)
    object.__setattr__(made.guarantee, "source", Session(ONE.table(), budget=1.0))
    assert "Session" in secrets_held(made)


def test_a_ledger_with_more_than_its_entries_is_noticed(tmp_path: Path) -> None:
    assert beside.ledger(tmp_path / "whole").stood
    write = records.write_entry

    def forgetting(book: SQLiteBook, log: Log, entry: Entry) -> tuple[Entry, Mark]:
        """Leave behind what was deleted, as a careless database does."""
        book.connection.execute("CREATE TABLE passing (note TEXT)")
        book.connection.execute("INSERT INTO passing VALUES (?)", (ONE.mark * 2000,))
        book.connection.execute("DROP TABLE passing")
        return write(book, log, entry)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.privacy.ledger.write_entry", forgetting)
        assert not beside.ledger(tmp_path / "torn").stood
