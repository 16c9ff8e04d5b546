"""`Table`: what is charted, how its numbers are written, and what may be spent on reading it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import cast

from sfumato.errors import SourceError

_DECIMAL = (".", ",")
_THOUSANDS = (".", ",", "'", "\u2019", "_", " ", "\u00a0", "\u2009", "\u202f")

_SPACE = "[ \\t\\n\\v\\f\\r]*"


@dataclass(frozen=True)
class NumberFormat:
    """What stands before the decimals of a number, and what between its thousands.

    Parameters
    ----------
    decimal
        A point or a comma.
    thousands
        What parts groups of three digits, if anything: a point, a comma, an apostrophe, an
        underscore or a space. A number may be written without it.

    Privacy
    -------
    A public fact. What a text is read as depends on this format and that text alone.

    Examples
    --------
    >>> written = re.compile(NumberFormat(",", ".").pattern)
    >>> [bool(written.match(text)) for text in ("1.234,5", "1234,5", "1.2345", "0.123", "1,234.5")]
    [True, True, False, False, False]
    """

    decimal: str = "."
    thousands: str | None = None

    def __post_init__(self) -> None:
        if self.decimal not in _DECIMAL or self.thousands not in (None, *_THOUSANDS):
            raise SourceError(
                "Numbers cannot be written with that decimal mark or that separator of thousands. "
                "Every field would be left out, and the budget spent on nothing. Write "
                "decimal=',' or decimal='.', and for thousands= a point, a comma, an "
                "apostrophe, an underscore or a space."
            )
        if self.decimal == self.thousands:
            raise SourceError(
                f"{self.decimal!r} cannot stand both before decimals and between thousands. What "
                "a field is read as would be a guess. Write decimal=',' with thousands='.', or "
                "decimal='.' with thousands=','."
            )

    @property
    def pattern(self) -> str:
        """A regular expression, over bytes or letters, for all that is read as a number."""
        whole, mark = "[0-9]+", re.escape(self.decimal)
        if self.thousands is not None:
            # A first group of 0 is no thousand: who writes 0.123 means decimals.
            whole = f"(?:[1-9][0-9]{{0,2}}(?:{re.escape(self.thousands)}[0-9]{{3}})+|{whole})"
        digits = f"(?:{whole}(?:{mark}[0-9]*)?|{mark}[0-9]+)(?:[eE][+-]?[0-9]+)?"
        # Letters alone are of any case: the bytes of others must not be folded.
        return f"^{_SPACE}[+-]?(?:{digits}|(?i:inf|infinity|nan)){_SPACE}$"

    def check_files(self, *, delimited: bool) -> None:
        """Refuse to read numbers otherwise where the table says by itself what is a number."""
        if not (delimited or self == PLAIN):
            raise SourceError(
                "decimal= and thousands= are for CSV files. Other tables hold numbers as numbers, "
                "and what their texts mean is not rewritten. Leave both out."
            )


PLAIN = NumberFormat()
"""How numbers are written where nothing is said about it."""


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A table, and what may be spent on reading it; accepted wherever a table is.

    Parameters
    ----------
    source
        A path, a glob or a list of paths of CSV or Parquet files, a folder of Parquet files, a
        pandas or Polars frame, an Arrow table or dataset, a DuckDB relation or a Spark DataFrame;
        with `spark`, the name of a table.
    threads
        How many threads to use on this machine; as many as it has cores unless you say otherwise.
    memory_limit
        How much memory people's rows may fill before they go to disk, such as ``"1GB"``; on a
        cluster, in each of its Python workers.
    spark
        The Spark session that knows the table by its name.
    decimal, thousands
        How numbers are written in CSV files: ``decimal=","`` with ``thousands="."`` for
        ``1.234,5``. Decimals follow a point or a comma; between thousands stands nothing, or a
        point, a comma, an apostrophe, an underscore or a space. Then ``1.234.567,8`` and
        ``1234567,8`` are numbers, and ``1.23``, ``12.34,5`` and ``0.123`` are none and counted
        nowhere. Categories and users are compared as they are written, unless declared as numbers.

    Privacy
    -------
    Nothing is read yet. What is spent on reading changes how long a chart takes, and neither what
    is released nor what it costs. How numbers are written is declared, and never guessed from the
    rows; each field is read by itself. No row shows in the repr.

    Examples
    --------
    >>> Table("visits.parquet", threads=2, memory_limit="1GB")
    Table('visits.parquet', threads=2, memory_limit='1GB')
    >>> Table("prices.csv", decimal=",", thousands=".")
    Table('prices.csv', decimal=',', thousands='.')
    """

    source: object
    _: KW_ONLY
    threads: int | None = None
    memory_limit: str | None = None
    spark: object | None = None
    decimal: str = "."
    thousands: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.source, Table):
            raise SourceError(
                "A Table is not the source of another. Which of their limits hold would be a "
                "guess. Give it the path or the frame itself: Table('visits.parquet', threads=2)."
            )
        if self.spark is not None:
            self._check_name()
        if self.threads is not None and (self.spark is not None or is_spark(self.source)):
            raise SourceError(
                "threads= is for tables on this machine. A Spark table is read by a cluster, whose "
                "settings say how many tasks run at once. Leave threads out; memory_limit='1GB' "
                "still holds in each worker."
            )
        self.number_format.check_files(
            delimited=self.spark is None and _paths(self.source) is not None
        )

    def _check_name(self) -> None:
        if not is_spark(self.spark, "SparkSession"):
            raise SourceError(
                f"spark= takes a Spark session, and not a {type(self.spark).__name__}. Who finds "
                "the table decides whose rows are charted. Write Table('visits', spark=spark) "
                "with spark = SparkSession.builder.getOrCreate()."
            )
        if not isinstance(self.source, str) or not self.source.strip():
            raise SourceError(
                "With spark=, a table is given by its name. Anything else says by itself where "
                "its rows are. Write Table('db.visits', spark=spark), or leave spark out."
            )

    @classmethod
    def of(cls, table: object) -> Table:
        """Read a plain spelling: anything that is not a `Table` is the source of one.

        Privacy
        -------
        Nothing is read yet.

        Examples
        --------
        >>> Table.of("visits.parquet")
        Table('visits.parquet')
        """
        return table if isinstance(table, Table) else cls(table)

    @property
    def number_format(self) -> NumberFormat:
        """How numbers are written, where the table is CSV files."""
        return NumberFormat(self.decimal, self.thousands)

    @property
    def name(self) -> str:
        """What a ledger calls the table, unless it is told otherwise.

        Examples
        --------
        >>> Table("data/visits.parquet").name
        'visits'
        """
        if self.spark is not None:
            return str(self.source)
        path = _path(self.source)
        return "table" if path is None else Path(path).name.split(".")[0] or "table"

    def __repr__(self) -> str:
        usual = {"threads": None, "memory_limit": None, "decimal": ".", "thousands": None}
        given = {name: getattr(self, name) for name in usual}
        parts = [f"{name}={value!r}" for name, value in given.items() if value != usual[name]]
        parts += [] if self.spark is None else ["spark=<SparkSession>"]
        return f"Table({', '.join([_shown(self.source), *parts])})"


def is_spark(thing: object, name: str = "DataFrame") -> bool:
    """Tell whether `thing` is what Spark calls `name`, without importing Spark."""
    return any(
        base.__name__ == name and f"{base.__module__}.".startswith("pyspark.")
        for base in type(thing).__mro__
    )


def _shown(source: object) -> str:
    """Spell a source: paths as they are, and anything else, which would print rows, by its class.

    Examples
    --------
    >>> _shown(["a.csv", Path("b.csv")]), _shown({"age": [30]})
    ("['a.csv', 'b.csv']", '<dict>')
    """
    paths = _paths(source)
    if paths is None:
        return f"<{type(source).__name__}>"
    return repr(paths if isinstance(source, list | tuple) else paths[0])


def _paths(source: object) -> list[str] | None:
    """Return the paths that a source is given by; None where it is something else."""
    several = isinstance(source, list | tuple)
    paths = [_path(part) for part in (cast("Sequence[object]", source) if several else [source])]
    return None if None in paths else cast("list[str]", paths)


def _path(thing: object) -> str | None:
    known = isinstance(thing, str | os.PathLike)
    return os.fspath(cast("os.PathLike[str]", thing)) if known else None
