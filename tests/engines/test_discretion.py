"""Whatever goes wrong, nothing of the data comes out."""

import logging
import os
import signal
import subprocess
import sys
import textwrap
import traceback

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest

from engines.hostile import CANARY
from sfumato.domain import Bounds, Categories
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.engine import redact_errors
from sfumato.engines.sums import Counts
from sfumato.errors import DomainError, SourceError
from sfumato.grid import Grid, Labels
from sfumato.lattice import Lattice, Moments
from sfumato.plane import Plane
from sfumato.privacy.guarantee import PrivacyUnit

TEXTS = pa.table({"t": ["1", CANARY, "2"], "u": ["a", CANARY, "b"], "g": ["A", CANARY, None]})
DEEP = pytest.mark.slow
UNITS = [PrivacyUnit.rows(), PrivacyUnit.users("u"), PrivacyUnit.users("u", max_rows=1)]


def everything(error):
    """Return all that anyone could print of an error."""
    told = traceback.TracebackException.from_exception(error, capture_locals=False)
    return f"{error!s} {error!r} {error.args!r} {''.join(told.format(chain=True))}"


class Unwritable:
    def __str__(self):
        raise ValueError(CANARY)


def failing_relation(folder):
    return duckdb.connect().from_arrow(TEXTS).project("CAST(t AS DOUBLE) AS t, u, g")


def failing_lazy_frame(folder):
    return pl.from_arrow(TEXTS).lazy().with_columns(pl.col("t").cast(pl.Float64))


FAILING = [failing_relation, failing_lazy_frame]


@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize("make", FAILING)
def test_a_reader_that_quotes_the_data_is_not_quoted(make, unit, tmp_path, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    engine = DuckEngine(make(tmp_path))
    with pytest.raises(SourceError) as caught:
        engine.counts([Grid("t", Bounds(0, 9), 3)], unit)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert CANARY not in everything(caught.value)
    assert CANARY not in caplog.text
    assert CANARY not in "".join(capfd.readouterr())


@pytest.mark.parametrize("unit", UNITS[:2], ids=repr)
@pytest.mark.parametrize("make", FAILING)
def test_a_reader_is_not_quoted_by_a_map_either(make, unit, tmp_path):
    engine = DuckEngine(make(tmp_path))
    plane = Plane(Grid("t", Bounds(0, 9), 3), Grid("t", Bounds(0, 9), 3))
    with pytest.raises(SourceError) as caught:
        engine.masses(plane, unit)
    assert caught.value.__context__ is None
    assert CANARY not in everything(caught.value)


@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize("make", FAILING)
def test_a_reader_is_not_quoted_by_moments_and_marginals_either(make, unit, tmp_path):
    engine = DuckEngine(make(tmp_path))
    lattice = Lattice(("t", "g"), (Bounds(0, 9), Bounds(0, 9)), (1.0, 1.0))
    for verb, question in (
        (engine.marginals, [[Grid("t", Bounds(0, 9), 3)]]),
        (engine.gram, Moments(lattice, (0, 0), 1.0, 1)),
    ):
        with pytest.raises(SourceError) as caught:
            verb(question, unit)
        assert caught.value.__context__ is None
        assert CANARY not in everything(caught.value)


@pytest.mark.parametrize("make", FAILING)
def test_the_readers_themselves_do_quote_it(make, tmp_path):
    engine = DuckEngine(make(tmp_path), threads=1)
    with pytest.raises(Exception, match=CANARY):  # else the test above could not fail
        engine._reading.summed(Counts((Grid("t", Bounds(0, 9), 3),)), PrivacyUnit.rows())


@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize("key", [Grid("t", Bounds(0, 9), 3), Labels("g", Categories(("A",)))])
def test_odd_values_in_numbers_categories_and_people_cause_no_error(key, unit, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    for table in (TEXTS, TEXTS.to_pandas(), pl.from_arrow(TEXTS), duckdb.from_arrow(TEXTS)):
        engine = DuckEngine(table)
        exact = engine.counts([key], unit)
        shown = f"{engine!r} {exact!r} {engine.schema()!r} {vars(engine)['_source']!r}"
        assert CANARY not in shown + caplog.text + "".join(capfd.readouterr())


def test_objects_that_cannot_be_written_are_counted_nowhere():
    frame = pd.DataFrame({"g": [Unwritable(), "A", "\ud800", [1, 2], {"a": CANARY}]})
    exact = DuckEngine(frame).counts([Labels("g", Categories(("A", "?")))], PrivacyUnit.rows())
    assert exact.reveal().tolist() == [1, 0]


def test_a_refusal_of_our_own_passes_as_it_is():
    def refuse():
        raise DomainError("What.", "Why.", "Next.")

    with pytest.raises(DomainError, match=r"What\. Why\. Next\."):
        redact_errors(refuse)


def test_every_failure_says_the_same():
    class Panic(BaseException):
        pass

    def fail():
        raise Panic(CANARY)

    with pytest.raises(SourceError, match="could not be read") as caught:
        redact_errors(fail)
    assert CANARY not in everything(caught.value)
    assert "Panic" not in everything(caught.value)  # which may depend on a value
    assert caught.value.__context__ is None


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit])
def test_an_interruption_passes(interruption, monkeypatch):
    def interrupted(fraction):
        raise interruption

    monkeypatch.setattr("sfumato.engines.reading.PATIENCE", -1.0)
    engine = DuckEngine(TEXTS, progress=interrupted)
    with pytest.raises(interruption):
        engine.counts([], PrivacyUnit.rows())


