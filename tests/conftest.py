"""What all tests share: no deadlines, no windows, and an order for those who run them in parts."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import settings

pytest_plugins = ["engines.spark.fixtures", "privacy.fixtures", "shell_words"]

os.environ.setdefault("MPLBACKEND", "agg")
# Workers are as many as cores; threads within them would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

settings.register_profile("sfumato", deadline=None, print_blob=True, max_examples=50)
settings.register_profile("deep", settings.get_profile("sfumato"), max_examples=1000)
settings.load_profile("sfumato")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let `scheduling` say which worker runs what."""
    from scheduling import ByFile

    config.option.loadscopereorder = False  # it would put files with many tests first
    return ByFile(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put first what a worker takes longest for, where there are workers."""
    if hasattr(config, "workerinput"):
        from scheduling import order, scope

        items.sort(key=lambda item: order(scope(item.nodeid)))
