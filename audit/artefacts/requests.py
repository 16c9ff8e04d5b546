"""Every request of the catalogue for the table of canaries, in Python and as typed in a shell."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, cast

from artefacts.canaries import DOMAIN, ROLES
from sfumato.catalogue import Request, requests
from sfumato.charts.choropleth.chart import Choropleth
from sfumato.domain import Bounds, Domain, convert_to_datetime
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import Private
from sfumato.regions import Region, write_areas
from sfumato.releases.release import Release

EPSILON, DELTA = 4.0, 1e-5
_FLAGS = {"n_components": "--components"}

REQUESTS = requests(ROLES)
"""All that is asked of the canaries."""


def named(name: str) -> Request:
    """Return the request of this name."""
    return next(request for request in REQUESTS if request.name == name)


def release(request: Request, table: object) -> Release:
    """Ask for a chart of the canaries in Python."""
    session = request.session(table, DOMAIN, name="declared")
    return request.release(session, request.budget(EPSILON, DELTA, weak=True))


def typeable(request: Request) -> bool:
    """Tell whether a request can be typed in a shell, and kept in a ledger."""
    # A ledger does not add up what replaces rows, and a search within limits has no spelling.
    if request.size is not None or any(each.within for each in request.searches.values()):
        return False
    return {_flag(name) for name in request.options} <= _known(request.verb)


def mapped(request: Request) -> bool:
    """Tell whether a request gives a map of places; days have none."""
    verbs, days = ("heatmap", "scatterplot", "jointplot", "choropleth"), ROLES.day
    return request.verb in verbs and days not in (request.options["x"], request.options["y"])


def words(request: Request, table: str, domain: Domain, components: Path | None) -> list[str]:
    """Return what to type, where components that are needed lie in a file."""
    options = {**request.options, **({"pca": components} if request.components else {})}
    public = (*_DECLARED, *(["levels"] if _is_proportion(options) else []))
    asked = {name: value for name, value in options.items() if name not in public}
    return [
        request.verb,
        table,
        *(word for name, value in asked.items() for word in _spelled(name, value)),
        *_mapped_regions(request),
        *_public(request, domain),
        *paid(request),
    ]


def paid(request: Request) -> list[str]:
    """Return how the price is typed, and who is protected."""
    delta = ["--delta", str(DELTA)] if request.gaussian else []
    return ["--epsilon", f"{EPSILON:g}", "--weak", *delta, *unit(request.unit)]


def unit(protected: PrivacyUnit) -> list[str]:
    """Return how a unit is typed."""
    if protected.column is None:
        return []
    rows = f":{protected.max_rows}" if protected.max_rows else ""
    return ["--unit", f"{protected.column}{rows}"]


def _mapped_regions(request: Request) -> list[str]:
    """Return how regions are typed, which lie in a file that names them as the request says."""
    chart = request.chart
    if not isinstance(chart, Choropleth):
        return []
    return ["--regions", str(_write_regions(chart.name, chart.areas.areas))]


@cache
def _write_regions(name: str, regions: tuple[Region, ...]) -> Path:
    plain = write_areas(regions, [{name: region.name} for region in regions])
    path = Path(mkdtemp(prefix="regions-")) / "regions.geojson"
    path.write_text(json.dumps(plain), encoding="utf-8")
    return path


_DECLARED = ("regions", "bounds", "order", "hue_order", "col_order", "row_order")


@cache
def _known(verb: str) -> set[str]:
    """Return the options of a command."""
    from typer.main import get_command

    from sfumato.cli.commands import app

    group: Any = get_command(app)
    group.load(verb)
    return {flag for parameter in group.commands[verb].params for flag in parameter.opts}


def _flag(name: str) -> str:
    return _FLAGS.get(name, f"--{name.replace('_', '-')}")


def _spelled(name: str, value: Any) -> Iterator[str]:
    """Spell an option: what has several parts is repeated, or has commas in it."""
    match value:
        case Private():
            yield from (_flag(name), _searched(value))
        case Mapping():
            for column, each in cast("Mapping[str, float | Private]", value).items():
                told = _searched(each) if isinstance(each, Private) else f"{each:g}"
                yield from (_flag(name), f"{column}={told}")
        case [tuple() | list(), _] | [_, tuple() | list()]:
            for axis in value:
                yield from _spelled(name, axis)
        case [str(), str()] if name == "bins":  # a word of the calendar for each axis
            for axis in value:
                yield from _spelled(name, axis)
        case tuple() | list():
            yield from (_flag(name), _listed(cast("Sequence[object]", value)))
        case _:
            yield from (_flag(name), str(value))


def _public(request: Request, domain: Domain) -> Iterator[str]:
    """Spell what is declared, or searched for, about the columns of a chart."""
    options = request.options
    roles = ("x", "y", "value", "hue", "col", "row", "weight")
    columns = [(name, options[name]) for name in roles if name in options]
    columns += [("columns", column) for column in options.get("columns", ())]
    bounded: set[str] = set()
    for name, column in columns:
        grouped = name in ("hue", "col", "row")
        fact, order = domain.fact(column), f"{name}_order" if grouped else "order"
        if name == ("value" if "value" in options else "y") and _is_proportion(options):
            order = "levels"
        if not isinstance(fact, Bounds):
            yield from _spelled(order, options.get(order, fact.values))
        elif "bounds" in options:
            if "bounds" not in bounded:  # one search may be for both sides of a window
                bounded.add("bounds")
                yield from _spelled("bounds", options["bounds"])
        elif column not in bounded:  # x and y may be one column, which has its range once
            bounded.add(column)
            yield from ("--bounds", f"{column}={_listed(_ends(fact))}")


def _is_proportion(options: Mapping[str, Any]) -> bool:
    """Tell whether the categories of what is told are listed, too."""
    return options.get("estimator") == "proportion"


def _ends(bounds: Bounds) -> list[str]:
    ends = (bounds.lower, bounds.upper)
    return [f"{convert_to_datetime(end):%Y-%m-%d}" if bounds.time else f"{end:g}" for end in ends]


def _listed(values: Sequence[object]) -> str:
    line = StringIO()
    csv.writer(line, lineterminator="").writerow(values)
    return line.getvalue()


def _searched(search: Private) -> str:
    amounts = [amount for amount in (search.delta, search.share) if amount is not None]
    within = [] if search.within is None else [f"{search.limits.lower!r},{search.limits.upper!r}"]
    return ":".join(["private", *map(str, amounts), *within])
