"""What no ledger can prevent: a budget spent again, because its file was copied or removed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from fire.stage import PRICE, Stage
from sfumato.errors import BudgetError
from sfumato.privacy.budget import Budget
from sfumato.privacy.ledger import Ledger

ROOM = 4
BUDGET = Budget(ROOM / 64)


def spent_again(stage: Stage) -> dict[str, float]:
    """Return how many times its budget is spent by whoever copies the file, or removes it."""
    deeds: dict[str, Callable[[Path], Path]] = {
        "two copies are used side by side": _copied,
        "an older copy is put back": _put_back,
        "it is removed, and begun anew": _removed,
    }
    return {title: _spent(stage.empty().path, deed) / ROOM for title, deed in deeds.items()}


def _spent(path: Path, deed: Callable[[Path], Path]) -> int:
    ledger = Ledger.create(path, budget=BUDGET, table="visits")
    shutil.copy(path, path.with_name("copy"))
    before = _fill(ledger)
    return before + _fill(Ledger.at(deed(path), budget=BUDGET, table="visits"))


def _fill(ledger: Ledger) -> int:
    charges = 0
    try:
        while True:
            ledger.charge("visit", PRICE)
            charges += 1
    except BudgetError:
        return charges


def _copied(path: Path) -> Path:
    return path.with_name("copy")


def _put_back(path: Path) -> Path:
    return path.with_name("copy").replace(path)


def _removed(path: Path) -> Path:
    path.unlink()
    return path
