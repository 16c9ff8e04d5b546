"""How CSV files are written: their encoding, what separates fields, and how dates look."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

from sfumato.errors import Setting, SourceError, Worded

_UNICODE = ("utf-8", "utf-16", "utf-16-le", "utf-16-be")
_SINGLE = (
    *("iso8859-1", "iso8859-2", "iso8859-5", "iso8859-7", "iso8859-9", "iso8859-15"),
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1257", "cp437", "cp850", "cp852"),
    *("cp866", "koi8-r", "koi8-u", "mac-roman"),
)
_EAST = ("shift_jis", "cp932", "euc_jp", "gb18030", "gbk", "big5", "euc_kr")
ENCODINGS = (*_UNICODE, *_SINGLE, *_EAST)
"""Encodings by the names that Python gives them; latin-1 is iso8859-1.

None has a state that one record could leave behind for the next.
"""

DELIMITERS = (",", ";", "\t", "|", ":", "^", "~", " ")

_ESCAPE = "sfumato.escape"
_LONGEST_LINE = 2**22  # bytes, which are more than a record may have in UTF-8


def _escape(problem: UnicodeError) -> tuple[str, int]:
    """Stand a half of a letter for each byte that means nothing: other bytes stay others.

    Of letters of several bytes the first alone is lost: a quote or what separates fields, behind
    half a letter, is still one, and a record ends where it ends.
    """
    if not isinstance(problem, UnicodeDecodeError):
        raise problem
    end = problem.end if problem.encoding.startswith("utf") else problem.start + 1
    lost = problem.object[problem.start : end]
    return "".join(chr(0xDC00 + octet) for octet in lost), end


codecs.register_error(_ESCAPE, _escape)


class Transcoder:
    """Reads bytes of one encoding as UTF-8, a piece at a time.

    Bytes that mean nothing become what is no Unicode either, each another: such a text is no
    category and no number, and people whose names hold them stay apart.

    Privacy
    -------
    No byte fails. What a record is read as depends on that record alone, whatever pieces it is cut
    into; in UTF-16, where each of its letters has two bytes or four.

    Examples
    --------
    >>> from io import BytesIO
    >>> Transcoder(BytesIO("Köln".encode("latin-1")).read, "iso8859-1").read(100).decode()
    'Köln'
    """

    def __init__(self, read: Callable[[int], bytes], encoding: str) -> None:
        self._read = read
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)(errors=_ESCAPE)
        self._decode = self._decode_lines if encoding in _EAST else self._decode_all
        self._line = bytearray()

    def read(self, size: int) -> bytes:
        """Return what the next bytes mean: nothing only where there are no more."""
        while True:
            octets = self._read(size)
            text = self._decode(octets)
            if text or not octets:
                return text.encode("utf-8", "surrogatepass")

    def _decode_all(self, octets: bytes) -> str:
        return self._decoder.decode(octets, final=not octets)

    def _decode_lines(self, octets: bytes) -> str:
        """Decode each line by itself: half a letter at its end must not take the line feed.

        Python's decoders of pieces may keep half a letter beyond a line that was their last. A line
        is cut where it is too long for any record: no letter there holds a quote.
        """
        *lines, rest = octets.split(b"\n")
        whole = [self._end_line(line) + "\n" for line in lines]
        self._line += rest
        ended = not octets or len(self._line) > _LONGEST_LINE
        return "".join([*whole, self._end_line(b"") if ended else ""])

    def _end_line(self, rest: bytes) -> str:
        line, self._line = bytes(self._line + rest), bytearray()
        return line.decode(self._encoding, _ESCAPE)


@dataclass(frozen=True)
class FileFormat:
    """What is said of CSV files besides how their numbers are written.

    Parameters
    ----------
    encoding
        How letters are written as bytes, by name.
    delimiter
        What separates fields; left out, the first line tells, which is public.
    dates
        The format of each column of dates, in the directives of ``strptime``.

    Privacy
    -------
    A public fact; nothing is guessed from rows.
    """

    encoding: str = "utf-8"
    delimiter: str | None = None
    dates: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        object.__setattr__(self, "encoding", _find_encoding(self.encoding))
        if self.delimiter is not None and self.delimiter not in DELIMITERS:
            known = " ".join(map(repr, DELIMITERS))
            raise SourceError(
                f"A delimiter of {self.delimiter!r} is not known.",
                "It decides what is a field, and must be one letter that ends none by chance.",
                ("Choose one of ", known, ", or leave ", Setting("delimiter"), " out."),
            )
        if not isinstance(cast(object, self.dates), Mapping):
            raise _make_format_error("dates")
        formats = {name: DateFormat(written) for name, written in self.dates.items()}
        object.__setattr__(self, "dates", dict(self.dates))
        object.__setattr__(self, "_formats", formats)

    @property
    def date_formats(self) -> Mapping[str, DateFormat]:
        """The columns of dates, and how each is read."""
        return cast("Mapping[str, DateFormat]", getattr(self, "_formats"))  # noqa: B009

    def check_files(self, *, delimited: bool) -> None:
        """Refuse to read letters otherwise where the table says by itself what they are."""
        if not (delimited or self == USUAL):
            raise SourceError(
                (
                    *(Setting("encoding"), ", ", Setting("delimiter"), " and "),
                    *(Setting("dates"), " are for CSV files."),
                ),
                "Other tables have types, and what their texts mean is not rewritten.",
                "Leave them out.",
            )

    def open(self, read: Callable[[int], bytes]) -> Callable[[int], bytes]:
        """Return a reader of UTF-8 for a reader of these files."""
        return read if self.encoding == "utf-8" else Transcoder(read, self.encoding).read


def _find_encoding(name: object) -> str:
    try:
        found = codecs.lookup(name).name if isinstance(name, str) else ""
    except (LookupError, ValueError):
        found = ""
    if found not in ENCODINGS:
        raise SourceError(
            f"The encoding {name!r} is not known.",
            "It must be one in which each record can be read by itself.",
            f"Choose latin-1 or one of {', '.join(ENCODINGS)}.",
        )
    return found


FULL_MONTHS = [
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
]
MONTHS = [month[:3] for month in FULL_MONTHS]
_DIRECTIVES = {
    "Y": "[0-9]{4}",
    "y": "[0-9]{2}",
    "m": "1[0-2]|0?[1-9]",
    "b": "|".join(MONTHS),
    "B": "|".join(FULL_MONTHS),
    "d": "3[01]|[12][0-9]|0?[1-9]",
    "j": "36[0-6]|3[0-5][0-9]|[12][0-9][0-9]|0?[1-9][0-9]|0{0,2}[1-9]",
    "H": "2[0-3]|[01]?[0-9]",
    "I": "1[0-2]|0?[1-9]",
    "p": "am|pm",
    "M": "[0-5]?[0-9]",
    "S": "[0-5]?[0-9]",
    "f": "[0-9]{1,6}",
    "z": "z|[+-](?:2[0-3]|[01][0-9]):?[0-5][0-9]",
}
_FINEST = {"f": 1.0, "S": 1e6, "M": 60e6, "z": 60e6, "H": 3600e6, "I": 3600e6}
_DAY = 86_400e6
_SPACE = "[ \\t]*"


@dataclass(frozen=True)
class DateFormat:
    """How dates are written in a column of text, in some of the directives of ``strptime``.

    Months have their English names, in letters of any case; a text without a zone is in UTC.

    Privacy
    -------
    A public fact. What a text is read as depends on this format and that text alone, by
    `sfumato.engines.text_dates`.

    Examples
    --------
    >>> bool(re.match(DateFormat("%d/%m/%Y %H:%M").pattern, "03/02/2026 04:05"))
    True
    """

    written: str

    def __post_init__(self) -> None:
        used = self.directives
        known = set(used) <= {*_DIRECTIVES, "%"} and len(set(used) - {"%"}) == len(
            [each for each in used if each != "%"]
        )
        years, days = {"Y", "y"} & set(used), {"m", "b", "B", "j"} & set(used)
        halves = ("I" in used) == ("p" in used) and not {"H", "I"} <= set(used)
        if not (known and len(years) == 1 and len(days) <= 1 and halves):
            raise _make_format_error(self.written)
        if ("d" in used and not days) or {"d", "j"} <= set(used):
            raise _make_format_error(self.written)

    @property
    def directives(self) -> list[str]:
        """The letters of its directives, in their order."""
        if not isinstance(cast(object, self.written), str):
            raise _make_format_error(self.written)
        return re.findall(r"%(.?)", self.written, re.DOTALL)

    @property
    def spacing(self) -> float:
        """How far apart such moments lie, in microseconds."""
        return min([_DAY, *(_FINEST[each] for each in self.directives if each in _FINEST)])

    @property
    def pattern(self) -> str:
        """A regular expression over bytes for all that is read as a date."""
        pieces = re.split(r"(%.|\s+)", self.written)
        return f"(?i)^{_SPACE}{''.join(map(_write_pattern, pieces))}{_SPACE}$"


def _write_pattern(piece: str) -> str:
    if piece == "%%":
        return "%"
    if re.fullmatch("%.", piece, re.DOTALL):
        return f"(?P<{piece[1]}>{_DIRECTIVES[piece[1]]})"
    return "[ \\t]+" if piece.isspace() else re.escape(piece)


def _make_format_error(written: object) -> SourceError:
    known = " ".join(f"%{each}" for each in _DIRECTIVES)
    return SourceError(
        f"The format of dates {written!r} cannot be read.",
        f"Each text is read by itself, by directives that are known: {known}, each once, with a "
        "year and, for days, a month.",
        (
            "Write ",
            Worded("dates={'when': '%d/%m/%Y %H:%M'}", in_shell="--dates 'when=%d/%m/%Y %H:%M'"),
            ".",
        ),
    )


USUAL = FileFormat()
"""How files are written where nothing is said about it."""
