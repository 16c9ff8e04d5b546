"""Bad input, in Python and on the command line: refused in words, before anything is charged.

And a canary: whatever goes wrong or right, no value of the table is ever repeated.
"""

from __future__ import annotations

import json
import logging
import math
import re
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import sfumato as sf
from sfumato.cli.run import run
from sfumato.errors import SfumatoError
from shell_words import PYTHON

CANARY = "CANARY-7f3a"
DAYS = (date(2026, 1, 1), date(2027, 1, 1))
FACTS: dict[str, object] = {"age": (0, 100), "ward": ["A", "B"], "nobody": (0, 1)}


@dataclass(frozen=True)
class Case:
    """One mistake: how it is made in Python and in a shell, and which error it deserves."""

    name: str
    error: type[SfumatoError]
    python: Callable[[], object]
    shell: Sequence[str] = field(default=())


def session(**changes: object) -> sf.Session:
    facts: dict[str, object] = {"domain": FACTS, "ledger": "visits.ledger", **changes}
    return sf.Session("visits.parquet", **facts)  # type: ignore[arg-type]


def shell(
    *words: str,
    table: str = "visits.parquet",
    x: str = "age",
    bounds: str | None = "0,100",
    epsilon: str = "0.1",
    ledger: str | None = "visits.ledger",
) -> list[str]:
    declared = ["--bounds", bounds] if bounds else []
    charged = ["--ledger", ledger] if ledger else []
    return ["histplot", table, "--x", x, *declared, "--epsilon", epsilon, *charged, *words]


def draw(**changes: object) -> Callable[[], object]:
    asked = {"x": "age", "budget": 0.1, **changes}
    return lambda: session().histplot(**asked)  # type: ignore[arg-type]


def box(**changes: object) -> Callable[[], object]:
    asked = {"y": "age", "budget": 0.1, **changes}
    return lambda: session().boxplot(**asked)  # type: ignore[arg-type]


def heat(**changes: object) -> Callable[[], object]:
    asked = {"x": "age", "y": "who", "budget": 0.1, **changes}
    domain = {"age": (0, 100), "who": (0, 9), "ward": (-1, 1), "day": (0, 1), "nobody": (0, 1)}
    return lambda: session(domain=domain).heatmap(**asked)  # type: ignore[arg-type]


def mapped(*words: str, y: str = "who", window: str = "who=0,9") -> list[str]:
    declared = ["--bounds", "age=0,100", "--bounds", window]
    paid = ["--epsilon", "0.1", "--ledger", "visits.ledger"]
    return ["heatmap", "visits.parquet", "--x", "age", "--y", y, *declared, *paid, *words]


def levels(**changes: object) -> Callable[[], object]:
    asked = {"x": "age", "budget": 0.1, **changes}
    return lambda: session().quantiles(**asked)  # type: ignore[arg-type]


def boxed(*words: str, bounds: str | None = "0,100", y: str = "age") -> list[str]:
    declared = ["--bounds", bounds] if bounds else []
    paid = ["--epsilon", "0.1", "--ledger", "visits.ledger"]
    return ["boxplot", "visits.parquet", "--y", y, *declared, *paid, *words]


def leveled(*words: str, bounds: str | None = "0,100") -> list[str]:
    return ["quantiles", "visits.parquet", "--x", "age", *boxed(bounds=bounds)[4:], *words]


def replaced(**changes: object) -> Callable[[], object]:
    asked = {"x": "age", "bounds": (0, 100), "budget": 0.1, "neighbours": "replace", **changes}
    return lambda: sf.quantiles("visits.parquet", **asked)  # type: ignore[arg-type]


def saved(**changes: object) -> Path:
    document = json.loads(Path("saved.json").read_text()) | changes
    Path("changed.json").write_text(json.dumps(document))
    return Path("changed.json")


