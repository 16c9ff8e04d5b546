"""The accountants that mixes are put to, against each other."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import mixed_budgets
from budgets.accountants import (
    PLD_IS_MISSING,
    ByRule,
    Ours,
    Tightest,
    choice_outcomes,
    count_all,
    count_prefix,
    has_pld,
    laplace_outcomes,
    list_orders,
)
from budgets.mixes import BUDGETS, draw_mix
from sfumato.privacy.accountant import PrivacyFilter
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.renyi import diverge_laplace, diverge_range

BUDGET = Budget(1, 1e-6)


def divergence(order: float, outcomes: list[tuple[float, float]]) -> float:
    return math.log(sum(p**order * q ** (1 - order) for p, q in outcomes)) / (order - 1)


def test_the_laws_that_others_are_given_are_those_that_we_price() -> None:
    for steps in (1, 2, 8, 20):
        ours = diverge_laplace(Fraction(20), Fraction(1, 4), steps)
        assert divergence(20.0, laplace_outcomes(0.25, steps)) == pytest.approx(float(ours))
    ours = diverge_range(Fraction(20), Fraction(1, 4))
    assert divergence(20.0, choice_outcomes(0.25, 20.0)) == pytest.approx(float(ours))


def test_the_ledger_counts_as_its_rule_does() -> None:
    for number, budget in enumerate(BUDGETS):
        mix = draw_mix(np.random.default_rng(number), budget)
        for count in (count_prefix, count_all):
            assert count(Ours(budget), mix) == count(ByRule(PrivacyFilter.of(budget)), mix)


def test_no_order_admits_more_gaussian_charts_than_the_ledgers_own() -> None:
    mix = [Cost.gaussian(BUDGET.rho / 50 * Fraction(99, 100))] * 60
    delta = PrivacyFilter.of(BUDGET).converted_delta
    assert count_prefix(Ours(BUDGET), mix) == 50
    assert max(count_prefix(ByRule(rule), mix) for rule in list_orders(BUDGET, delta)) == 50


@pytest.mark.skipif(not has_pld(), reason=PLD_IS_MISSING)
def test_the_tightest_accountant_admits_what_the_ledger_does_and_refuses_too_much() -> None:
    order = PrivacyFilter.of(BUDGET).order
    assert order is not None
    mix = draw_mix(np.random.default_rng(1), BUDGET)
    admitted = count_prefix(Ours(BUDGET), mix)
    assert admitted <= count_prefix(Tightest(BUDGET, order), mix) < 10 * len(mix)
    for cost in (Cost.pure(Fraction(3, 2)), Cost.gaussian(BUDGET.rho * 3)):
        assert not Tightest(BUDGET, order).charge(cost)


def test_a_mean_and_a_decile_are_taken_of_what_could_be_had() -> None:
    assert mixed_budgets.summarise([(1, 2), (2, 2), (0, 0)]) == pytest.approx((2.5 / 3, 0.6))
    assert mixed_budgets.summarise([(1, None)]) == (1.0, 1.0)


def test_parts_that_are_pure_gain_from_the_order(capsys: pytest.CaptureFixture[str]) -> None:
    mixed_budgets.print_charts(BUDGET)
    ratios = {
        line.split()[0]: float(line.split()[-1])
        for line in capsys.readouterr().out.splitlines()[2:-1]
    }
    assert ratios["histplot-bins"] == 1
    assert ratios["heatmap-adaptive"] < 0.5
    assert max(ratios.values()) <= 1
