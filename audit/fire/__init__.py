"""Budget under fire: whatever happens to a ledger, nothing is overspent and no charge is lost.

Whoever looks at a table must have paid. So a ledger is charged by threads and processes that are
stopped, killed, starved, refused and forked at every step, on disks that are full, fail or lose
power, by older and newer versions, while its file is moved, copied and mounted elsewhere. After
every event a reader that knows nothing of sfumato opens the file with plain SQLite in a fresh
process and asks four things. Is more spent than the budget? Is everything in it that was looked
at? Is every entry whole, and nothing changed but what was added? If a charge was refused, are the
bytes the same? Then the ledger is filled to the end, to see that no more fits than should.
"""

from __future__ import annotations

import sys

from fire.again import spent_again
from fire.events import EVENTS, TWINS, Event
from fire.stage import raised
from fire.tally import Tally
from report import Outcome, Size, Table


def attack(size: Size) -> Outcome:
    """Let everything happen that is known to happen to files, and count what came of it."""
    tallies = [(event, _tried(event, size)) for event in EVENTS]
    broken = [(twin, _tried(twin, size)) for twin in TWINS]
    happened = [tally for _, tally in tallies if tally]
    fallen = [tally for _, tally in broken if tally]
    total = sum(happened, Tally())
    caught = sum(tally.fell for tally in fallen)
    absent = len(tallies) + len(broken) - len(happened) - len(fallen)
    return Outcome(
        summary=f"budget under fire: {total.tried:,} tries in {len(happened)} events, "
        f"{total.overspent} overspends, {total.lost} lost charges; broken ledgers caught: {caught} "
        f"of {len(fallen)}" + (f"; {absent} events could not be tried here" if absent else ""),
        tables=(
            _table("Budget under fire", tallies),
            _table("Ledgers broken on purpose, which must fall", broken),
            _again(size),
        ),
        passed=stood(happened, fallen),
    )


def stood(happened: list[Tally], fallen: list[Tally]) -> bool:
    """Tell whether all that was tried stood, and all that was broken fell; something was tried."""
    tried = bool(happened and fallen) and all(tally.tried for tally in happened)
    return tried and all(tally.stood for tally in happened) and all(tally.fell for tally in fallen)


def _tried(event: Event, size: Size) -> Tally | None:
    print(f"   {event.title} …", file=sys.stderr, flush=True)
    return event.tried(size)


def _table(title: str, tallies: list[tuple[Event, Tally | None]]) -> Table:
    headings = ("event", "tried", "overspent", "lost", "torn", "refused", "wasted")
    return Table(title, headings, tuple((event.title, *_cells(tally)) for event, tally in tallies))


def _cells(tally: Tally | None) -> tuple[str, ...]:
    if tally is None:
        return ("not tried here", *("" for _ in range(5)))
    numbers = (tally.tried, tally.overspent, tally.lost, tally.torn, tally.refused, tally.wasted)
    return tuple(f"{number:,}" for number in numbers)


def _again(size: Size) -> Table:
    with raised(size) as stage:
        rows = tuple((title, f"{times:g} ×") for title, times in spent_again(stage).items())
    return Table("What cannot be prevented", ("a ledger's file", "budget spent"), rows)
