"""How public facts are spelled in a shell: texts in, what Python would take out."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from typing import cast

from sfumato.domain import Bounds, Categories, Value
from sfumato.ends import CYCLES, UNITS, read_end
from sfumato.errors import DomainError, ReleaseError
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import Private

_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,300})(\.[0-9]+)?")
_WHOLE = re.compile(r"(-?[0-9]{1,15})\.\.(-?[0-9]{1,15})(?:\.\.([0-9]{1,15}))?", re.ASCII)
_FLAGS = {"true": True, "false": False}


def read_bounds(spellings: Sequence[str]) -> Bounds | dict[str, Bounds] | None:
    """Read ``0,240``, or any number of ``column=lower,upper``; dates are written 2026-01-31.

    Whole numbers from 1 to 12 are ``1..12``, and every fifth from 0 to 95 ``0..95..5``.

    Examples
    --------
    >>> read_bounds(["lon=-74.3,-73.7"])
    {'lon': Bounds(lower=-74.3, upper=-73.7)}
    >>> read_bounds(["1..12"])
    Bounds(lower=1.0, upper=12.0, step=1.0)
    """
    named = [spelling.rpartition("=") for spelling in spellings]
    columns = [column for column, _, _ in named]
    if columns == [""]:
        return _pair(named[0][2])
    if "" in columns or len(set(columns)) != len(columns):
        raise DomainError(
            "--bounds without a column name can be given once, and alone; with names, once for "
            "each column.",
            "Otherwise it is ambiguous which range belongs to which column.",
            "Write --bounds lon=-74.3,-73.7 --bounds lat=40.5,40.9.",
        )
    return {column: _pair(ends) for column, _, ends in named} or None


def read_bounds_or_search(
    spellings: Sequence[str],
) -> tuple[Bounds | dict[str, Bounds] | None, Private | dict[str, Private] | None]:
    """Read bounds as `read_bounds` does, or ``private`` or ``private:SHARE`` for a search.

    ``private:LOWER,UPPER`` searches within a public range, which dates need. With the name of a
    column before it, each stands for that column: ``lon=private:-180,180``.

    Examples
    --------
    >>> read_bounds_or_search(["private:0.2"])
    (None, Private(share=0.2, delta=None))
    >>> read_bounds_or_search(["lon=private:-180,180", "lat=40,41"])[0]
    {'lat': Bounds(lower=40.0, upper=41.0)}
    """
    if len(spellings) == 1 and (search := _read_search(spellings[0])) is not None:
        return None, search
    pairs = [(spelling, spelling.rpartition("=")) for spelling in spellings]
    named = [(name, _read_search(text)) for _, (name, _, text) in pairs if name]
    searches = {name: search for name, search in named if search is not None}
    rest = [spelling for spelling, (name, _, _) in pairs if name not in searches]
    if len(searches) + len(rest) < len(spellings):
        raise DomainError(
            "--bounds names each column once.",
            "Otherwise it is ambiguous which range belongs to which column.",
            "Write --bounds lon=private:-180,180 --bounds lat=40.5,40.9.",
        )
    return read_bounds(rest), searches or None


def _read_search(spelling: str) -> Private | None:
    word, _, rest = spelling.partition(":")
    if word == "private" and "," in rest:
        return _search_within(rest)
    word, *amounts = spelling.split(":")
    if word != "private" or len(amounts) > 1:
        return None
    share = _amount(amounts[0]) if amounts else None
    return Private(share=math.nan if amounts and share is None else share)


def read_numbers(spelling: str) -> tuple[float, ...]:
    """Read ``6,4``; what is no number is read as one that nothing can be.

    Examples
    --------
    >>> read_numbers("6,4.5")
    (6.0, 4.5)
    """
    amounts = map(_amount, spelling.split(","))
    return tuple(math.nan if amount is None else amount for amount in amounts)


def read_palette(spelling: str) -> str | tuple[str, ...] | dict[str, str]:
    """Read a name, colours, or colours by category.

    Examples
    --------
    >>> read_palette("Set2"), read_palette("red,blue"), read_palette("a=red,b=blue")
    ('Set2', ('red', 'blue'), {'a': 'red', 'b': 'blue'})
    """
    parts = spelling.split(",")
    if all("=" in part for part in parts):
        pairs = (part.rpartition("=") for part in parts)
        return {name: colour for name, _, colour in pairs}
    return spelling if len(parts) == 1 else tuple(parts)


def read_axes(spelling: str) -> tuple[bool, bool]:
    """Read ``x``, ``y`` or ``x,y``.

    Examples
    --------
    >>> read_axes("y")
    (False, True)
    """
    named = spelling.split(",")
    if named in (["x"], ["y"], ["x", "y"]):
        return "x" in named, "y" in named
    raise ReleaseError(
        "--log-scale names axes.",
        "Nothing was charged yet.",
        "Write --log-scale x, --log-scale y or --log-scale x,y.",
    )


def read_levels(spelling: str) -> tuple[float, ...]:
    """Read ``0.25,0.5,0.75``.

    Examples
    --------
    >>> read_levels("0.1,0.9")
    (0.1, 0.9)
    """
    levels = [_amount(level) for level in spelling.split(",")]
    return tuple(math.nan if level is None else level for level in levels)


def read_bins(spellings: Sequence[str]) -> int | str | tuple[object, ...] | None:
    """Read a number of bins, a list of edges or a word of the calendar, for one axis or for two.

    Examples
    --------
    >>> read_bins(["20"]), read_bins(["20", "0,1,5"]), read_bins(["month"])
    (20, (20, (0.0, 1.0, 5.0)), 'month')
    """
    axes = [_axis_bins(spelling) for spelling in spellings]
    match axes:
        case []:
            return None
        case [one]:
            return one
        case [x, y]:
            return x, y
        case _:
            raise _no_bins()


def read_resolution(spelling: str) -> int | tuple[int, ...] | str:
    """Read ``256``, or ``320,240`` for x and y.

    Examples
    --------
    >>> read_resolution("256"), read_resolution("320,240")
    (256, (320, 240))
    """
    sides = spelling.split(",")
    if not all(re.fullmatch(r"[0-9]{1,12}", side.strip()) for side in sides):
        return spelling  # which the chart refuses, saying what to type
    numbers = tuple(int(side.strip()) for side in sides)
    return numbers[0] if len(numbers) == 1 else numbers


def read_order(spelling: str | None, option: str) -> Categories | Private | None:
    """Read ``A,B``, or ``private:DELTA`` or ``private:DELTA:SHARE`` for a private search.

    Texts that all look like numbers, or all like true and false, are taken as such. A category
    with a comma in it is put in double quotes.

    Examples
    --------
    >>> read_order("A,B", "--order")
    Categories(values=('A', 'B'))
    >>> read_order("private:1e-6", "--order")
    Private(share=None, delta=1e-06)
    """
    if spelling is None:
        return None
    word, *amounts = spelling.split(":")
    if word == "private" and len(amounts) <= 2:
        return _search([_amount(amount) for amount in amounts], option)
    return Categories.of(_values(_listed(spelling)))


def read_columns(spelling: str) -> tuple[str, ...]:
    """Read names of columns with commas between them.

    Examples
    --------
    >>> read_columns("age,weight")
    ('age', 'weight')
    """
    return tuple(_listed(spelling))


def read_definitions(spellings: Sequence[str]) -> dict[str, str] | None:
    """Read any number of ``name=expression``, columns that are derived.

    Examples
    --------
    >>> read_definitions(["speed=distance / hours"])
    {'speed': 'distance / hours'}
    """
    pairs = [spelling.partition("=") for spelling in spellings]
    names = [name.strip() for name, _, _ in pairs]
    if len(set(names)) < len(names) or not all(name and text for name, _, text in pairs):
        raise DomainError(
            "--column takes a name and what it is, once for each name.",
            "A column is computed row by row, from columns of the same row.",
            "Write --column 'speed=distance / air_time * 60'.",
        )
    return {name: text.strip() for name, (_, _, text) in zip(names, pairs, strict=True)} or None


def read_split(spelling: str) -> str | tuple[float, ...]:
    """Read ``0.35,0.05,0.6``, or one of the words for a split.

    Examples
    --------
    >>> read_split("halves"), read_split("0.5,0.5")
    ('halves', (0.5, 0.5))
    """
    return spelling if spelling in ("halves", "thirds") else read_levels(spelling)


def read_scale(spellings: Sequence[str]) -> dict[str, float] | Private | None:
    """Read any number of ``column=number``, or ``private:SHARE`` for private scales.

    Examples
    --------
    >>> read_scale(["age=20", "weight=15"])
    {'age': 20.0, 'weight': 15.0}
    """
    if len(spellings) == 1 and spellings[0].startswith("private"):
        return cast("Private | None", read_bounds_or_search(spellings)[1])
    if not spellings:
        return None
    pairs = [spelling.rpartition("=") for spelling in spellings]
    numbers = [_number(number.strip()) for _, _, number in pairs]
    return {
        column: math.nan if number is None else number
        for (column, _, _), number in zip(pairs, numbers, strict=True)
    }


def read_delimiter(spelling: str | None) -> str | None:
    r"""Read a delimiter, of which a shell can hardly type one: ``tab``.

    Examples
    --------
    >>> read_delimiter(";"), read_delimiter("tab")
    (';', '\t')
    """
    return {"tab": "\t", "\\t": "\t"}.get(spelling, spelling) if spelling else spelling


def read_dates(spellings: Sequence[str] | None) -> dict[str, str]:
    """Read any number of ``column=format``.

    Examples
    --------
    >>> read_dates(["when=%d/%m/%Y"])
    {'when': '%d/%m/%Y'}
    """
    pairs = [spelling.partition("=") for spelling in spellings or ()]
    return {column: written for column, _, written in pairs}


def read_unit(spelling: str | None, name: str | None = None) -> PrivacyUnit:
    """Read ``user_id``, or ``user_id:20`` for at most 20 rows each; nothing at all means rows.

    Several columns that name users together have commas between them. A name with a comma in it
    is put in double quotes.

    Examples
    --------
    >>> read_unit("user_id:20")
    PrivacyUnit.users('user_id', max_rows=20)
    >>> read_unit("household,year")
    PrivacyUnit.users('household', 'year')
    """
    if spelling is None:
        return PrivacyUnit.of(None, name)
    column, colon, rows = spelling.rpartition(":")
    capped = bool(colon) and rows.isdecimal()
    text = column if capped else spelling
    columns = _listed(text) or [""] if "," in text else [text]
    unit = PrivacyUnit.users(*columns, max_rows=int(rows[:9]) if capped else None)
    return PrivacyUnit.of(unit, name)


def _pair(spelling: str) -> Bounds:
    if whole := _WHOLE.fullmatch(spelling.strip()):
        first, last, step = (None if part is None else int(part) for part in whole.groups())
        return Bounds(cast(int, first), cast(int, last), step=1 if step is None else step)
    ends = [end.strip() for end in spelling.split(",")]
    numbers = [_number(end) for end in ends]
    match numbers:
        case [float(lower), float(upper)]:
            return Bounds.of((lower, upper))
        case [None, None] if None not in map(read_end, ends):
            return Bounds.of(ends)
        case _:
            raise DomainError(
                "--bounds takes two numbers, dates, times of day or durations with a comma between "
                "them, or two whole numbers with two dots.",
                "Without both ends a range would have to be read from the data.",
                "Write --bounds 0,240, --bounds month=1..12, or --bounds "
                "day=2026-01-01,2027-01-01.",
            )


def _axis_bins(spelling: str) -> int | str | tuple[float, ...] | tuple[str, ...]:
    if spelling.strip() in (*UNITS, *CYCLES):
        return spelling.strip()
    if re.fullmatch(r"-?[0-9]{1,12}", spelling.strip()):
        return int(spelling.strip())  # which strips more than int does
    texts = tuple(edge.strip() for edge in spelling.split(","))
    if len(texts) > 1 and None not in map(read_end, texts):
        return texts
    edges = [_number(edge) for edge in texts]
    known = tuple(edge for edge in edges if edge is not None)
    if len(known) < 2 or len(known) != len(edges):
        raise _no_bins()
    return known


def _no_bins() -> DomainError:
    return DomainError(
        "--bins takes a whole number, edges with commas between them or a word of the calendar, at "
        "most once per axis.",
        "Bins found from the data would leak it.",
        f"Write --bins 20, or --bins 0,18,65,110; the words are {', '.join((*UNITS, *CYCLES))}.",
    )


def _search_within(spelling: str) -> Private:
    """Read ``LOWER,UPPER``, or ``SHARE:LOWER,UPPER``."""
    amount, colon, ends = spelling.partition(":")
    share = _amount(amount) if colon else None
    bounds = _pair(spelling if share is None else ends)
    plain = (bounds.lower, bounds.upper)
    return Private(share=share, within=bounds if bounds.time or bounds.duration else plain)


def _search(amounts: Sequence[float | None], option: str) -> Private:
    if not amounts or None in amounts:
        raise DomainError(
            f"{option} private needs a δ.",
            "It is the probability of showing a category that only one person has, and has no "
            "default.",
            f"Write {option} private:1e-6.",
        )
    delta, *share = [amount for amount in amounts if amount is not None]
    return Private(*share[:1], delta=delta)


def _listed(spelling: str) -> list[str]:
    try:
        rows = list(csv.reader([spelling], skipinitialspace=True))
    except csv.Error:
        return []
    return [text.strip() for row in rows for text in row]


def _values(texts: Sequence[str]) -> list[Value]:
    if texts and all(_NUMBER.fullmatch(text) for text in texts):
        return [float(text) if "." in text else int(text) for text in texts]
    if texts and all(text.lower() in _FLAGS for text in texts):
        return [_FLAGS[text.lower()] for text in texts]
    return list(texts)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


_amount = _number
