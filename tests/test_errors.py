"""Errors have three parts, and each door spells the last of them in its own words."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.cli.run import run
from sfumato.errors import (
    FUNCTION,
    SESSION,
    SHELL,
    YEAR,
    BoundsOf,
    CategoriesOf,
    DomainError,
    Door,
    Phrase,
    PrivateSearch,
    ProtectedUsers,
    Setting,
    Settings,
    SfumatoError,
    Spending,
    Worded,
)
from shell_words import PYTHON

TABLE = pd.DataFrame(
    {
        "age": [30, 40, 50],
        "bmi": [20.0, 25.0, 30.0],
        "ward": ["A", "B", "A"],
        "who": ["a", "b", "c"],
        "day": pd.to_datetime(["2026-01-01", "2026-01-02", "2026-01-03"]),
    }
)


@pytest.mark.parametrize(
    ("phrase", "session", "function", "shell"),
    [
        (
            BoundsOf("wait"),
            "Domain(wait=(lower, upper))",
            "bounds={'wait': (lower, upper)}",
            "--bounds wait=LOWER,UPPER",
        ),
        (
            BoundsOf("lon", "lat", (0, 1)),
            "Domain(lon=(0, 1), lat=(0, 1))",
            "bounds={'lon': (0, 1), 'lat': (0, 1)}",
            "--bounds lon=0,1 --bounds lat=0,1",
        ),
        (
            BoundsOf("day", ends=YEAR),
            "Domain(day=(date(2026, 1, 1), date(2027, 1, 1)))",
            "bounds={'day': (date(2026, 1, 1), date(2027, 1, 1))}",
            "--bounds day=2026-01-01,2027-01-01",
        ),
        (CategoriesOf("ward"), "Domain(ward=['A', 'B'])", "order=['A', 'B']", "--order A,B"),
        (
            CategoriesOf("ward", PrivateSearch(delta=1e-6)),
            "sf.private(delta=1e-6)",
            "order=sf.private(delta=1e-6)",
            "--order private:1e-6",
        ),
        (
            Setting("bounds", PrivateSearch(share=0.1)),
            "bounds=sf.private(share=0.1)",
            "bounds=sf.private(share=0.1)",
            "--bounds private:0.1",
        ),
        (
            Setting("scale", {"age": 20, "body mass": 5}),
            "scale={'age': 20, 'body mass': 5}",
            "scale={'age': 20, 'body mass': 5}",
            "--scale age=20 --scale 'body mass=5'",
        ),
        (
            Settings({"decimal": ",", "memory_limit": "1GB"}),
            "decimal=',', memory_limit='1GB'",
            "decimal=',', memory_limit='1GB'",
            "--decimal ',' --memory-limit 1GB",
        ),
        (
            Spending(0.5, 1e-6, 0.0, weak=True),
            "Budget(epsilon=0.5, delta=1e-6, reserve=0, weak=True)",
            "Budget(epsilon=0.5, delta=1e-6, reserve=0, weak=True)",
            "--epsilon 0.5 --delta 1e-6 --weak",
        ),
        (
            ProtectedUsers("user_id", 20),
            "PrivacyUnit.users('user_id', max_rows=20)",
            "PrivacyUnit.users('user_id', max_rows=20)",
            "--unit user_id:20",
        ),
        (Worded("here", "there"), "here", "there", "here"),
    ],
)
def test_each_door_has_its_own_spelling(
    phrase: Phrase, session: str, function: str, shell: str
) -> None:
    assert [phrase.spell(door) for door in (SESSION, FUNCTION, SHELL)] == [session, function, shell]


@pytest.mark.parametrize("name", ["wait time", "class", "wait\n\x1b[2J", "a\u202eb", ""])
def test_a_name_that_is_no_keyword_is_declared_by_a_mapping(name: str) -> None:
    typed = BoundsOf(name).spell(SESSION).replace("(lower, upper)", "(0, 1)")
    assert typed.isprintable()
    assert eval(typed, {"Domain": sf.Domain}) == sf.Domain({name: (0, 1)})


@pytest.mark.parametrize("kind", ["function", "shell"])
def test_the_categories_of_a_hue_have_an_order_of_their_own(kind: Any) -> None:
    door = Door(kind, hue="ward")
    assert "hue" in CategoriesOf("ward").spell(door)
    assert "hue" not in CategoriesOf("street").spell(door)


def refusal() -> DomainError:
    return DomainError("It is wide.", "It leaks.", ("Write ", BoundsOf("wait"), "."))


def test_an_error_is_its_three_parts() -> None:
    error = refusal()
    assert (error.what, error.why) == ("It is wide.", "It leaks.")
    assert error.advice == "Write Domain(wait=(lower, upper))."
    assert str(error) == f"{error.what} {error.why} {error.advice}"


@pytest.mark.parametrize("parts", [("It is wide.",), ("It is wide.", "It leaks.")])
def test_an_error_that_lacks_a_part_is_none(parts: Any) -> None:
    with pytest.raises(TypeError):
        DomainError(*parts)


@pytest.mark.parametrize("copied", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_a_copy_of_an_error_says_the_same(copied: Callable[[SfumatoError], SfumatoError]) -> None:
    error = refusal()
    SHELL.respell(error)
    assert str(copied(error)) == str(error)


def test_a_door_respells_the_same_error_and_chains_none() -> None:
    error = refusal()
    with pytest.raises(DomainError, match="--bounds wait=LOWER,UPPER") as caught, SHELL:
        raise error
    assert caught.value is error
    assert error.__context__ is None and error.__cause__ is None


def test_the_inner_door_of_a_kind_knows_more_and_another_kind_has_the_last_word() -> None:
    error = refusal()
    inner = Door("function", one_range=True)
    with pytest.raises(DomainError, match=r"bounds=\(lower"), FUNCTION, inner:
        raise error
    SHELL.respell(error)
    assert error.advice == "Write --bounds wait=LOWER,UPPER."


PAID: dict[str, Any] = {"budget": 1.0}
SPENT: dict[str, Any] = {"budget": sf.Budget(1, 1e-6)}
BODY: dict[str, Any] = {"age": (0, 100), "bmi": (10, 60)}
HALF: dict[str, Any] = {"age": (0, 100)}
NOTHING: Any = None

FUNCTIONS: dict[str, Callable[[], object]] = {
    "no bounds": lambda: sf.histplot(TABLE, x="age", **PAID),
    "no bounds of y": lambda: sf.histplot(TABLE, x="age", y="bmi", bounds=HALF, **PAID),
    "one pair for two": lambda: sf.histplot(TABLE, x="age", y="bmi", bounds=(0, 1), **PAID),
    "no order": lambda: sf.histplot(TABLE, x="ward", **PAID),
    "no hue order": lambda: sf.histplot(TABLE, x="age", hue="ward", bounds=(0, 1), **PAID),
    "no kind": lambda: sf.histplot(TABLE, x="age", bounds={"age": NOTHING}, **PAID),
    "wrong kind": lambda: sf.histplot(TABLE, x="day", bounds=(0, 1), **PAID),
    "wrong choice": lambda: sf.boxplot(TABLE, y="age", method="pie", bounds=(0, 1), **PAID),
    "reversed": lambda: sf.histplot(TABLE, x="age", bounds=(9, 1), **PAID),
    "no budget": lambda: sf.histplot(TABLE, x="age", bounds=(0, 1), budget=0),
    "weak": lambda: sf.histplot(TABLE, x="age", bounds=(0, 1), budget=50),
    "unknown": lambda: sf.histplot(TABLE, x="pie", bounds=(0, 1), **PAID),
    "no box": lambda: sf.boxplot(TABLE, y="age", **PAID),
    "no groups": lambda: sf.boxplot(TABLE, x="ward", y="age", bounds=(0, 9), **PAID),
    "dates": lambda: sf.boxplot(TABLE, y="day", bounds=sf.private(), **PAID),
    "no levels": lambda: sf.quantiles(TABLE, x="age", **PAID),
    "no window": lambda: sf.heatmap(TABLE, x="age", y="bmi", bounds=NOTHING, **PAID),
    "half a window": lambda: sf.heatmap(TABLE, x="age", y="bmi", bounds=HALF, **PAID),
    "no weight": lambda: sf.heatmap(TABLE, x="age", y="bmi", weight="who", bounds=BODY, **PAID),
    "no delta": lambda: sf.pca(TABLE, columns=list(BODY), bounds=BODY, **PAID),
    "no range": lambda: sf.pca(TABLE, columns=list(BODY), bounds=HALF, **SPENT),
    "no ranges": lambda: sf.pca(TABLE, columns=list(BODY), bounds=(0, 1), **SPENT),  # type: ignore[arg-type]
    "no groups of scores": lambda: sf.scoreplot(
        TABLE, columns=list(BODY), bounds=BODY, hue="ward", **SPENT
    ),
}


@pytest.mark.parametrize("call", FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_one_line_function_never_speaks_of_a_domain(call: Callable[[], object]) -> None:
    with pytest.raises(SfumatoError) as caught:
        call()
    assert "Domain(" not in str(caught.value) and "ession" not in str(caught.value)
    assert caught.value.__context__ is None and caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        ("no bounds of y", "bounds={'bmi': (lower, upper)} for numbers"),
        ("one pair for two", "bounds={'age': (lower, upper), 'bmi': (lower, upper)}"),
        ("no hue order", "hue_order=['A', 'B']"),
        ("no box", "bounds=(lower, upper)"),
        ("no groups", " order=['A', 'B']"),
        ("no range", "bounds={'bmi': (lower, upper)}"),
        ("no groups of scores", "hue_order=['A', 'B']"),
    ],
)
def test_a_one_line_function_says_which_of_its_options_to_type(call: str, advice: str) -> None:
    with pytest.raises(SfumatoError) as caught:
        FUNCTIONS[call]()
    assert advice in caught.value.advice


def test_a_session_speaks_of_its_domain() -> None:
    session = sf.Session(TABLE, budget=sf.Budget(1, 1e-6))
    for call in (
        lambda: session.histplot(x="age", budget=0.1),
        lambda: session.boxplot(y="age", budget=0.1),
        lambda: session.quantiles(x="age", budget=0.1),
        lambda: session.heatmap(x="age", y="bmi", budget=0.1),
        lambda: session.pca(columns=["age", "bmi"], budget=sf.Budget(0.5, 1e-7)),
    ):
        with pytest.raises(DomainError) as caught:
            call()
        assert "Domain(age=(lower, upper))" in caught.value.advice
        assert PYTHON.search(str(caught.value)), "a shell's tests would notice"


AGE, BMI = ["--bounds", "age=0,100"], ["--bounds", "bmi=10,60"]
PRICE, DELTA = ["--epsilon", "1"], ["--epsilon", "1", "--delta", "1e-6"]
CHARTS: dict[str, tuple[list[str], list[str], list[str]]] = {
    "histplot": (["histplot", "t.csv", "--x", "age"], AGE, PRICE),
    "boxplot": (["boxplot", "t.csv", "--y", "age"], AGE, PRICE),
    "quantiles": (["quantiles", "t.csv", "--x", "age"], AGE, PRICE),
    "heatmap": (["heatmap", "t.csv", "--x", "age", "--y", "bmi"], [*AGE, *BMI], PRICE),
    "pca": (["pca", "t.csv", "--columns", "age,bmi"], [*AGE, *BMI], DELTA),
    "scoreplot": (["scoreplot", "t.csv", "--columns", "age,bmi"], [*AGE, *BMI], DELTA),
}
WHOLE = {name: [*ask, *facts, *paid] for name, (ask, facts, paid) in CHARTS.items()}
OF_ALL = {
    "weak": ["--epsilon", "50"],
    "no price": ["--epsilon", "0"],
    "no chance": ["--delta", "2"],
    "unknown unit": ["--unit", "nobody"],
    "no rows": ["--unit", "who:0"],
    "no ledger": ["--ledger", "no where.ledger"],
    "another table's ledger": ["--ledger", "other.ledger"],
    "empty ledger": ["--ledger", "t.ledger"],
    "unit of the ledger": ["--ledger", "t.ledger", "--unit", "who"],
}
OF_HUE = {
    "no hue order": ["--hue", "ward"],
    "order without hue": ["--hue-order", "A,B"],
    "no chance to search": ["--hue", "ward", "--hue-order", "private"],
    "weak search": ["--hue", "ward", "--hue-order", "private:0.01"],
    "search among people": ["--hue", "ward", "--hue-order", "private:1e-7", "--unit", "who"],
}
MISTAKES: dict[str, list[str]] = {
    **{f"{name}: no bounds": [*ask, *paid] for name, (ask, _, paid) in CHARTS.items()},
    **{
        f"{name}: {mistake}": [*ask, "--bounds", f"age={ends}", *BMI, *paid]
        for name, (ask, _, paid) in CHARTS.items()
        for mistake, ends in {"reversed": "9,1", "no number": "a,b"}.items()
    },
    **{
        f"{name}: {mistake}": [*words, *more]
        for name, words in WHOLE.items()
        for mistake, more in OF_ALL.items()
    },
    **{
        f"{name}: {mistake}": [*WHOLE[name], *more]
        for name in ("histplot", "boxplot", "quantiles", "scoreplot")
        for mistake, more in OF_HUE.items()
    },
    **{
        f"{name}: too small": [*WHOLE[name], "--epsilon", "1e-30"]
        for name in ("histplot", "boxplot", "quantiles", "heatmap")
    },
    "unknown column": ["histplot", "t.csv", "--x", "pie", "--bounds", "0,1", *PRICE],
    "no order": ["histplot", "t.csv", "--x", "ward", *PRICE],
    "no groups": ["boxplot", "t.csv", "--x", "ward", "--y", "age", *AGE, *PRICE],
    "share of all": ["boxplot", "t.csv", "--y", "age", "--bounds", "private:1", *PRICE],
    "wrong choice": [*WHOLE["histplot"], "--stat", "pie"],
    "dates": ["boxplot", "t.parquet", "--y", "day", "--bounds", "private", *PRICE],
    "wrong kind": ["histplot", "t.parquet", "--x", "day", "--bounds", "0,1", *PRICE],
    "text": ["histplot", "t.parquet", "--x", "ward", "--bounds", "0,1", *PRICE],
    "density": ["histplot", "t.csv", "--x", "ward", "--order", "A,B", "--stat", "density", *PRICE],
    "bins": [*WHOLE["histplot"], "--bins", "0"],
    "resolution": [*WHOLE["heatmap"], "--resolution", "0"],
    "top": [*WHOLE["heatmap"], "--top", "2"],
    "decoder": [*WHOLE["heatmap"], "--decoder", "lp"],
    "map": [*CHARTS["heatmap"][0], "--bounds", "age=0,999", *BMI, *PRICE, "--aspect", "map"],
    "rows of a map": [*WHOLE["heatmap"], "--unit", "who:3"],
    "weight": [*WHOLE["heatmap"], "--bounds", "who=-1,1", "--weight", "who"],
    "levels": [*WHOLE["quantiles"], "-q", "0.5,0.1"],
    "whis": [*WHOLE["boxplot"], "--whis", "-1"],
    "step": [*WHOLE["boxplot"], "--step", "-1"],
    "no box": ["boxplot", "t.csv", *AGE, *PRICE],
    "no delta": ["pca", "t.csv", "--columns", "age,bmi", *AGE, *BMI, *PRICE],
    "components": [*WHOLE["pca"], "--components", "3"],
    "scale": [*WHOLE["pca"], "--scale", "age=1"],
    "axes": [*WHOLE["scoreplot"], "--axes", "1,1"],
    "split": [*WHOLE["scoreplot"], "--split", "0.5,0.4"],
    "no scores": ["scoreplot", "t.csv", *AGE, *BMI, *DELTA],
    "sparse": [*WHOLE["scoreplot"], "--method", "sparse", "--unit", "who"],
    "neither": ["plan", *CHARTS["histplot"][0], *AGE],
    "no error": ["plan", *CHARTS["histplot"][0], *AGE, "--error", "0"],
    "no release": ["draw", "nothing.json"],
    "no such ledger": ["ledger", "nothing.ledger"],
    "ledger again": ["ledger", "create", "t.ledger", "--epsilon", "1", "--table", "t"],
    "ledger of nothing": ["ledger", "create", "n.ledger", "--epsilon", "1", "--table", ""],
    "ledger of no price": ["ledger", "create", "n.ledger", "--epsilon", "-1", "--table", "t"],
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tables, a ledger that is nearly empty and another table's."""
    folder = tmp_path_factory.mktemp("shell")
    TABLE.to_csv(folder / "t.csv", index=False)
    TABLE.to_parquet(folder / "t.parquet")
    sf.Ledger.create(folder / "t.ledger", budget=sf.Budget(0.01, 1e-12), table="t")
    sf.Ledger.create(folder / "other.ledger", budget=1.0, table="other table")
    return folder


