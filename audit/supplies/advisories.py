"""Whether the registry knows of vulnerabilities in what is locked."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from report import Size


@dataclass(frozen=True)
class Advice:
    """What the registry said: of how many packages, and which have known vulnerabilities."""

    asked: int
    unanswered: int
    known: tuple[str, ...]

    def __str__(self) -> str:
        if self.asked == self.unanswered:
            return f"known vulnerabilities: {'no answer' if self.asked else 'not asked'}"
        left = f", {self.unanswered} could not be asked" if self.unanswered else ""
        return f"known vulnerabilities: {len(self.known)} in {self.asked} packages{left}"


def ask(files: Sequence[Path], size: Size) -> Advice:
    """Have pip-audit look up every version that the lock files pin, if there is time."""
    if size == "fast":
        return Advice(0, 0, ())
    command = [sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip"]
    command += ["--format", "json", "--progress-spinner", "off"]
    command += [word for file in files for word in ("--requirement", str(file))]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return understood(json.loads(found.stdout))
    except ValueError:
        return Advice(0, 0, ())  # no network, or no pip-audit: nothing was asked


def understood(document: dict[str, Any]) -> Advice:
    """Read what pip-audit writes."""
    packages = document["dependencies"]
    unanswered = sum("skip_reason" in package for package in packages)
    known = (
        f"{package['name']} {package['version']}: {hole['id']}"
        for package in packages
        for hole in package.get("vulns", ())
    )
    return Advice(len(packages), unanswered, tuple(known))
