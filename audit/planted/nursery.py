"""A process that has imported everything but sfumato, and forks one child for each run of tests.

To start Python and import what the library stands on takes longer than most tests do. Here that is
done once; what a child imports of sfumato, and whatever it breaks, ends with the child.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import NoReturn

from planted.request import HUNG, INTERNAL, LOG, Request
from planted.witness import run

_WARM = (
    "doctest",
    "duckdb",
    "hypothesis.strategies",
    "matplotlib.pyplot",
    "opendp.measurements",
    "pandas",
    "psycopg",
    "pyarrow.compute",
    "pyarrow.csv",
    "pyarrow.dataset",
    "pyarrow.parquet",
    "pytest",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
    "sqlite3",
    "xdist.plugin",
)
_PATIENCE = 240.0  # seconds, on a machine that may be busy with other tests


def main() -> None:
    """Answer each request on a line of the input with the status of its run."""
    for name in _WARM:
        importlib.import_module(name)
    assert "sfumato" not in sys.modules
    gc.freeze()  # so that children need not look through all that again
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _run(Request.read(line))
        print(_awaited(child), flush=True)
    os._exit(0)  # without DuckDB's word about what it was not asked to free


def _run(request: Request) -> NoReturn:
    """Run tests in a child, which ends here."""
    log = os.open(Path(request.folder) / LOG, os.O_WRONLY | os.O_CREAT)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for opened, place in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(opened, place)
    os.setsid()
    status = INTERNAL
    try:
        status = run(request)
    except BaseException:  # noqa: BLE001 - the child must end here, and the log tell why
        traceback.print_exc()
    sys.stdout.flush()
    os._exit(status)


def _awaited(child: int) -> int:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return HUNG


if __name__ == "__main__":
    main()
