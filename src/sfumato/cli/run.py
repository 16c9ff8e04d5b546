"""What happens around every command: errors as one paragraph, and an exit status.

0 is success; 2 a refusal or a misspelt command; 1 a bug; 130 an interrupt.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING

from sfumato.cli.help import HELP, find_help
from sfumato.cli.output import ClosedPipeError, print_text, say

if TYPE_CHECKING:
    import typer


def run(words: Sequence[str]) -> int:
    """Run one command line and return its exit status.

    Privacy
    -------
    Of an error that is not ours only the class is named: its message and its traceback could quote
    the table.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ε must not stop a release
    completing = "_SFUMATO_COMPLETE" in os.environ  # a shell asks, and Typer answers
    screen = None if completing else find_help(words)
    try:
        return _call(words) if screen is None else _show_help(screen, words)
    except ClosedPipeError:
        return 0


def _show_help(screen: str, words: Sequence[str]) -> int:
    print_text(screen)
    return 0 if any(word in HELP for word in words) else 2


def _call(words: Sequence[str]) -> int:
    import typer

    from sfumato.cli.commands import app
    from sfumato.errors import SHELL, SfumatoError

    command = typer.main.get_command(app)
    try:
        status = command.main(list(words), prog_name="sfumato", standalone_mode=False)
    except SfumatoError as error:
        SHELL.respell(error)
        return _refuse(str(error))
    except typer.TyperException as error:
        return _correct(error)
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except (ClosedPipeError, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001  (a panic of compiled code is no Exception)
        return _give_up(error)
    return status if isinstance(status, int) else 0


def _refuse(problem: str) -> int:
    say(f"Error: {problem}")
    return 2


def _give_up(error: BaseException) -> int:
    say(
        f"Error: sfumato stopped on an unexpected {type(error).__name__}. Its details may quote "
        "your table, so they are not shown. Please report what you typed, without the data."
    )
    return 1


def _correct(error: typer.TyperException) -> int:
    problem = error.format_message()
    if not problem:  # no words at all: the help was shown
        return 2
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "sfumato"
    stopped = problem if problem.endswith("?") else f"{problem.removesuffix('.')}."
    return _refuse(f"{stopped} See: {command} --help")
