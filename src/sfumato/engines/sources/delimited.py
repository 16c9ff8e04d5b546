"""CSV and TSV files, read by one rule.

The first line names the columns and shows what separates them: a comma, a semicolon, a tab or a
bar. Every field is text, and an empty one is NULL; nothing is sniffed. A field may stand in double
quotes, and then hold separators, doubled quotes and, below the names, line breaks (RFC 4180).
How numbers are written is a public fact, a `NumberFormat`; a field keeps its text beside.
Records that are not well written, as `sfumato.engines.sources.records` says, are left out. What is
not UTF-8 is compared byte by byte.

The promise is about records. Where quotes inside a field are not doubled, nobody can tell where a
record ends, and one of them may change how others are read: use Parquet for such data.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
from pyarrow import csv as arrow_csv

from sfumato.engines.discretion import discreetly
from sfumato.engines.engine import ColumnKind
from sfumato.engines.number_format import PLAIN, NumberFormat
from sfumato.engines.number_text import NumberText
from sfumato.engines.sources.partitions import with_keys
from sfumato.engines.sources.parts import PACKED, Part
from sfumato.engines.sources.records import LONGEST, Layout, whole_records
from sfumato.engines.sources.source import Batches, Columns, Source, check_names, runs
from sfumato.errors import SourceError

SEPARATORS = (",", ";", "\t", "|")


class DelimitedFiles(Source):
    """CSV files that hold one table together.

    Privacy
    -------
    The first line of each file is public, and all that is asked for before a charge. What unpacks
    a packed file takes in some 64 KiB at a time, and keeps what follows that line to itself.
    """

    def __init__(self, parts: Sequence[Part], number_format: NumberFormat = PLAIN) -> None:
        headers = {_header(part) for part in parts}
        if len(headers) > 1:
            raise SourceError(
                "The files begin with different lines. They must hold one table, or a person "
                "could count in one file and not in the other. Give them the same column names, "
                "in the same order."
            )
        self._separator, self._names = headers.pop()
        check_names(self._names)
        self._parts = parts
        self._format = number_format
        kinds: dict[str, ColumnKind] = dict.fromkeys(self._names, "text")
        self.kinds = with_keys(kinds, [part.partition for part in parts])
        self.untyped = frozenset(self.kinds)

    def batches(self, columns: Columns) -> Batches:
        """Stream the given columns."""
        sizes = [part.path.stat().st_size for part in self._parts]
        whole, before = max(1, sum(sizes)), 0
        for part, size in zip(self._parts, sizes, strict=True):
            for batch, done in self._read(part, columns.names):
                yield batch, min(1.0, (before + done) / whole)
            before += size

    def split(self, parts: int) -> Sequence[Source]:
        """Give each part some of the files."""
        return [self._of(self._parts[run]) for run in runs(len(self._parts), parts)]

    def _of(self, parts: Sequence[Part]) -> DelimitedFiles:
        some = copy(self)
        some._parts = parts
        return some

    def _read(self, part: Part, names: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, int]]:
        layout = Layout(self._separator, len(self._names))
        stored = part.partition.stored(names) or self._names[:1]  # which tells how many rows
        with part.path.open("rb") as file, _unpacked(file, part.path) as stream:
            for piece in whole_records(stream.read, layout):
                for batch in self._parsed(piece, stored) if piece else ():
                    found = dict(zip(stored, map(self._typed, batch.columns), strict=True))
                    yield part.partition.completed(found, batch.num_rows, names), file.tell()

    def _typed(self, text: pa.Array) -> pa.Array:
        if self._format == PLAIN:
            return text
        return pa.ExtensionArray.from_storage(NumberText(self._format), text)

    def _parsed(self, records: bytes, names: Sequence[str]) -> list[pa.RecordBatch]:
        # Columns are counted, not named: two names may differ in a way that Arrow folds.
        all_columns = [str(index) for index in range(len(self._names))]
        # Arrow takes a byte order mark off what begins a buffer, and so off a record that happens
        # to come first in its piece. A record of ours comes first in all of them.
        content = self._separator.join("0" * len(self._names)).encode() + b"\n" + records
        table = arrow_csv.read_csv(
            pa.BufferReader(content),
            arrow_csv.ReadOptions(
                use_threads=False, block_size=len(content) + 1, column_names=all_columns
            ),
            arrow_csv.ParseOptions(delimiter=self._separator, newlines_in_values=True),
            arrow_csv.ConvertOptions(
                check_utf8=False,
                column_types=dict.fromkeys(all_columns, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                include_columns=[str(self._names.index(name)) for name in names],
            ),
        )
        return table.slice(1).to_batches()


def _unpacked(file: BinaryIO, path: Path) -> BinaryIO | pa.NativeFile:
    packed = PACKED.get(path.suffix.lower())
    return file if packed is None else pa.input_stream(file, compression=packed)


def _header(part: Part) -> tuple[str, tuple[str, ...]]:
    separator, names = discreetly(lambda: _first_line(part.path), part.called)
    if not any(map(str.strip, names)):
        raise SourceError(
            f"{part.called} does not begin with the names of its columns in one line. Without them "
            "no column could be declared public. Write the names into its first line, each quote "
            "doubled and in quotes, and end it with a line feed."
        )
    return separator, names


def _first_line(path: Path) -> tuple[str, tuple[str, ...]]:
    """Return what separates names, and the names; none where they would reach into the data."""
    with path.open("rb", buffering=0) as file, _unpacked(file, path) as stream:
        start = _up_to_feed(stream.read)
    line = start.removesuffix(b"\n").removeprefix(b"\xef\xbb\xbf")
    line = line.removesuffix(b"\r") if start.endswith(b"\n") else line
    separator = max(SEPARATORS, key=lambda each: line.count(each.encode()))
    # A quote left open, lines that end otherwise, or none that ends.
    if line.count(b'"') % 2 or b"\r" in line or len(start) > LONGEST:
        return separator, ()
    (names,) = csv.reader([line.decode()], delimiter=separator, strict=True) if line else [()]
    return separator, tuple(names)


def _up_to_feed(read: Callable[[int], bytes]) -> bytes:
    """Read one line with its feed, byte by byte, so that no row is read; or a byte too many."""
    line = bytearray()
    while len(line) <= LONGEST and not line.endswith(b"\n"):
        if not (letter := read(1)):
            break
        line += letter
    return bytes(line)
