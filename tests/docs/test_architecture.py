"""The page about the architecture has the rules of pyproject.toml, and its picture two papers."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
RULES = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
COLOUR = re.compile(r"#[0-9a-f]{6}")


def rows(title: str) -> list[list[str]]:
    """The cells of the table whose first column has this title."""
    table = re.search(rf"^\| {re.escape(title)} \|.*\n\|[ |-]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    assert table, title
    return [line.strip("| \n").split(" | ") for line in table[1].splitlines()]


def test_the_table_of_folders_is_that_of_the_layers():
    (layers,) = [rule["layers"] for rule in RULES["contracts"] if rule.get("exhaustive")]
    there = {path.stem for path in (ROOT / "src" / "sfumato").iterdir()}
    named = [{*re.findall(r"\w+", layer)} & there for layer in layers]
    assert [{*re.findall(r"`(\w+)`", first)} for first, *_ in rows("`src/sfumato/`")] == named
    assert {*re.findall(r"\w+", " ".join(layers))} >= there - {"__init__", "__pycache__", "py"}


def test_every_import_rule_is_told_by_its_name():
    assert [name for name, *_ in rows("rule")] == [rule["name"] for rule in RULES["contracts"]]


def test_both_pictures_of_the_flow_are_one_in_other_colours():
    light, dark = (
        (ROOT / "docs" / "images" / f"flow-{tone}.svg").read_text(encoding="utf-8")
        for tone in ("light", "dark")
    )
    assert COLOUR.sub("", light) == COLOUR.sub("", dark)
    assert {*COLOUR.findall(light)}.isdisjoint(COLOUR.findall(dark))
    folders = re.findall(r">(\w+)/<", light)
    assert len(folders) == 6
    package = ROOT / "src" / "sfumato"
    assert all((package / name).is_dir() or (package / f"{name}.py").is_file() for name in folders)
