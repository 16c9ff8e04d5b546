"""Folders named ``key=value``, as Hive and Spark write them: each key is a column.

Values are text, and what a question declares them to be decides how they are read; nothing is
guessed. An escape like ``%3A`` stands for the byte it names. An empty value and the name that Hive
gives to what is missing are NULL.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

import numpy as np
import pyarrow as pa

from sfumato.engines.engine import ColumnKind
from sfumato.engines.sources.source import check_names
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
        named = [(_unescaped(k), _unescaped(v)) for k, equals, v in pairs if k and equals]
        keys = tuple(key.decode(errors="replace") for key, _ in named)
        return cls(keys, tuple(None if value in _MISSING else value for _, value in named))

    def stored(self, names: Sequence[str]) -> list[str]:
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


def with_keys(
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
            "The files lie in folders with different keys. Rows that lack a key would be in no "
            "group, and a person could count in one file and not in the other. Let the folders of "
            "all files have the same keys in the same order, such as year=…/region=…."
        )
    for key in keys:
        if key in kinds:
            raise SourceError(
                f"{key!r} is a column of the files and a key of their folders. Which of the two is "
                "charted, and so what is protected, would be a guess. Rename the folders, or "
                "write the files without that column."
            )
    check_names([*kinds, *keys])
    return {**kinds, **dict.fromkeys(keys, "text")}


def _unescaped(text: str) -> bytes:
    return unquote_to_bytes(os.fsencode(text))
