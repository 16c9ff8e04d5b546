"""Every block of Python in the README runs, in order, in an empty folder with the city's files."""

import re
import shlex
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from sfumato.cli.app import app
from sfumato.testing import checkins, city

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    pq.write_table(checkins(people=300), tmp_path / "checkins.parquet")
    pq.write_table(city(people=300), tmp_path / "people.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_python_of_the_readme_runs(folder):
    names = {}
    for block in blocks("python"):
        exec(compile(block, str(README), "exec"), names)
    assert (folder / "ages.json").exists()
    assert len(names["s"].ledger.entries) == 2


def test_the_commands_of_the_readme_run(folder):
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("sfumato ")]
    assert len(commands) >= 5
    for command in commands:
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 0, result.output
    assert (folder / "ages.svg").exists() and (folder / "ages.png").exists()


def test_what_the_readme_links_to_exists():
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", TEXT):
        assert (README.parent / link).exists(), link
