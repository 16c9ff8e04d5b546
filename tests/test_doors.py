"""A chart is defined once, and every door leads to all of it."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field
from typing import Any, get_args

import pytest

import generate
import sfumato as sf
import size
from sfumato.charting import Charting
from sfumato.charts.boxplot.chart import BoxMethod
from sfumato.charts.chart import Chart
from sfumato.charts.heatmap.chart import HeatMethod
from sfumato.charts.histogram import Histogram
from sfumato.charts.kinds import CHARTS
from sfumato.charts.option import About, Option, in_a_shell, options
from sfumato.charts.quantiles import QuantileMethod
from sfumato.cli.commands import whole
from sfumato.cli.options import SPELLINGS, asking
from sfumato.cli.verbs import VERBS
from sfumato.releases import boxplot, heatmap, histogram, quantiles, scoreplot

EVERY = [
    pytest.param(chart, option, id=f"{chart.verb}-{option.name}")
    for chart in CHARTS
    for option in options(chart)
]
SHARED = {"data", "bounds", "columns", "unit", "unit_name", "budget", "title"}


@dataclass(frozen=True)
class Pie(Histogram):
    """A twin of the histogram with an option that no door knows."""

    slices: int = field(default=3, metadata=About(help="How many."))


def doors(chart: type[Chart[Any, Any]]) -> dict[str, set[str]]:
    """Return the names that each door to a chart takes."""
    command = whole().commands[chart.verb]
    return {
        "function": {*inspect.signature(getattr(sf, chart.verb)).parameters},
        "method": {*inspect.signature(getattr(Charting, chart.verb)).parameters},
        "command": {parameter.name for parameter in command.params},
    }


def unreachable(chart: type[Chart[Any, Any]]) -> set[tuple[str, str]]:
    """Return the options of a chart that some door does not lead to."""
    names = {option.name for option in options(chart)}
    return {(door, name) for door, taken in doors(chart).items() for name in names - taken}


@pytest.mark.parametrize("chart", CHARTS)
def test_every_option_of_a_chart_is_reachable_from_all_doors(chart: type[Chart[Any, Any]]) -> None:
    assert unreachable(chart) == set()


def test_an_option_that_no_door_knows_is_noticed() -> None:
    assert unreachable(Pie) == {("function", "slices"), ("method", "slices"), ("command", "slices")}


@pytest.mark.parametrize("chart", CHARTS)
def test_no_door_takes_what_the_chart_does_not(chart: type[Chart[Any, Any]]) -> None:
    names = {option.name for option in options(chart)}
    found = doors(chart)
    assert found["function"] - names == SHARED - names
    assert found["method"] - names == {"self", "bounds", "budget", "fresh", "title"} - names


@pytest.mark.parametrize(("chart", "option"), EVERY)
def test_every_default_is_that_of_the_definition(
    chart: type[Chart[Any, Any]], option: Option
) -> None:
    for door in (getattr(sf, chart.verb), getattr(Charting, chart.verb)):
        default = inspect.signature(door).parameters[option.name].default
        # A window is asked for in one place, whether it is declared or searched for.
        declared = option.name == "bounds" and door.__module__ == "sfumato.api"
        required = option.required or (declared and chart.ranges.required)
        assert (default is inspect.Parameter.empty) == required
        assert required or default == option.default


@pytest.mark.parametrize(("chart", "option"), EVERY)
def test_every_option_says_about_itself_what_doors_need(
    chart: type[Chart[Any, Any]], option: Option
) -> None:
    about = option.about
    assert set(about) <= set(About.__annotations__)
    assert about["help"].endswith(".") and len(about["help"]) < 300
    assert not option.choices or about["why"].startswith("It ")
    assert option.choices or option.name == "bounds" or about["metavar"]
    assert option.plain or option.name == "bounds" or about["spelled"] in SPELLINGS
    assert option.name == "bounds" or not re.search(r"`|sf\.", in_a_shell(option))


def test_sizes_are_counted_of_every_chart() -> None:
    verbs = {chart.__name__: chart.verb for chart in CHARTS}
    assert {noun: verb for noun, (verb, _) in size.CHARTS.items()} == verbs


@pytest.mark.parametrize("place", generate.GENERATED, ids=lambda place: place.name)
def test_what_is_made_from_the_definitions_is_fresh(place: Any) -> None:
    assert generate.GENERATED[place]() == place.read_text(encoding="utf-8")


def test_a_door_that_is_not_fresh_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    (place,) = (place for place in generate.GENERATED if place.name == "verbs.py")
    monkeypatch.setattr(Histogram, "summary", "Count.")
    assert generate.GENERATED[place]() != place.read_text(encoding="utf-8")


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("home", [sf, Charting], ids=["function", "method"])
def test_every_parameter_is_explained_in_place(home: Any, chart: type[Chart[Any, Any]]) -> None:
    door = getattr(home, chart.verb)
    text = inspect.getdoc(door) or ""
    explained = re.findall(r"^(\w+)\n    \S", text.split("Privacy\n-------")[0], re.MULTILINE)
    assert explained == [name for name in inspect.signature(door).parameters if name != "self"]
    assert not re.search(r"[Aa]s in `|[Ss]ee `", text)
    assert chart.privacy.split()[0] in text and ">>> " in text


@pytest.mark.parametrize("chart", CHARTS)
def test_the_first_help_knows_every_chart(chart: type[Chart[Any, Any]]) -> None:
    known = VERBS[chart.verb]
    assert (known.summary, known.module) == (chart.summary, chart.__module__)
    assert set(VERBS) == {each.verb for each in CHARTS}
    assert getattr(sf, chart.__name__) is chart


def test_what_is_typed_becomes_what_is_asked() -> None:
    typed = dict.fromkeys(inspect.signature(asking(sf.Boxplot)).parameters)
    typed |= {"x": "ward", "y": "wait", "method": "single", "whis": 2.0, "buffer": 0.5}
    asked = asking(sf.Boxplot)(**typed | {"order": "A,B", "bounds": ["private:0.2"]})
    search = sf.private(share=0.2)
    chart = sf.Boxplot(
        "ward", "wait", order=sf.Categories(("A", "B")), bounds=search, method="single",
        whis=2.0, buffer=0.5,
    )  # fmt: skip
    assert (asked.chart, asked.bounds) == (chart, search)


def test_an_option_that_no_shell_can_read_is_noticed() -> None:
    @dataclass(frozen=True)
    class Odd(Histogram):
        slices: dict[str, int] | None = field(default=None, metadata=About(help="How many."))

    Odd.__init__.__globals__["Odd"] = Odd
    with pytest.raises(KeyError, match="slices"):
        asking(Odd)


def test_a_session_of_a_public_size_takes_that_number_and_no_other() -> None:
    table, facts = sf.testing.city(people=300), {"age": (0, 100)}
    session = sf.Session(table, domain=facts, budget=2.0, size=300)
    release = session.quantiles(x="age", neighbours="replace", n=300, budget=1.0)
    assert release.guarantee.size == 300
    for wrong in ({"neighbours": "replace", "n": 299}, {}):
        with pytest.raises(sf.LedgerError, match="other neighbours"):
            session.quantiles(x="age", budget=1.0, **wrong)
    assert len(session.ledger.entries) == 1


def test_every_option_is_declared_once_by_hand() -> None:
    options_there_are, by_hand, _ = size.declarations(size.HERE)
    assert options_there_are == by_hand
    # Those that several charts have stand in what these are made of.
    own = [option for chart in CHARTS for option in options(chart) if _stands_in(chart, option)]
    assert options_there_are == len(own)


def _stands_in(chart: type[Chart[Any, Any]], option: Option) -> bool:
    return option.name in inspect.get_annotations(chart)


TWO_COLUMNS = (sf.Heatmap, sf.Scatterplot, sf.Jointplot, sf.Choropleth)
METHODS = {
    BoxMethod: boxplot.METHODS,
    HeatMethod: heatmap.METHODS,
    QuantileMethod: quantiles.METHODS,
    scoreplot.Method: scoreplot.METHODS,
    histogram.Stat: histogram.STATS,
}


@pytest.mark.parametrize("words", METHODS)
def test_the_methods_that_can_be_asked_for_are_those_that_captions_know(words: Any) -> None:
    assert get_args(words) == tuple(METHODS[words])


@pytest.mark.parametrize(("chart", "option"), [each for each in EVERY if each.values[1].choices])
def test_a_word_that_an_option_does_not_know_is_refused_with_those_it_does(
    chart: type[Chart[Any, Any]], option: Option
) -> None:
    asked: dict[str, Any] = {"x": "a", "y": "b"} if hasattr(chart, "y") else {"x": "a"}
    asked |= {"y": "b"} if chart in TWO_COLUMNS else {}
    asked |= {"regions": sf.testing.districts()} if chart is sf.Choropleth else {}
    asked = {"columns": ["a", "b"]} if chart in (sf.PCA, sf.Scoreplot) else asked
    for wrong in ("pie", 7, ["pie"], "", b"pie"):
        with pytest.raises(sf.DomainError) as refused:
            chart(**asked | {option.name: wrong})
        told = str(refused.value)
        assert f" is not known. {option.about['why']}" in told and told.startswith(option.name)
        assert all(repr(word) in told for word in option.choices)
