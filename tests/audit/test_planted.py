"""Every privacy bug that we thought of is noticed by a test that was not written to name it."""

from __future__ import annotations

import os
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from planted import files, is_twin
from planted.catalogue import MUTANTS
from planted.mutant import PACKAGE, ROOT, UnplantedError, planted
from planted.trial import BrokenAuditError, Nursery

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")

NAMED = {mutant.name: mutant for mutant in MUTANTS}
SCALE = NAMED["the scale is ε and not 1/ε"]


@pytest.fixture(scope="module")
def nursery() -> Generator[Nursery]:
    with Nursery() as opened:
        yield opened


def test_every_bug_can_be_planted() -> None:
    sources = {
        mutant.file: (PACKAGE / mutant.file).read_text(encoding="utf-8") for mutant in MUTANTS
    }
    misfits = [mutant.name for mutant in MUTANTS if sources[mutant.file].count(mutant.old) != 1]
    assert not misfits, "their text is found once in the library"


@pytest.mark.parametrize("name", NAMED)
def test_a_planted_bug_is_noticed(name: str, nursery: Nursery) -> None:
    assert nursery.tried(NAMED[name]).caught


def test_a_harmless_change_is_not_noticed(nursery: Nursery) -> None:
    harmless = replace(SCALE, new=f"{SCALE.old}  # in integer steps")
    found = nursery.tried(harmless)
    assert found.passed and not found.caught


def test_the_library_as_it_is_passes_where_a_bug_is_noticed(nursery: Nursery) -> None:
    found = nursery.innocent((SCALE.test,))
    assert found.passed and not found.caught


def test_a_mutant_that_merely_crashes_is_not_caught(nursery: Nursery) -> None:
    found = nursery.tried(replace(SCALE, new="scale = nobody_defined_this"))
    assert found.crashed and not found.caught


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"old": "a line that is gone"}, "stands 0 times"),
        ({"old": "scale"}, "stands .* times"),
        ({"new": SCALE.old}, "stands 1 times"),
        ({"new": "scale = ("}, "not Python"),
    ],
)
def test_a_mutant_that_no_longer_fits_is_an_error(
    change: dict[str, str], words: str, tmp_path: Path
) -> None:
    with pytest.raises(UnplantedError, match=words):
        planted(replace(SCALE, **change), tmp_path / "source")


@pytest.mark.parametrize(
    "change",
    [
        {"notices": "test_that_nobody_wrote"},
        {
            "among": "audit/test_boxplot_audit.py",
            "notices": "test_counts_are_told_apart_by_what_they_cost",
        },
        {"old": "import Fraction\n", "new": "import Fractions\n"},
        {"new": "import os; os._exit(1)"},
    ],
    ids=["no such test", "a slow one", "not imported", "no end of its own"],
)
def test_a_run_that_says_nothing_about_the_library_is_an_error(
    change: dict[str, str], nursery: Nursery
) -> None:
    with pytest.raises(BrokenAuditError):
        nursery.tried(replace(SCALE, **change))


def test_a_mutant_is_planted_in_a_copy_and_nowhere_else(tmp_path: Path) -> None:
    place = planted(SCALE, tmp_path / "source") / "sfumato" / SCALE.file
    ours = PACKAGE / SCALE.file
    assert SCALE.new in place.read_text(encoding="utf-8")
    assert SCALE.new not in ours.read_text(encoding="utf-8")
    copies = {path.relative_to(place.parents[1]) for path in place.parents[1].rglob("*.py")}
    assert copies == {path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")}


def test_mutants_differ_and_cover_every_part_of_the_library() -> None:
    assert len(NAMED) == len(MUTANTS) == len({(m.file, m.old, m.new) for m in MUTANTS})
    changed = {mutant.file for mutant in MUTANTS}
    folders = {"privacy", "engines", "charts", "releases", "render", "distributed"}
    assert folders <= {file.partition("/")[0] for file in changed}
    mechanisms = {f"mechanisms/{path.name}" for path in (PACKAGE / "mechanisms").glob("*.py")}
    # It does nothing.
    assert mechanisms - changed == {"mechanisms/__init__.py"}


def test_no_test_that_breaks_the_library_itself_is_asked() -> None:
    assert not [mutant.test for mutant in MUTANTS if is_twin(mutant.test)]


def test_no_test_speaks_of_the_mutants() -> None:
    tests = [path for path in (ROOT / "tests").rglob("*.py") if path.name != Path(__file__).name]
    texts = [path.read_text(encoding="utf-8") for path in tests]
    assert not [name for name in NAMED for text in texts if name in text]
    assert not [text for text in texts if "planted.catalogue" in text]


def test_the_files_of_the_full_form_exist() -> None:
    assert all((ROOT / file).exists() for mutant in MUTANTS for file in files(mutant))
