"""`Table`: what is charted, how its numbers are written, and what may be spent on reading it."""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, fields
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from types import MappingProxyType
from typing import Literal, TypeVar, cast

from sfumato.engines.file_format import FileFormat
from sfumato.engines.spool import Spool, is_one_shot
from sfumato.errors import Setting, Settings, SourceError
from sfumato.expressions import read_definitions, read_where

_UNITS = {"bytes": 1} | {f"{name}iB": 1024 ** (i + 1) for i, name in enumerate("KMGTPE")}

_MOST_THREADS = 1024  # beyond which starting them takes minutes
_LEAST_MEMORY = 15 * 2**20  # below which files would be cut into crumbs
_MEMORY_OF_A_THREAD = 2**26
_USUALLY_HELD = 2**29  # bytes of rows, where no limit is given
_MOST_HELD = 2**33  # bytes of rows
_MOST_AT_ONCE = 2**26  # bytes of rows that are grouped at once, far below what an Arrow array holds
_SHARE_HELD = 8  # part of a limit that rows may fill, since numbering and sorting need the rest

ColumnKind = Literal[
    "number", "text", "flag", "time", "clock", "duration", "bytes", "nothing", "other"
]
"""What a column holds; one of nothing but NULL, by its type, may be declared as anything."""

BLOCK = 2**15
"""How many rows to work on at once: few enough for the caches, and for memory to be reused."""


@dataclass(frozen=True)
class Resources:
    """How many threads and how much memory (such as ``"1GB"``) an engine may use at most.

    What does not fit in memory goes to `folder`, or to where temporary files usually go.
    """

    threads: int | None = None
    memory_limit: str | None = None
    folder: str | None = None


@dataclass(frozen=True)
class MemoryLimits:
    """How many bytes of rows may be held before they go to disk, and be worked on at once."""

    held: int
    at_once: int


@contextmanager
def make_temporary_folder(resources: Resources) -> Generator[Path]:
    """Make a folder for rows that do not fit in memory.

    Privacy
    -------
    Only this user may read it, and it is removed at the end, though not by a process that is
    killed. It is made whether it is needed or not, since that depends on the rows.
    """
    with TemporaryDirectory(prefix="sfumato-", dir=resources.folder) as folder:
        yield Path(folder)


def check_resources(resources: Resources) -> Resources:
    """Refuse limits that nothing could keep, while nothing is charged yet."""
    if resources == Resources() or _is_sensible(resources):
        return resources
    limits = {"threads": resources.threads, "memory_limit": resources.memory_limit}
    given = [Setting(name, value) for name, value in limits.items() if value is not None]
    raise SourceError(
        (*given[:1], *(part for each in given[1:] for part in (" or ", each)), " is not valid."),
        "A query that fails after the charge wastes budget.",
        ("Write ", Settings({"threads": 2, "memory_limit": "1GB"}), ", or leave them out."),
    )


def read_memory_limit(resources: Resources) -> int | None:
    """Return the memory limit in bytes, as DuckDB reads it, or None where none was given."""
    if resources.memory_limit is None:
        return None
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": resources.memory_limit,
        "threads": 1,
    }
    with duckdb.connect(":memory:", config=config) as database:
        ((text,),) = database.sql("SELECT current_setting('memory_limit')").fetchall()
    number, unit = str(text).split()
    return int(float(number) * _UNITS[unit])


