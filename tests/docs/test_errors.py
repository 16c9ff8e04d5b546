"""The page about errors names every class, provokes it, and knows where users find it."""

import inspect
import re
from pathlib import Path

import sfumato as sf
from sfumato import errors

PAGE = (Path(__file__).parents[2] / "docs" / "errors.md").read_text(encoding="utf-8")
CLASSES = [
    name
    for name, each in inspect.getmembers(errors, inspect.isclass)
    if issubclass(each, errors.SfumatoError)
]


def test_every_error_has_a_section_and_an_example():
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
    assert {name for name in sections if name.endswith("Error")} == {*CLASSES}
    for name in CLASSES:
        assert f"sfumato.errors.{name}: " in sections[name], name


def test_the_table_has_every_error():
    assert set(re.findall(r"^\| \[`(\w+)`\]", PAGE, re.MULTILINE)) == {*CLASSES}


def test_the_page_knows_which_errors_are_names_of_the_package():
    assert {*CLASSES} - {*sf.__all__} == {"OverspentError"}
    assert "`OverspentError` stands in `sfumato.errors`" in PAGE
