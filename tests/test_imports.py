"""The import contracts of pyproject.toml hold, and notice what would break them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

BREACHES = [
    ("releases/release.py", "from sfumato.exact import Exact", "The wall"),
    ("figure.py", "from sfumato.engines.engine import Engine", "The wall"),
    ("postprocess/noise_law.py", "import sfumato.mechanisms.laplace", "The wall"),
    ("metrics.py", "from sfumato.exact import Exact", "The wall"),
    ("mechanisms/laplace.py", "import sfumato.figure", "The wall"),
    ("engines/engine.py", "import sfumato.mechanisms.noise", "Each module"),
    ("charts/histogram.py", "import sfumato.session", "Each module"),
    ("session.py", "import sfumato.distributed", "Each module"),
    ("stranger.py", "", "Each module"),
    ("distributed.py", "import sfumato.engines.engine", "The shuffle protocol"),
    ("render/__init__.py", "import sfumato.privacy.guarantee", "A renderer"),
    ("cli/run.py", "from sfumato.engines import duck", "The command line"),
    ("charts/histogram.py", "import duckdb", "Engines read tables"),
    ("releases/release.py", "def late():\n    import opendp", "Engines read tables"),
    ("privacy/ledger.py", "import cryptography", "Engines read tables"),
]


def contracts(root: Path) -> str:
    """Return the first line of every broken contract's name, or an empty text if all are kept."""
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    broken = [line for line in done.stdout.splitlines() if "BROKEN" in line]
    assert bool(broken) == bool(done.returncode), done.stdout + done.stderr
    return "\n".join(broken)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package that may be broken."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "src" / "sfumato" / "distributed.py").touch()
    return tmp_path


def test_all_contracts_are_kept(copy: Path) -> None:
    assert contracts(copy) == ""


@pytest.mark.parametrize(("file", "line", "contract"), BREACHES)
def test_a_breach_is_noticed(copy: Path, file: str, line: str, contract: str) -> None:
    with (copy / "src" / "sfumato" / file).open("a") as module:
        module.write(f"\n{line}\n")
    assert contract in contracts(copy)
