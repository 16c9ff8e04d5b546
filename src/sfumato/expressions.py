"""`Expression`: which rows and which columns, written in a small public part of Python's grammar.

An expression is parsed once, by Python's own parser, into a tree of terms of a public list. It is
never handed to `eval` nor to a database: engines walk the tree.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import cast
from unicodedata import normalize

from sfumato.errors import DomainError, abbreviate, make_printable

MOST_LETTERS = 4_000
"""How many letters an expression may have."""

MOST_KEPT = 16 * MOST_LETTERS
"""How many letters an expression has at most as it is kept, with brackets and numbers in full."""

MOST_TERMS = 1_000
"""How many terms an expression may have, and with it all columns that it is derived from."""

MOST_DEPTH = 50
"""How deep terms may stand within each other."""

LARGEST_WHOLE = 2**53
"""Up to which whole numbers are told apart: numbers are floats of 64 bits."""

COMPARISONS = ("==", "!=", "<=", ">=", "<", ">")
ARITHMETIC = ("+", "-", "*", "/", "//", "%", "**")
PARTS = (
    *("year", "quarter", "month", "week", "day", "dayofyear", "weekday"),
    *("hour", "minute", "second"),
)
"""Parts of dates and times: weekdays count from 0 for Monday, weeks as ISO 8601 does."""

FUNCTIONS: Mapping[str, tuple[int, int]] = {
    "abs": (1, 1),
    "ceil": (1, 1),
    "float": (1, 1),
    "floor": (1, 1),
    "len": (1, 1),
    "log": (1, 1),
    "log10": (1, 1),
    "max": (2, 100),
    "min": (2, 100),
    "round": (1, 1),
    "sqrt": (1, 1),
}
"""Functions, and how many arguments each takes at least and at most."""

METHODS: Mapping[str, int] = {
    "isna": 0,
    "notna": 0,
    "lower": 0,
    "upper": 0,
    "strip": 0,
    "startswith": 1,
    "endswith": 1,
    "contains": 1,
    "total_seconds": 0,
}
"""Methods of columns, and how many arguments each takes; `isin` and `between` are read besides."""

HIGHEST_POWER = 16

Value = str | float | bool | tuple[str, ...] | None


@dataclass(frozen=True)
class Term:
    """A column, a literal, or an operation of the public list on other terms.

    Parameters
    ----------
    op
        ``"column"``, ``"literal"``, ``"compare"``, ``"in"``, ``"not in"``, ``"and"``, ``"or"``,
        ``"not"``, ``"if"``, ``"negate"``, or the name of an operator, a function, a method or a
        part of dates.
    parts
        What it is applied to. Of ``"if"`` that is the test, what holds where it is true, and what
        where it is not.
    value
        The name of a column, a literal, or the comparisons that stand between the parts.
    """

    op: str
    parts: tuple[Term, ...] = ()
    value: Value = None

    def walk(self) -> Iterator[Term]:
        """Yield this term and all within it."""
        yield self
        for part in self.parts:
            yield from part.walk()


@dataclass(frozen=True)
class Expression:
    """A condition on rows, or the definition of a column.

    Parameters
    ----------
    root
        The term that stands for all of it.

    Privacy
    -------
    A public fact: it holds what was typed. What it is for a row follows from that row alone, since
    no term looks at more than one.

    Examples
    --------
    >>> rows = Expression.of("borough=='Queens' and  price < 500 and not room.isna()")
    >>> str(rows)
    "borough == 'Queens' and price < 500 and not room.isna()"
    >>> rows.columns
    ('borough', 'price', 'room')
    """

    root: Term = field(repr=False)

    @classmethod
    def of(cls, text: Expression | str) -> Expression:
        """Read an expression, or refuse what is not in the public list."""
        return text if isinstance(text, Expression) else cls(_parse(text))

    def __post_init__(self) -> None:
        terms = sum(1 for _ in self.root.walk())
        if terms > MOST_TERMS or len(str(self)) > MOST_LETTERS:
            raise _refuse_size()

    def __str__(self) -> str:
        return _write(self.root, 0)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are named, each once."""
        names = (str(term.value) for term in self.root.walk() if term.op == "column")
        return tuple(dict.fromkeys(names))


@dataclass(frozen=True)
class DerivedColumn:
    """A column that is computed from others of the same row.

    Parameters
    ----------
    name
        What it is called.
    definition
        The expression that it is.
    """

    name: str
    definition: str


