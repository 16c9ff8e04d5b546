"""Commands in two halves: what is asked, and what is done about it.

A chart's own options come from its definition. The options all charts share are the parameters of
the two things that can be done about it: release it, or plan it. A command is one of each.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import Parameter, Signature, signature
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from sfumato.cli import act
from sfumato.cli.asking import Asked, asking
from sfumato.cli.verbs import VERBS
from sfumato.errors import Door


def joined(ask: Callable[..., Asked], act: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes the options of both halves, the table's file first."""
    asked = _parameters(ask)
    _, table, *shared = _parameters(act)

    def command(**options: Any) -> None:
        request = ask(**{option.name: options.pop(option.name) for option in asked})
        with Door("shell", hue=getattr(request.chart, "hue", None)):
            act(request, **options)

    command.__name__, command.__doc__ = ask.__name__, ask.__doc__
    every = [option.replace(kind=Parameter.KEYWORD_ONLY) for option in (table, *asked, *shared)]
    command.__dict__["__signature__"] = Signature(every)
    return command


def _parameters(function: Callable[..., Any]) -> list[Parameter]:
    return list(signature(function, eval_str=True).parameters.values())


class ChartGroup(TyperGroup):
    """Knows every chart by its line, and reads a chart's options once it is called.

    Loading all charts, to show a help that names them, would take longer than to show it.
    """

    act: ClassVar[Callable[..., None]]
    epilog_of: ClassVar[str]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that is called, with its options."""
        self.load(args[0] if args else "")
        return super().resolve_command(ctx, args)

    def load(self, *verbs: str) -> None:
        """Read the options of charts from their definitions."""
        for verb in verbs:
            if verb in VERBS:
                self.commands[verb] = self._command(verb)

    def _command(self, verb: str) -> TyperCommand:
        chart = getattr(import_module(VERBS[verb].module), VERBS[verb].chart)
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        epilog = self.epilog_of.format(chart.example.command)
        alone.command(verb, epilog=epilog)(joined(asking(chart), type(self).act))
        return typer.main.get_command(alone)  # pyright: ignore[reportReturnType]


class Releases(ChartGroup):
    """Every chart, to be paid for; and whatever else there is."""

    act = act.release
    epilog_of = "Example: sfumato {} --ledger visits.ledger -o chart.svg"


class Plans(ChartGroup):
    """Every chart, to be planned."""

    act = act.plan
    epilog_of = "Example: sfumato plan {}"


def name_charts(group: typer.Typer) -> None:
    """Give a group the names of all charts, and the lines that say what they do."""

    def unread() -> None:
        """Stand for a chart whose options were not read yet."""

    for verb, known in VERBS.items():
        group.command(verb, help=known.summary)(unread)
