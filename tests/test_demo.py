"""The demonstration: one command, one page, nothing from the network."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.charts.kinds import CHARTS
from sfumato.cli.run import run
from sfumato.demo import make
from sfumato.demo.examples import EXAMPLES, SUBJECTS, DemoChart
from sfumato.demo.page import write_program
from sfumato.expressions import Selection
from sfumato.privacy.budget import Cost, to_fraction
from sfumato.session import Session

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
PEOPLE = 3000


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tour") / "demo"
    told: list[str] = []
    index = make(folder, PEOPLE, told.append)
    assert index == folder / "index.html"
    assert len(told) == len(EXAMPLES) + 2
    return folder


@pytest.fixture
def copy(demo: Path, tmp_path: Path) -> Path:
    """A demonstration that may be changed."""
    return shutil.copytree(demo, tmp_path / "demo")


def test_every_chart_there_is_has_an_example() -> None:
    assert {type(example.chart) for example in EXAMPLES} == set(CHARTS)


def test_the_examples_fit_their_budgets() -> None:
    for table, subject in SUBJECTS.items():
        mine = [example for example in EXAMPLES if example.table == table]
        costs = [
            example.chart.plan(subject.domain, subject.unit, example.budget).cost
            for example in mine
        ]
        spent = sum(costs, Cost.nothing())
        if spent.epsilon is None:
            assert Fraction(1, 2) < spent.rho / subject.budget.rho < 1
        else:
            assert Fraction(1, 2) < spent.epsilon / to_fraction(subject.budget.epsilon) < 1


def test_the_page_shows_every_chart_with_its_price_and_code(demo: Path) -> None:
    page = (demo / "index.html").read_text(encoding="utf-8")
    for example in EXAMPLES:
        assert f'id="{example.name}"' in page
        assert f"ε = {example.epsilon:g}</span>" in page
    assert page.count("<svg ") >= len(EXAMPLES)
    assert page.count("<pre>") == len(EXAMPLES) + 1


def test_the_page_needs_nothing_but_itself(demo: Path) -> None:
    page = (demo / "index.html").read_text(encoding="utf-8")
    assert not re.findall(r"""src=["']?(?!data:)[^"'>]+""", page)
    links = set(re.findall(r"""href=["']?(?!#|data:)([^"'>]+)""", page))
    assert links == {f"{example.name}.html" for example in EXAMPLES if example.lively}
    assert all((demo / link).is_file() for link in links)
    assert not re.findall(r"<script|@import|url\((?!#|data:)", page)


def test_the_ledgers_hold_one_entry_for_each_chart(demo: Path) -> None:
    for table, subject in SUBJECTS.items():
        ledger = sf.Ledger.open(demo / f"{table}.ledger")
        examples = [example for example in EXAMPLES if example.table == table]
        assert [entry.label for entry in ledger.entries] == [
            example.chart.plan(subject.domain, subject.unit, example.budget).label
            + Selection.of(example.chart.where, None, {}, ()).words
            for example in examples
        ]
        assert ledger.budget == subject.budget


def test_a_ledger_is_shown_as_shares_of_what_it_counts(demo: Path) -> None:
    page = (demo / "index.html").read_text(encoding="utf-8")
    left = re.findall(r"<h3>(\w+)\.ledger <small>([0-9.e-]+) % of Budget\(", page)
    assert {name for name, _ in left} == {"people", "checkins", "patients"}
    bars = re.findall(r'<div class="bar">(.*?)</div>', page)
    widths = [sum(map(float, re.findall(r"width:([0-9.]+)%", bar))) for bar in bars]
    for width, (_, rest) in zip(widths, left, strict=True):
        assert 50 < width < 100
        assert width + float(rest) == pytest.approx(100, abs=0.5)


def test_every_release_can_be_loaded_and_is_private(demo: Path) -> None:
    for example in EXAMPLES:
        release = sf.load(demo / f"{example.name}.json")
        assert release.private
        subject = SUBJECTS[example.table]
        plan = example.chart.plan(subject.domain, subject.unit, example.budget)
        assert release.guarantee == plan.guarantee


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_the_code_on_the_page_makes_the_chart(
    demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, example: DemoChart
) -> None:
    for name in (f"{example.table}.parquet", "districts.geojson"):
        shutil.copy(demo / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sf.Release, "save", _not_saved)
    names: dict[str, object] = {}
    exec(write_program(example), names)
    chart, shown = names["chart"], sf.load(demo / f"{example.name}.json")
    assert isinstance(chart, sf.Release)
    assert chart.guarantee == shown.guarantee
    # A search may find more or less again, and a frame be wider or narrower.
    free = {"x", "y"} if shown.parameters.get("found") or shown.kind == "scoreplot" else set[str]()
    free |= (
        {"columns"} if shown.parameters.get("scaled") == "private" else set[str]()
    )  # their scales
    assert {key: value for key, value in chart.parameters.items() if key not in free} == {
        key: value for key, value in shown.parameters.items() if key not in free
    }


def test_the_code_on_the_page_says_nothing_that_is_usual() -> None:
    (example,) = (example for example in EXAMPLES if example.name == "map")
    assert 'heatmap(x="lon", y="lat", budget=0.45)' in write_program(example)
    finer = replace(example, chart=sf.Heatmap(x="lon", y="lat", resolution=512))
    assert 'heatmap(x="lon", y="lat", resolution=(512, 512), budget=0.45)' in write_program(finer)


def _not_saved(release: sf.Release, path: str) -> None:
    """Stand in for `save`: what is drawn is not what this test is about."""


def test_the_boxes_left_open_are_those_the_page_tells_of() -> None:
    tables = {"people": sf.testing.city(), "checkins": sf.testing.checkins()}
    for example in (example for example in EXAMPLES if isinstance(example.chart, sf.Boxplot)):
        subject = SUBJECTS[example.table]
        session = Session(
            tables[example.table], unit=subject.unit, domain=subject.domain, budget=subject.budget
        )
        with sf.testing.seeded(1):
            release = session.release(example.chart, budget=example.epsilon)
        for group in release.records():
            assert group["reliable"] == (group.get("sex") != "other"), example.name


def test_the_commands_on_the_page_work(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (copy / "index.html").read_text(encoding="utf-8")
    monkeypatch.chdir(copy)
    commands = re.findall(r"^sfumato (.+?)(?:</code>)?(?:</pre>)?$", page, re.MULTILINE)
    assert len(commands) == 4
    assert [run(command.split()) for command in commands] == [0, 0, 0, 0]


def test_the_command_repeats_the_demonstration_and_leaves_other_files_alone(
    copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (copy / "mine.txt").write_text("keep")
    before = sf.Ledger.open(copy / "people.ledger").entries
    monkeypatch.chdir(copy.parent)
    assert run(["demo", "--people", "1000"]) == 0
    assert "demo/index.html" in capsys.readouterr().out
    assert json.loads((copy / "map.json").read_text())["private"] is True
    after = sf.Ledger.open(copy / "people.ledger").entries
    assert len(after) == len([example for example in EXAMPLES if example.table == "people"])
    assert after[0].time > before[0].time
    assert (copy / "mine.txt").read_text() == "keep"


def test_a_folder_that_is_not_a_demonstration_is_left_alone(tmp_path: Path) -> None:
    sf.Ledger.create(tmp_path / "people.ledger", budget=1, table="patients")
    ledger = (tmp_path / "people.ledger").read_bytes()
    assert run(["demo", "--output", str(tmp_path)]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["people.ledger"]
    assert (tmp_path / "people.ledger").read_bytes() == ledger


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert run(["demo", "--output", str(tmp_path / "file" / "demo")]) == 2


def opened(page: Path, folder: Path) -> tuple[str, list[str], list[str]]:
    """Open a page in a browser; return its content, its complaints and what it asks the net for.

    The browser asks the net for things of its own, which the log tells apart: no page began them.
    """
    log = folder / "net.json"
    flags = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
        "--disable-background-networking --disable-component-update --disable-extensions "
        "--enable-logging=stderr --dump-dom"
    )
    command = [str(BROWSER), *flags.split(), f"--user-data-dir={folder / 'profile'}"]
    command += [f"--log-net-log={log}", page.absolute().as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    events = [event.get("params", {}) for event in json.loads(log.read_text())["events"]]
    asked = [
        event["url"]
        for event in events
        if event.get("initiator", "not an origin") != "not an origin"
    ]
    return done.stdout, complaints, asked


@pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed: the page was not opened")
@pytest.mark.parametrize(
    ("page", "words"),
    [("index.html", "Velatura does not exist"), ("map.html", "Privacy: ε = 0.45")],
)
def test_the_pages_open_in_a_browser_without_network_or_complaint(
    demo: Path, tmp_path: Path, page: str, words: str
) -> None:
    content, complaints, asked = opened(demo / page, tmp_path)
    assert words in content
    assert complaints == []
    assert asked == []


@pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed: the page was not opened")
def test_a_page_that_complains_or_asks_the_net_would_be_noticed(tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text('<img src="http://127.0.0.1:9/pixel.png"><script>nonsense()</script>')
    _, complaints, asked = opened(page, tmp_path)
    assert any("nonsense" in line for line in complaints)
    assert any("127.0.0.1:9/pixel.png" in address for address in asked)
