"""All commands, put together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from sfumato.cli import ledger, options
from sfumato.cli.join import ChartGroup, Plans, Releases, name_charts
from sfumato.cli.publish import check_outputs, publish
from sfumato.cli.terminal import say, show
from sfumato.cli.verbs import VERBS


def _group(text: str, example: str, **settings: Any) -> typer.Typer:
    return typer.Typer(
        help=text,
        epilog=example,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        **settings,
    )


app = _group("Charts of data that nobody may see.", "Begin with: sfumato demo", cls=Releases)
plans = _group(
    "Tell what a chart would cost and how wrong it would be. Spends nothing.",
    "Example: sfumato plan histplot visits.csv --x age --bounds 0,110 --error 10",
    cls=Plans,
)
ledgers = _group(
    "Begin a ledger, or read one.",
    "Example: sfumato ledger visits.ledger",
    cls=ledger.LedgerGroup,
)

name_charts(app)
name_charts(plans)

ledgers.command(
    epilog="Example: sfumato ledger create visits.ledger --epsilon 2 --delta 1e-6 "
    "--unit user_id --table visits"
)(ledger.create)
ledgers.command("show", epilog="Example: sfumato ledger visits.ledger")(ledger.show_ledger)

app.add_typer(plans, name="plan")
app.add_typer(ledgers, name="ledger")


@app.command(epilog="Example: sfumato draw age.json -o age.png")
def draw(
    file: Annotated[Path, typer.Argument(metavar="FILE.json", help="A saved release.")],
    output: options.Output = None,
) -> None:
    """Draw a saved release again, or print its numbers. Costs nothing."""
    from sfumato.releases.document import load

    release = load(file)
    check_outputs(output or [], tuple(release.endings))
    publish(release, output or [], source=file)


@app.command(epilog="Example: sfumato demo")
def demo(
    output: Annotated[Path, typer.Option(metavar="FOLDER", help="Where to put it.")] = Path("demo"),
    people: Annotated[
        int, typer.Option(metavar="NUMBER", min=1000, max=2_000_000, help="How many live there.")
    ] = 20_000,
) -> None:
    """Make up a city and draw every chart of it, on one page."""
    from sfumato.demo import make

    index = make(output, people, say)
    show(
        f"Open {index} in a browser.\nThen spend what is left:\n"
        f"  sfumato ledger {output / 'people.ledger'}\n"
        f"  sfumato plan histplot {output / 'people.parquet'} --x bmi --bounds 10,50 --error 5"
    )


def whole() -> Releases:
    """Return all commands with all of their options, for whoever wants to see them at once."""
    command = cast(Releases, typer.main.get_command(app))
    for group in (command, cast(ChartGroup, command.commands["plan"])):
        group.load(*VERBS)
    return command


def _version(asked: bool) -> None:
    if asked:
        from sfumato import __version__

        show(f"sfumato {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Charts of data that nobody may see."""