@pytest.mark.parametrize("words", MISTAKES.values(), ids=MISTAKES)
def test_a_shell_is_told_what_to_type_in_a_shell(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
) -> None:
    monkeypatch.chdir(place)
    assert run(words) == 2
    told = capsys.readouterr().err
    assert told.startswith("Error: ") and not PYTHON.search(told), told


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("histplot: no hue order", "Declare them: --hue-order A,B."),
        ("histplot: search among people", "or write --unit who:20."),
        ("no groups", "Declare them: --order A,B."),
        ("boxplot: no bounds", "Declare them: --bounds age=LOWER,UPPER."),
        ("heatmap: no bounds", "Write --bounds age=LOWER,UPPER --bounds bmi=LOWER,UPPER."),
        ("no delta", "Write --epsilon 1 --delta 1e-6."),
        ("histplot: weak", "write that you mean it: --epsilon 50 --weak."),
        ("histplot: weak search", "Ask for a smaller δ, private:1e-7, or write that"),
        ("histplot: no ledger", "sfumato ledger create 'no where.ledger' --epsilon 1"),
        ("histplot: another table's ledger", "pass --table 'other table'; if not"),
        ("dates", "Write --bounds private:2000-01-01,2030-01-01, or declare its range."),
        ("whis", "Write --whis 1.5, or leave it out."),
        ("scale", "Write --scale age=10 --scale bmi=10, or leave it out."),
        ("neither", "Write --epsilon 0.5, or --error 10."),
    ],
)
def test_what_a_shell_is_told_can_be_typed(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: str,
    advice: str,
) -> None:
    monkeypatch.chdir(place)
    assert run(MISTAKES[words]) == 2
    assert advice in " ".join(capsys.readouterr().err.split())
