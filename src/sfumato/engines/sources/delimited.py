"""CSV and TSV files, read by one rule: where records begin and end, and what they hold."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv as arrow_csv

from sfumato.engines.columns import NumberText
from sfumato.engines.engine import redact_errors
from sfumato.engines.file_format import USUAL, DateFormat, FileFormat
from sfumato.engines.sources.files import PACKED, SourceFile, add_partition_keys
from sfumato.engines.sources.source import Batches, Columns, Source, check_names, cut_evenly
from sfumato.engines.table import PLAIN, ColumnKind, NumberFormat
from sfumato.engines.text_dates import read_dates
from sfumato.errors import SourceError

LONGEST = 2**20
"""The most bytes of a record."""

Letters = NDArray[np.uint8]
Places = NDArray[np.int64]

_CHUNK = 2**22
_QUOTE, _FEED, _RETURN = b'"\n\r'


@dataclass(frozen=True)
class Layout:
    """What separates the fields of a record, and how many there are."""

    separator: str
    fields: int


def split_records(
    read: Callable[[int], bytes], layout: Layout, *, chunk: int = _CHUNK
) -> Iterator[bytes]:
    """Yield a file in pieces of whole records, of which the first of all is left out.

    Privacy
    -------
    Whether a well-written record is kept depends on that record alone. One that ends within quotes
    takes what follows with it, up to the next such quote: there the guarantee ends.
    """
    header, carry, skipping, quoted = True, b"", False, False
    while more := read(chunk):
        if skipping:
            more, quoted, skipping = _skip_record(more, quoted=quoted)
        data = carry + more
        ends = _find_ends(np.frombuffer(data, np.uint8))
        if ends.size:
            yield _keep_records(data[: ends[-1]], ends, layout, header=header)
            header, data = False, data[ends[-1] :]
        carry = data
        if len(carry) > LONGEST:
            header, carry, skipping, quoted = False, b"", True, carry.count(b'"') % 2 == 1
    if carry and carry.count(b'"') % 2 == 0:
        yield _keep_records(carry + b"\n", np.array([len(carry) + 1]), layout, header=header)


def _skip_record(data: bytes, *, quoted: bool) -> tuple[bytes, bool, bool]:
    """Return what follows the record that `data` begins in the midst of, if it ends here."""
    ends = _find_ends(np.frombuffer(data, np.uint8), quoted=quoted)
    if ends.size:
        return data[ends[0] :], False, False
    return b"", (data.count(b'"') % 2 == 1) != quoted, True


def _find_ends(letters: Letters, *, quoted: bool = False) -> Places:
    """Return where records end: one past each line feed outside quotes."""
    return _find_outside_quotes(letters, _FEED, quoted=quoted) + 1


def _find_outside_quotes(letters: Letters, letter: int, *, quoted: bool = False) -> Places:
    """Return where `letter` stands with an even number of quotes before it."""
    places = np.flatnonzero(letters == letter)
    quotes = np.flatnonzero(letters == _QUOTE)
    return places[np.searchsorted(quotes, places) % 2 == quoted]


def _keep_records(data: bytes, ends: Places, layout: Layout, *, header: bool) -> bytes:
    """Return the records of `data` that are not left out, one after the other."""
    letters = np.frombuffer(data, np.uint8)
    starts = np.concatenate([[0], ends[:-1]])
    lengths = ends - starts
    separators = _find_outside_quotes(letters, ord(layout.separator))
    dropped = np.diff(np.searchsorted(separators, ends), prepend=0) != layout.fields - 1
    dropped |= (lengths > LONGEST) | (lengths == 1)
    dropped |= (lengths == 2) & (letters[starts] == _RETURN)
    wrong = np.concatenate([_find_bare_returns(letters), _find_stray_quotes(letters, layout)])
    dropped[np.searchsorted(ends, wrong, side="right")] = True
    dropped[0] |= header
    if not dropped.any():
        return data
    changes = np.flatnonzero(np.diff(dropped, prepend=True, append=True))
    bounds = np.concatenate([starts, ends[-1:]])[changes]
    return b"".join(data[start:stop] for start, stop in list(pairwise(bounds))[::2])


def _find_bare_returns(letters: Letters) -> Places:
    returns = _find_outside_quotes(letters, _RETURN)
    return returns[letters[returns + 1] != _FEED]


def _find_stray_quotes(letters: Letters, layout: Layout) -> Places:
    """Return the quotes that neither begin nor end a field, nor are one of a pair within it."""
    quotes = np.flatnonzero(letters == _QUOTE)
    opening, closing = quotes[::2], quotes[1::2]
    separator = ord(layout.separator)
    # The first letter follows nothing, which is as good as the end of a record.
    before = np.where(opening > 0, letters[opening - 1], _FEED)
    after = letters[closing + 1]
    strays = [
        opening[~np.isin(before, (separator, _FEED, _QUOTE))],
        closing[~np.isin(after, (separator, _FEED, _RETURN, _QUOTE))],
    ]
    return np.concatenate(strays)


SEPARATORS = (",", ";", "\t", "|")


class DelimitedFiles(Source):
    """CSV files that hold one table together.

    Privacy
    -------
    The first line of each file is public, and all that is asked for before a charge. What unpacks
    a packed file takes in some 64 KiB at a time, and keeps what follows that line to itself.
    """

    def __init__(
        self,
        parts: Sequence[SourceFile],
        number_format: NumberFormat = PLAIN,
        file_format: FileFormat = USUAL,
    ) -> None:
        headers = {_read_header(part, file_format) for part in parts}
        if len(headers) > 1:
            raise SourceError(
                "The files begin with different lines.",
                "They must hold one table, or a person could count in one file and not in the "
                "other.",
                "Give them the same column names, in the same order.",
            )
        self._separator, self._names = headers.pop()
        check_names(self._names)
        self._parts = parts
        self._format = number_format
        kinds: dict[str, ColumnKind] = dict.fromkeys(self._names, "text")
        self.kinds = add_partition_keys(kinds, [part.partition for part in parts])
        self._written = file_format
        self._add_dates(file_format.date_formats)
        self.untyped = frozenset(self.kinds) - file_format.date_formats.keys()

    def _add_dates(self, formats: Mapping[str, DateFormat]) -> None:
        if strangers := formats.keys() - set(self._names):
            raise SourceError(
                f"The files have no column {min(strangers)!r} that could hold dates.",
                "Nothing was read and nothing charged.",
                f"Their columns are {', '.join(map(repr, self._names))}.",
            )
        self.kinds.update(dict.fromkeys(formats, "time"))
        self.spacings = {name: written.spacing for name, written in formats.items()}

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
        return [self._of(self._parts[run]) for run in cut_evenly(len(self._parts), parts)]

    def _of(self, parts: Sequence[SourceFile]) -> DelimitedFiles:
        some = copy(self)
        some._parts = parts
        return some

    def _read(self, part: SourceFile, names: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, int]]:
        layout = Layout(self._separator, len(self._names))
        stored = (
            part.partition.list_stored_columns(names) or self._names[:1]
        )  # which tells how many rows
        with part.path.open("rb") as file, _decompress(file, part.path) as stream:
            for piece in split_records(self._written.open(stream.read), layout):
                for batch in self._parsed(piece, stored) if piece else ():
                    found = dict(zip(stored, map(self._typed, stored, batch.columns), strict=True))
                    yield part.partition.completed(found, batch.num_rows, names), file.tell()

    def _typed(self, name: str, text: pa.Array) -> pa.Array:
        if name in self._written.date_formats:
            return read_dates(text, self._written.date_formats[name])
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


def _decompress(file: BinaryIO, path: Path) -> BinaryIO | pa.NativeFile:
    packed = PACKED.get(path.suffix.lower())
    return file if packed is None else pa.input_stream(file, compression=packed)


def _read_header(part: SourceFile, written: FileFormat) -> tuple[str, tuple[str, ...]]:
    separator, names = redact_errors(lambda: _read_first_line(part.path, written), part.called)
    if not any(map(str.strip, names)):
        raise SourceError(
            f"{part.called} does not begin with the names of its columns in one line.",
            "Without them no column could be declared public.",
            "Write the names into its first line, each quote doubled and in quotes, and end it "
            "with a line feed.",
        )
    return separator, names


def _read_first_line(path: Path, written: FileFormat) -> tuple[str, tuple[str, ...]]:
    """Return what separates names, and the names; none where they would reach into the data."""
    with path.open("rb", buffering=0) as file, _decompress(file, path) as stream:
        start = _read_line(written.open(stream.read))
    line = start.removesuffix(b"\n").removeprefix(b"\xef\xbb\xbf")
    line = line.removesuffix(b"\r") if start.endswith(b"\n") else line
    usual = max(SEPARATORS, key=lambda each: line.count(each.encode()))
    separator = written.delimiter or usual
    # A quote left open, lines that end otherwise, or none that ends.
    if line.count(b'"') % 2 or b"\r" in line or len(start) > LONGEST:
        return separator, ()
    (names,) = csv.reader([line.decode()], delimiter=separator, strict=True) if line else [()]
    return separator, tuple(names)


def _read_line(read: Callable[[int], bytes]) -> bytes:
    """Read one line with its feed, byte by byte, so that no row is read; or a byte too many."""
    line = bytearray()
    while len(line) <= LONGEST and not line.endswith(b"\n"):
        if not (letter := read(1)):
            break
        line += letter
    return bytes(line)
