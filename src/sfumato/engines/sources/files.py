"""The files that a path stands for, and columns named by their folders, as Hive writes them."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote_to_bytes

import numpy as np
import pyarrow as pa

from sfumato.engines.sources.source import check_names
from sfumato.engines.table import ColumnKind
from sfumato.errors import SourceError

_MISSING = (b"", b"__HIVE_DEFAULT_PARTITION__")
_COLUMN = pa.dictionary(pa.int8(), pa.string())


@dataclass(frozen=True)
class Partition:
    """What the folders of a file say about all of its rows.

    Privacy
    -------
    Keys are names of columns, and public. Values are data, and no message may hold one.
    """

    keys: tuple[str, ...] = ()
    values: tuple[bytes | None, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, folders: Sequence[str]) -> Partition:
        """Read the names of folders, the outermost first; those without a key say nothing.

        Examples
        --------
        >>> Partition.of(["year=2026", "clinics", "ward=A%2FB"]).values
        (b'2026', b'A/B')
        """
        pairs = [name.partition("=") for name in folders]
        named = [(_unescape(k), _unescape(v)) for k, equals, v in pairs if k and equals]
        keys = tuple(key.decode(errors="replace") for key, _ in named)
        return cls(keys, tuple(None if value in _MISSING else value for _, value in named))

    def list_stored_columns(self, names: Sequence[str]) -> list[str]:
        """Return the columns among `names` that are in the file itself."""
        return [name for name in names if name not in self.keys]

    def completed(
        self, stored: Mapping[str, pa.Array], rows: int, names: Sequence[str]
    ) -> pa.RecordBatch:
        """Return the columns `names` of some rows, of which the file gave those in `stored`."""
        columns = [stored[name] if name in stored else self._column(name, rows) for name in names]
        return pa.record_batch(columns, names=names)

    def _column(self, key: str, rows: int) -> pa.Array:
        value = self.values[self.keys.index(key)]
        if value is None:
            return pa.nulls(rows, _COLUMN)
        word = pa.array([value], pa.binary()).view(pa.string())  # not checked: it may be no Unicode
        return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype=np.int8)), word)


def add_partition_keys(
    kinds: Mapping[str, ColumnKind], partitions: Sequence[Partition]
) -> dict[str, ColumnKind]:
    """Return kinds of the columns of files and, after them, of the keys of their folders.

    Privacy
    -------
    Looks at names of columns and keys, which are public.
    """
    keys = partitions[0].keys
    if any(partition.keys != keys for partition in partitions):
        raise SourceError(
            "The files lie in folders with different keys.",
            "Rows that lack a key would be in no group, and a person could count in one file and "
            "not in the other.",
            "Let the folders of all files have the same keys in the same order, such as "
            "year=…/region=….",
        )
    for key in keys:
        if key in kinds:
            raise SourceError(
                f"{key!r} is a column of the files and a key of their folders.",
                "Which of the two is charted, and so what is protected, would be ambiguous.",
                "Rename the folders, or write the files without that column.",
            )
    check_names([*kinds, *keys])
    return {**kinds, **dict.fromkeys(keys, "text")}


def _unescape(text: str) -> bytes:
    return unquote_to_bytes(os.fsencode(text))


PACKED = {"": None, ".gz": "gzip", ".zst": "zstd"}
PARQUET = (".parquet", ".parq", ".pq")
DELIMITED = tuple(kind + packed for kind in (".csv", ".tsv") for packed in PACKED)
LINES = tuple(".txt" + packed for packed in PACKED)
"""Endings of CSV files, too, but not in a folder: a README is not part of the table."""


@dataclass(frozen=True)
class SourceFile:
    """A file of a table, the partition it belongs to, and what a message may call it.

    Privacy
    -------
    What is found below a path may be named after people: a message repeats what was typed, and
    nothing that was found.
    """

    path: Path = field(repr=False)
    called: str
    partition: Partition = field(default_factory=Partition)


def list_files(place: str | os.PathLike[str]) -> list[SourceFile]:
    """Return the files that a path, a folder or a glob stands for, in order of their names.

    Folders named ``key=value`` count as partitions where they are found: below a folder that was
    typed, or from the first part of a glob on that has a wildcard. What was typed out is the place
    of the table and not a part of it.

    Privacy
    -------
    Reads names of files and folders, and no file.
    """
    text = os.fspath(place)
    path = Path(text).expanduser()
    if "://" in text:
        raise SourceError(
            f"{text!r} is an address, and sfumato does not use the network.",
            "The server would learn what is asked.",
            "Download the file and give its path.",
        )
    if path.is_file():
        return [SourceFile(path, f"The file {text!r}")]
    found, typed = _list_folder(path) if text and path.is_dir() else _list_glob(path)
    if not found:
        raise SourceError(
            f"There is no file at {text!r}.",
            "Nothing was read and nothing charged.",
            "Check the path; a folder must hold files that end in .parquet or .csv.",
        )
    called = f"A file of {text!r}"
    return [SourceFile(file, called, Partition.of(file.parts[typed:-1])) for file in sorted(found)]


def _list_folder(folder: Path) -> tuple[list[Path], int]:
    """Return the files of a folder, and how many parts of their paths were typed."""
    found: list[Path] = []
    for place, folders, files in os.walk(folder, onerror=_raise):
        folders[:] = [name for name in folders if not _is_hidden(name)]
        if any(Path(place, name).is_symlink() for name in folders):
            raise SourceError(
                "The folder holds a link to another folder.",
                "Rows behind it would be left out, or counted twice where it leads back.",
                "Put the files themselves there, or give sfumato a list of folders.",
            )
        found += [Path(place, name) for name in files if _is_data(name)]
    return [file for file in found if file.is_file()], len(folder.parts)


def _list_glob(pattern: Path) -> tuple[list[Path], int]:
    """Return the files of a glob, and how many parts of their paths were typed."""
    matches = glob.glob(str(pattern), recursive=True)  # noqa: PTH207 - also absolute patterns
    wild = [not set("*?[").isdisjoint(part) for part in pattern.parts]
    typed = [*wild, True].index(True)
    files = [file for file in map(Path, matches) if file.is_file()]
    # Spark's own folders hold copies of rows while it writes; whoever wants them names them.
    named = {part for part in pattern.parts if _is_hidden(part)}
    return [file for file in files if not _select_hidden(file.parts[typed:]) - named], typed


def _select_hidden(parts: tuple[str, ...]) -> set[str]:
    return {part for part in parts if _is_hidden(part)}


def _raise(error: OSError) -> None:
    raise error  # what cannot be listed must not be left out in silence


def _is_data(name: str) -> bool:
    return name.lower().endswith(PARQUET + DELIMITED) and not _is_hidden(name)


def _is_hidden(name: str) -> bool:
    # As Spark has it: what begins with an underscore is its own, unless it is the name of a key.
    return name.startswith(".") or (name.startswith("_") and "=" not in name)
