"""One fuzz target in a process of its own: `python -m readers.target histogram seeds out --runs 9`.

Atheris ends the process that it ran in, so what was found goes into a file.
"""

# Atheris has no types.
# pyright: basic

from __future__ import annotations

import argparse
import json
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from readers.reader import KINDS, Reader, located

READERS = {
    **dict.fromkeys((*KINDS, "release"), "readers.released:ReleaseReader"),
    "ledger": "readers.charged:LedgerReader",
    "shuffle": "readers.shuffled:MessageReader",
    "words": "readers.spelled:WordReader",
}
_BEFORE = ("sfumato.figure", "sfumato.render.vega", "sfumato.render.html", "sfumato.postprocess")
"""What is loaded without counters in it: drawing is not what is fuzzed, and slow with them."""


def main() -> None:
    """Fuzz one reader."""
    parser = argparse.ArgumentParser()
    parser.add_argument("reader", choices=READERS)
    parser.add_argument("seeds", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--runs", type=int, required=True)
    parser.add_argument("--start", type=int, default=1)
    parser.add_argument("--broken", default="")
    asked = parser.parse_args()
    fuzz(asked.reader, asked.seeds, asked.out, asked)


def fuzz(name: str, seeds: Path, out: Path, asked: argparse.Namespace) -> None:
    """Run Atheris on a reader, and never return."""
    import atheris

    for module in _BEFORE if name in (*KINDS, "release") else ():
        import_module(module)
    with atheris.instrument_imports(include=["sfumato"]):  # pyright: ignore
        reader = prepared(name, seeds, asked.broken)
    found: dict[str, dict[str, Any]] = {}
    began, executions = time.perf_counter(), 0

    def once(data: bytes) -> None:
        nonlocal executions
        executions += 1
        try:
            reader.examine(data)
        except Exception as problem:  # noqa: BLE001 - all of them are breaches
            seen = found.setdefault(located(problem), {"times": 0, "input": data.hex()})
            seen["times"] += 1
            if seen["times"] == 1:
                tell()
        if executions >= asked.runs or executions % 10_000 == 0:
            tell()

    def tell() -> None:
        told = {
            "reader": name,
            "executions": executions,
            "seconds": time.perf_counter() - began,
            "done": reader.done,
            "breaches": found,
        }
        out.joinpath("told.json").write_text(json.dumps(told))

    def mutate(data: bytes, size: int, seed: int) -> bytes:
        return reader.mutate(data, size, seed, atheris.Mutate)

    corpus = out / "corpus"
    corpus.mkdir(parents=True)
    for number, seed in enumerate(reader.seeds):
        (corpus / f"seed-{number:02}").write_bytes(seed)
    flags = {
        "runs": asked.runs, "seed": asked.start, "max_len": reader.longest, "timeout": 60,
        "rss_limit_mb": 3000, "verbosity": 0, "artifact_prefix": f"{out}/", "len_control": 0,
    }  # fmt: skip
    words = [f"-{flag}={value}" for flag, value in flags.items()]
    atheris.Setup([sys.argv[0], *words, str(corpus)], once, custom_mutator=mutate)
    atheris.Fuzz()


def prepared(name: str, seeds: Path, broken: str = "") -> Reader:
    """Return a reader with its seeds, after breaking the library where that is asked for."""
    module, _, what = READERS[name].partition(":")
    folders = KINDS if name == "release" else (name,)
    content = [
        path.read_bytes() for folder in folders for path in sorted((seeds / folder).iterdir())
    ]
    reader: Reader = getattr(import_module(module), what)(content)
    if broken:  # only now: a reader learns from the whole library what is usual
        import_module("readers.broken").TWINS[broken].breaks()
    return reader


if __name__ == "__main__":
    main()
