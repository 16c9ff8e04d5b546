"""Which lines of the readers' modules the inputs reach: `python -m readers.reaching ledger …`.

Every input that libFuzzer kept, because it reached something new, is read once more by the plain
code, while Python tells each line it runs.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import sfumato
from readers.reader import Reader
from readers.watching import ignore

_PACKAGE = Path(sfumato.__file__).parent


def main() -> None:
    """Print the lines of each module, and those that were reached, as JSON."""
    name, seeds, *corpora = sys.argv[1:]
    inputs = [path for corpus in corpora for path in sorted(Path(corpus).iterdir())]
    reached: dict[str, set[int]] = defaultdict(set)

    def follow(frame: FrameType, _event: str, _: Any) -> Any:
        file = frame.f_code.co_filename
        if not file.startswith(str(_PACKAGE)):
            return None
        lines = reached[file]

        def note(inner: FrameType, event: str, _: Any) -> Any:
            if event == "line":
                lines.add(inner.f_lineno)
            return note

        return note

    ignore("object.__getattr__")
    sys.settrace(follow)
    reader = _replayed(name, Path(seeds), inputs)
    sys.settrace(None)
    told = {}
    for module in reader.modules:
        path = _PACKAGE / module
        lines = _lines(path, reader.aside)
        told[module] = {"lines": len(lines), "missed": sorted(lines - reached[str(path)])}
    sys.stdout.write(json.dumps(told))


def _replayed(name: str, seeds: Path, inputs: list[Path]) -> Reader:
    from readers.target import prepared

    reader = prepared(name, seeds)
    for path in inputs:
        try:
            reader.examine(path.read_bytes())
        except Exception:  # noqa: BLE001 - the fuzzer has told of it
            continue
    return reader


def _lines(path: Path, aside: tuple[str, ...]) -> set[int]:
    """Return the lines of code within the functions of a module, but for those set aside."""
    found: set[int] = set()
    waiting: list[CodeType] = [compile(path.read_text(), str(path), "exec")]
    while waiting:
        code = waiting.pop()
        inside = code.co_flags & CO_OPTIMIZED  # a function's, not a module's or a class's
        if inside and not code.co_qualname.startswith(aside):
            found |= {line for _, _, line in code.co_lines() if line} - {code.co_firstlineno}
        waiting += [each for each in code.co_consts if isinstance(each, CodeType)]
    return found


if __name__ == "__main__":
    main()
