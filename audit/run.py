"""Try to break sfumato, and say what came of it.

python audit/run.py                      # every attack, for as long as its figures need
python audit/run.py --fast               # every attack, in the form that the tests run
python audit/run.py planted readers      # some of them
python audit/run.py --write              # and keep the figures for the site
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path

from report import Outcome, Size

PARTS = (
    "telling",
    "planted",
    "sums",
    "silence",
    "readers",
    "fire",
    "artefacts",
    "clocks",
    "supplies",
    "found",
)
"""The attacks, in the order of the documentation; the one whose table is shown last comes first."""

FIGURES = Path(__file__).with_name("figures")
TESTS = Path(__file__).parents[1] / "tests"
"""Hostile tables, oracles and enumerations are shared with the tests."""


def main(parts: list[str], size: Size, *, write: bool) -> int:
    outcomes = {part: _attacked(part, size) for part in parts}
    if write:
        FIGURES.mkdir(exist_ok=True)
        for part, outcome in outcomes.items():
            _write(part, outcome, size)
    print("\n" + _ending(outcomes))
    return 0 if all(outcome.passed for outcome in outcomes.values()) else 1


def _attacked(part: str, size: Size) -> Outcome:
    attack = importlib.import_module(part)
    print(f"\n== {part}: {(attack.__doc__ or '').splitlines()[0]}", flush=True)
    start = time.monotonic()
    outcome: Outcome = attack.attack(size)
    for table in outcome.tables:
        print(f"\n{table}")
    print(f"\n{outcome.summary} ({time.monotonic() - start:.0f} s)", flush=True)
    return outcome


def _ending(outcomes: dict[str, Outcome]) -> str:
    told = outcomes.get("telling")
    lines = [str(told.tables[-1]), ""] if told else []
    marks = {True: "stood", False: "FELL "}
    lines += [f"{marks[outcome.passed]}  {outcome.summary}" for outcome in outcomes.values()]
    return "\n".join(lines)


def _write(part: str, outcome: Outcome, size: Size) -> None:
    for number, table in enumerate(outcome.tables, 1):
        (FIGURES / f"{part}-{number}.md").write_text(table.markdown(), encoding="utf-8")
    form = "" if size == "full" else " (fast form)"
    (FIGURES / f"{part}.md").write_text(f"{outcome.summary}{form}\n", encoding="utf-8")


def asked(arguments: list[str]) -> tuple[list[str], Size, bool]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--fast", action="store_true", help="seconds for each, as in the tests")
    parser.add_argument("--write", action="store_true", help="keep the tables for the site")
    given = parser.parse_args(arguments)
    if unknown := [part for part in given.parts if part not in PARTS]:
        parser.error(f"there is no attack {unknown[0]!r}; there are {', '.join(PARTS)}")
    return given.parts or [*PARTS], "fast" if given.fast else "full", given.write


if __name__ == "__main__":
    sys.path.append(str(TESTS))
    chosen, wanted, kept = asked(sys.argv[1:])
    sys.exit(main(chosen, wanted, write=kept))
