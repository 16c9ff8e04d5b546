"""Counts of categories ask what a histogram asks, and are answered alike."""

from __future__ import annotations

import pytest

import sfumato as sf
from sfumato.charts.countplot import Countplot
from sfumato.charts.histogram import Histogram
from sfumato.domain import Domain
from sfumato.errors import DomainError
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit

DOMAIN = Domain(ward=["A", "B"], sex=["f", "m"], age=(0, 100))
TABLE = {"ward": ["A", "B", "A", "A"], "sex": ["f", "m", "m", "f"], "age": [1, 2, 3, 4]}


def open_session() -> sf.Session:
    import pyarrow as pa

    return sf.Session(pa.table(TABLE), domain=DOMAIN, budget=sf.Budget(3))


def test_counts_of_categories_are_a_histogram_of_them() -> None:
    rows, budget = PrivacyUnit.rows(), Budget(epsilon=0.5)
    plans = [each.plan(DOMAIN, rows, budget) for each in (Countplot("ward"), Histogram("ward"))]
    assert plans[0] == plans[1]


def test_the_same_counts_under_another_verb_are_free() -> None:
    session = open_session()
    first = session.countplot(x="ward", hue="sex", budget=1)
    spent = session.ledger.spent
    assert session.histplot(x="ward", hue="sex", budget=1) is first
    assert session.ledger.spent == spent


def test_other_counts_are_charged() -> None:
    session = open_session()
    session.histplot(x="ward", budget=1)
    spent = session.ledger.spent
    session.countplot(x="ward", where="sex == 'f'", budget=1)
    assert session.ledger.spent != spent


def test_numbers_are_refused_before_the_charge_and_histplot_is_named() -> None:
    session = open_session()
    spent = session.ledger.spent
    with pytest.raises(DomainError, match="histplot"):
        session.countplot(x="age", budget=1)
    assert session.ledger.spent == spent


def test_a_density_of_categories_is_refused() -> None:
    with pytest.raises(DomainError):
        Countplot("ward", stat="density")  # pyright: ignore[reportArgumentType]