@dataclass(frozen=True)
class Selection:
    """Which rows a chart is of, and which of its columns are derived.

    Parameters
    ----------
    where
        The chart's own condition. Rows that do not meet it are counted nowhere, and still take
        their share of a person's weight.
    session_where
        The session's condition. Rows that do not meet it are not there.
    columns
        Derived columns that the chart is about.
    """

    where: str | None = None
    session_where: str | None = None
    columns: tuple[DerivedColumn, ...] = ()

    def __post_init__(self) -> None:
        conditions = [text for text in (self.where, self.session_where) if text is not None]
        for text in (*conditions, *(column.definition for column in self.columns)):
            # Not parsed: whoever reads a stranger's file has only to show it.
            if not (text.strip() and is_unicode(text) and len(text) <= MOST_KEPT):
                raise ValueError("An expression is a short text.")
        if len({column.name for column in self.columns}) < len(self.columns):
            raise ValueError("A selection names columns once.")
        if not all(column.name.strip() and is_unicode(column.name) for column in self.columns):
            raise ValueError("A derived column has a name.")

    @classmethod
    def of(
        cls,
        where: str | None,
        session_where: str | None,
        columns: Mapping[str, str],
        named: Iterable[str],
    ) -> Selection:
        """Return what is said of a chart that names some columns: conditions and definitions."""
        needed = set(named)
        if session_where is not None:
            needed |= set(Expression.of(session_where).columns)
        for name in reversed([*columns]):  # each may be derived from those before it
            if name in needed:
                needed |= set(Expression.of(columns[name]).columns)
        used = [DerivedColumn(name, text) for name, text in columns.items() if name in needed]
        return cls(where, session_where, tuple(used))

    @property
    def words(self) -> str:
        """What is added to the label of a chart."""
        return self.own_words + self.session_words

    @property
    def own_words(self) -> str:
        """What the chart's own condition adds to its label."""
        return "" if self.where is None else f" where {self.where}"

    @property
    def session_words(self) -> str:
        """What the session's condition adds to the label of a chart."""
        return "" if self.session_where is None else f" among rows where {self.session_where}"

    @property
    def empty(self) -> bool:
        """Whether all rows and stored columns alone are meant."""
        return self.where is None and self.session_where is None and not self.columns


def read_where(text: object) -> str | None:
    """Return a condition as it is kept and printed, or refuse it.

    Examples
    --------
    >>> read_where("(age>=18) & (ward in ['A','B'])")
    "age >= 18 and ward in ['A', 'B']"
    """
    if text is None or isinstance(text, Expression):
        return None if text is None else str(text)
    if not isinstance(text, str):
        raise DomainError(
            f"A condition on rows is a text, and not a {type(text).__name__}.",
            "It is read as an expression that looks at each row by itself.",
            "Write where=\"borough == 'Queens' and price < 500\".",
        )
    return str(Expression.of(text))


def read_definitions(columns: object) -> dict[str, str] | None:
    """Return definitions of columns as they are kept and printed, or refuse them.

    Examples
    --------
    >>> read_definitions({"speed": "distance/air_time*60"})
    {'speed': 'distance / air_time * 60'}
    """
    if not columns:
        return None
    pairs = (
        list(cast("Mapping[object, object]", columns).items())
        if (isinstance(columns, Mapping))
        else [(None, None)]
    )
    if not all(isinstance(part, str) for pair in pairs for part in pair):
        raise DomainError(
            "Derived columns are names with their definitions.",
            "Each is computed row by row, from columns of the same row.",
            "Write columns={'speed': 'distance / air_time * 60'}.",
        )
    return {str(name): str(Expression.of(str(text))) for name, text in pairs}


def spell_column(name: str) -> str:
    """Return how a column is named in an expression.

    Examples
    --------
    >>> spell_column("price"), spell_column("room type")
    ('price', '`room type`')
    """
    # Python reads letters that only look different as one.
    plain = name.isidentifier() and not iskeyword(name) and normalize("NFKC", name) == name
    return name if plain else f"`{name.replace('`', '``')}`"


_QUOTED = re.compile(r"`((?:[^`]|``)*)`")


def _parse(text: str) -> Term:
    if len(text) > MOST_LETTERS:
        raise _refuse_size()
    if not text.strip():
        raise DomainError(
            "The expression is empty.",
            "It says which rows, or which column, are meant.",
            "Write price < 500, or leave it out.",
        )
    if not is_unicode(text):
        raise _refuse_grammar(text)
    plain, names = _replace_quoted_names(text)
    return _Reader(names).read(_parse_python(plain, text), 0)


