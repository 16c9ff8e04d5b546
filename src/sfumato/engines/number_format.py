"""`NumberFormat`: how numbers are written in a CSV file."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sfumato.errors import SourceError

_DECIMAL = (".", ",")
_THOUSANDS = (".", ",", "'", "\u2019", "_", " ", "\u00a0", "\u2009", "\u202f")

_SPACE = "[ \\t\\n\\v\\f\\r]*"


@dataclass(frozen=True)
class NumberFormat:
    """What stands before the decimals of a number, and what between its thousands.

    Parameters
    ----------
    decimal
        A point or a comma.
    thousands
        What parts groups of three digits, if anything: a point, a comma, an apostrophe, an
        underscore or a space. A number may be written without it.

    Privacy
    -------
    A public fact. What a text is read as depends on this format and that text alone.

    Examples
    --------
    >>> written = re.compile(NumberFormat(",", ".").pattern)
    >>> [bool(written.match(text)) for text in ("1.234,5", "1234,5", "1.2345", "0.123", "1,234.5")]
    [True, True, False, False, False]
    """

    decimal: str = "."
    thousands: str | None = None

    def __post_init__(self) -> None:
        if self.decimal not in _DECIMAL or self.thousands not in (None, *_THOUSANDS):
            raise SourceError(
                "Numbers cannot be written with that decimal mark or that separator of thousands. "
                "Every field would be left out, and the budget spent on nothing. Write "
                "decimal=',' or decimal='.', and for thousands= a point, a comma, an "
                "apostrophe, an underscore or a space."
            )
        if self.decimal == self.thousands:
            raise SourceError(
                f"{self.decimal!r} cannot stand both before decimals and between thousands. What "
                "a field is read as would be a guess. Write decimal=',' with thousands='.', or "
                "decimal='.' with thousands=','."
            )

    @property
    def pattern(self) -> str:
        """A regular expression, over bytes or letters, for all that is read as a number."""
        whole, mark = "[0-9]+", re.escape(self.decimal)
        if self.thousands is not None:
            # A first group of 0 is no thousand: who writes 0.123 means decimals.
            whole = f"(?:[1-9][0-9]{{0,2}}(?:{re.escape(self.thousands)}[0-9]{{3}})+|{whole})"
        digits = f"(?:{whole}(?:{mark}[0-9]*)?|{mark}[0-9]+)(?:[eE][+-]?[0-9]+)?"
        # Letters alone are of any case: the bytes of others must not be folded.
        return f"^{_SPACE}[+-]?(?:{digits}|(?i:inf|infinity|nan)){_SPACE}$"

    def check_files(self, *, delimited: bool) -> None:
        """Refuse to read numbers otherwise where the table says by itself what is a number."""
        if not (delimited or self == PLAIN):
            raise SourceError(
                "decimal= and thousands= are for CSV files. Other tables hold numbers as numbers, "
                "and what their texts mean is not rewritten. Leave both out."
            )


PLAIN = NumberFormat()
"""How numbers are written where nothing is said about it."""
