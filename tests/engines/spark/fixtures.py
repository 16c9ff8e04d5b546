"""The fixtures that tests on Spark ask for, and a word to whoever lacks Java."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engines.spark.sessions import UNTESTED, missing, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def java() -> None:
    """Skip, and say so, where Spark cannot run."""
    reason = missing()
    if reason is not None:
        pytest.skip(reason)


@pytest.fixture(scope="session")
def spark_folder(java: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all files of the session `spark`."""
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="session")
def spark(spark_folder: Path) -> Generator[SparkSession]:
    """A Spark of two threads in this process, for all tests; a task that is lost is done again."""
    with session(spark_folder, master="local[2,2]") as opened:
        yield opened


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """End a run that left Spark out with a line that nobody overlooks."""
    skipped = terminalreporter.stats.get("skipped", [])
    if any(UNTESTED in str(report.longrepr) for report in skipped):
        terminalreporter.section("NOT TESTED", sep="!", red=True, bold=True)
        terminalreporter.line(missing() or UNTESTED, red=True, bold=True)
