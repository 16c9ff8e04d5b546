"""What is done to a ledger, and what is done to ledgers that were broken on purpose."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fire.stage import raised
from fire.tally import Tally
from report import Size

Need = Literal["nothing", "tracing", "mounts", "memory"]

AUDIT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Event:
    """Something that happens to a ledger: its title, and the function that makes it happen."""

    title: str
    place: str
    need: Need = "nothing"

    def played(self, size: Size) -> Tally:
        """Let it happen here, in a process in which nothing else is running."""
        module, name = self.place.split(".")
        with raised(size) as stage:
            tally: Tally = getattr(importlib.import_module(f"fire.{module}"), name)(stage)
        return tally

    def tried(self, size: Size) -> Tally | None:
        """Let it happen in a process of its own; None where that process has not what it needs."""
        # The library that is tried here may come from a folder of its own.
        paths = [AUDIT, AUDIT.parent / "tests", *filter(None, [os.environ.get("PYTHONPATH")])]
        done = subprocess.run(
            [sys.executable, "-m", "fire", self.place, size],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
            stdout=subprocess.PIPE,
            check=True,
        )
        told = json.loads(done.stdout)
        return None if told is None else Tally(**told)


EVENTS = (
    Event("threads of several processes", "crowd.threads"),
    Event("twelve processes, room for two charges", "crowd.processes"),
    Event("eight processes begin the same ledger", "crowd.beginners"),
    Event("processes stopped, woken and killed at random", "crowd.killed_at_random"),
    Event("clocks that run backwards", "crowd.clocks"),
    Event("killed at every system call of a charge", "calls.killed_in_a_charge", "tracing"),
    Event("killed at every system call of a creation", "calls.killed_in_creation", "tracing"),
    Event(
        "killed at every third call of a release, every chart",
        "releases.killed_in_a_release",
        "tracing",
    ),
    Event("stopped at every system call, another charges", "crowd.standing_still", "tracing"),
    Event("every system call of a charge fails", "calls.failing_calls", "tracing"),
    Event("every system call of a recovery fails", "calls.failing_recovery", "tracing"),
    Event("power cut at every moment of a charge", "power.power_cut", "tracing"),
    Event("power cut at every moment of a creation", "power.power_cut_in_creation", "tracing"),
    Event("power cut, folder not to be synced", "power.power_cut_beside_a_shut_folder", "tracing"),
    Event("exception at every line of a charge", "lines.interrupted_charge"),
    Event(
        "exception wherever an interrupt is heard, every other", "lines.interrupted_instructions"
    ),
    Event("exception at every 11th line of a release, every chart", "releases.interrupted_release"),
    Event("no memory for Python, every fifth request", "walls.no_memory", "memory"),
    Event("no memory for SQLite", "walls.heap_limit"),
    Event("full disk: SQLite's page limit", "walls.page_limit"),
    Event("full disk: the system's file size limit", "walls.file_limit"),
    Event("full disk: a file system without room", "walls.full_disk", "mounts"),
    Event("read-only, unreadable, unreachable", "walls.no_rights", "tracing"),
    Event("forked by another thread in mid-charge", "forks.forked_by_a_thread"),
    Event("forked by a signal's handler in mid-charge", "forks.forked_by_a_handler"),
    Event("moved, replaced or linked in mid-charge", "copies.moved", "tracing"),
    Event("journal thrown away after a kill", "copies.without_journal", "tracing"),
    Event("copied in mid-charge by the same process", "copies.backed_up"),
    Event("mounted without its folder", "copies.mounted", "mounts"),
    Event("a version without its own lock, and this one", "versions.older_and_this"),
    Event("a newer format and this one", "versions.newer_and_this"),
)

TWINS = (
    Event("looks for room before it locks", "crowd.careless"),
    Event("looks at the table before it charges", "releases.hasty", "tracing"),
    Event("writes without a journal", "calls.unjournalled", "tracing"),
    Event("synchronous = FULL", "power.synchronous_full", "tracing"),
    Event("synchronous = NORMAL", "power.synchronous_normal", "tracing"),
    Event("synchronous = OFF", "power.synchronous_off", "tracing"),
    Event("leaves the folder to SQLite", "power.unsynced", "tracing"),
    Event("relies on SQLite's locks alone", "copies.unheld"),
    Event("does not ask what is mounted", "copies.unlooked", "mounts"),
    Event("goes on with a charge in a forked child", "forks.unaware"),
)
"""Ledgers that were broken on purpose: each of them must fall."""