MISTAKES = [
    Case("unknown column", sf.SourceError, draw(x="nobody"), shell(x="nobody", bounds="0,1")),
    Case(
        "unknown group",
        sf.SourceError,
        lambda: session(domain={**FACTS, "group": ["A"]}).histplot(
            x="age", hue="group", budget=0.1
        ),
        shell("--hue", "group", "--hue-order", "A"),
    ),
    Case(
        "unknown user column",
        sf.SourceError,
        lambda: sf.histplot("visits.parquet", x="age", bounds=(0, 1), unit="nobody", budget=1),
        shell("--unit", "nobody", ledger=None),
    ),
    Case(
        "text where numbers are declared",
        sf.SourceError,
        lambda: session(domain={"day": (0, 1)}).histplot(x="day", budget=0.1),
        shell(x="day"),
    ),
    Case("no declaration", sf.DomainError, draw(x="ward_of_birth"), shell(bounds=None)),
    Case("bounds reversed", sf.DomainError, lambda: sf.Domain(age=(9, 1)), shell(bounds="9,1")),
    Case("bounds empty", sf.DomainError, lambda: sf.Domain(age=(1, 1)), shell(bounds="1,1")),
    Case(
        "bounds not finite",
        sf.DomainError,
        lambda: sf.Domain(age=(0, math.inf)),
        shell(bounds="0,inf"),
    ),
    Case(
        "bounds not a number",
        sf.DomainError,
        lambda: sf.Domain(age=(math.nan, 1)),
        shell(bounds="nan,1"),
    ),
    *(
        Case(f"ε = {amount}", sf.BudgetError, draw(budget=float(amount)), shell(epsilon=amount))
        for amount in ("0", "-1", "nan", "inf")
    ),
    *(
        Case(
            f"δ = {amount}",
            sf.BudgetError,
            lambda amount=amount: sf.Budget(epsilon=1, delta=float(amount)),
            shell("--delta", amount),
        )
        for amount in ("1", "2", "-0.1", "nan")
    ),
    Case("budget too small", sf.BudgetError, draw(budget=2), shell(epsilon="2")),
    Case(
        "δ the ledger does not have",
        sf.BudgetError,
        draw(budget=sf.Budget(epsilon=0.1, delta=1e-6)),
        shell("--delta", "1e-6"),
    ),
    Case(
        "missing file",
        sf.SourceError,
        lambda: sf.histplot("nowhere.parquet", x="age", bounds=(0, 1), budget=1),
        shell(table="nowhere.parquet", ledger=None),
    ),
    Case(
        "not a table",
        sf.SourceError,
        lambda: sf.histplot("noise.parquet", x="age", bounds=(0, 1), budget=1),
        shell(table="noise.parquet", ledger=None),
    ),
    Case(
        "missing ledger",
        sf.LedgerError,
        lambda: session(ledger="nowhere.ledger"),
        shell(ledger="nowhere.ledger"),
    ),
    Case(
        "a ledger that is none",
        sf.LedgerError,
        lambda: session(ledger="noise.parquet"),
        shell(ledger="noise.parquet"),
    ),
    Case(
        "a ledger that cannot be written",
        sf.LedgerError,
        lambda: session(ledger="missing/visits.ledger", budget=1),
        ["ledger", "create", "missing/visits.ledger", "--epsilon", "1", "--table", "visits"],
    ),
    Case(
        "a ledger where a folder is",
        sf.LedgerError,
        lambda: session(ledger="folder", budget=1),
        ["ledger", "create", "folder", "--epsilon", "1", "--table", "visits"],
    ),
    Case(
        "another unit than the ledger's",
        sf.LedgerError,
        lambda: session(unit="who"),
        shell("--unit", "who"),
    ),
    Case("bins = 0", sf.DomainError, draw(bins=0), shell("--bins", "0")),
    Case("bins = -3", sf.DomainError, draw(bins=-3), shell("--bins", "-3")),
    Case("bins in words", sf.DomainError, draw(bins="many"), shell("--bins", "many")),
    Case("edges falling", sf.DomainError, draw(bins=[3, 2, 1]), shell("--bins", "3,2,1")),
    Case("too many cells", sf.DomainError, draw(bins=2**25), shell("--bins", str(2**25))),
    Case(
        "a category twice",
        sf.DomainError,
        draw(x="ward", order=["A", "A"]),
        shell("--order", "A,A", x="ward", bounds=None),
    ),
    Case(
        "an order of groups without groups",
        sf.DomainError,
        draw(hue_order=["A"]),
        shell("--hue-order", "A"),
    ),
    Case(
        "x against itself", sf.DomainError, draw(y="age"), shell("--y", "age", bounds="age=0,100")
    ),
    Case("unknown stat", sf.DomainError, draw(stat="mean")),
    Case(
        "a density of categories",
        sf.DomainError,
        draw(x="ward", stat="density"),
        shell("--order", "A,B", "--stat", "density", x="ward", bounds=None),
    ),
    Case(
        "a private search without δ",
        sf.DomainError,
        draw(x="ward", order=sf.private()),
        shell("--order", "private", x="ward", bounds=None),
    ),
    Case(
        "a private search among dates",
        sf.SourceError,
        draw(x="day", order=sf.private(delta=1e-6)),
        shell("--order", "private:1e-6", x="day", bounds=None),
    ),
    Case(
        "a private search that no δ pays for",
        sf.BudgetError,
        draw(x="age", order=sf.private(delta=1e-6)),
        shell("--order", "private:1e-6", bounds=None),
    ),
    Case(
        "a private search while each person counts once",
        sf.DomainError,
        lambda: sf.histplot(
            "visits.parquet", x="ward", order=sf.private(delta=1e-6), unit="who", budget=1
        ),
        shell("--order", "private:1e-6", "--unit", "who", x="ward", bounds=None),
    ),
    Case(
        "rows per user that make no sense",
        sf.DomainError,
        lambda: sf.PrivacyUnit.users("who", max_rows=0),
        shell("--unit", "who:0"),
    ),
    Case(
        "a box of nothing",
        sf.DomainError,
        lambda: sf.Boxplot(hue="ward"),
        ["boxplot", "visits.parquet", "--hue", "ward", "--epsilon", "1"],
    ),
    Case("an unknown way to measure boxes", sf.DomainError, box(method="best")),
    Case("an unknown way to choose quantiles", sf.DomainError, levels(method="best")),
    Case(
        "a map of nobody", sf.SourceError, heat(y="nobody"), mapped(y="nobody", window="nobody=0,1")
    ),
    Case(
        "a map of days as numbers", sf.SourceError, heat(y="day"), mapped(y="day", window="day=0,1")
    ),
    Case("a map of one column", sf.DomainError, heat(y="age"), mapped(y="age")),
    Case("a map without a window", sf.DomainError, heat(y="place"), mapped(y="place")),
    Case("a map of no cells", sf.DomainError, heat(resolution=0), mapped("--resolution", "0")),
    Case(
        "a map of too many cells",
        sf.DomainError,
        heat(resolution=2**21),
        mapped("--resolution", "2097152"),
    ),
    Case(
        "a map of three sides",
        sf.DomainError,
        heat(resolution=(1, 2, 3)),
        mapped("--resolution", "1,2,3"),
    ),
    Case("a map by magic", sf.DomainError, heat(method="magic")),
    Case(
        "a decoder without a pyramid", sf.DomainError, heat(decoder="lp"), mapped("--decoder", "lp")
    ),
    Case("the top without laplace", sf.DomainError, heat(top=0.1), mapped("--top", "0.1")),
    Case(
        "a weight below nothing",
        sf.DomainError,
        heat(weight="ward"),
        mapped("--weight", "ward", "--bounds", "ward=-1,1"),
    ),
    Case(
        "a weight that is not there",
        sf.SourceError,
        heat(weight="nobody"),
        mapped("--weight", "nobody", "--bounds", "nobody=0,1"),
    ),
    Case(
        "a weight of days",
        sf.SourceError,
        heat(weight="day"),
        mapped("--weight", "day", "--bounds", "day=0,1"),
    ),
    Case(
        "a map of many rows each",
        sf.DomainError,
        lambda: sf.heatmap(
            "visits.parquet",
            x="age",
            y="who",
            bounds={"age": (0, 100), "who": (0, 9)},
            unit=sf.PrivacyUnit.users("who", max_rows=2),
            budget=1,
        ),
        [*mapped()[:-2], "--unit", "who:2"],
    ),
    Case("whiskers of less than nothing", sf.DomainError, box(whis=-1), boxed("--whis", "-1")),
    Case("whiskers of no length", sf.DomainError, box(whis=math.nan), boxed("--whis", "nan")),
    Case("whiskers by percentiles", sf.DomainError, box(whis=(5, 95))),
    Case("steps of nothing", sf.DomainError, box(step=0), boxed("--step", "0")),
    Case("steps too small to count", sf.DomainError, box(step=1e-9), boxed("--step", "1e-9")),
    Case(
        "steps of quantiles too small", sf.DomainError, levels(step=1e-9), leveled("--step", "1e-9")
    ),
    Case(
        "steps of dates",
        sf.DomainError,
        lambda: session(domain={"day": DAYS}).boxplot(y="day", step=1, budget=0.1),
        boxed("--step", "1", y="day", bounds="2026-01-01,2027-01-01"),
    ),
    Case(
        "boxes of numbers by numbers",
        sf.DomainError,
        box(x="nobody"),
        [*boxed("--x", "nobody", bounds="age=0,100"), "--bounds", "nobody=0,1"],
    ),
    Case("boxes without bounds", sf.DomainError, box(y="height"), boxed(bounds=None)),
    Case("boxes without an order", sf.DomainError, box(x="who"), boxed("--x", "who")),
    Case(
        "an order of boxes without groups", sf.DomainError, box(order=["A"]), boxed("--order", "A")
    ),
    Case(
        "an order of hues without hue",
        sf.DomainError,
        box(hue_order=["A"]),
        boxed("--hue-order", "A"),
    ),
    Case(
        "an order of quantiles without groups",
        sf.DomainError,
        levels(hue_order=["A"]),
        leveled("--hue-order", "A"),
    ),
    Case("boxes of a column against itself", sf.DomainError, box(x="age"), boxed("--x", "age")),
    Case(
        "quantiles of a column by itself",
        sf.DomainError,
        levels(hue="age"),
        leveled("--hue", "age"),
    ),
    Case("boxes with bounds that end before they begin", sf.DomainError, box(bounds=(1, 0))),
    Case(
        "boxes of texts that are dates",
        sf.SourceError,
        lambda: session(domain={"day": (0, 1)}).boxplot(y="day", budget=0.1),
        boxed(y="day"),
    ),
    Case(
        "a search for the bounds of dates",
        sf.SourceError,
        box(y="day", bounds=sf.private()),
        boxed(y="day", bounds="private"),
    ),
    Case("a search for bounds with a δ", sf.DomainError, box(bounds=sf.private(delta=1e-6))),
    Case(
        "a search for bounds with no share",
        sf.DomainError,
        lambda: sf.private(share=0),
        boxed(bounds="private:0"),
    ),
    Case(
        "a search for bounds with half a share",
        sf.DomainError,
        lambda: sf.private(share="half"),
        boxed(bounds="private:half"),
    ),  # type: ignore[arg-type]
    Case(
        "searches that take everything",
        sf.DomainError,
        box(x="ward", order=sf.private(delta=1e-6, share=0.5), bounds=sf.private(share=0.5)),
        boxed("--x", "ward", "--order", "private:1e-6:0.5", bounds="private:0.5"),
    ),
    Case(
        "a price that buys no box",
        sf.BudgetError,
        box(budget=1e-9),
        [*boxed()[:-4], "--epsilon", "1e-9", "--ledger", "visits.ledger"],
    ),
    Case(
        "boxes the ledger cannot pay",
        sf.BudgetError,
        box(budget=2),
        [*boxed()[:-4], "--epsilon", "2", "--ledger", "visits.ledger"],
    ),
    *(
        Case(f"q = {q}", sf.DomainError, levels(q=q), leveled("-q", word))
        for q, word in (
            (0, "0"),
            (1, "1"),
            (-0.5, "-0.5"),
            ([0.9, 0.1], "0.9,0.1"),
            ([0.5, 0.5], "0.5,0.5"),
            (math.nan, "nan"),
            ("half", "half"),
            ([], ""),
            ([0.1, "half"], "0.1,half"),
        )
    ),
    Case(
        "too many quantiles together",
        sf.DomainError,
        levels(q=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], method="joint"),
        leveled("-q", "0.1,0.2,0.3,0.4,0.5,0.6,0.7", "--method", "joint"),
    ),
    Case("rows replaced, their number unknown", sf.DomainError, replaced()),
    Case("a number of rows, none replaced", sf.DomainError, replaced(neighbours="add-remove", n=3)),
    Case("no rows replaced", sf.DomainError, replaced(n=0)),
    Case("half a row replaced", sf.DomainError, replaced(n=2.5)),
    Case("people replaced", sf.DomainError, replaced(n=3, unit="who")),
    Case("rows replaced in groups", sf.DomainError, replaced(n=3, hue="ward", hue_order=["A"])),
    Case(
        "rows replaced and bounds searched for", sf.DomainError, replaced(n=3, bounds=sf.private())
    ),
    Case("unknown neighbours", sf.DomainError, replaced(neighbours="next door")),
    Case(
        "rows replaced on a ledger of rows added",
        sf.LedgerError,
        lambda: session().release(sf.Quantiles("age", neighbours="replace", n=3), budget=0.1),
    ),
    Case("a ledger for a public size", sf.LedgerError, lambda: session(size=3, budget=1)),
    Case(
        "no release there",
        sf.ReleaseError,
        lambda: sf.load("nowhere.json"),
        ["draw", "nowhere.json"],
    ),
    Case(
        "not a release",
        sf.ReleaseError,
        lambda: sf.load("noise.parquet"),
        ["draw", "noise.parquet"],
    ),
    Case(
        "a release from the future",
        sf.ReleaseError,
        lambda: sf.load(saved(version=99)),
        ["draw", "changed.json"],
    ),
    Case(
        "a chart from the future",
        sf.ReleaseError,
        lambda: sf.load(saved(kind="hologram")),
        ["draw", "changed.json"],
    ),
    Case(
        "a release changed by hand",
        sf.ReleaseError,
        lambda: sf.load(saved(values={"steps": [1]})),
        ["draw", "changed.json"],
    ),
    Case(
        "an unknown ending",
        sf.ReleaseError,
        lambda: sf.load("saved.json").save("saved.xlsx"),
        ["draw", "saved.json", "-o", "saved.xlsx"],
    ),
]


