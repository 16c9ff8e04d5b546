"""Principal components on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyarrow import parquet

import sfumato as sf
from sfumato.cli.run import run
from sfumato.cli.spelling import read_columns, read_scale
from sfumato.private_search import Private
from sfumato.releases.pca import PcaRelease
from sfumato.releases.scoreplot import METHODS, ScoreplotRelease
from sfumato.testing import city

pytestmark = pytest.mark.usefixtures("no_python_in_a_shell")

BODY = ["--columns", "heart_rate,systolic,bmi"]
BOUNDS = ["--bounds", "heart_rate=30,200", "--bounds", "systolic=70,230", "--bounds", "bmi=12,60"]
PAID = ["--epsilon", "1", "--delta", "1e-7", "--ledger", "people.ledger"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    parquet.write_table(city(1000), "people.parquet")
    sf.Ledger.create("people.ledger", budget=sf.Budget(5, 1e-6), table="people")
    return tmp_path


def charges() -> list[str]:
    return [entry.label for entry in sf.Ledger.open("people.ledger").entries]


def test_components_are_found_and_then_drawn_along(folder: Path) -> None:
    files = ["-o", "pca.json", "-o", "scree.svg"]
    assert run(["pca", "people.parquet", *BODY, *BOUNDS, *PAID, *files]) == 0
    pca = sf.load("pca.json")
    assert isinstance(pca, PcaRelease) and pca.columns == ("heart_rate", "systolic", "bmi")
    words = ["--pca", "pca.json", "--bins", "8", "--hue", "sex", "--hue-order", "female,male"]
    files = ["-o", "scores.json", "-o", "scores.html"]
    assert run(["scoreplot", "people.parquet", *words, *PAID, *files]) == 0
    scores = sf.load("scores.json")
    assert isinstance(scores, ScoreplotRelease) and scores.pca == pca
    assert Path("scores.html").stat().st_size > 0
    assert charges() == [
        "principal components of heart_rate, systolic, bmi",
        "scores of heart_rate, systolic, bmi on PC1 and PC2 by sex",
    ]


@pytest.mark.parametrize("method", METHODS)
def test_both_steps_are_one_command(folder: Path, method: str) -> None:
    words = [*BODY, *BOUNDS, "--axes", "2,3", "--bins", "8,6", "--method", method]
    words += ["--split", "0.4,0.1,0.5", "--scale", "private:0.2"]
    assert run(["scoreplot", "people.parquet", *words, *PAID, "-o", "scores.json"]) == 0
    release = sf.load("scores.json")
    assert isinstance(release, ScoreplotRelease)
    assert (release.axes, release.method, release.to_array().shape) == ((2, 3), method, (6, 8))
    assert release.split == (0.4, 0.1, 0.5) and release.pca.scaled == "private"


def test_numbers_are_printed_where_no_file_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["pca", "people.parquet", *BODY, *BOUNDS, *PAID]) == 0
    assert "systolic" in capsys.readouterr().out


def test_a_plan_costs_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    price = ["--epsilon", "1", "--delta", "1e-7"]
    assert run(["plan", "scoreplot", "people.parquet", *BODY, *BOUNDS, *price]) == 0
    assert "per cell" in capsys.readouterr().out
    assert run(["plan", "pca", "people.parquet", *BODY, *BOUNDS, *price]) == 0
    assert charges() == []


@pytest.mark.parametrize(
    "words",
    [
        ["pca", "people.parquet", *BODY, *BOUNDS, "--epsilon", "1"],
        ["pca", "people.parquet", *BODY, *PAID],
        ["pca", "people.parquet", *BODY, *BOUNDS[:4], *PAID],
        ["pca", "people.parquet", "--columns", "bmi", *BOUNDS, *PAID],
        ["pca", "people.parquet", *BODY, *BOUNDS, "--scale", "bmi=5", *PAID],
        ["pca", "people.parquet", *BODY, *BOUNDS, "--components", "9", *PAID],
        ["scoreplot", "people.parquet", *BODY, *BOUNDS, "--axes", "1,4", *PAID],
        ["scoreplot", "people.parquet", *BODY, *BOUNDS, "--axes", "one", *PAID],
        ["scoreplot", "people.parquet", *BODY, *BOUNDS, "--split", "much", *PAID],
        ["scoreplot", "people.parquet", *BODY, *BOUNDS, "--hue", "sex", *PAID],
        ["scoreplot", "people.parquet", "--pca", "nowhere.json", *PAID],
        ["scoreplot", "people.parquet", *PAID],
    ],
)
def test_mistakes_are_told_before_any_charge(
    folder: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    assert capsys.readouterr().err
    assert charges() == []


def test_columns_and_scales_are_read_as_python_would() -> None:
    assert read_columns('age, "a,b"') == ("age", "a,b")
    assert read_scale([]) is None
    assert read_scale(["a=1", "b=2.5"]) == {"a": 1.0, "b": 2.5}
    assert read_scale(["private"]) == Private()
    assert read_scale(["private:0.3"]) == Private(0.3)


@pytest.mark.parametrize("method", METHODS)
def test_scores_by_every_method_are_printed(
    folder: Path, capsys: pytest.CaptureFixture[str], method: str
) -> None:
    words = [*BODY, *BOUNDS, "--bins", "8", "--method", method]
    assert run(["scoreplot", "people.parquet", *words, *PAID]) == 0
    heading = capsys.readouterr().out.splitlines()[1].split()
    assert "mass" in heading and ("count" in heading) == (method != "pyramid")


def test_saved_components_are_drawn_as_correlations_and_the_other_way_round(folder: Path) -> None:
    assert run(["pca", "people.parquet", *BODY, *BOUNDS, *PAID, "-o", "pca.json"]) == 0
    assert run(["corrplot", "people.parquet", *BODY, *BOUNDS, *PAID, "-o", "both.json"]) == 0
    paid = charges()
    assert run(["draw", "pca.json", "--view", "correlations", "-o", "correlations.html"]) == 0
    assert run(["draw", "both.json", "--view", "scree", "-o", "scree.svg"]) == 0
    assert "correlation" in Path("correlations.html").read_text(encoding="utf-8")
    assert Path("scree.svg").stat().st_size > 0
    assert charges() == paid
    assert paid == ["principal components of heart_rate, systolic, bmi"] * 2
