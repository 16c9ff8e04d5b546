"""What a chart leaves beside its files: a ledger, objects in memory, a bar on a terminal."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from artefacts.canaries import DOMAIN, ONE, OTHER
from artefacts.checking import searched
from artefacts.commands import spoken, watched
from artefacts.holding import secrets_held
from artefacts.ledgers import kept
from artefacts.leftovers import spill
from artefacts.requests import REQUESTS, named, release, words
from artefacts.searching import together
from artefacts.surroundings import HERE, really
from artefacts.watching import files
from report import Size


@dataclass(frozen=True)
class Row:
    """What was looked at, what was seen, and whether that is as it should be."""

    what: str
    seen: str
    stood: bool


def beside(home: Path, size: Size) -> list[Row]:
    """Look at all of it."""
    home.mkdir(parents=True, exist_ok=True)
    rows = [ledger(home / "ledger"), memory(size)]
    rows += [terminal(home / "terminal")] if sys.platform != "win32" else []
    if size == "full":
        rows += [*disk(home / "disk"), demonstration(home / "demo")]
    return rows


def ledger(folder: Path) -> Row:
    """Look for the table in a ledger's file, and for anything that is not its terms and entries."""
    left = kept(folder)
    hits = len(ONE.search(left.content + left.texts.encode()))
    stood = not hits and left.rebuilt and left.free_pages == 0 and left.beside == ("audit.ledger",)
    return Row(
        "a ledger after two charges and three refusals",
        f"{hits} canaries, {left.free_pages} free pages, no journal; "
        f"{'the same' if left.rebuilt else 'OTHER'} bytes when its entries are written anew",
        stood,
    )


def memory(size: Size) -> Row:
    """Follow every reference of a release, to see whether one leads back to the table."""
    asked = [request for request in REQUESTS if size == "full" or request.typical]
    held = {kind for request in asked for kind in secrets_held(release(request, ONE.table()))}
    seen = f"{len(held)} lead to a true number or a table"
    return Row(f"all references of {len(asked)} releases", seen, not held)


def terminal(home: Path) -> Row:
    """Watch a chart being made on a terminal, with a progress bar from the first moment."""
    table = ONE.write(home)
    environment = {**HERE.environment(home), "TERM": "xterm", "COLUMNS": "100"}
    typed = words(named("heatmap-adaptive"), str(table), DOMAIN, None)
    seen = watched(typed, HERE.home(home) / "work", environment)
    hits = ONE.search(seen) + HERE.search(seen)
    shown = "━".encode() in seen
    told = f"{len(hits)} canaries in {len(seen)} bytes, {'with' if shown else 'WITHOUT'} a bar"
    return Row("a terminal while a map is made", told, not hits and shown)


def disk(home: Path) -> list[Row]:
    """Chart a table that does not fit in memory, to the end and killed on the way."""
    home.mkdir(parents=True, exist_ok=True)
    ended, killed = spill(home, kill=False), spill(home, kill=True)
    return [
        Row(
            "temporary files of a table beyond its memory limit",
            f"up to {ended.most / 1e6:.0f} MB, for its user alone; {ended.left} bytes left",
            ended.most > 0 and ended.left == 0 and not ended.others_could_read,
        ),
        Row(
            "the same, killed on the way",
            f"{killed.left / 1e6:.0f} MB left, for its user alone, "
            f"{'with' if killed.telling else 'without'} canaries",
            not killed.others_could_read,
        ),
    ]


def demonstration(home: Path) -> Row:
    """Make the demonstration as a known user, and look for the user in it."""
    home.mkdir(parents=True, exist_ok=True)
    said = spoken(["demo", "--output", str(home / "demo"), "--people", "1000"])
    hits = searched(home / "demo", together([OTHER.search, really()]))
    # The page tells when each chart was made, as ledgers do.
    hits = tuple(hit for hit in hits if "the date" not in hit)
    seen = f"{len(files(home / 'demo'))} files, {len(hits)} traces of this machine"
    return Row("the demonstration", seen, not hits and "Open" in said)
