"""Runs pytest in a forked child, and writes down which tests failed by themselves."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import Phase, settings

from planted.request import REPORT, Request

_OPTIONS = (
    *("-q", "--tb=line", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist"),
    "--assert=plain",  # nobody reads why a test failed, and to rewrite all of them takes time
)

_EVERYDAY = ("-x", "-m", "not slow")
"""One test is enough, and `make test` runs it: no bug waits for the night to be noticed."""

_CRASHES = (NameError, AttributeError, TypeError, ImportError, SyntaxError)
"""Of a mutant that does not run at all no test could fail to notice."""


def run(request: Request) -> int:
    """Return pytest's exit status for tests of the sfumato in the requested folder."""
    sys.path.insert(0, request.source)
    # For tests that start a Python of their own.
    paths = [request.source, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    scratch = Path(request.folder) / "scratch"
    options = [*_OPTIONS, f"--basetemp={scratch}", *(_EVERYDAY if request.stop else ())]
    return int(pytest.main([*options, *request.tests], plugins=[Witness(request)]))


class Witness:
    """Sees that the right sfumato was tested, and which tests passed and failed.

    A failure while a test was set up, or collected, is none of the test's, and one by an error
    that speaks of a program and not of what it promises is called a crash.
    """

    def __init__(self, request: Request) -> None:
        self._request = request
        self._report = Path(request.folder) / REPORT

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        """Draw the same examples every time, and remember none: those of a bug are its own."""
        phases = (Phase.explicit, Phase.generate)  # to shrink an example would only take time
        settings.register_profile(
            "planted", settings.default, derandomize=True, database=None, phases=phases
        )
        settings.load_profile("planted")

    def pytest_collection_finish(self) -> None:
        """Refuse to test any sfumato but the one that was asked for."""
        import sfumato

        if not Path(sfumato.__file__).is_relative_to(self._request.source):
            raise pytest.UsageError("The sfumato that was imported is not the one to be tested.")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Write down how each test ended, at once: a later one may never end."""
        report = yield
        if report.when == "call" and not report.skipped:
            crashed = call.excinfo is not None and call.excinfo.errisinstance(_CRASHES)
            with self._report.open("a", encoding="utf-8") as lines:
                print("crashed" if crashed else report.outcome, report.nodeid, file=lines)
        return report