@pytest.fixture
def border(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ages, wards, users = [30, 40, 50], ["A", "B", "A"], ["u", "v", "v"]
    days = pa.array([0, 1, 2], pa.int32()).cast(pa.date32())
    table = pa.table({"age": ages, "ward": wards, "who": users, "day": days})
    parquet.write_table(table, "visits.parquet")
    Path("noise.parquet").write_bytes(b"no table at all")
    Path("folder").mkdir()
    sf.Ledger.create("visits.ledger", budget=1.0, table="visits")
    session().histplot(x="age", bins=5, budget=0.5).save("saved.json")
    return tmp_path


def entries() -> int:
    return len(sf.Ledger.open("visits.ledger").entries)


def sentences(text: str) -> list[str]:
    return [part for part in re.split(r"(?<=[.:])\s+", text.strip()) if part]


@pytest.mark.parametrize("case", MISTAKES, ids=lambda case: case.name)
def test_a_mistake_in_python_is_refused_before_the_charge(border: Path, case: Case) -> None:
    with pytest.raises(SfumatoError) as caught:
        case.python()
    assert type(caught.value) is case.error
    assert len(sentences(str(caught.value))) >= 3, str(caught.value)
    assert len(str(caught.value)) < 500
    assert entries() == 1


@pytest.mark.parametrize(
    "case", [case for case in MISTAKES if case.shell], ids=lambda case: case.name
)
def test_a_mistake_in_a_shell_is_one_paragraph_and_status_two(
    border: Path, case: Case, capsys: pytest.CaptureFixture[str]
) -> None:
    saved(version=99)
    files = set(border.iterdir())
    assert run(list(case.shell)) == 2
    answer = capsys.readouterr()
    assert answer.out == ""
    assert answer.err.startswith("Error: ") and answer.err.count("\n") == 1, answer.err
    assert len(sentences(answer.err)) >= 3, answer.err
    assert not PYTHON.search(answer.err), answer.err
    assert entries() == 1
    assert set(border.iterdir()) == files


def test_what_is_asked_for_well_is_charged_once(border: Path) -> None:
    draw()()
    assert run(shell()) == 0
    assert entries() == 3


def traces(error: BaseException | None) -> Iterator[str]:
    """Yield all that an error shows, and all that hangs behind it, shown or not."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        error = waiting.pop()
        if error is None or id(error) in seen:
            continue
        seen.add(id(error))
        yield "".join(traceback.format_exception(error))
        yield repr((error.args, vars(error), getattr(error, "__notes__", ())))
        waiting += [error.__context__, error.__cause__]


def sources(folder: Path) -> dict[str, object]:
    """Return tables of every kind that hold the canary in three columns, and some broken ones."""
    rows = {
        "age": ["30", CANARY, "41", None, "1e999", "52"],
        "ward": ["A", "B", CANARY, "A", None, "B"],
        "who": ["u", "v", "w", CANARY, "x", None],
    }
    table = pa.table(rows)
    parquet.write_table(table, folder / "canary.parquet")
    frame = pd.DataFrame(rows)
    frame.to_csv(folder / "canary.csv", index=False)
    lines = (folder / "canary.csv").read_text()
    (folder / "ragged.csv").write_text(f'{lines}{CANARY},A,u,{CANARY},{CANARY}\n"{CANARY}')
    (folder / "bytes.csv").write_bytes(lines.encode() + f"{CANARY}\xff\xfe,A,u\n".encode("latin-1"))
    whole = (folder / "canary.parquet").read_bytes()
    (folder / "torn.parquet").write_bytes(whole[: len(whole) // 2])
    (folder / "hollow.parquet").write_bytes(whole.replace(b"CANARY", b"\xff\xfeNARY"))
    names = (
        "canary.parquet",
        "canary.csv",
        "ragged.csv",
        "bytes.csv",
        "torn.parquet",
        "hollow.parquet",
    )
    files = {name: folder / name for name in names}
    mixed = pd.DataFrame({**rows, "age": [30, CANARY, 41.5, None, math.inf, b"52"]}, dtype=object)
    return {**files, "arrow": table, "pandas": frame, "mixed": mixed, "polars": pl.DataFrame(rows)}


MAP = {"age": (0, 100), "ward": (0, 1)}
REQUESTS: dict[str, dict[str, object]] = {
    "ages": {"x": "age", "bounds": (0, 100)},
    "ages of people": {"x": "age", "bounds": (0, 100), "unit": "who"},
    "ages of people, two rows each": {
        "x": "age",
        "bounds": (0, 100),
        "unit": sf.PrivacyUnit.users("who", max_rows=2),
    },
    "wards": {"x": "ward", "order": ["A", "B"], "stat": "proportion"},
    "ages by ward": {"x": "age", "hue": "ward", "hue_order": ["A", "B"], "bounds": (0, 100)},
    "wards as numbers": {"x": "ward", "bounds": (0, 1)},
    "ages as flags": {"x": "age", "order": [True, False]},
    "ages as dates": {"x": "age", "bounds": (pd.Timestamp(2026, 1, 1), pd.Timestamp(2027, 1, 1))},
    "ages as weekdays": {"x": "age", "bins": "weekday"},
    "wards searched for": {"x": "ward", "order": sf.private(delta=1e-9)},
    "users searched for": {"x": "who", "order": sf.private(delta=1e-9)},
    "no such column": {"x": "nobody", "bounds": (0, 1)},
    "boxes": {"make": sf.boxplot, "y": "age", "bounds": (0, 100), "unit": "who"},
    "boxes by ward": {
        "make": sf.boxplot,
        "x": "ward",
        "y": "age",
        "order": ["A", "B"],
        "bounds": (0, 100),
        "method": "dpboxplot",
    },
    "boxes searched for": {
        "make": sf.boxplot,
        "x": "ward",
        "y": "age",
        "order": sf.private(delta=1e-9),
        "bounds": sf.private(),
    },
    "boxes of wards": {"make": sf.boxplot, "y": "ward", "bounds": (0, 100)},
    "quantiles": {"make": sf.quantiles, "x": "age", "bounds": (0, 100), "q": [0.1, 0.9]},
    "a map": {"make": sf.heatmap, "x": "age", "y": "ward", "bounds": MAP, "unit": "who"},
    "a map of rows": {
        "make": sf.heatmap,
        "x": "ward",
        "y": "who",
        "weight": "age",
        "bounds": {"ward": (0, 1), "who": (0, 9), "age": (0, 100)},
        "resolution": 8,
        "method": "laplace",
    },
    "quantiles of people": {"make": sf.quantiles, "x": "who", "bounds": sf.private()},
}
REFUSED = {"no such column"}


def numbers(release: sf.Release) -> Iterator[str]:
    """Yield the forms in which the numbers can be read."""
    yield from (repr(release), str(release), release.caption(), repr(release.figure()))
    yield json.dumps(release.to_dict())
    yield release.to_frame().to_csv()


def pictures(release: sf.Release, folder: Path) -> Iterator[str]:
    """Yield the forms in which it can be seen."""
    yield json.dumps(release.to_vega())
    yield release.to_html()
    yield release._repr_html_()
    for name in ("seen.json", "seen.svg"):
        yield release.save(folder / name).read_text()


def attempt(table: object, request: dict[str, object]) -> tuple[sf.Release | None, list[str]]:
    """Ask for a chart; return it if there is one, and all that was shown."""
    error: SfumatoError | None = None
    try:
        make = request.get("make", sf.histplot)
        asked = {name: value for name, value in request.items() if name != "make"}
        release = make(table, **asked, budget=1.0)  # type: ignore[operator]
        return release, list(numbers(release))
    except SfumatoError as problem:
        error = problem
    return None, list(traces(error))


SOURCES = (
    "canary.parquet", "canary.csv", "ragged.csv", "bytes.csv", "torn.parquet", "hollow.parquet",
    "arrow", "pandas", "mixed", "polars",
)  # fmt: skip
WORKING = {"canary.parquet", "canary.csv", "arrow", "pandas", "polars"}
TYPED = {"canary.parquet", "arrow", "polars"}
"""Where text has a type, bounds are refused."""


@pytest.mark.parametrize("source", SOURCES)
def test_no_value_of_the_table_is_ever_repeated(
    tmp_path: Path,
    source: str,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    table = sources(tmp_path)[source]
    for name, request in REQUESTS.items():
        release, texts = attempt(table, request)
        assert texts
        assert not [text for text in texts if CANARY in text], name
        refused = name in REFUSED or (
            source in TYPED and not {"bounds", "bins"}.isdisjoint(request)
        )
        assert (release is None) == refused or source not in WORKING
    spoken = capfd.readouterr()
    assert CANARY not in caplog.text + spoken.out + spoken.err


@pytest.mark.parametrize(
    "name",
    ["ages by ward", "wards searched for", "boxes by ward", "boxes searched for", "quantiles"],
)
def test_no_value_of_the_table_is_ever_drawn(tmp_path: Path, name: str) -> None:
    release, _ = attempt(sources(tmp_path)["canary.csv"], REQUESTS[name])
    assert release is not None
    assert not [text for text in pictures(release, tmp_path) if CANARY in text]


def test_a_session_does_not_show_its_table(tmp_path: Path) -> None:
    for table in sources(tmp_path).values():
        if not isinstance(table, Path):
            session = sf.Session(table, unit="who", domain={"age": (0, 100)}, budget=1)
            assert CANARY not in repr(session) + str(session) + repr(session.ledger)


@pytest.mark.parametrize("name", [name for name in SOURCES if "." in name])
def test_no_value_of_the_table_is_repeated_on_the_command_line(
    tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sources(tmp_path)
    monkeypatch.chdir(tmp_path)
    search = ["--order", "private:1e-9"]
    private = ["--bounds", "private", "--epsilon", "1"]
    for words in (
        shell(table=name, ledger=None),
        shell("--unit", "who:2", table=name, ledger=None),
        shell("--order", "A,B", x="ward", table=name, bounds=None, ledger=None),
        shell("--hue", "ward", "--hue-order", "A,B", table=name, ledger=None),
        shell(*search, x="ward", table=name, bounds=None, ledger=None),
        shell(*search, x="who", table=name, bounds=None, ledger=None),
        shell(x="ward", table=name, ledger=None),
        ["boxplot", name, "--x", "ward", "--order", "A,B", "--y", "age", *private],
        ["boxplot", name, "--y", "ward", "--hue", "who", "--hue-order", "private:1e-9", *private],
        ["quantiles", name, "--x", "age", *private, "--unit", "who"],
        ["plan", *shell(table=name, ledger=None)],
        ["draw", name],
        ["ledger", name],
    ):
        assert run(words) in (0, 2)
        spoken = capfd.readouterr()
        assert CANARY not in spoken.out + spoken.err, words


def test_the_canary_would_be_heard() -> None:
    def quoting() -> None:
        try:
            float(CANARY)
        except ValueError:
            raise sf.SourceError("A value cannot be read.", "Why.", "Next.") from None

    with pytest.raises(sf.SourceError) as caught:
        quoting()
    assert CANARY not in "".join(traceback.format_exception(caught.value))
    assert any(CANARY in text for text in traces(caught.value))


def test_a_canary_that_many_people_share_is_shown_where_it_may_be(tmp_path: Path) -> None:
    table = pa.table({"ward": [CANARY] * 10_000})
    release = sf.histplot(table, x="ward", order=sf.private(delta=1e-9), budget=1.0)
    assert all(CANARY in text for text in (json.dumps(release.to_dict()), release.to_html()))