def _parse_python(plain: str, text: str) -> ast.expr:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes Python warns
            return ast.parse(plain.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        pass
    raise _refuse_grammar(text)


def _refuse_grammar(text: str) -> DomainError:
    return DomainError(
        f"{_quote(text)} is not an expression.",
        "It is read by Python's own grammar, before anything is charged.",
        "Write it as in pandas' query: borough == 'Queens' and price < 500. Names with blanks "
        "stand in backticks: `room type`.",
    )


def _replace_quoted_names(text: str) -> tuple[str, dict[str, str]]:
    """Put a name that Python can read in place of each in backticks, outside of quotes."""
    names: dict[str, str] = {}
    stem, read = "column_", normalize("NFKC", text)  # as Python reads names
    while stem in read:
        stem += "_"
    plain, at = "", 0
    while at < len(text):
        letter = text[at]
        if letter in "'\"":
            end = _find_end_of_text(text, at)
            plain, at = plain + text[at:end], end
        elif letter == "`" and (found := _QUOTED.match(text, at)):
            stand_in = f"{stem}{len(names)}"
            names[stand_in] = found[1].replace("``", "`")
            plain, at = f"{plain} {stand_in} ", found.end()
        elif letter == "#":  # a comment would swallow conditions on lines below it
            raise _refuse_grammar(text)
        else:
            plain, at = plain + (" " if letter == "\n" else letter), at + 1
    return plain, names


def _find_end_of_text(text: str, start: int) -> int:
    at = start + 1
    while at < len(text) and text[at] != text[start]:
        at += 2 if text[at] == "\\" else 1
    return min(at + 1, len(text))


_BINARY: Mapping[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "and",
    ast.BitOr: "or",
}
_UNARY: Mapping[type[ast.unaryop], str | None] = {
    ast.Not: "not",
    ast.Invert: "not",
    ast.USub: "negate",
    ast.UAdd: None,
}
_COMPARED: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


class _Reader:
    """Reads Python's tree as terms, and refuses what is not on the public list."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def read(self, node: ast.expr, depth: int) -> Term:
        if depth > MOST_DEPTH:
            raise _refuse_size()

        def read(inner: ast.expr) -> Term:
            return self.read(inner, depth + 1)

        found = self._read_operation(node, read) or self._read_logic(node, read)
        if found is None:
            raise _refuse_node(node)
        return found

    def _read_operation(self, node: ast.expr, read: Callable[[ast.expr], Term]) -> Term | None:
        match node:
            case ast.Name(id=name):
                return Term("column", value=self._names.get(name, name))
            case ast.Constant(value=value):
                return _read_literal(value)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return _read_binary(_BINARY[type(op)], read(left), read(right))
            case ast.Attribute(value=value, attr=name) if name in PARTS:
                return Term(name, (read(_skip_accessor(value)),))
            case ast.Call(func=func, args=args, keywords=[]):
                return _read_call(func, args, read)
            case _:
                return None

    def _read_logic(self, node: ast.expr, read: Callable[[ast.expr], Term]) -> Term | None:
        match node:
            case ast.BoolOp(op=op, values=values):
                word = "and" if isinstance(op, ast.And) else "or"
                return _join(word, [read(value) for value in values])
            case ast.UnaryOp(op=op, operand=operand):
                inner, word = read(operand), _UNARY[type(op)]
                return inner if word is None else Term(word, (inner,))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return Term("if", (read(test), read(body), read(orelse)))
            case ast.Compare(left=left, ops=ops, comparators=others):
                return _read_comparison(ops, [left, *others], read)
            case _:
                return None


def _read_binary(op: str, left: Term, right: Term) -> Term:
    if op in ("and", "or"):
        return _join(op, [left, right])
    if op == "**" and not (right.op == "literal" and _is_power(right.value)):
        raise DomainError(
            f"A power has a whole number from 2 to {HIGHEST_POWER} behind the **.",
            "Others are not computed alike on every machine.",
            "Write price ** 2, or sqrt(price).",
        )
    return Term(op, (left, right))


def _read_comparison(
    ops: list[ast.cmpop], sides: list[ast.expr], read: Callable[[ast.expr], Term]
) -> Term:
    if len(ops) == 1 and isinstance(ops[0], ast.In | ast.NotIn):
        word = "in" if isinstance(ops[0], ast.In) else "not in"
        return Term(word, (read(sides[0]), *_read_list(sides[1], read)))
    if not all(type(op) in _COMPARED for op in ops):
        raise _refuse_node(sides[0], "is, or in within a chain of comparisons,")
    symbols = tuple(_COMPARED[type(op)] for op in ops)
    return Term("compare", tuple(map(read, sides)), symbols)


def _read_list(node: ast.expr, read: Callable[[ast.expr], Term]) -> list[Term]:
    items = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else []
    terms = [_fold_negative(read(item)) for item in items]
    kinds = {_kind_of(term.value) for term in terms}
    if not terms or any(term.op != "literal" for term in terms) or len(kinds) > 1:
        raise DomainError(
            "After `in` stands a list of texts, or one of numbers.",
            "What is looked for is typed, and not read from the data.",
            "Write borough in ['Queens', 'Bronx'].",
        )
    return terms


def _read_call(func: ast.expr, args: list[ast.expr], read: Callable[[ast.expr], Term]) -> Term:
    match func:
        case ast.Name(id=name) if name in FUNCTIONS:
            least, most = FUNCTIONS[name]
            if least <= len(args) <= most:
                return Term(name, tuple(map(read, args)))
            raise _refuse_arguments(name)
        case ast.Attribute(value=value, attr="isin") if len(args) == 1:
            return Term("in", (read(_skip_accessor(value)), *_read_list(args[0], read)))
        case ast.Attribute(value=value, attr="between") if len(args) == 2:
            low, high = map(read, args)
            return Term("compare", (low, read(_skip_accessor(value)), high), ("<=", "<="))
        case ast.Attribute(value=value, attr=name) if name in METHODS:
            terms = tuple(map(read, args))
            texts = [t for t in terms if t.op == "literal" and isinstance(t.value, str)]
            if len(terms) == len(texts) == METHODS[name]:
                return Term(name, (read(_skip_accessor(value)), *terms))
            raise _refuse_arguments(name)
        case _:
            raise _refuse_node(func)


def _skip_accessor(node: ast.expr) -> ast.expr:
    """Return what `.str` and `.dt` are asked of, which pandas wants before methods and parts."""
    if isinstance(node, ast.Attribute) and node.attr in ("str", "dt"):
        return node.value
    return node


def _join(op: str, terms: list[Term]) -> Term:
    """Join conditions by `and` or `or`, those of the same word in one term."""
    parts = [part for term in terms for part in (term.parts if term.op == op else (term,))]
    return Term(op, tuple(parts))


def _fold_negative(term: Term) -> Term:
    if term.op == "negate" and term.parts[0].op == "literal":
        value = term.parts[0].value
        if isinstance(value, int | float) and not isinstance(value, bool) and value:
            return Term("literal", value=-value)
    return term


def _kind_of(value: Value) -> str:
    if isinstance(value, bool):
        return "flag"
    return "text" if isinstance(value, str) else "number"


def _is_power(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 2 <= value <= HIGHEST_POWER


def _read_literal(value: object) -> Term:
    match value:
        case bool():
            return Term("literal", value=value)
        case str() if value.isascii() or is_unicode(value):
            return Term("literal", value=value)
        case int() if abs(value) <= LARGEST_WHOLE:
            return Term("literal", value=value)
        case float() if math.isfinite(value):
            return Term("literal", value=value)
        case None:
            raise DomainError(
                "None is not compared with.",
                "A comparison with a missing value is false, so that no row would be left.",
                "Write room.isna(), or room.notna().",
            )
        case _:
            raise DomainError(
                "An expression holds texts, True and False, and numbers of up to 2**53.",
                "Larger whole numbers are not told apart: numbers are floats of 64 bits.",
                "Write a smaller number; long ids are better kept as text.",
            )


def is_unicode(text: str) -> bool:
    """Tell whether a text can be written to a file: halves of letters cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse_size() -> DomainError:
    return DomainError(
        f"An expression has at most {MOST_LETTERS:,} letters and {MOST_TERMS:,} terms, "
        f"{MOST_DEPTH} within each other.",
        "What takes long for every row is refused before anything is charged.",
        "Write a shorter one, or derive a column before sfumato reads the table.",
    )


def _refuse_arguments(name: str) -> DomainError:
    return DomainError(
        f"{name} is not asked for like that.",
        "Methods of text take one text in quotes or nothing, functions take terms.",
        "Write name.startswith('Q'), name.lower(), room.isna(), max(price, 0).",
    )


def _refuse_node(node: ast.AST, what: str = "") -> DomainError:
    return DomainError(
        f"{what or _name_node(node)} is not part of an expression.",
        "Each row is looked at by itself, by a short public list of operations, and nothing else "
        "is run.",
        f"Use columns, == != < <= > >= in, and or not, + - * / // % **, a if b else c, "
        f"{', '.join(FUNCTIONS)}, .isin(), .between(), .{'(), .'.join(METHODS)}(), "
        f".{', .'.join(PARTS)}.",
    )


def _name_node(node: ast.AST) -> str:
    match node:
        case ast.Attribute(attr=name):
            return f".{_quote(name)[1:-1]}"
        case ast.Name(id=name):
            return f"{_quote(name)[1:-1]}()"
        case _:
            return _NODES.get(type(node), "That")


_NODES: Mapping[type[ast.AST], str] = {
    ast.Lambda: "lambda",
    ast.JoinedStr: "An f-string",
    ast.Subscript: "[…] behind a name",
    ast.NamedExpr: ":=",
    ast.Call: "A call with names of arguments",
    ast.ListComp: "A comprehension",
    ast.GeneratorExp: "A comprehension",
    ast.List: "A list outside of `in`",
    ast.Tuple: "A list outside of `in`",
    ast.Set: "A list outside of `in`",
    ast.Dict: "{…}",
    ast.BinOp: "That operator",
    ast.Starred: "*",
}


def _quote(text: str) -> str:
    return repr(abbreviate(make_printable(text)))


# How tightly operators bind, from the loosest.
_IF, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(10)
_SYMBOLS = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "//": _PRODUCT, "%": _PRODUCT}


