"""Whether every package that is installed is pinned to one version and to its hashes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_START = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^]]*\])?==([^\s;\\]+)")
_HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}\b")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Pinned:
    """One package at one version, with the hashes of the files that may be installed."""

    name: str
    version: str
    hashes: int


@dataclass(frozen=True)
class Lock:
    """A lock file: what it pins, and the lines that it should not have."""

    pinned: tuple[Pinned, ...]
    faults: tuple[str, ...]


def read(path: Path) -> Lock:
    """Read a lock file, and find what would let another file in than the locked one."""
    logical = path.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    lines = [line.strip() for line in logical if line.strip() and not line.strip().startswith("#")]
    pinned: list[Pinned] = []
    faults: list[str] = []
    for line in lines:
        match = _START.match(line)
        hashes = len(_HASH.findall(line))
        if match is None or not hashes:
            faults.append(f"{path.name}: {line.split()[0]} is not pinned with hashes")
        else:
            pinned.append(Pinned(canonical(match[1]), match[2], hashes))
        if "://" in line:
            faults.append(f"{path.name}: {line.split()[0]} names a host")
    return Lock(tuple(pinned), tuple(faults))


def missing(required: Iterator[str], lock: Lock) -> list[str]:
    """Return what `required` asks for and `lock` does not pin."""
    known = {package.name for package in lock.pinned}
    names = (match[0] for text in required if (match := _NAME.match(text)))
    return [name for name in names if canonical(name) not in known]


def canonical(name: str) -> str:
    """Return the one way to write a package's name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
