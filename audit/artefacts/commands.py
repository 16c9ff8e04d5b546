"""The command line, asked for a chart of the canaries: its files, and all that it says."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path

from artefacts.canaries import DOMAIN
from artefacts.requests import named, unit, words

_ENDINGS = ("json", "geojson", "svg", "png", "pdf", "html")
_REFUSED = (
    ("histplot", "--x", "nobody", "--bounds", "0,1", "--epsilon", "1"),
    ("histplot", "--x", "note", "--epsilon", "1"),
    ("boxplot", "--y", "wait", "--bounds", "0,240", "--epsilon", "1000", "--weak"),
    ("heatmap", "--x", "lon", "--y", "lat", "--epsilon", "1"),
)


def type_words(name: str, table: str, folder: Path, forms: Sequence[str]) -> None:
    """Ask for a chart as in a shell, write its forms, and keep what was said.

    ``printed`` is what `sfumato draw` shows of the release, which must be what Python shows of it
    elsewhere; ``said`` is everything else that came on both streams.
    """
    request, ledger = named(name), folder / "ledger"
    terms = ["--epsilon", "100", "--delta", "0.1", "--weak", *unit(request.unit)]
    said = [spoken(["ledger", "create", str(ledger), *terms, "--table", "declared"])]
    kept = ["--ledger", str(ledger), "--table", "declared"]
    # The command line tells the form by the ending, the audit by the name alone.
    files = {form: folder / f"written.{form}" for form in forms if form in _ENDINGS}
    written = [word for path in files.values() for word in ("-o", str(path))]
    typed = words(request, table, DOMAIN, components := folder / "components.json")
    if request.components:
        before = replace(request, chart=request.components, given=None)
        said += [spoken([*words(before, table, DOMAIN, None), *kept, "-o", str(components)])]
    said += [spoken([*typed, *kept, *written]), spoken(["ledger", str(ledger)])]
    said += [spoken(["plan", *typed, *kept])]
    said += [spoken([refused[0], table, *refused[1:], *kept]) for refused in _REFUSED]
    components.unlink(missing_ok=True)
    # A form that is missing would be one that was never searched.
    assert all(path.exists() for path in files.values()), "\n".join(said)
    (folder / "printed").write_text(spoken(["draw", str(files["json"])]), encoding="utf-8")
    for form, path in files.items():
        path.rename(folder / form)
    # Where files lie was typed by whoever reads it again here.
    everything = "\n".join(said).replace(str(folder), "")
    (folder / "said").write_text(everything.replace(table, ""), encoding="utf-8")


def spoken(words: Sequence[str]) -> str:
    """Run a command line, and return what it says on both streams."""
    from sfumato.cli.run import run

    stream = StringIO()
    with redirect_stdout(stream), redirect_stderr(stream):
        run(words)
    return stream.getvalue()


def watched(words: Sequence[str], folder: Path, environment: dict[str, str]) -> bytes:
    """Run a command line on a terminal, its progress bar from the first moment, and record it."""
    import pty

    program = (
        "import sys, sfumato.progress as p; p._PATIENCE = 0.0\nfrom sfumato.cli import main; main()"
    )
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execve(sys.executable, [sys.executable, "-c", program, *words], environment)
    seen = b""
    while True:
        try:
            piece = os.read(terminal, 2**16)
        except OSError:
            piece = b""
        if not piece:
            break
        seen += piece
    os.close(terminal)
    os.waitpid(process, 0)
    return seen
