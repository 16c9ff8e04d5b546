"""Expressions against the public kinds of columns: what each term is, or a refusal in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from sfumato.engines.table import ColumnKind
from sfumato.errors import DomainError, SourceError, make_printable
from sfumato.expressions import (
    MOST_DEPTH,
    MOST_TERMS,
    PARTS,
    Expression,
    Term,
    Value,
    spell_column,
)

TermKind = Literal["number", "text", "flag", "time", "duration", "untyped", "nothing"]
"""What a term is. `untyped` is text without a type, `nothing` a column that is all NULL."""

_DEEPEST = 2 * MOST_DEPTH
_WHOLE = frozenset({"floor", "ceil", "round", "len", *PARTS})
_KEEPING = frozenset({"+", "-", "*", "//", "%", "**", "negate", "abs", "min", "max"})
_SIGNATURES: Mapping[str, tuple[TermKind, TermKind]] = {
    **dict.fromkeys(("and", "or", "not"), ("flag", "flag")),
    **dict.fromkeys(PARTS, ("time", "number")),
    **dict.fromkeys(("lower", "upper", "strip"), ("text", "text")),
    **dict.fromkeys(("startswith", "endswith", "contains"), ("text", "flag")),
    "len": ("text", "number"),
    "total_seconds": ("duration", "number"),
}
"""As what a term takes its parts, and what it is."""


@dataclass(frozen=True)
class TypedTerm:
    """A term, and what it is by the kinds of its columns.

    Parameters
    ----------
    kind
        What it is.
    over
        As what its parts are compared, where they are; as what a column is read, where it is one.
    whole
        Whether all of its numbers are whole, by the types of columns.
    """

    op: str
    parts: tuple[TypedTerm, ...]
    value: Value
    kind: TermKind
    over: TermKind = "nothing"
    whole: bool = False


@dataclass(frozen=True)
class TypedColumns:
    """The columns that expressions may name, by their kinds, which are public.

    Parameters
    ----------
    kinds, untyped, spacings
        What a schema says of stored columns.
    derived
        Columns that were derived already.
    """

    kinds: Mapping[str, ColumnKind]
    untyped: frozenset[str] = frozenset()
    spacings: Mapping[str, float] = field(default_factory=dict[str, float])
    derived: Mapping[str, TypedTerm] = field(default_factory=dict[str, TypedTerm])

    def find_kind(self, name: str) -> TermKind | Literal["bytes", "other"]:
        """Return what a stored column holds, or refuse one that the table does not have."""
        if name not in self.kinds:
            names = ", ".join(map(spell_column, [*self.kinds, *self.derived]))
            raise SourceError(
                f"The table has no column {name!r}.",
                "An expression names columns of the table, or derived ones before it.",
                f"Its columns are {make_printable(names)}.",
            )
        kind = self.kinds[name]
        if name in self.untyped:
            return "untyped"
        return "other" if kind == "clock" else kind

    def read_condition(self, expression: Expression) -> TypedTerm:
        """Return a condition on rows, or refuse what is none."""
        return _limit(_Typist(self).read(expression.root, "flag"))

    def read_definition(self, expression: Expression) -> TypedTerm:
        """Return the definition of a column of numbers, texts or flags, or refuse it."""
        typist = _Typist(self)
        found = typist.type(expression.root, None)
        if found.kind in ("untyped", "nothing"):
            wanted = "text" if found.kind == "untyped" else "number"
            found = typist.read(expression.root, wanted)
        if found.kind in ("time", "duration"):
            raise DomainError(
                f"{str(expression)!r} is a date or a time.",
                "Derived columns are numbers, texts or flags.",
                "Write when.hour or when.year, or (end - begin).total_seconds().",
            )
        return _limit(found)


class _Typist:
    """Finds what the terms of one expression are, each once for each kind it may be wanted as."""

    def __init__(self, columns: TypedColumns) -> None:
        self._columns = columns
        self._known: dict[tuple[int, TermKind | None], TypedTerm] = {}

    def read(self, term: Term, wanted: TermKind) -> TypedTerm:
        found = self.type(term, wanted)
        if found.kind in (wanted, "nothing") or (found.kind, wanted) == ("flag", "number"):
            return found
        raise _refuse_kind(term, found.kind, wanted)

    def type(self, term: Term, wanted: TermKind | None) -> TypedTerm:
        key = id(term), wanted
        if key not in self._known:
            self._known[key] = self._type(term, wanted)
        return self._known[key]

    def _type(self, term: Term, wanted: TermKind | None) -> TypedTerm:
        if term.op in _SIGNATURES:
            return self._type_parts(term, *_SIGNATURES[term.op])
        match term.op:
            case "column" | "literal":
                return self._type_leaf(term, wanted)
            case "if":
                return self._type_choice(term, wanted)
            case "compare" | "in" | "not in":
                return self._type_comparison(term)
            case "isna" | "notna":
                return self._type_missing(term)
            case _:
                return self._type_number(term)

    def _type_number(self, term: Term) -> TypedTerm:
        first = self.type(term.parts[0], None)
        if term.op == "float" and first.kind == "text":
            return TypedTerm("float", (first,), None, "number", "text")
        if term.op == "-" and first.kind == "time":
            return self._type_parts(term, "time", "duration")
        return self._type_parts(term, "number", "number")

    def _type_parts(self, term: Term, wanted: TermKind, kind: TermKind) -> TypedTerm:
        parts = tuple(self.read(part, wanted) for part in term.parts)
        if term.op in PARTS and parts[0].op != "column":
            raise _refuse_kind(term.parts[0], "text", "time")
        whole = term.op in _WHOLE or (
            term.op in _KEEPING and all(part.whole for part in parts) and kind == "number"
        )
        return TypedTerm(term.op, parts, term.value, kind, wanted, whole)

    def _type_leaf(self, term: Term, wanted: TermKind | None) -> TypedTerm:
        if term.op == "literal":
            return _type_literal(term, wanted)
        return self._type_column(str(term.value), wanted)

    def _type_column(self, name: str, wanted: TermKind | None) -> TypedTerm:
        known = self._columns
        if name in known.derived:
            return known.derived[name]
        kind = known.find_kind(name)
        if kind in ("bytes", "other"):
            raise SourceError(
                f"Column {name!r} holds values that expressions do not read.",
                "A comparison with them would be false for every row.",
                f"Ask whether there is one, {make_printable(spell_column(name))}.isna(), or name "
                "another column.",
            )
        if kind == "untyped" and wanted in ("number", "text", "flag"):
            kind = wanted
        if kind == "nothing" and wanted is not None:
            kind = wanted
        whole = kind == "number" and known.spacings.get(name) == 1.0
        return TypedTerm("column", (), name, kind, kind, whole)

    def _type_missing(self, term: Term) -> TypedTerm:
        (part,) = term.parts
        name = str(part.value)
        if part.op == "column" and self._columns.kinds.get(name) in ("bytes", "clock", "other"):
            column = TypedTerm("column", (), name, "nothing", "nothing")
            return TypedTerm(term.op, (column,), None, "flag", "nothing")
        found = self.type(part, None)
        return TypedTerm(term.op, (found,), None, "flag", found.kind)

    def _type_comparison(self, term: Term) -> TypedTerm:
        kinds: set[TermKind] = {self.type(part, None).kind for part in term.parts}
        symbols = term.value if isinstance(term.value, tuple) else ("==",)
        over = _find_common(kinds, ordered=bool({"<", "<=", ">", ">="}.intersection(symbols)))
        if over is None:
            raise _refuse_comparison(term, kinds)
        parts = tuple(self.read(part, over) for part in term.parts)
        return TypedTerm(term.op, parts, term.value, "flag", over)

    def _type_choice(self, term: Term, wanted: TermKind | None) -> TypedTerm:
        test, *branches = term.parts
        kinds: set[TermKind] = {self.type(part, None).kind for part in branches}
        over = wanted if kinds <= {"untyped", "nothing"} else _find_common(kinds, ordered=False)
        if over in (None, "time"):
            raise _refuse_comparison(term, kinds)
        typed = tuple(self.read(part, over) for part in branches)
        whole = all(part.whole for part in typed)
        parts = (self.read(test, "flag"), *typed)
        return TypedTerm("if", parts, None, over, over, whole)


def _limit(term: TypedTerm) -> TypedTerm:
    """Refuse what grew too large because columns are derived from each other."""
    count, depth = _measure(term)
    if count > MOST_TERMS or depth > _DEEPEST:
        raise DomainError(
            f"With the columns that it is derived from, an expression has at most "
            f"{MOST_TERMS:,} terms, {_DEEPEST} within each other.",
            "What takes long for every row is refused before anything is charged.",
            "Derive such columns before sfumato reads the table.",
        )
    return term


def _measure(term: TypedTerm) -> tuple[int, int]:
    # By hand, since what is too deep is too deep for recursion as well.
    count, deepest, waiting = 0, 0, [(term, 1)]
    while waiting and count <= MOST_TERMS:
        here, depth = waiting.pop()
        count, deepest = count + 1, max(deepest, depth)
        waiting += [(part, depth + 1) for part in here.parts]
    return count, deepest


def _type_literal(term: Term, wanted: TermKind | None) -> TypedTerm:
    match term.value:
        case bool():
            return TypedTerm("literal", (), term.value, "flag", "flag", whole=True)
        case str() as text if wanted == "time":
            if read_moment(text) is None:
                raise DomainError(
                    f"{text!r} is no date.",
                    "It is compared with dates or times, and would be false for every row.",
                    "Write '2026-01-31', or '2026-01-31 18:30'.",
                )
            return TypedTerm("literal", (), text, "time", "time")
        case str() as text:
            return TypedTerm("literal", (), text, "text", "text")
        case number:
            return TypedTerm("literal", (), number, "number", "number", isinstance(number, int))


def read_moment(text: str) -> datetime | None:
    """Read a date or a time as ISO 8601 writes it; with a zone where it names one.

    Examples
    --------
    >>> read_moment("2026-01-31"), read_moment("soon")
    (datetime.datetime(2026, 1, 31, 0, 0), None)
    """
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _find_common(kinds: set[TermKind], *, ordered: bool) -> TermKind | None:
    """Return as what terms of several kinds are compared; None where they never can be."""
    known: frozenset[TermKind] = frozenset(kinds - {"nothing", "untyped"})
    if "untyped" in kinds and "time" in known:
        return None
    if not known:
        return "text" if "untyped" in kinds and not ordered else "number"
    common = _COMMON.get(known)
    return "number" if ordered and common == "flag" else common


_COMMON: Mapping[frozenset[TermKind], TermKind] = {
    frozenset({"flag"}): "flag",
    frozenset({"number"}): "number",
    frozenset({"number", "flag"}): "number",
    frozenset({"text"}): "text",
    frozenset({"time"}): "time",
    frozenset({"text", "time"}): "time",
}


_plural: Mapping[str, str] = {
    "number": "numbers",
    "text": "text",
    "flag": "True and False",
    "time": "dates or times",
    "duration": "spans of time",
    "untyped": "text",
    "nothing": "nothing",
}


def _refuse_comparison(term: Term, kinds: set[TermKind]) -> SourceError:
    held = " and ".join(sorted({_plural[kind] for kind in kinds}))
    return SourceError(
        f"{str(Expression(term))!r} compares {held}.",
        "By the types of the columns it would be false for every row, and the budget spent on "
        "nothing.",
        "Compare like with like: price < 500, borough == 'Queens', float(code) < 500, "
        "(end - begin).total_seconds() > 60.",
    )


def _refuse_kind(term: Term, kind: TermKind, wanted: TermKind) -> SourceError:
    return SourceError(
        f"{str(Expression(term))!r} is {_plural[kind]}, where {_plural[wanted]} are needed.",
        "By the types of the columns it would be false or missing for every row, and the budget "
        "spent on nothing.",
        _ADVICE.get(wanted, "Name another column."),
    )


_ADVICE: Mapping[str, str] = {
    "flag": "Conditions are comparisons, joined by and, or, not: price > 0 and room.notna(). With "
    "& and |, each comparison stands in brackets.",
    "number": "Name a column of numbers, or read its text: float(code).",
    "text": "Name a column of text, or compare numbers: code == 7.",
    "time": "Name a column that has dates or times by its type; for CSV files, "
    "Table(path, dates={'when': '%d/%m/%Y %H:%M'}).",
    "duration": "Write (end - begin).total_seconds() of two columns of times, or "
    "wait.total_seconds() of a column of durations.",
}
