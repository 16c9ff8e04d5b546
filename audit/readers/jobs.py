"""Fuzz targets as processes: what is asked of each, and what it found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

_AUDIT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Found:
    """What one target did: how often, for how long, with what result, and what must not be."""

    reader: str
    executions: int
    seconds: float
    done: dict[str, int]
    breaches: tuple[str, ...]


def missing() -> str:
    """Say why nothing can be fuzzed here; an empty text where it can."""
    if find_spec("atheris") is None:
        return "Atheris is not installed: it has wheels for Linux only."
    return ""


def fuzz(
    reader: str, seeds: Path, out: Path, runs: int, *, start: int = 1, broken: str = ""
) -> Found:
    """Fuzz a reader so many times, in a process of its own."""
    words = [reader, str(seeds), str(out), "--runs", str(runs), "--start", str(start)]
    words += ["--broken", broken] if broken else []
    ended = _python("readers.target", *words)
    told = out / "told.json"
    if not told.exists():
        raise RuntimeError(f"The target {reader} ended before it began: {ended.stderr[-2000:]}")
    plain: dict[str, Any] = json.loads(told.read_text())
    breaches = tuple(plain["breaches"])
    # libFuzzer ends the process where an input takes a minute, or 3 GB.
    if ended.returncode or plain["executions"] < runs:
        left = [path.name for path in out.iterdir() if path.name.startswith(("timeout", "oom"))]
        breaches += (f"ended with status {ended.returncode}: {', '.join(left)}",)
    return Found(reader, plain["executions"], plain["seconds"], plain["done"], breaches)


def reached(reader: str, seeds: Path, outs: list[Path]) -> dict[str, dict[str, Any]]:
    """Return the lines of each of a reader's modules, and those no input reached."""
    corpora = [str(out / "corpus") for out in outs]
    ended = _python("readers.reaching", reader, str(seeds), *corpora)
    if ended.returncode:
        raise RuntimeError(ended.stderr[-2000:])
    return json.loads(ended.stdout)


def _python(*words: str) -> subprocess.CompletedProcess[str]:
    memory = Path("/dev/shm")
    beside = _AUDIT.parent / "tests"  # whose forgeries are used here too
    paths = [str(_AUDIT), str(beside), *filter(None, [os.environ.get("PYTHONPATH")])]
    # Files that are read once and forgotten need no disk.
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as passing:
        return subprocess.run(
            [sys.executable, "-m", *words],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TMPDIR": passing},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
