"""The demonstration: an invented city, every chart there is, one page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sfumato.city import save
from sfumato.demo.examples import EXAMPLES, SUBJECTS, DemoChart, TableName
from sfumato.demo.page import GENERATOR, build_page
from sfumato.errors import ReleaseError
from sfumato.releases.release import Release
from sfumato.session import Session


def make(folder: Path, people: int, tell: Callable[[str], None]) -> Path:
    """Make the city, spend its budget on every chart, and return the page that shows them.

    Privacy
    -------
    Each table is charged in a ledger of its own, begun anew: the city is invented each time, and
    nobody lives there. Anyone else's ledger is never begun anew.
    """
    _claim(folder)
    tell(f"Inventing {people:,} people and a year of their lives")
    tables = save(folder, people)
    sessions = {name: _open_session(tables[name], name) for name in SUBJECTS}
    releases = [
        _release_example(sessions[example.table], example, folder, tell) for example in EXAMPLES
    ]
    tell("Laying out the page")
    ledgers = {name: session.ledger for name, session in sessions.items()}
    index = folder / "index.html"
    index.write_text(
        build_page(list(zip(EXAMPLES, releases, strict=True)), ledgers), encoding="utf-8"
    )
    return index


def _claim(folder: Path) -> None:
    """Refuse a folder that holds anything but an earlier demonstration."""
    index = folder / "index.html"
    ours = index.is_file() and GENERATOR in index.read_text(encoding="utf-8", errors="replace")
    if folder.exists() and not ours and (not folder.is_dir() or any(folder.iterdir())):
        raise ReleaseError(
            f"{str(folder)!r} holds something that is not a demonstration.",
            "A ledger or a table of yours could be lost there.",
            "Name another folder: sfumato demo --output FOLDER.",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        index.write_text(f"{GENERATOR}<p>The page is being made.", encoding="utf-8")
    except OSError:
        pass
    else:
        return
    raise ReleaseError(
        f"Cannot write into {str(folder)!r}.",
        "The page and its ledgers need a folder of their own.",
        "Name another one: sfumato demo --output FOLDER.",
    )


def _open_session(table: Path, name: TableName) -> Session:
    ledger = table.with_suffix(".ledger")
    ledger.unlink(missing_ok=True)
    subject = SUBJECTS[name]
    return Session(
        table, unit=subject.unit, domain=subject.domain, budget=subject.budget, ledger=ledger
    )


def _release_example(
    session: Session, example: DemoChart, folder: Path, tell: Callable[[str], None]
) -> Release:
    tell(f"ε = {example.epsilon:<5}  {example.title}")
    release = session.release(example.chart, budget=example.budget)
    release.save(folder / f"{example.name}.json")
    if example.lively:
        release.save(folder / f"{example.name}.html")
    return release
