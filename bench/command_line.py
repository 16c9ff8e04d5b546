"""What commands cost the processor: help of every command, and a histogram of a small file.

User and system time of a fresh process, the least of several, so that other work on the machine
matters little. Beside it stands what Python itself takes to start and to load NumPy.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import sfumato
from sfumato.testing import city

REPEATS = 5
MOST_HELP, MOST_CHART = 0.3, 1.0
MAIN = "from sfumato.cli import main; main()"
CHART = "histplot people.csv --x age --bounds 0,100 --epsilon 0.5"


def seconds(arguments: Sequence[str], folder: Path) -> float:
    """Return the least time of the processor that a fresh process takes, after one to warm up."""
    return min([_once(arguments, folder) for _ in range(REPEATS + 1)][1:])


def _once(arguments: Sequence[str], folder: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _commands() -> list[str]:
    place = Path(sfumato.__file__).parent / "cli" / "screens.json"
    return list(json.loads(place.read_text(encoding="utf-8")))


def _write_people(folder: Path) -> None:
    from pyarrow import csv

    csv.write_csv(city(people=500), folder / "people.csv")


def _told(name: str, found: float, most: float) -> bool:
    print(f"{name:<40} {found:.3f} s of at most {most}, {'met' if found <= most else 'MISSED'}")
    return found <= most


def main() -> int:
    """Measure, print, and return 1 where a target is missed."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        _write_people(folder)
        print(f"python alone {seconds(['-c', 'pass'], folder):.3f} s")
        print(f"import numpy {seconds(['-c', 'import numpy'], folder):.3f} s")
        asked = {f"{command} --help".strip(): MOST_HELP for command in _commands()}
        asked |= {CHART: MOST_CHART, f"{CHART} -o ages.svg": 2 * MOST_CHART}
        met = [
            _told(words[:40], seconds(["-c", MAIN, *words.split()], folder), most)
            for words, most in asked.items()
        ]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
