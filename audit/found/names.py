"""Names of ledgers and columns, guarantees that protect little, constants of proofs."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

import sfumato as sf
from found.find import Find, ReproducedError
from report import Size
from sfumato.cli.run import run
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import OverspentError, SfumatoError
from sfumato.mechanisms import joint
from sfumato.privacy.budget import Cost
from sfumato.testing import measure_planned

_ODD = "wait\x1b]0;owned\x07\x9b2J\u202e"
_STEERS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_HALF = Cost.pure(Fraction(1, 2))


def _table(column: str = "wait") -> pa.Table:
    return pa.table({column: [1.0, 2.0, 3.0] * 20})


def _eaten(_: Size) -> str:
    """Spend a ledger, have another take it for its journal, and begin it again."""
    with tempfile.TemporaryDirectory() as folder:
        one, other = Path(folder) / "a.ledger", Path(folder) / "a.ledger-journal"
        sf.Ledger.create(one, budget=1, table="a")
        spare = sf.Ledger.create(Path(folder) / "spare.ledger", budget=1, table="b")
        spare.charge("chart", _HALF)
        refused = _refused(lambda: sf.Ledger.create(other, budget=1, table="b"))
        (Path(folder) / "spare.ledger").rename(other)
        refused += _refused(lambda: sf.Ledger.open(one)) + _refused(lambda: sf.Ledger.open(other))
        if not other.exists():
            raise ReproducedError("the other ledger is gone, and its budget can be spent again")
        if refused != 3:
            raise ReproducedError(f"{3 - refused} of 3 ways to it are open")
    return "refused to create, to open and to open beside; nothing is deleted"


def _refused(attempt: Callable[[], object]) -> int:
    try:
        attempt()
    except SfumatoError:
        return 1
    return 0


def _steered(_: Size) -> str:
    """Draw a stranger's release, show their ledger and plan a chart of their table."""
    with tempfile.TemporaryDirectory() as folder:
        saved, ledger, table = (
            str(Path(folder) / f"odd.{end}") for end in ("json", "ledger", "parquet")
        )
        sf.histplot(_table(_ODD), x=_ODD, bounds=(0, 4), bins=3, budget=1).save(saved)
        sf.Ledger.create(ledger, budget=1, unit=_ODD, table="odd")
        parquet.write_table(_table(_ODD), table)
        planned = ["--bounds", "0,4", "--epsilon", "1"]
        asked = (["draw", saved], ["ledger", ledger], ["plan", "histplot", table, "--x", _ODD])
        printed = "".join(_printed([*words, *planned * (words[0] == "plan")]) for words in asked)
    if found := sorted(set(_STEERS.findall(printed))):
        raise ReproducedError(f"{len(found)} kinds of control characters reach the terminal")
    return f"{len(printed)} letters printed, none of which steers"


def _printed(words: list[str]) -> str:
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        run(words)
    return text.getvalue()


def _endless(_: Size) -> str:
    """Describe a release whose column has a name of a million letters."""
    name = "n" * 10**6
    figure = sf.histplot(_table(name), x=name, bounds=(0, 4), bins=3, budget=1).figure()
    axes = [axis.label for panel in figure.panels for axis in (panel.x, panel.y)]
    longest = max(map(len, [figure.title, figure.caption, *axes]))
    if longest > 10_000:
        raise ReproducedError(f"{longest} letters are to be drawn")
    return f"the longest text that is drawn has {longest} letters"


def _overspent(_: Size) -> str:
    """Measure quantiles under a plan that was charged less than they spend."""
    chart = sf.Quantiles("wait")
    plan = chart.plan(sf.Domain(wait=(0, 4)), sf.PrivacyUnit.rows(), sf.Budget(1))
    try:
        measure_planned(chart, DuckEngine(_table()), replace(plan, cost=Cost.pure(Fraction(1, 9))))
    except OverspentError:
        return "withheld, for every chart by every method"
    raise ReproducedError("quantiles that cost more than was charged are published")


def _rounding(_: Size) -> str:
    """Compare what is set aside with what floats may err by, as joint.md says."""
    terms = 2 * joint.MOST_CELLS + 2**15
    needed = 4 * (joint.MOST_LEVELS + 1) * terms * 2.0**-53
    if needed > joint.ROUNDING:
        raise ReproducedError("less is set aside than floats may err by")
    return f"set aside: {float(joint.ROUNDING / Fraction(needed)):.1f} times what sums may err by"


def _weak(_: Size) -> str:
    """Ask for guarantees that protect little without saying so."""
    asked = (100, lambda: sf.Budget(1, 0.5))
    for each in asked:
        with contextlib.suppress(sf.BudgetError):
            budget = each() if callable(each) else each
            sf.histplot(_table(), x="wait", bounds=(0, 4), budget=budget)
            raise ReproducedError("it is granted without a word")
    weak = sf.Budget(100, weak=True)
    caption = sf.histplot(_table(), x="wait", bounds=(0, 4), budget=weak).caption()
    if "Protects little" not in caption:
        raise ReproducedError("the figure does not say so")
    return "refused; with weak=True the figure says that it protects little"


FINDS: tuple[Find, ...] = (
    Find(
        "a ledger named a.ledger-journal beside a.ledger",
        "major",
        "SQLite deletes it, and its budget can be spent twice",
        _eaten,
    ),
    Find(
        "escape sequences in a stranger's release, ledger and columns",
        "major",
        "draw, ledger and plan print them as they are",
        _steered,
    ),
    Find("a column name of 1 MB", "minor", "drawing takes seconds", _endless),
    Find(
        "quantiles that spend more than was charged",
        "minor",
        "no test notices if plan.admit is deleted",
        _overspent,
    ),
    Find(
        "what the joint law sets aside for rounding",
        "minor",
        "no test notices if it is 2⁻⁶⁰",
        _rounding,
    ),
    Find(
        "budget=100, and Budget(1, 0.5)",
        "misleads",
        "granted without a word",
        _weak,
    ),
)
