"""All commands, put together: each chart's options, and what is done about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, ClassVar, cast

import typer
from typer.core import TyperCommand, TyperGroup

from sfumato.cli import act, options, payments, signing
from sfumato.cli.options import Asked, asking
from sfumato.cli.output import check_outputs, publish, say, show
from sfumato.cli.spelling import read_unit
from sfumato.cli.verbs import VERBS
from sfumato.errors import Door, typed


def joined(ask: Callable[..., Asked], act: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes the options of both halves, the table's file first."""
    asked = _parameters(ask)
    _, table, *shared = _parameters(act)
    looks = _parameters(options.looks) if any(each.name == "looks" for each in shared) else []
    shared = [each for each in shared if each.name not in ("looks", "views")]
    views = options.view_parameters(ask.__dict__["views"]) if looks else []

    def command(**given: Any) -> None:
        request = ask(**{option.name: given.pop(option.name) for option in asked})
        with Door.to_chart("shell", request.chart, one_range=False):
            if looks:
                given["looks"] = options.looks(
                    **{each.name: given.pop(each.name) for each in looks}
                )
                given["views"] = _take(given, views)
            act(request, **given)

    command.__name__, command.__doc__ = ask.__name__, ask.__doc__
    shown = (table, *asked, *shared, *views, *looks)
    every = [option.replace(kind=Parameter.KEYWORD_ONLY) for option in shown]
    command.__dict__["__signature__"] = Signature(every)
    return command


def _take(given: dict[str, Any], views: Sequence[Parameter]) -> dict[str, Any]:
    """Take ways to draw from what was typed, and return those that were."""
    typed = {each.name: given.pop(each.name) for each in views}
    return {name: value for name, value in typed.items() if value is not None}


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


class LedgerGroup(TyperGroup):
    """Takes a first word that is no command for the file of a ledger to read."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the word that may be left out."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["show", *args]
        return super().parse_args(ctx, args)


Name = Annotated[str, typer.Option("--table", metavar="NAME", help="The name of the table.")]


def show_ledger(place: options.KeptLedger) -> None:
    """Show what was charged, and what is left."""
    from sfumato.privacy.ledger import Ledger

    show(str(Ledger.open(place)))


def create(
    place: options.KeptLedger,
    *,
    epsilon: options.Total,
    delta: options.Delta = 0.0,
    weak: options.Weak = False,
    unit: options.Unit = None,
    table: Name,
) -> None:
    """Create a ledger in a new file or on a server. Its terms cannot be changed later."""
    from sfumato.privacy.budget import Budget
    from sfumato.privacy.ledger import Ledger
    from sfumato.privacy.stores import spell_place

    budget = Budget(epsilon, delta, weak=weak)
    ledger = Ledger.create(place, budget=budget, unit=read_unit(unit), table=table)
    show(str(ledger))
    words = f" --unit {unit}" if unit else ""
    say(f"To charge it: --ledger {typed(spell_place(place))} --table {table}{words}")


Person = Annotated[str, typer.Argument(metavar="NAME", help="The name that charts give as --who.")]
Most = Annotated[
    float,
    typer.Option("--epsilon", metavar="ε", help="The most that may be charged to this account."),
]


def open_account(
    place: options.KeptLedger,
    name: Person,
    *,
    epsilon: Most,
    delta: options.Delta = 0.0,
    weak: options.Weak = False,
) -> None:
    """Open or raise an account in a ledger: a limit on what one person spends."""
    from sfumato.privacy.budget import Budget
    from sfumato.privacy.ledger import Ledger
    from sfumato.privacy.statement import CAPS

    ledger = Ledger.open(place)
    account = ledger.account(name, Budget(epsilon, delta, weak=weak))
    left = ledger.stand(name).remaining
    show(f"Account of {account.name}: {account.budget!r}. Left: {left}.")
    say(f"{CAPS} From now on every chart on this ledger needs --who.")


def report(
    place: options.KeptLedger,
    *,
    by: Annotated[
        str, typer.Option(metavar="who|purpose|day", help="Group the charges by this.")
    ] = "who",
) -> None:
    """Add up what was charged, by who asked, by purpose or by day."""
    from sfumato.privacy.ledger import Ledger
    from sfumato.privacy.statement import By

    show(str(Ledger.open(place).report(cast(By, by))))


def _group(text: str, example: str, **settings: Any) -> typer.Typer:
    return typer.Typer(
        help=text,
        epilog=example,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        **settings,
    )


app = _group("Charts of data that nobody may see.", "To start: sfumato demo", cls=Releases)
plans = _group(
    "Show the cost and the expected error of a chart. Spends nothing.",
    "Example: sfumato plan histplot visits.csv --x age --bounds 0,110 --error 10",
    cls=Plans,
)
ledgers = _group(
    "Create or show a ledger, or verify what it paid for.",
    "Example: sfumato ledger visits.ledger",
    cls=LedgerGroup,
)
keys = _group(
    "Make a pair of keys to sign releases with.",
    "Example: sfumato key create key.pem public.pem",
)

name_charts(app)
name_charts(plans)

ledgers.command(
    epilog="Example: sfumato ledger create visits.ledger --epsilon 2 --delta 1e-6 "
    "--unit user_id --table visits"
)(create)
ledgers.command(
    "account",
    epilog="Example: sfumato ledger account visits.ledger analyst-1 --epsilon 0.5",
)(open_account)
ledgers.command("report", epilog="Example: sfumato ledger report visits.ledger --by who")(report)
ledgers.command(
    "show",
    epilog="Example: sfumato ledger visits.ledger, or sfumato ledger "
    "'postgresql://analyst@host/study#visits'",
)(show_ledger)
ledgers.command("verify", epilog="Example: sfumato ledger verify visits.ledger age.json map.json")(
    payments.verify
)
keys.command("create", epilog="Example: sfumato key create key.pem public.pem --password")(
    signing.create_key
)

app.add_typer(plans, name="plan")
app.add_typer(ledgers, name="ledger")
app.add_typer(keys, name="key")


def with_looks(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes every option of a picture, which it is handed read."""
    looks, views = _parameters(options.looks), options.view_parameters(tuple(options.VIEWS))
    own = [each for each in _parameters(command) if each.name not in ("looks", "views")]

    @wraps(command)
    def looking(**given: Any) -> None:
        with Door("shell"):
            read = options.looks(**{each.name: given.pop(each.name) for each in looks})
            chosen = _take(given, views)
            command(**given, looks=read, views=chosen)

    shown = (*own, *views, *looks)
    every = [option.replace(kind=Parameter.KEYWORD_ONLY) for option in shown]
    looking.__dict__["__signature__"] = Signature(every)
    return looking


