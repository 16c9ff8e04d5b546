"""Lengths that stay the same while a layout engine makes up its mind."""

from __future__ import annotations

SLACK = 0.04


class Steady:
    """A length that counts as changed only when it has moved by more than a hair.

    A layout engine measures, moves the sides a little and draws. Text that is set anew for every
    such move may need more room than was measured; so it is set with some slack, and kept.
    """

    def __init__(self, slack: float = SLACK) -> None:
        self.slack = slack
        self.length = 0.0

    def moved(self, length: float) -> bool:
        """Tell whether `length` is a new one, and remember it if so."""
        if self.length * (1 - self.slack) <= length <= self.length * (1 + 2 * self.slack):
            return False
        self.length = length
        return True
