"""The command that compares releases with the ledger that is said to have paid for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options
from sfumato.cli.output import say, show, show_table
from sfumato.errors import SfumatoError

if TYPE_CHECKING:
    from sfumato.privacy.verification import Finding
    from sfumato.releases.release import Release


def verify(
    place: options.KeptLedger,
    releases: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE.json", help="Saved releases.")
    ] = None,
) -> None:
    """Tell whether a ledger is whole, and whether it paid for these releases."""
    from sfumato.privacy.ledger import Ledger
    from sfumato.privacy.stores import spell_place

    opened = [_open(file) for file in releases or []]
    readable = [each for each in opened if not isinstance(each, str)]
    found = Ledger.open(place).verify(*readable)
    show(f"{spell_place(place)}: {found.ledger_finding}.")
    if opened:
        names, entries, words = zip(*_rows(releases or [], opened, found.findings), strict=True)
        show_table("", {"release": names, "entry": entries, "": words}, 1)
    _conclude(found.others, failed=not found.passed or len(readable) < len(opened))


def _open(file: Path) -> Release | str:
    """Return the release in a file, or what is wrong with it."""
    from sfumato.releases.document import load

    try:
        return load(file)
    except SfumatoError as error:
        return error.what


def _rows(
    files: Sequence[Path], opened: Sequence[Release | str], findings: Sequence[Finding]
) -> Iterator[tuple[str, str, str]]:
    """Say what was found about each file, in the order they were given."""
    place = 0
    for file, each in zip(files, opened, strict=True):
        if isinstance(each, str):
            yield str(file), "–", each
            continue
        for finding in (finding for finding in findings if finding.place == place):
            part = f" ({finding.label})" if finding.part else ""
            yield f"{file}{part}", ", ".join(map(str, finding.entries)) or "–", str(finding)
        place += 1


def _conclude(others: Sequence[int], *, failed: bool) -> None:
    if others:
        numbers = ", ".join(map(str, others[:20])) + (", …" if len(others) > 20 else "")
        say(f"Entries that paid for none of these releases: {numbers}.")
    if failed:
        say("Error: not everything was paid for, or could be checked.")
        raise typer.Exit(2)
