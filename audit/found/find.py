"""`Find`: one defect that a reader from outside reported, and the attempt to reproduce it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from report import Size

Gravity = Literal["critical", "major", "minor", "misleads"]


class ReproducedError(Exception):
    """The defect is there again."""


@dataclass(frozen=True)
class Find:
    """A defect as it was reported.

    Parameters
    ----------
    name
        What is tried.
    gravity
        How bad it was; ``"misleads"`` for figures that look certain and are not.
    was
        What was seen when it was reported.
    attempt
        Tries it as reported and returns what is seen now, in a few words; raises
        `ReproducedError` where the defect shows.
    """

    name: str
    gravity: Gravity
    was: str
    attempt: Callable[[Size], str]
