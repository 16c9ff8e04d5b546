"""The ways to answer a question: the chart, the engine's bare aggregate, and NumPy's sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pyarrow.parquet as pq

import sfumato as sf
from scaling.questions import BUDGETS, WHOLE_BUDGET, Question

THREADS = 2

Way = Callable[[], object]


def ways(question: Question, spark: Any = None) -> dict[str, Way]:
    """Return the work to be timed by name; whatever is to be in memory is loaded now."""
    table = opened(question, spark)
    chart: dict[str, Way] = {"chart": lambda: released(question, table)}
    if question.kind == "chart":
        return chart
    by_spark = question.engine == "spark"
    bare = _by_spark(question, table.source) if by_spark else _by_duckdb(question, table.source)
    return {"bound": _bound(question), "bare": bare} | chart


def opened(question: Question, spark: Any = None) -> sf.Table:
    """Return the table where the engine wants it: in memory, in files, or on a cluster."""
    match question.engine:
        case "spark":
            frame = spark.read.parquet(*question.paths)
            return sf.Table(frame, memory_limit=question.limit)
        case "memory":
            names = [*question.numbers, *question.texts]
            source: object = pq.read_table(list(question.paths), columns=names)
        case _:
            source = list(question.paths)
    return sf.Table(source, threads=THREADS, memory_limit=question.limit)


def released(question: Question, table: sf.Table) -> object:
    """Plan, charge and measure one chart, as anybody would."""
    session = sf.Session(
        table, unit=question.privacy_unit, domain=question.domain, budget=WHOLE_BUDGET
    )
    return session.release(question.asked, budget=BUDGETS[question.chart])


def _bound(question: Question) -> Way:
    """Read every number once, from memory, in one thread; texts are not counted."""
    table = pq.read_table(list(question.paths), columns=list(question.numbers))
    columns = [np.nan_to_num(table.column(name).to_numpy()) for name in table.column_names]
    return lambda: [column.sum() for column in columns]


def _by_duckdb(question: Question, source: Any) -> Way:
    sums = [f'sum("{name}")' for name in question.numbers]
    sums += [f'count("{name}")' for name in question.texts]

    def ask() -> object:
        with duckdb.connect(config={"threads": THREADS}) as database:
            files = isinstance(source, list)
            whole = database.read_parquet(source) if files else database.from_arrow(source)
            return whole.aggregate(", ".join(sums)).fetchall()

    return ask


def _by_spark(question: Question, frame: Any) -> Way:
    from pyspark.sql import functions

    sums = [functions.sum(name) for name in question.numbers]
    sums += [functions.count(name) for name in question.texts]
    return lambda: frame.agg(*sums).collect()
