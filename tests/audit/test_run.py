"""How the attacks are run, shown and kept."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import SimpleNamespace

import pytest

import run
from report import Outcome, Table

TABLE = Table("Noise", ("Chart", "ε"), (("histogram", "1"), ("map", "0.25")))


def test_a_table_is_aligned_in_a_terminal_and_plain_on_a_page():
    assert str(TABLE).splitlines() == [
        "Noise",
        "Chart      ε",
        "─────────  ────",
        "histogram  1",
        "map        0.25",
    ]
    assert TABLE.markdown() == "| Chart | ε |\n| --- | --- |\n| histogram | 1 |\n| map | 0.25 |\n"


@pytest.mark.parametrize("part", run.PARTS)
def test_every_attack_says_what_it_does(part: str):
    attack = importlib.import_module(part)
    assert attack.__doc__
    assert callable(attack.attack)


@pytest.fixture
def fallen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two attacks of which one succeeds."""
    outcomes = {
        "telling": Outcome("telling: nothing told", (TABLE,), passed=True),
        "fire": Outcome("fire: one charge lost", (), passed=False),
    }

    def imported(part: str) -> object:
        return SimpleNamespace(__doc__="An attack.", attack=lambda size: outcomes[part])

    monkeypatch.setattr(run, "importlib", SimpleNamespace(import_module=imported))


@pytest.mark.usefixtures("fallen")
def test_the_end_shows_one_table_and_every_summary_and_one_fall_fails_all(
    capsys: pytest.CaptureFixture[str],
):
    assert run.main(["telling"], "fast", write=False) == 0
    assert run.main(["telling", "fire"], "fast", write=False) == 1
    end = capsys.readouterr().out.splitlines()[-8:]
    assert end == [*str(TABLE).splitlines(), "", *end[-2:]]
    assert end[-2:] == ["stood  telling: nothing told", "FELL   fire: one charge lost"]


@pytest.mark.usefixtures("fallen")
def test_figures_are_kept_and_the_fast_form_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(run, "FIGURES", tmp_path / "figures")
    run.main(["telling"], "fast", write=True)
    kept = {file.name: file.read_text() for file in (tmp_path / "figures").iterdir()}
    assert kept == {
        "telling-1.md": TABLE.markdown(),
        "telling.md": "telling: nothing told (fast form)\n",
    }


def test_an_attack_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]):
    assert run.asked([]) == ([*run.PARTS], "full", False)
    assert run.asked(["fire", "--fast", "--write"]) == (["fire"], "fast", True)
    with pytest.raises(SystemExit):
        run.asked(["fyre"])
    assert "there is no attack 'fyre'" in capsys.readouterr().err
