"""What all tests share: no deadlines on a busy machine, and no windows."""

from __future__ import annotations

import os

from hypothesis import settings

pytest_plugins = ["engines.spark.fixtures", "shell_words"]

os.environ.setdefault("MPLBACKEND", "agg")

settings.register_profile("sfumato", deadline=None, print_blob=True)
settings.load_profile("sfumato")
