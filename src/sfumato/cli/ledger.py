"""`sfumato ledger`: begin a ledger, or read one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from sfumato.cli import options
from sfumato.cli.spelling import read_unit
from sfumato.cli.terminal import say, show


class LedgerGroup(TyperGroup):
    """Takes a first word that is no command for the file of a ledger to read."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the word that may be left out."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["show", *args]
        return super().parse_args(ctx, args)


File = Annotated[Path, typer.Argument(metavar="FILE", help="The ledger.")]
Name = Annotated[str, typer.Option("--table", metavar="NAME", help="Which table it is kept for.")]


def show_ledger(file: File) -> None:
    """Show what was charged, and what is left."""
    from sfumato.privacy.ledger import Ledger

    show(str(Ledger.open(file)))


def create(
    file: File,
    *,
    epsilon: options.Total,
    delta: options.Delta = 0.0,
    weak: options.Weak = False,
    unit: options.Unit = None,
    table: Name,
) -> None:
    """Begin a ledger in a new file. Its terms can never be changed."""
    from sfumato.privacy.budget import Budget
    from sfumato.privacy.ledger import Ledger

    budget = Budget(epsilon, delta, weak=weak)
    ledger = Ledger.create(file, budget=budget, unit=read_unit(unit), table=table)
    show(str(ledger))
    words = f" --unit {unit}" if unit else ""
    say(f"Charge it with: --ledger {file} --table {table}{words}")
