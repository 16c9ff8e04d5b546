"""Plays one event, `python -m fire PLACE SIZE`, alone in its process, and prints the tally."""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import asdict

from fire import mounts, tracing
from fire.events import EVENTS, TWINS, Need
from report import Size


def _has(need: Need) -> bool:
    match need:
        case "tracing":
            return tracing.available()
        case "mounts":
            # What is mounted over a half-written ledger comes from a traced process too.
            return mounts.available() and tracing.available()
        case "memory":
            return importlib.util.find_spec("_testcapi") is not None
        case "nothing":
            return True


def main(place: str, size: Size) -> None:
    (event,) = (event for event in EVENTS + TWINS if event.place == place)
    tally = event.played(size) if _has(event.need) else None
    print(json.dumps(None if tally is None else asdict(tally)))


if __name__ == "__main__":
    main(sys.argv[1], "full" if sys.argv[2] == "full" else "fast")