def test_an_interruption_amid_a_failure_leaves_the_failure_behind():
    def fail():
        try:
            raise ValueError(CANARY)
        finally:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        redact_errors(fail)
    assert CANARY not in everything(caught.value)


@pytest.mark.parametrize(
    "question",
    [
        # Rows and people are read in two ways; the other questions read in one of these.
        "counts([grid], PrivacyUnit.rows())",
        "counts([grid], PrivacyUnit.users('u'))",
        pytest.param("counts([grid], PrivacyUnit.users('u', max_rows=2))", marks=DEEP),
        pytest.param("masses(Plane(grid, grid), PrivacyUnit.rows())", marks=DEEP),
        pytest.param("masses(Plane(grid, grid), PrivacyUnit.users('u'))", marks=DEEP),
        pytest.param("marginals([[grid]], PrivacyUnit.rows())", marks=DEEP),
        "gram(moments, PrivacyUnit.rows())",
        pytest.param("gram(moments, PrivacyUnit.users('u'))", marks=DEEP),
    ],
)
def test_control_c_ends_a_long_query_at_once(question):
    script = f"""
        import duckdb
        from sfumato.domain import Bounds
        from sfumato.engines.dispatch import DuckEngine
        from sfumato.grid import Grid
        from sfumato.lattice import Lattice, Moments
        from sfumato.plane import Plane
        from sfumato.privacy.guarantee import PrivacyUnit
        endless = duckdb.sql("SELECT range AS x, range % 99 AS u FROM range(1000000000000)")
        grid = Grid("x", Bounds(0, 9), 3)
        lattice = Lattice(("x", "u"), (Bounds(0, 9), Bounds(0, 9)), (1.0, 1.0))
        moments = Moments(lattice, (0, 0), 1.0, 1)
        print("begun", flush=True)
        DuckEngine(endless, memory_limit="100MB").{question}
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        assert process.stdout.readline() == "begun\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.5)  # by now it is counting
        os.kill(process.pid, signal.SIGINT)
        try:
            _, told = process.communicate(timeout=20)
        finally:
            process.kill()
    assert told.rstrip().endswith("KeyboardInterrupt")


def test_control_c_is_heard_at_any_moment():
    """Also while threads and connections are only being made, forty times in a row."""
    script = """
        import os, signal, threading
        import duckdb
        from sfumato.engines.dispatch import DuckEngine
        from sfumato.privacy.guarantee import PrivacyUnit
        endless = duckdb.sql("SELECT range % 99 AS u FROM range(1000000000000)")
        heard = 0
        for moment in range(40):
            press = threading.Timer(moment / 500, os.kill, [os.getpid(), signal.SIGINT])
            try:
                press.start()
                DuckEngine(endless).counts([], PrivacyUnit.users("u"))
            except KeyboardInterrupt:
                heard += 1
            press.join()
        print(heard)
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    assert subprocess.check_output(command, timeout=60) == b"40\n"
