"""Commands in two halves: what is asked, and what is done about it.

A chart declares its own options once, as the parameters of a function that returns what is asked.
The options all charts share are the parameters of the two things that can be done about it:
release it, or plan it. A command is one of each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.charts.chart import Chart
    from sfumato.domain import Domain


@dataclass(frozen=True)
class Asked:
    """A chart, what is public about its columns, and the endings only its releases can write."""

    chart: Chart[Any, Any]
    domain: Domain
    endings: tuple[str, ...] = ()


def joined(ask: Callable[..., Asked], act: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes the options of both halves, the table's file first."""
    asked = _parameters(ask)
    _, table, *shared = _parameters(act)

    def command(**options: Any) -> None:
        act(ask(**{option.name: options.pop(option.name) for option in asked}), **options)

    command.__name__, command.__doc__ = ask.__name__, ask.__doc__
    every = [option.replace(kind=Parameter.KEYWORD_ONLY) for option in (table, *asked, *shared)]
    command.__dict__["__signature__"] = Signature(every)
    return command


def _parameters(function: Callable[..., Any]) -> list[Parameter]:
    return list(signature(function, eval_str=True).parameters.values())
