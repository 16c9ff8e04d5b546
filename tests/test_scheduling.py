"""Tests go to the worker that has what they need, and each file goes as a whole."""

from __future__ import annotations

import ast
from pathlib import Path

from scheduling import APART, FIRST, order, scope

TESTS = Path(__file__).parent


def asking_for(fixture: str) -> list[str]:
    return [
        f"{path.relative_to(TESTS.parent)}::{each.name}"
        for path in sorted(TESTS.rglob("test_*.py"))
        for each in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(each, ast.FunctionDef)
        and each.name.startswith("test_")
        and fixture in [argument.arg for argument in each.args.args]
    ]


def test_all_that_need_spark_share_one_java_machine() -> None:
    asking = asking_for("spark")
    assert len(asking) > 20
    assert {scope(test) for test in asking} == {"spark"}


def test_the_files_that_are_named_are_there() -> None:
    named = [*APART, *(name for name in FIRST if name.endswith(".py"))]
    assert [name for name in named if not (TESTS.parent / name).exists()] == []


def test_what_cannot_be_cut_comes_first_and_what_stands_alone_last() -> None:
    alone, file, spark, site = (
        f"{APART[0]}::test_one[1]",
        "tests/test_grid.py::test_one",
        "tests/engines/spark/test_maps.py::test_one",
        "tests/docs/test_site.py::test_one",
    )
    mixed = [alone, file, spark, site]
    assert sorted(mixed, key=lambda test: order(scope(test))) == [site, spark, file, alone]
