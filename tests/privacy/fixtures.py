"""The server that ledgers are kept on in tests, and a word to whoever has none."""

from __future__ import annotations

from collections.abc import Generator
from itertools import count

import pytest

from privacy.server import UNTESTED, Server, find_programs, serve

REASON = f"{UNTESTED}: no PostgreSQL server runs here."
_numbers = count()


@pytest.fixture(scope="session")
def server() -> Generator[Server]:
    """A PostgreSQL server for all tests, or a skip that is said aloud."""
    opened = serve()
    try:
        running = opened.__enter__()
    except FileNotFoundError:
        pytest.skip(REASON)
    yield running
    opened.__exit__(None, None, None)


@pytest.fixture
def address(server: Server) -> str:
    """The address of a ledger that is not there yet."""
    return server.address(f"ledger_{next(_numbers)}")


@pytest.fixture(params=["file", "server"])
def place(request: pytest.FixtureRequest) -> str:
    """Where a ledger that outlives its process can be begun."""
    if request.param == "server":
        return request.getfixturevalue("address")
    return str(request.getfixturevalue("tmp_path") / "visits.ledger")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """End a run that left servers out with a line that nobody overlooks."""
    skipped = terminalreporter.stats.get("skipped", [])
    if any(UNTESTED in str(report.longrepr) for report in skipped):
        found = ", ".join(map(str, find_programs())) or "none"
        terminalreporter.section("NOT TESTED", sep="!", red=True, bold=True)
        terminalreporter.line(f"{REASON} Programs found: {found}.", red=True, bold=True)
