"""`Request`: which tests to run on which sfumato, and where what came of it is put."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

LOG, REPORT = "log", "report"
"""What a run leaves in its folder: what pytest printed, and how each test ended."""

HUNG, INTERNAL = -1, 3
"""What is answered for a run that did not end in time, or not by itself."""


@dataclass(frozen=True)
class Request:
    """Tests to run on the sfumato in one folder, and where to put what came of it.

    Parameters
    ----------
    source
        The folder to import sfumato from.
    folder
        For the log, the report and what tests write.
    stop
        Whether one failure is enough.
    """

    source: str
    folder: str
    tests: tuple[str, ...]
    stop: bool

    def written(self) -> str:
        """Return the request as a line."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def read(cls, line: str) -> Request:
        """Read a line."""
        plain = json.loads(line)
        return cls(plain["source"], plain["folder"], tuple(plain["tests"]), plain["stop"])