def _write(term: Term, outer: int) -> str:
    """Write a term as Python would read it again, in brackets where it binds less than `outer`."""
    text, level = _spell(term)
    return text if level >= outer else f"({text})"


def _spell(term: Term) -> tuple[str, int]:
    parts = term.parts
    if term.op in _SYMBOLS:
        level = _SYMBOLS[term.op]
        return f"{_write(parts[0], level)} {term.op} {_write(parts[1], level + 1)}", level
    if term.op in ("and", "or"):
        level = _AND if term.op == "and" else _OR
        return f" {term.op} ".join(_write(part, level + 1) for part in parts), level
    return _spell_named(term) or (_spell_call(term.op, parts), _ATOM)


def _spell_named(term: Term) -> tuple[str, int] | None:
    parts = term.parts
    spelled = {
        "column": lambda: (spell_column(str(term.value)), _ATOM),
        "literal": lambda: _spell_literal(term.value),
        "not": lambda: (f"not {_write(parts[0], _NOT)}", _NOT),
        "in": lambda: (_spell_list(term), _COMPARE),
        "not in": lambda: (_spell_list(term), _COMPARE),
        "compare": lambda: (_spell_comparison(term), _COMPARE),
        "if": lambda: (_spell_choice(*parts), _IF),
        "negate": lambda: (f"-{_write(parts[0], _SIGN)}", _SIGN),
        "**": lambda: (f"{_write(parts[0], _ATOM)} ** {_write(parts[1], _ATOM)}", _POWER),
    }
    return spelled[term.op]() if term.op in spelled else None


