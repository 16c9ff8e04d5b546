"""What can be asked is in the catalogue, and all that is in it is released, saved and drawn."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pyarrow as pa
import pytest

import sfumato as sf
from artefacts import requests as typed
from artefacts.canaries import DOMAIN, ONE
from artefacts.commands import spoken
from sfumato.catalogue import CITY, Request, citizens, request, requests
from sfumato.charting import Charting
from sfumato.charts.axes import Order
from sfumato.charts.chart import Redrawn
from sfumato.charts.kinds import CHARTS
from sfumato.errors import DomainError
from sfumato.private_search import Private
from sfumato.releases import document

REQUESTS = requests(CITY)
UNITS = (sf.PrivacyUnit.rows(), CITY.users, CITY.few)

# Words that a type does not tell.
CHOICES: dict[tuple[type, str], Iterable[object]] = {(sf.Scoreplot, "split"): ("thirds", "halves")}


def parts(hint: Any) -> Iterator[Any]:
    """Return a type and all that it is made of."""
    yield hint
    for part in get_args(hint):
        yield from parts(part)


def words(chart: type, name: str, hint: Any) -> set[object]:
    """Return the words that an option may have."""
    told = (get_args(part) for part in parts(hint) if get_origin(part) is Literal)
    return {*chain.from_iterable(told), *CHOICES.get((chart, name), ())}


def untried(tried: Sequence[Request], charts: Iterable[type]) -> set[str]:
    """Return what the charts can be asked for and no request asks for."""
    kinds = {chart: [each for each in tried if type(each.chart) is chart] for chart in charts}
    options = {each for chart, mine in kinds.items() for each in _untried_options(chart, mine)}
    asked = {chart: mine for chart, mine in kinds.items() if not issubclass(chart, Redrawn)}
    return options | {each for chart, mine in asked.items() for each in _untried_noise(chart, mine)}


def _untried_options(chart: type, mine: Sequence[Request]) -> Iterator[str]:
    hints = get_type_hints(chart)
    for name in (field.name for field in fields(chart)):
        here = f"{chart.__name__}.{name}"
        values = [each.options[name] for each in mine if name in each.options]
        if not values:
            yield here
        if Private in parts(hints[name]) and not any(isinstance(each, Private) for each in values):
            yield f"{here}, searched"
        said = [getattr(each.chart, name) for each in mine] + values
        for word in words(chart, name, hints[name]):
            if word not in said:
                yield f"{here}={word!r}"


def _untried_noise(chart: type, mine: Sequence[Request]) -> Iterator[str]:
    for unit in UNITS:
        if unit not in {each.unit for each in mine} and not refused(unit, mine):
            yield f"{chart.__name__} for {unit!r}"
    for gaussian in (False, True):
        if not any(each.gaussian is gaussian for each in mine) and chart not in NOISY:
            yield f"{chart.__name__} by {'Gaussian' if gaussian else 'Laplace'} noise"


NOISY = (sf.PCA, sf.Scoreplot)  # which are refused without a δ


def refused(unit: sf.PrivacyUnit, tried: Sequence[Request]) -> bool:
    """Tell whether all requests for a chart are refused for a unit, from public facts."""
    return bool(tried) and not any(planned(replace(each, unit=unit)) for each in tried)


def planned(each: Request) -> bool:
    try:
        each.chart.plan(CITY.domain, each.unit, each.budget(4))
    except DomainError:
        return False
    return True


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return citizens(100)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ONE.write(tmp_path_factory.mktemp("table"))


def test_every_option_word_search_and_unit_of_every_chart_is_tried() -> None:
    assert untried(REQUESTS, CHARTS) == set()


def test_every_chart_is_in_the_catalogue() -> None:
    verbs = {name for name in vars(Charting) if not name.startswith("_")}
    assert {each.verb for each in REQUESTS} == verbs - {"release"}


@dataclass(frozen=True)
class Pie:
    """A chart that nobody put into the catalogue."""

    x: str
    order: Order | None = None
    slices: Literal["thin", "thick"] = "thin"


def test_a_chart_that_is_not_in_the_catalogue_is_noticed() -> None:
    assert untried(REQUESTS, [Pie]) >= {
        "Pie.x", "Pie.order", "Pie.order, searched", "Pie.slices='thick'",
        "Pie for PrivacyUnit.rows()",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("without", "missed"),
    [
        ("boxplot-lying", {"Boxplot.orient='h'"}),
        ("quantiles-unbounded", {"Quantiles.method='unbounded'"}),
        ("scoreplot-pyramid", {"Scoreplot.method='pyramid'"}),
        ("scoreplot-given", {"Scoreplot.pca", "Scoreplot.split='halves'"}),
        ("pca-few", {"PCA.n_components", f"PCA for {CITY.few!r}"}),
        ("histplot-search", {"Histogram.order, searched"}),
        ("heatmap-weight", {"Heatmap.weight"}),
    ],
)
def test_an_option_that_is_tried_no_more_is_noticed(without: str, missed: set[str]) -> None:
    kept = [each for each in REQUESTS if each.name != without]
    assert len(kept) == len(REQUESTS) - 1
    assert untried(kept, CHARTS) == missed


def test_names_are_unlike_and_one_request_is_typical_of_each_chart() -> None:
    names = [each.name for each in REQUESTS]
    assert len({*names}) == len(names)
    assert all(each.name.split("-")[0] == each.verb for each in REQUESTS)
    assert sorted(each.verb for each in REQUESTS if each.typical) == sorted(
        chart.verb for chart in CHARTS
    )


def test_a_request_can_be_made_like_another_but_not_with_an_option_that_it_is_tried_without() -> (
    None
):
    hue = request("histplot-hue", CITY)
    assert hue.like(bins=3) == sf.Histogram("systolic", hue="sex", bins=3)
    with pytest.raises(TypeError, match="histplot-hue is tried without order, stat"):
        hue.like(order=["male"], stat="density")


def test_each_chart_has_a_kind_of_release_that_can_be_read(table: pa.Table) -> None:
    with sf.testing.seeded(5):
        made = [
            each.release(each.session(table, CITY.domain), each.budget(4)).kind
            for each in REQUESTS
            if each.typical or each.name == "choropleth-mean"  # a map of counts is another kind
        ]
    assert set(made) == set(document.kinds())


@pytest.mark.parametrize(
    "asked",
    [each for each in typed.REQUESTS if typed.typeable(each) and each.given is None],
    ids=lambda each: each.name,
)
def test_what_is_typed_is_planned_as_in_python(asked: Request, place: Path) -> None:
    # As a chart that stands alone: a ledger with a δ would convert with its own split and order.
    session = sf.Session(place, unit=asked.unit, domain=DOMAIN, budget=1, size=asked.size)
    budget = asked.budget(typed.EPSILON, typed.DELTA, weak=True)
    said = spoken(["plan", *typed.words(asked, str(place), DOMAIN, None)])
    plan = session.plan(asked.chart, budget=budget)
    assert plan.standing.startswith(("affordable", "refused"))
    # Without a ledger the shell has nothing that could pay or refuse.
    assert said.split() == str(replace(plan, standing="")).split()


@pytest.mark.parametrize("asked", REQUESTS, ids=lambda each: each.name)
def test_what_is_released_is_read_again_as_it_was_and_can_be_drawn(
    asked: Request, table: pa.Table
) -> None:
    with sf.testing.seeded(5):
        release = asked.release(asked.session(table, CITY.domain), asked.budget(4, weak=True))
    again = document.read(json.loads(json.dumps(release.to_dict())))
    assert again == release and type(again) is type(release)
    assert again.figure(**asked.view).panels
