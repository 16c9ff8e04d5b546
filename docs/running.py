"""Run the pages of the site: each is a program, and what its code gives is shown below the code.

python docs/running.py docs/start.md        # runs one page, and prints it with what it gave

Blocks of Python on a page are run in order, in a folder with three tables of an invented city. A
block that ends with an expression shows its value: a release or Matplotlib's axes as a picture on
light and on dark paper, a frame as a table, all else as text. Of a block called `python hidden`
this alone is shown. Files that a page saves are published beside it. A page that says what it
`needs` is not run here; the tests run it where that is to be had.
"""

from __future__ import annotations

import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

from program import Block, Program, blocks, program
from showing import Publish, paper, said, shown

_PUBLISHED = (".html", ".json", ".svg")


def with_results(markdown: str, running: Program, publish: Publish) -> str:
    """Run the blocks of a page, and return the page with what they gave."""
    parts, position = list[str](), 0
    for number, block in enumerate(blocks(markdown)):
        if block.program:
            result = _result(block, running, str(number), publish)
            shown_up_to = block.start if block.hidden else block.end
            parts += [markdown[position:shown_up_to], textwrap.indent(result, block.indent)]
            position = block.end
    return "".join([*parts, markdown[position:]])


def _result(block: Block, running: Program, name: str, publish: Publish) -> str:
    with paper("light"):
        printed, value = running.run(block)
        if block.language != "python":
            return ""
        return said(printed) + shown(value, lambda: running.run(block)[1], name, publish)


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """Run a page while the site is built."""
    if page.meta.get("needs") or all(b.language != "python" for b in blocks(markdown)):
        return markdown
    from mkdocs.structure.files import File

    made = Path(page.file.src_uri).with_suffix("")

    def publish(name: str, content: bytes) -> str:
        files.append(File.generated(config, f"{made}/{name}", content=content))
        return f"{made.name}/{name}"

    with program() as running:
        text = with_results(markdown, running, publish)
        for path in sorted(running.folder.rglob("*")):
            if path.suffix in _PUBLISHED:
                publish(str(path.relative_to(running.folder)), path.read_bytes())
    return text


def main(path: Path) -> None:
    """Run one page, and keep its pictures where they can be looked at."""
    kept = Path(tempfile.mkdtemp(prefix=f"{path.stem}-"))

    def publish(name: str, content: bytes) -> str:
        (kept / name).write_bytes(content)
        return str(kept / name)

    with program() as running:
        sys.stdout.write(with_results(path.read_text(encoding="utf-8"), running, publish) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
