"""The files that a path stands for."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.engines.sources.partitions import Partition
from sfumato.errors import SourceError

PACKED = {"": None, ".gz": "gzip", ".zst": "zstd"}
PARQUET = (".parquet", ".parq", ".pq")
DELIMITED = tuple(kind + packed for kind in (".csv", ".tsv") for packed in PACKED)
LINES = tuple(".txt" + packed for packed in PACKED)
"""Endings of CSV files, too, but not in a folder: a README is not part of the table."""


@dataclass(frozen=True)
class Part:
    """A file of a table, the partition it belongs to, and what a message may call it.

    Privacy
    -------
    What is found below a path may be named after people: a message repeats what was typed, and
    nothing that was found.
    """

    path: Path = field(repr=False)
    called: str
    partition: Partition = field(default_factory=Partition)


def parts_at(place: str | os.PathLike[str]) -> list[Part]:
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
            f"{text!r} is an address, and sfumato does not use the network: whoever answers would "
            "learn what is asked. Download the file and give its path."
        )
    if path.is_file():
        return [Part(path, f"The file {text!r}")]
    found, typed = _below(path) if text and path.is_dir() else _matching(path)
    if not found:
        raise SourceError(
            f"There is no file at {text!r}. Nothing was read and nothing charged. Check the path; "
            "a folder must hold files that end in .parquet or .csv."
        )
    called = f"A file of {text!r}"
    return [Part(file, called, Partition.of(file.parts[typed:-1])) for file in sorted(found)]


def _below(folder: Path) -> tuple[list[Path], int]:
    """Return the files of a folder, and how many parts of their paths were typed."""
    found: list[Path] = []
    for place, folders, files in os.walk(folder, onerror=_raise):
        folders[:] = [name for name in folders if not _is_hidden(name)]
        if any(Path(place, name).is_symlink() for name in folders):
            raise SourceError(
                "The folder holds a link to another folder. Rows behind it would be left out, or "
                "counted twice where it leads back. Put the files themselves there, or give "
                "sfumato a list of folders."
            )
        found += [Path(place, name) for name in files if _is_data(name)]
    return [file for file in found if file.is_file()], len(folder.parts)


def _matching(pattern: Path) -> tuple[list[Path], int]:
    """Return the files of a glob, and how many parts of their paths were typed."""
    matches = glob.glob(str(pattern), recursive=True)  # noqa: PTH207 - also absolute patterns
    wild = [not set("*?[").isdisjoint(part) for part in pattern.parts]
    typed = [*wild, True].index(True)
    files = [file for file in map(Path, matches) if file.is_file()]
    # Spark's own folders hold copies of rows while it writes; whoever wants them names them.
    named = {part for part in pattern.parts if _is_hidden(part)}
    return [file for file in files if not _hidden(file.parts[typed:]) - named], typed


def _hidden(parts: tuple[str, ...]) -> set[str]:
    return {part for part in parts if _is_hidden(part)}


def _raise(error: OSError) -> None:
    raise error  # what cannot be listed must not be left out in silence


def _is_data(name: str) -> bool:
    return name.lower().endswith(PARQUET + DELIMITED) and not _is_hidden(name)


def _is_hidden(name: str) -> bool:
    # As Spark has it: what begins with an underscore is its own, unless it is the name of a key.
    return name.startswith(".") or (name.startswith("_") and "=" not in name)
