"""A page as a program: its fenced blocks, and the folder in which they run."""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import json
import re
import tempfile
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

_FENCE = re.compile(r"^( *)```([^\n`]*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, what is in it, and where it stands on its page."""

    language: str
    hidden: bool  # it runs, and only what it gave is shown
    source: str
    indent: str
    start: int
    end: int

    @property
    def program(self) -> str:
        """The Python in it; what a doctest expects is left to the doctests."""
        if self.language == "pycon":
            examples = doctest.DocTestParser().get_examples(self.source)
            return "".join(example.source for example in examples if example.exc_msg is None)
        return self.source if self.language == "python" else ""


def blocks(markdown: str) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    return [
        Block(
            language=match[2].split(" ")[0],
            hidden="hidden" in match[2].split(" "),
            source=textwrap.dedent(match[3]),
            indent=match[1],
            start=match.start(),
            end=match.end(),
        )
        for match in _FENCE.finditer(markdown)
    ]


@dataclass
class Program:
    """A page that is being run."""

    folder: Path
    names: dict[str, Any] = field(default_factory=dict)

    def run(self, block: Block) -> tuple[str, Any]:
        """Run a block; return what it printed and the value of the expression it ends with."""
        tree = ast.parse(block.program)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        printed = io.StringIO()
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(printed):
            exec(compile(tree, "<page>", "exec"), self.names)
            value = (
                eval(compile(ast.Expression(last.value), "<page>", "eval"), self.names)
                if isinstance(last, ast.Expr)
                else None
            )
        return printed.getvalue(), value


@cache
def _city() -> tempfile.TemporaryDirectory[str]:
    import pyarrow.parquet as pq

    from sfumato.testing import checkins, city, districts

    folder = tempfile.TemporaryDirectory(prefix="city-")
    pq.write_table(city(), Path(folder.name, "people.parquet"))
    for name in ("checkins", "visits"):
        pq.write_table(checkins(), Path(folder.name, f"{name}.parquet"))
    Path(folder.name, "districts.geojson").write_text(json.dumps(districts()), encoding="utf-8")
    return folder


@contextlib.contextmanager
def program() -> Iterator[Program]:
    """Give a page a folder of its own for a while, with the tables of an invented city."""
    with tempfile.TemporaryDirectory(prefix="page-") as name:
        folder = Path(name)
        for table in Path(_city().name).iterdir():
            (folder / table.name).symlink_to(table)
        yield Program(folder)