def count_workers(resources: Resources) -> int:
    """Return how many threads to use: no more than there is memory for."""
    threads, limit = resources.threads or os.cpu_count() or 1, read_memory_limit(resources)
    return threads if limit is None else max(1, min(threads, limit // _MEMORY_OF_A_THREAD))


def compute_room(resources: Resources, parts: int) -> MemoryLimits:
    """Return how much room each of several parts has, which public facts alone decide."""
    limit = read_memory_limit(resources)
    held = _USUALLY_HELD if limit is None else min(_MOST_HELD, limit // _SHARE_HELD)
    return MemoryLimits(held // parts, min(held // parts, _MOST_AT_ONCE))


def _is_sensible(resources: Resources) -> bool:
    import duckdb

    try:
        threads = 1 if resources.threads is None else operator.index(resources.threads)
        limit = read_memory_limit(resources)
    except (duckdb.Error, TypeError, ValueError):
        return False
    if isinstance(resources.threads, bool) or not 1 <= threads <= _MOST_THREADS:
        return False
    return limit is None or limit >= _LEAST_MEMORY


S = TypeVar("S")
T = TypeVar("T")

Report = Callable[[float], None]
"""Called with the fraction that is done."""

_PATIENCE = 0.1  # seconds between two looks at how far the parts are


def run_in_parallel(work: Callable[[S, Report], T], parts: Sequence[S], report: Report) -> list[T]:
    """Return ``work(part, report)`` for each part, one thread to each that can be had.

    Work is told to stop, by an error from its report, when another part fails or the caller is
    interrupted.

    Privacy
    -------
    How many parts a table has may depend on its rows. Where the system has no thread left, those
    that there are do the work of others: nothing fails for want of one.

    Examples
    --------
    >>> run_in_parallel(lambda part, report: part**2, [1, 2, 3], report=lambda fraction: None)
    [1, 4, 9]
    """
    preload_pandas()
    if len(parts) == 1:
        return [work(parts[0], report)]
    fractions, results = [0.0] * len(parts), [Future[T]() for _ in parts]
    abandoned, places = Event(), count()

    def run() -> None:
        while (index := next(places)) < len(parts) and not abandoned.is_set():
            # A part that fails tells it by its result.
            _set_future(
                results[index], lambda at=index: work(parts[at], lambda done: note(at, done))
            )

    def note(index: int, fraction: float) -> None:
        fractions[index] = fraction
        if abandoned.is_set():
            raise InterruptedError

    with ThreadPoolExecutor(len(parts)) as pool:
        running: list[Future[None]] = []
        try:
            running += _start_threads(pool, run, len(parts))
            if not running:
                run()
            while wait(results, _PATIENCE, FIRST_EXCEPTION).not_done:
                report(sum(fractions) / len(fractions))
                for part in results:
                    if part.done():
                        part.result()  # raises what it raised
            found = [part.result() for part in results]
        finally:
            abandoned.set()
            wait_for_end(lambda: not wait(running, _PATIENCE).not_done)
    report(1.0)
    return found


def wait_for_end(ended: Callable[[], bool]) -> None:
    """Ask until it is told that work in other threads has ended.

    Who presses Ctrl-C again meanwhile is heard afterwards. To join the threads would not do: Python
    takes one for ended when it is interrupted in that, and what it still uses would be closed.
    """
    done, pressed = False, False
    while not done:
        try:
            done = ended()
        except KeyboardInterrupt:
            pressed = True
    if pressed:
        raise KeyboardInterrupt


def _start_threads(
    pool: ThreadPoolExecutor, run: Callable[[], None], threads: int
) -> Iterator[Future[None]]:
    """Yield what runs in so many threads, or in fewer where the system has none left."""
    for _ in range(threads):
        try:
            yield pool.submit(run)
        except RuntimeError:
            return


def _set_future(result: Future[T], work: Callable[[], T]) -> None:
    try:
        result.set_result(work())
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is told to who waits
        result.set_exception(error)


@cache
def preload_pandas() -> None:
    """Let Arrow look for pandas, which it does at its first number, in a thread of its own.

    Whoever presses Ctrl-C in the middle of that would not be heard.
    """
    import pyarrow as pa

    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: pa.array([0]).to_numpy()).result()


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
                "Numbers cannot be written with that decimal mark or that separator of thousands.",
                "Every field would be left out, and the budget spent on nothing.",
                (
                    "Write ",
                    Setting("decimal", ","),
                    " or ",
                    Setting("decimal", "."),
                    ", and for ",
                    Setting("thousands"),
                    " a point, a comma, an apostrophe, an underscore or a space.",
                ),
            )
        if self.decimal == self.thousands:
            raise SourceError(
                f"{self.decimal!r} cannot be both the decimal mark and the thousands separator.",
                "Numbers would be ambiguous.",
                ("Write ", Settings({"decimal": ",", "thousands": "."}), ", or the reverse."),
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
                (Setting("decimal"), " and ", Setting("thousands"), " are for CSV files."),
                "Other tables hold numbers as numbers, and what their texts mean is not rewritten.",
                "Leave both out.",
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
        anything else that hands on a stream of Arrow batches (``__arrow_c_stream__``), or an open
        CSV file, both of which are kept in a private temporary file as long as this table lives;
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
    encoding
        How letters are written in CSV files, by name: ``"latin-1"``, ``"cp1252"``, ``"utf-16"``,
        ``"shift_jis"``. UTF-8 unless you say otherwise. Bytes that mean nothing are no category
        and no number.
    delimiter
        What separates fields in CSV files; left out, the first line tells.
    dates
        Columns of dates in CSV files, each with its format: ``{"when": "%d/%m/%Y %H:%M"}``. The
        directives are %Y %y %m %b %B %d %j %H %I %p %M %S %f and %z. What is no such date is left
        out.
    where
        Which rows are there, as in pandas' ``query``: ``"borough == 'Queens' and price < 500"``.
        A person's weight is shared among these rows.
    columns
        Further columns, derived from stored ones: ``{"speed": "distance / air_time * 60"}``.

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
    encoding: str = "utf-8"
    delimiter: str | None = None
    dates: Mapping[str, str] | None = None
    where: str | None = None
    columns: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "where", read_where(self.where))
        derived = read_definitions(self.columns)
        object.__setattr__(self, "columns", None if derived is None else MappingProxyType(derived))
        if isinstance(self.source, Table):
            raise SourceError(
                "A Table is not the source of another.",
                "It would be ambiguous which limits hold.",
                "Give it the path or the frame itself: Table('visits.parquet', threads=2).",
            )
        if self.spark is not None:
            self._check_name()
        elif is_one_shot(self.source):
            object.__setattr__(self, "source", Spool(self.source))
        if self.threads is not None and (self.spark is not None or is_spark(self.source)):
            raise SourceError(
                "threads= is for tables on this machine.",
                "A Spark table is read by a cluster, whose settings say how many tasks run at "
                "once.",
                "Leave threads out; memory_limit='1GB' still holds in each worker.",
            )
        text = isinstance(self.source, Spool) and self.source.of_bytes
        delimited = self.spark is None and (text or list_paths(self.source) is not None)
        self.number_format.check_files(delimited=delimited)
        self.file_format.check_files(delimited=delimited)

    def _check_name(self) -> None:
        if not is_spark(self.spark, "SparkSession"):
            raise SourceError(
                f"spark= takes a Spark session, and not a {type(self.spark).__name__}.",
                "Who finds the table decides whose rows are charted.",
                "Write Table('visits', spark=spark) with spark = "
                "SparkSession.builder.getOrCreate().",
            )
        if not isinstance(self.source, str) or not self.source.strip():
            raise SourceError(
                "With spark=, a table is given by its name.",
                "Anything else says by itself where its rows are.",
                "Write Table('db.visits', spark=spark), or leave spark out.",
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
    def file_format(self) -> FileFormat:
        """How all else is written, where the table is CSV files."""
        return FileFormat(self.encoding, self.delimiter, {} if self.dates is None else self.dates)

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
        path = _read_path(self.source)
        return "table" if path is None else Path(path).name.split(".")[0] or "table"

    def __repr__(self) -> str:
        usual = {each.name: each.default for each in fields(Table)[1:] if each.name != "spark"}
        given = {name: getattr(self, name) for name in usual}
        given["columns"] = None if self.columns is None else dict(self.columns)
        parts = [f"{name}={value!r}" for name, value in given.items() if value != usual[name]]
        parts += [] if self.spark is None else ["spark=<SparkSession>"]
        return f"Table({', '.join([_spell_source(self.source), *parts])})"


def with_rows(table: Table, where: object, columns: object) -> Table:
    """Return a table of which fewer rows are there, and which has further columns.

    Privacy
    -------
    Nothing is read yet.

    Examples
    --------
    >>> with_rows(Table("trips.csv"), "hours > 0", {"speed": "miles / hours"})
    Table('trips.csv', where='hours > 0', columns={'speed': 'miles / hours'})
    """
    if where is None and not columns:
        return table
    if (where is not None and table.where is not None) or (columns and table.columns):
        raise SourceError(
            "The table says already which rows or which columns are meant.",
            "It would be ambiguous which of the two holds.",
            "Say it once: to the Table, or to the session.",
        )
    given = {each.name: getattr(table, each.name) for each in fields(Table)}
    given["where"] = table.where if where is None else where
    given["columns"] = columns or table.columns
    return Table(**given)


def is_spark(thing: object, name: str = "DataFrame") -> bool:
    """Tell whether `thing` is what Spark calls `name`, without importing Spark."""
    return any(
        base.__name__ == name and f"{base.__module__}.".startswith("pyspark.")
        for base in type(thing).__mro__
    )


def _spell_source(source: object) -> str:
    """Spell a source: paths as they are, and anything else, which would print rows, by its class.

    Examples
    --------
    >>> _spell_source(["a.csv", Path("b.csv")]), _spell_source({"age": [30]})
    ("['a.csv', 'b.csv']", '<dict>')
    """
    paths = list_paths(source)
    if paths is None:
        return repr(source) if isinstance(source, Spool) else f"<{type(source).__name__}>"
    return repr(paths if isinstance(source, list | tuple) else paths[0])


def list_paths(source: object) -> list[str] | None:
    """Return the paths that a source is given by; None where it is something else."""
    several = isinstance(source, list | tuple)
    paths = [
        _read_path(part) for part in (cast("Sequence[object]", source) if several else [source])
    ]
    return None if None in paths else cast("list[str]", paths)


def _read_path(thing: object) -> str | None:
    known = isinstance(thing, str | os.PathLike)
    return os.fspath(cast("os.PathLike[str]", thing)) if known else None
