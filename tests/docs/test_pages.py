"""Every block of code on every page runs.

Python runs while the site is built, which `test_site` does; doctests are collected from the pages.
Here are the rest: commands, JSON, and pages that need what the build does not have.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from program import blocks, program
from sfumato.cli.commands import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LANGUAGES = {"python", "pycon", "sh", "json", "text"}
SETTING_UP = (
    *("make ", "pip install ", "export ", "python lab/", "python audit/", "git clone "),
    *("python -m venv ", "environment/bin/", "PYSPARK_PYTHON="),
)
"""Commands that install, change the shell or take hours: what they name must exist."""


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def having(language: str) -> list[Path]:
    return [page for page in PAGES if any(b.language == language for b in blocks(text(page)))]


NEEDING = [page for page in PAGES if re.match(r"---\n.*?^needs:", text(page), re.S | re.M)]


def commands(source: str) -> list[str]:
    lines = source.replace("\\\n", " ").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]


def needed(page: Path, there: set[str]) -> bool:
    """Tell whether commands name a file that the page's Python may make; the build runs it too."""
    named = {"sh": set[str](), "python": set[str]()}
    for block in blocks(text(page)):
        named.setdefault(block.language, set()).update(re.findall(r"[\w-]+\.[a-z]+", block.source))
    return page not in NEEDING and bool((named["sh"] & named["python"]) - there)


def obey(command: str) -> None:
    if command.startswith("sfumato "):
        result = CliRunner().invoke(app, shlex.split(command, comments=True)[1:])
        assert result.exit_code == 0, f"{command}\n{result.output}"
    else:
        assert command.startswith(SETTING_UP), f"{command!r} is not tried"
        if command.startswith("make "):
            assert f"\n{command.split()[1]}:" in text(ROOT / "Makefile")
        if command.startswith(("python lab", "python audit")):
            assert (ROOT / command.split()[1]).exists()


EVERY = sorted({*PAGES, *ROOT.glob("*.md"), *(ROOT / "src").rglob("*.md")})


@pytest.mark.parametrize("page", EVERY, ids=lambda page: str(page.relative_to(ROOT)))
def test_all_blocks_are_in_a_language_that_is_tried(page):
    assert {block.language for block in blocks(text(page))} <= LANGUAGES
    assert text(page).count("```") == 2 * len(blocks(text(page)))


@pytest.mark.parametrize("page", having("sh"), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_a_page_run(page, monkeypatch):
    with program() as running:
        monkeypatch.chdir(running.folder)
        python = needed(page, {path.name for path in running.folder.iterdir()})
        for block in blocks(text(page)):
            if block.language == "python" and python:
                running.run(block)
            for command in commands(block.source) if block.language == "sh" else ():
                obey(command)


@pytest.mark.parametrize("page", having("json"), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_json_of_a_page_can_be_read(page):
    for block in blocks(text(page)):
        if block.language == "json" and "--8<--" not in block.source:
            json.loads(block.source)


def test_the_only_page_that_the_build_does_not_run_is_run_on_spark():
    assert [page.name for page in NEEDING] == ["cluster.md"]
    assert "cluster.md" in text(ROOT / "tests" / "engines" / "spark" / "test_docs.py")


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
def test_what_a_file_beside_the_site_links_to_exists(name):
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", text(ROOT / name)):
        assert (ROOT / link).exists(), link