def _spell_list(term: Term) -> str:
    listed = ", ".join(_write(part, 0) for part in term.parts[1:])
    return f"{_write(term.parts[0], _SUM)} {term.op} [{listed}]"


def _spell_choice(test: Term, yes: Term, no: Term) -> str:
    return f"{_write(yes, _OR)} if {_write(test, _OR)} else {_write(no, _IF)}"


def _spell_literal(value: Value) -> tuple[str, int]:
    negative = isinstance(value, int | float) and not isinstance(value, bool) and value < 0
    return repr(value), _SIGN if negative else _ATOM


def _spell_comparison(term: Term) -> str:
    symbols = term.value if isinstance(term.value, tuple) else ()
    first, *others = (_write(part, _SUM) for part in term.parts)
    return first + "".join(
        f" {symbol} {other}" for symbol, other in zip(symbols, others, strict=True)
    )


def _spell_call(op: str, parts: tuple[Term, ...]) -> str:
    if op in FUNCTIONS:
        return f"{op}({', '.join(_write(part, 0) for part in parts)})"
    # A dot behind a number would be its point.
    of = _write(parts[0], _ATOM)
    of = f"({of})" if parts[0].op == "literal" else of
    if op in PARTS:
        return f"{of}.{op}"
    return f"{of}.{op}({', '.join(_write(part, 0) for part in parts[1:])})"
