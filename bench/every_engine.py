"""The four charts by engine: rows a second, growth, memory, and what a cluster would cost.

Tables are generated. Each chart is timed through the public functions, from the plan to the
release, on DuckDB in memory (an Arrow table), on DuckDB with Parquet, and on Spark with two tasks
at once; beside it, in turn and in the same process, the engine's bare aggregate (sums of the same
columns) and NumPy's sums of the same numbers in memory. Each measurement has a process of its own,
but Spark's share one session, since a cluster is there before it is asked. What is imported is
loaded before, and the least of three runs counts, or of one on tables that take long.

    python bench/every_engine.py               # to 10⁸ rows; Spark, and PCA by people, to fewer
    python bench/every_engine.py 1000000       # a quick look: all sizes a hundredth
    python bench/every_engine.py --all         # everything to 10⁸ rows: takes hours
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from io import TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from scaling.answering import speak
from scaling.measuring import Bench, Sizes, write_all
from scaling.tables import room_for
from scaling.telling import beyond_memory, costs, growth, speed, verbs

ROWS = 10**8
LEAST = 10**5
LIMIT = "1GB"


def main(sizes: Sizes) -> int:
    # A table is shown when it is known, also in a file.
    cast(TextIOWrapper, sys.stdout).reconfigure(line_buffering=True)
    with TemporaryDirectory(prefix="scaling-") as folder:
        room_for(Path(folder), sizes.rows)
        bench = Bench(sizes, Path(folder))
        print(f"Load of the machine before: {os.getloadavg()[0]:.1f}; it should be near 0")
        bench.write()
        speed(bench)
        verbs(bench)
        met = [growth(bench), beyond_memory(bench)]
        if sizes.by_spark:
            costs(bench)
    return 0 if all(met) else 1


def asked(arguments: list[str]) -> Sizes:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("rows", nargs="?", type=int, default=ROWS, help="of the largest table")
    parser.add_argument("--spark", type=int, help="rows of Spark's largest; a tenth if left out")
    parser.add_argument("--limit", default=LIMIT, help="memory that DuckDB may fill")
    parser.add_argument("--all", action="store_true", help="leave nothing out")
    given = parser.parse_args(arguments)
    if given.rows < LEAST:
        parser.error(f"the largest table must have at least {LEAST:,} rows")
    spark = given.spark or (given.rows if given.all else given.rows // 10)
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        print("Spark is left out: it needs Java 17.")
        spark = 0
    return Sizes(given.rows, spark, given.limit, given.all)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--answer", spoken]:
            speak(spoken)
        case ["--write", spoken]:
            write_all(spoken)
        case given:
            sys.exit(main(asked(given)))
