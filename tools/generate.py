"""Write the doors to every chart from its definition: `make generate`.

A chart is defined once, in `sfumato.charts`. What is made from it is ordinary code, with signatures
that editors show and docstrings that explain every parameter in place:

    src/sfumato/api.py             a function for each chart
    src/sfumato/charting.py        a method for each chart, which a session has
    src/sfumato/cli/verbs.py       a line for each command, so that it is found without charts
    src/sfumato/cli/screens.json   the help of each command, so that it is shown without a parser

A test makes them again and compares.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args, get_origin

from sfumato.charts.chart import Chart
from sfumato.charts.kinds import CHARTS
from sfumato.charts.option import Option, in_python, options

SOURCE = Path(__file__).parents[1] / "src" / "sfumato"
WIDTH = 100

TABLE = (
    "A path or glob of CSV or Parquet files, a pandas or Polars frame, an Arrow table, a DuckDB "
    "relation or a Spark DataFrame; or a `Table` with limits on threads and memory."
)
UNIT = (
    "What is protected: the column that identifies people, a list of several that do so together, "
    "or a `PrivacyUnit`; each row if left out."
)
UNIT_NAME = 'What people are called on figures: ``"aircraft"``.'
TITLE = "What stands above the picture, instead of what was asked. It changes nothing else."
DERIVED = (
    'Further columns, derived row by row: ``{"speed": "distance / air_time * 60"}``. Declare '
    "bounds or categories for them as for any column."
)
PRICE = "What the chart may spend; a bare number is pure ε."
PRICE_WITH_DELTA = "What the chart may spend, ``sf.Budget(epsilon, delta)``: it needs a δ."
SHARED = "A part of what is left is ``session.remaining / 4``."
ALONE = (
    "{kind} for one unit added or removed. {chart} The release states its guarantee. The cost of "
    "several charts adds up: use a `Session` to limit the total."
)
FRESH = (
    "Measure and pay again, even if the session has released the same chart of the same table at "
    "this cost or more. By default that release is returned, free."
)
DECLARED = "It holds for this chart alone; left out, what the session's domain declares."
IN_A_SESSION = "Costs `budget`, charged before the table is read. {chart}"
PURE = "ε-differentially private, or (ε, δ) where a δ is given,"
APPROXIMATE = "(ε, δ)-differentially private"


@dataclass(frozen=True)
class Definition:
    """A chart, and what its source says of names and defaults."""

    chart: type[Chart[Any, Any]]

    @property
    def name(self) -> str:
        """What the chart is called."""
        return self.chart.__name__

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """All that can be asked of it."""
        return options(self.chart)

    @cached_property
    def release(self) -> str:
        """What its answer is called."""
        bases = [
            base for noun in self.chart.__mro__ for base in vars(noun).get("__orig_bases__", ())
        ]
        asked = [base for base in bases if issubclass(get_origin(base) or object, Chart)]
        answers = [get_args(base)[-1] for base in asked]
        return " | ".join(one.__name__ for one in get_args(answers[0]) or answers[:1])

    @cached_property
    def modules(self) -> dict[str, ast.Module]:
        """The sources that it stands in, and what it has in common with other charts."""
        names = [noun.__module__ for noun in self.chart.__mro__ if is_dataclass(noun)]
        return {name: ast.parse(inspect.getsource(sys.modules[name])) for name in names}

    @cached_property
    def written(self) -> dict[str, ast.AnnAssign]:
        """Its fields, as they are written."""
        nouns = {noun.__name__ for noun in self.chart.__mro__ if is_dataclass(noun)}
        fields = [
            line
            for module in self.modules.values()
            for node in module.body
            if isinstance(node, ast.ClassDef) and node.name in nouns
            for line in node.body
            if isinstance(line, ast.AnnAssign)
        ]
        return {ast.unparse(node.target): node for node in fields}

    def annotation(self, option: Option) -> str:
        """Return a type as it is written."""
        return ast.unparse(self.written[option.name].annotation)

    def parameter(self, option: Option) -> str:
        """Return an option as a parameter."""
        call = self.written[option.name].value
        keywords = call.keywords if isinstance(call, ast.Call) else []
        default = [f" = {ast.unparse(word.value)}" for word in keywords if word.arg == "default"]
        return "".join([f"{option.name}: {self.annotation(option)}", *default])

    def homes(self, names: Iterable[str]) -> Iterator[str]:
        """Yield an import for each name that is not Python's own."""
        found = {
            alias.asname or alias.name: f"from {node.module} import {ast.unparse(alias)}"
            for module in self.modules.values()
            for node in module.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for name, module in self.modules.items():
            for node in module.body:
                if isinstance(node, ast.Assign):
                    target = ast.unparse(node.targets[0])
                    found[target] = f"from {name} import {target}"
        yield from (found[name] for name in names if name in found)
        yield f"from {self.chart.__module__} import {self.name}"

    def imports(self, shown: Iterable[Option]) -> Iterator[str]:
        """Yield what a signature with these options needs."""
        types = " ".join([*map(self.annotation, shown), self.release])
        yield from self.homes(dict.fromkeys(re.findall(r"\w+", types)))


def docstring(
    definition: Definition, parameters: dict[str, str], privacy: str, example: str
) -> str:
    """Return the docstring of a function or method, each paragraph in lines of its own."""
    explained = "\n".join(f"{name}\n{_wrapped(text, 4)}" for name, text in parameters.items())
    sections = [
        definition.chart.summary,
        f"Parameters\n----------\n{explained}",
        f"Privacy\n-------\n{_wrapped(privacy, 0)}",
        f"Examples\n--------\n{example}",
    ]
    return '"""' + "\n\n".join(sections) + '\n"""'


def _wrapped(text: str, indent: int) -> str:
    # Both doors are indented by at most eight.
    lines = textwrap.wrap(text, WIDTH - 8 - indent, break_long_words=False, break_on_hyphens=False)
    return textwrap.indent("\n".join(lines), " " * indent)


def function(definition: Definition) -> str:
    """Return the one-line function of a chart."""
    chart, shown = definition.chart, _without_bounds(definition)
    bounds = f"bounds: {chart.ranges.type}" + ("" if chart.ranges.required else " = None")
    # Components have columns of their own; those that are derived are said to the `Table`.
    derives = all(option.name != "columns" for option in shown)
    last = [
        bounds,
        *(["columns: Mapping[str, str] | None = None"] if derives else []),
        "unit: PrivacyUnit | str | Sequence[str] | None = None",
        "unit_name: str | None = None",
        f"budget: {_price(chart)}",
        "title: str | None = None",
    ]
    explained = {
        "data": TABLE,
        **{option.name: in_python(option) for option in shown},
        "bounds": chart.ranges.help,
        **({"columns": DERIVED} if derives else {}),
        "unit": UNIT,
        "unit_name": UNIT_NAME,
        "budget": PRICE_WITH_DELTA if chart.needs_delta else PRICE,
        "title": TITLE,
    }
    kind = APPROXIMATE if chart.needs_delta else PURE
    privacy = ALONE.format(kind=kind, chart=chart.privacy)
    more = ", columns=columns" if derives else ""
    return _function(
        ["data: object", *_parameters(definition, shown), *last],
        definition,
        docstring(definition, explained, privacy, _example(chart)),
        f"chart = {definition.name}({_passed(definition)})\n"
        "whose = PrivacyUnit.of(unit, unit_name)\n"
        f"return release_alone(data, chart, bounds, whose, budget{more}).styled(title=title)",
    )


def method(definition: Definition) -> str:
    """Return the method of a session for a chart."""
    chart, shown = definition.chart, _without_bounds(definition)
    bounds = (
        chart.ranges.type if chart.ranges.type.endswith("None") else f"{chart.ranges.type} | None"
    )
    explained = {
        **{option.name: in_python(option, session=True) for option in shown},
        "bounds": f"{chart.ranges.help} {DECLARED}",
        "budget": f"{PRICE_WITH_DELTA if chart.needs_delta else PRICE} {SHARED}",
        "fresh": FRESH,
        "title": TITLE,
    }
    priced = [f"bounds: {bounds} = None", f"budget: {_price(chart)} | Share", "fresh: bool = False"]
    priced.append("title: str | None = None")
    text = _function(
        ["self", *_parameters(definition, shown), *priced],
        definition,
        docstring(
            definition, explained, IN_A_SESSION.format(chart=chart.privacy), _in_a_session(chart)
        ),
        f"chart = {definition.name}({_passed(definition)})\n"
        "release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)\n"
        "return release.styled(title=title)",
    )
    return textwrap.indent(text, "    ")


def _function(parameters: list[str], definition: Definition, explained: str, body: str) -> str:
    head = f"def {definition.chart.verb}({', '.join(parameters)},) -> {definition.release}:"
    return f"{head}\n{textwrap.indent(explained, '    ')}\n{textwrap.indent(body, '    ')}\n"


def _parameters(definition: Definition, shown: Iterable[Option]) -> list[str]:
    loose = [option for option in shown if option.about.get("positional")]
    named = [option for option in shown if not option.about.get("positional")]
    return [*map(definition.parameter, loose), "*", *map(definition.parameter, named)]


def _passed(definition: Definition) -> str:
    shown = _without_bounds(definition)
    searches = len(shown) < len(definition.options)
    sought = ["bounds=find_searches(bounds)"] if searches else []
    return ", ".join([*(f"{option.name}={option.name}" for option in shown), *sought]) + ","


def _without_bounds(definition: Definition) -> list[Option]:
    return [option for option in definition.options if option.name != "bounds"]


def _price(chart: type[Chart[Any, Any]]) -> str:
    return "Budget" if chart.needs_delta else "Budget | float"


def _example(chart: type[Chart[Any, Any]]) -> str:
    shown = chart.example
    unit = f", unit={shown.unit}" if shown.unit else ""
    call = f"release = sf.{chart.verb}(table, {shown.asks}, bounds={shown.bounds}{unit}, "
    return _run(
        [
            "import sfumato as sf",
            f"table = sf.testing.{shown.table}",
            f"{call}budget={shown.budget})",
            shown.shows,
        ],
        shown.gives,
    )


def _in_a_session(chart: type[Chart[Any, Any]]) -> str:
    shown = chart.example
    unit = f", unit={shown.unit}" if shown.unit else ""
    total = "sf.Budget(2, 1e-5)" if chart.needs_delta else "2.0"
    return _run(
        [
            "import sfumato as sf",
            f"table = sf.testing.{shown.table}",
            f"session = sf.Session(table, domain={shown.domain}{unit}, budget={total})",
            f"release = session.{chart.verb}({shown.asks}, budget={shown.budget})",
            shown.shows,
        ],
        shown.gives,
    )


def _run(statements: list[str], gives: str) -> str:
    """Return statements as they are typed, long ones over several lines."""
    formatted = ruff("\n".join(statements), "format", width=WIDTH - 12).splitlines()
    typed = [
        (">>> " if line[:1] not in (" ", ")", "}") else "... ") + line for line in formatted if line
    ]
    return "\n".join([*typed, gives])


def ruff(text: str, *order: str, width: int = WIDTH) -> str:
    """Return a source as ruff would have it."""
    command = [sys.executable, "-m", "ruff", *order, "--config", f"line-length={width}", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return done.stdout


def finished(text: str, imports: Iterable[str]) -> str:
    """Return a whole module: what it says of itself, what it imports, and the rest, in order."""
    first, _, rest = text.partition("\n\n\n")
    needed = "\n".join(dict.fromkeys(imports))
    whole = f"{first}\n\nfrom __future__ import annotations\n\n{needed}\n\n\n{rest}"
    sorted_imports = ruff(whole, "check", "--quiet", "--select", "I,F401", "--fix", "--exit-zero")
    return ruff(sorted_imports, "format")


def one_line_functions() -> str:
    """Return `api.py`."""
    definitions = [Definition(chart) for chart in CHARTS]
    text = '''"""One-line charts: a table in, a release out.

Made by tools/generate.py from the definitions of the charts.
"""


'''
    text += "\n\n".join(map(function, definitions))
    imports = [
        "from collections.abc import Mapping, Sequence",
        "from sfumato.alone import release_alone",
        "from sfumato.private_search import Private, find_searches",
        "from sfumato.charts.axes import Range",
        "from sfumato.privacy.budget import Budget",
        "from sfumato.privacy.guarantee import PrivacyUnit",
    ]
    for each in definitions:
        imports += each.imports(_without_bounds(each))
    return finished(text, imports)


def methods() -> str:
    """Return `charting.py`."""
    definitions = [Definition(chart) for chart in CHARTS]
    text = '''"""`Charting`: a method for each chart, for whatever can release one.

Made by tools/generate.py from the definitions of the charts.
"""


class Charting(ABC):
    """Charts asked for by name; each is planned, charged and measured by `release`."""

    @abstractmethod
    def release(
        self,
        chart: Chart[P, R_co],
        *,
        bounds: object = None,
        budget: Budget | Share | float,
        fresh: bool = False,
    ) -> R_co:
        """Plan, charge, measure; unless the same was released before, and `fresh` is not asked for.

        Privacy
        -------
        Costs at most `budget`, charged before anything is read.
        """

'''
    text += "\n".join(map(method, definitions))
    imports = [
        "from abc import ABC, abstractmethod",
        "from collections.abc import Mapping, Sequence",
        "from sfumato.private_search import Private, find_searches",
        "from sfumato.charts.axes import Range",
        "from sfumato.charts.chart import Chart, P, R_co",
        "from sfumato.privacy.budget import Budget",
        "from sfumato.privacy.share import Share",
    ]
    for each in definitions:
        imports += each.imports(each.options)
    return finished(text, imports)


def verbs() -> str:
    """Return `cli/verbs.py`."""
    text = '''"""The command of every chart in a line, so that help is shown without loading any.

Made by tools/generate.py from the definitions of the charts.
"""


@dataclass(frozen=True)
class Verb:
    """What a command does, and where its chart is defined."""

    summary: str
    module: str
    chart: str


VERBS = {
'''
    for chart in CHARTS:
        known = (chart.summary, chart.__module__, chart.__name__)
        text += f"    {chart.verb!r}: Verb({', '.join(map(repr, known))},),\n"
    text += '}\n"""Every chart, by the word it is asked for with."""\n'
    return finished(text, ["from dataclasses import dataclass"])


def screens() -> str:
    """Return `cli/screens.json`."""
    from sfumato.cli.commands import whole

    shown = {" ".join(path): _screen(command, path) for path, command in _inside(whole(), ())}
    return json.dumps(shown, ensure_ascii=False, indent=1) + "\n"


def _inside(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from _inside(inner, (*path, name))


def _screen(command: Any, path: tuple[str, ...]) -> dict[str, Any]:
    """Return what a command says of itself: arguments first, loose options last."""
    inner: dict[str, Any] = getattr(command, "commands", {})
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    panels: dict[str, list[list[str]]] = {"Files": [_row(each) for each in arguments]}
    if inner:
        panels["Commands"] = [[name, each.help] for name, each in inner.items()]
    loose = list[list[str]]()
    for option in command.params:
        if option not in arguments:
            panel = getattr(option, "rich_help_panel", None)
            (panels.setdefault(panel, []) if panel else loose).append(_row(option))
    panels["Options"] = [*loose, ["-h, --help", "Show this help."]]
    called = " ".join(["sfumato", *path])
    names = ["COMMAND"] if inner else [each.metavar for each in arguments]
    return {
        "usage": " ".join([called, *names, "[OPTIONS]"]),
        "summary": command.help,
        "panels": {title: rows for title, rows in panels.items() if rows},
        "example": command.epilog,
    }


def _row(parameter: Any) -> list[str]:
    """Return what is typed for an option or an argument, and what it means."""
    named = parameter.param_type_name != "argument"
    choices = getattr(parameter.type_descriptor, "choices", None) or ()
    flag = getattr(parameter, "is_flag", False)
    value = "" if flag else parameter.metavar or "|".join(choices) or "WORD"
    names = ", ".join(sorted(parameter.opts, key=len)) if named else ""
    default = parameter.default
    meaning = [parameter.help]
    if parameter.required and named:
        meaning.append("Required.")
    elif default not in (None, 0.0, False):
        shown = parameter.show_default
        meaning.append(f"Default: {shown if isinstance(shown, str) else default}".rstrip(".") + ".")
    return [" ".join(filter(None, [names, value])), " ".join(meaning)]


GENERATED = {
    SOURCE / "api.py": one_line_functions,
    SOURCE / "charting.py": methods,
    SOURCE / "cli" / "verbs.py": verbs,
    SOURCE / "cli" / "screens.json": screens,
}

if __name__ == "__main__":
    for place, make in GENERATED.items():
        place.write_text(make(), encoding="utf-8")
        print(f"Wrote {place.relative_to(SOURCE.parents[1])}")