@app.command(epilog="Example: sfumato draw age.json -o age.png --title Ages --figsize 6,4")
@with_looks
def draw(
    file: Annotated[Path, typer.Argument(metavar="FILE.json", help="A saved release.")],
    output: options.Output = None,
    *,
    looks: dict[str, Any],
    views: dict[str, Any],
) -> None:
    """Draw a saved release again, or print its numbers. Costs nothing."""
    from sfumato.releases.document import load

    release = load(file)
    check_outputs(output or [], tuple(release.endings))
    options.check_basemap(looks, drawn=release.kind == "heatmap")
    release.check_view(views)
    publish(release.styled(**looks, **views), output or [], source=file)


app.command(epilog="Example: sfumato sign age.json --key key.pem -o signed.json")(signing.sign)
app.command(epilog="Example: sfumato verify signed.json --key public.pem")(signing.verify)


@app.command(epilog="Example: sfumato combine monday.json tuesday.json -o both.json")
def combine(
    first: Annotated[Path, typer.Argument(metavar="FIRST.json", help="A saved release.")],
    second: Annotated[
        Path, typer.Argument(metavar="SECOND.json", help="Another release of the same chart.")
    ],
    output: options.Output = None,
) -> None:
    """Combine two saved releases of one question into a better one. Costs nothing more."""
    from sfumato.releases.combining import combine as combined
    from sfumato.releases.document import load

    release = combined(load(first), load(second))
    check_outputs(output or [], tuple(release.endings))
    publish(release, output or [])


@app.command(epilog="Example: sfumato demo")
def demo(
    output: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder to write.")] = Path(
        "demo"
    ),
    people: Annotated[
        int, typer.Option(metavar="NUMBER", min=1000, max=2_000_000, help="Number of people.")
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
