"""Change what sfumato is built from: is every package pinned, hashed, licensed and unimpeached?

The lock files must pin each package to a version and to hashes, name no host, and hold whatever
`pyproject.toml` asks for. Licences are read from what is installed. The full form also asks the
registry for known vulnerabilities, where the registry answers.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from report import Outcome, Size, Table
from supplies import advisories, licences, locks

ROOT = Path(__file__).parents[2]
LOCKS = ("run", "dev", "docs", "lab", "lock", "audit")


def attack(size: Size) -> Outcome:
    """Check the lock files and the licences, and ask the registry if there is time."""
    files = {name: locks.read(ROOT / "requirements" / f"{name}.txt") for name in LOCKS}
    faults = [fault for lock in files.values() for fault in lock.faults] + unlocked(files)
    licensed = listed(files["run"])
    faults += [
        f"{name}: {licence}" for name, _, licence in licensed if not licences.permitted(licence)
    ]
    advice = advisories.ask([ROOT / "requirements" / f"{name}.txt" for name in LOCKS], size)
    faults += advice.known
    rows = tuple((f"{name}.txt", *_counted(lock)) for name, lock in files.items())
    tables = (
        Table("Licences of what `make demo` installs", ("Package", "Version", "Licence"), licensed),
        Table("Lock files", ("File", "Packages", "Hashes"), rows),
    )
    said = "; ".join(faults) or "all pinned and hashed, under permissive licences"
    count = sum(len(lock.pinned) for lock in files.values())
    summary = f"supplies: {count} packages in {len(files)} locks, {said}; {advice}"
    return Outcome(summary, tables, not faults)


def unlocked(files: dict[str, locks.Lock]) -> list[str]:
    """Return what `pyproject.toml` asks for and no lock file pins."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    absent = [(name, locks.missing(_required(project, name), lock)) for name, lock in files.items()]
    return [f"{name}.txt lacks {package}" for name, packages in absent for package in packages]


def _required(project: dict[str, Any], lock: str) -> Iterator[str]:
    groups = project["dependency-groups"]
    group = "build" if lock == "run" else lock
    yield from (asked for asked in groups[group] if isinstance(asked, str))
    if lock in {"run", "dev"}:
        yield from project["project"]["dependencies"]


def listed(lock: locks.Lock) -> tuple[tuple[str, str, str], ...]:
    """Return each package of `lock` with its versions and the licence that is installed."""
    versions: dict[str, list[str]] = {}
    for package in lock.pinned:
        versions.setdefault(package.name, []).append(package.version)
    return tuple(
        (name, " or ".join(found), licences.licence_of(name)) for name, found in versions.items()
    )


def _counted(lock: locks.Lock) -> tuple[str, str]:
    return str(len(lock.pinned)), str(sum(package.hashes for package in lock.pinned))
