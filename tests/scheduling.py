"""How tests are dealt out to workers: a file to one of them, what waits longest first.

Tests of a file share what is set up for it, so they run on one worker; those that need Spark share
a Java machine, the site is built once. Attacks whose tests stand alone come last, one by one: they
fill whatever time one worker has left while another is still busy.
"""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling

FIRST = ("tests/docs/test_site.py", "spark")
"""What takes minutes and cannot be cut."""

APART = (
    "tests/audit/test_fire.py",
    "tests/audit/test_planted.py",
    "tests/audit/test_telling.py",
    "tests/audit/test_boxplot_audit.py",
)
"""Files whose tests share little or nothing."""


def scope(test: str) -> str:
    """Return the name of all that runs on the worker of this test.

    Examples
    --------
    >>> scope("tests/engines/spark/test_maps.py::test_sums")
    'spark'
    >>> scope("tests/test_grid.py::test_edges[0]")
    'tests/test_grid.py'
    """
    file, _, name = test.partition("::")
    if file.startswith("tests/engines/spark/") or "on_spark" in name:
        return "spark"
    return test if file in APART else file


def order(name: str) -> int:
    """Return a number by which scopes are sorted: what is long first, what is short last."""
    return FIRST.index(name) if name in FIRST else len(FIRST) + ("::" in name)


class ByFile(LoadScopeScheduling):
    """Deals out scopes, in the order in which their first tests were collected."""

    def _split_scope(self, nodeid: str) -> str:
        return scope(nodeid)
