"""Expressions: what is read, what is refused, and that both take no time and say no word."""

from __future__ import annotations

import pickle
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import DomainError
from sfumato.expressions import (
    MOST_KEPT,
    MOST_LETTERS,
    PARTS,
    Expression,
    Selection,
    Term,
    spell_column,
)

names = st.sampled_from(["a", "room type", "class", "größe", "x`y", "_", "column_0"])
columns = st.builds(lambda name: Term("column", value=name), names)
numbers = st.integers(0, 2**53) | st.floats(0, allow_infinity=False)
texts = st.text(st.characters(codec="utf-8"), max_size=5)
literals = st.builds(lambda value: Term("literal", value=value), numbers | texts | st.booleans())


def _operations(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    two = st.tuples(inner, inner)
    power = st.builds(lambda n: Term("literal", value=n), st.integers(2, 16))
    listed = st.lists(st.builds(lambda n: Term("literal", value=n), numbers), min_size=1)
    return st.one_of(
        st.builds(Term, st.sampled_from(["+", "-", "*", "/", "//", "%"]), two),
        st.builds(lambda one, n: Term("**", (one, n)), inner, power),
        st.builds(lambda one: Term("negate", (one,)), inner),
        st.builds(lambda one: Term("not", (one,)), inner),
        st.builds(Term, st.just("if"), st.tuples(inner, inner, inner)),
        st.builds(lambda pair, op: Term("compare", pair, (op,)), two, st.sampled_from(["<", "!="])),
        st.builds(
            lambda three: Term("compare", three, ("<=", "==")), st.tuples(inner, inner, inner)
        ),
        st.builds(lambda one, many: Term("not in", (one, *many)), inner, listed),
        st.builds(lambda op, one: Term(op, (one,)), st.sampled_from([*PARTS, "isna"]), inner),
        st.builds(Term, st.sampled_from(["max", "min"]), two),
        st.builds(
            lambda one, text: Term("contains", (one, Term("literal", value=text))), inner, texts
        ),
    )


@given(st.recursive(columns | literals, _operations, max_leaves=12))
def test_what_is_printed_is_read_as_the_same(term: Term) -> None:
    expression = Expression(term)
    assert Expression.of(str(expression)) == expression
    assert pickle.loads(pickle.dumps(expression)) == expression


def test_words_and_marks_of_pandas_are_read() -> None:
    one = Expression.of("(a > 1) & ~(`room type`.str.lower() == 'x') | when.dt.hour.isin([1, 2])")
    same = "a > 1 and not `room type`.lower() == 'x' or when.hour in [1, 2]"
    assert str(one) == same
    assert one.columns == ("a", "room type", "when")


REFUSED = [
    *("f(x)", "x.mean()", "x[0]", "lambda: 1", "f'{x}'", "(y := 3)", "x.__class__ == 1"),
    *("__import__('os')", "a is None", "a == None", "a ** b", "a @ b", "a ** 99", "a, b", "x in y"),
    *("[i for i in x]", "{1: 2}", "x.startswith(y)", "a.contains(text='1')", "1e999 > a", "b'x'"),
    *("9007199254740993 < a", "a and", "", "  ", "a\x00", "'\ud800' == a", "x in []", "1j", "..."),
    *("x in [1, 'a']", "x in [1] in [2]", "eval('1')", "a.b", "print(a)", "a; b", "x = 1"),
    *("import os", "await a", "yield a", "*a", "a if b", "x.isin()", "x.isna(1)", "abs(1, 2)"),
    *(
        "-" * 3999 + "1",
        "(" * 1500 + "1" + ")" * 1500,
        "not " * 900 + "a",
        "a" * (MOST_LETTERS + 1),
    ),
    "+".join("1" * 1001),
    "[" * 99,
    "`a",
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("text", REFUSED, ids=lambda text: repr(text[:20]))
def test_what_is_not_on_the_list_is_refused_at_once_and_in_words(text: str) -> None:
    begun = time.perf_counter()
    with pytest.raises(DomainError) as refused:
        Expression.of(text)
    assert time.perf_counter() - begun < 1
    assert refused.value.what and refused.value.why and refused.value.advice
    assert refused.value.__cause__ is None and refused.value.__context__ is None


@pytest.mark.filterwarnings("error")
def test_an_odd_escape_is_read_without_a_warning() -> None:
    assert Expression.of("a == '\\d'").columns == ("a",)


def test_conditions_within_each_other_take_no_longer_than_they_are() -> None:
    text = "a"
    for _ in range(45):
        text = f"({text} < 1)"
    assert len([*Expression.of(text).root.walk()]) < 200


@pytest.mark.parametrize("name", ["a", "room type", "class", "x`y", "ﬁ", "größe", "", "1a", "'"])
def test_every_column_can_be_named(name: str) -> None:
    assert Expression.of(f"{spell_column(name)}.isna()").columns == (name,)


@pytest.mark.parametrize("text", ["", " ", "a\udcff", "a" * (MOST_KEPT + 1)], ids=len)
def test_a_selection_holds_short_texts_that_can_be_written(text: str) -> None:
    for each in ({"where": text}, {"session_where": text}):
        with pytest.raises(ValueError, match="expression"):
            Selection(**each)


def test_what_a_file_says_of_rows_is_shown_and_not_parsed() -> None:
    assert Selection(where="f(x) +").own_words == " where f(x) +"


@pytest.mark.parametrize(
    "text",
    [
        "price < 500  # cheap\n and age > 18",
        "x == 'a\nb'",
        "x`y` == 1",
        "`x`y == 1",
        "`\ud800` == 1",
    ],
)
def test_nothing_of_an_expression_is_passed_over(text: str) -> None:
    with pytest.raises(DomainError, match="is not an expression"):
        Expression.of(text)


def test_lines_and_marks_within_quotes_are_read_as_they_stand() -> None:
    read = Expression.of("price < 500\n and `a # b` == '# it' and c == '\\n'")
    assert str(read) == "price < 500 and `a # b` == '# it' and c == '\\n'"


def test_a_name_that_python_reads_as_another_is_not_taken_for_one_in_backticks() -> None:
    assert Expression.of("\uff43olumn_0 == 1 and `room type` == 2").columns == (
        "column_0",
        "room type",
    )
