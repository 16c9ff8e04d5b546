"""Nothing is drawn that was not paid for, and what was paid adds up."""

from __future__ import annotations

import copy
import os
import pickle
import threading
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from sfumato.errors import LedgerError, OverspentError
from sfumato.exact import Exact
from sfumato.mechanisms import chance, noise
from sfumato.mechanisms.approx import approx, single
from sfumato.mechanisms.chance import Chance
from sfumato.mechanisms.gaussian import gaussian
from sfumato.mechanisms.joint import joint
from sfumato.mechanisms.laplace import laplace
from sfumato.mechanisms.meter import Meter, Receipt, simulated
from sfumato.mechanisms.moments import add_moment_noise
from sfumato.mechanisms.noise import add_noise
from sfumato.mechanisms.sparse import threshold_counts
from sfumato.mechanisms.stability import threshold_categories
from sfumato.mechanisms.survey import survey, surveys
from sfumato.mechanisms.threshold import extremes, threshold
from sfumato.privacy.budget import Cost
from sfumato.testing import metered

ONE = Fraction(1)
HALF = Fraction(1, 2)
COUNTS = Exact(1, 1, 1.0, np.array([[5, 0, 9, 2]]))
MATRIX = Exact(1, 1, 1.0, np.array([[5, 2], [2, 9]]))
NAMES = Exact(1, 1, 1.0, np.array([9, 4]), ("A", "B"))
SQUARE = Exact(1, 1, 1.0, np.arange(8).reshape(2, 2, 2))


def asked(opening, *details):
    """Open surveys, and ask each for the whole map."""

    def run(meter):
        opened = opening(meter, *details)
        for each in opened if isinstance(opened, list) else [opened]:
            each.ask([0], [0], ONE)

    return run


MECHANISMS = {
    "laplace": partial(laplace, exact=COUNTS, scale=2.0),
    "gaussian": partial(gaussian, exact=COUNTS, scale=2.0),
    "moments": partial(add_moment_noise, exact=MATRIX, scale=2.0),
    "sparse": partial(threshold_counts, exact=COUNTS, scale=2.0, threshold=4),
    "stability": partial(threshold_categories, exact=NAMES, scale=2.0, threshold=4),
    "joint": partial(joint, exact=COUNTS, levels=[HALF], epsilon=ONE),
    "approx": partial(approx, exact=COUNTS, levels=[HALF], epsilon=ONE),
    "single": partial(single, exact=COUNTS, levels=[HALF], epsilon=ONE),
    "threshold": partial(threshold, exact=COUNTS, ladder=np.arange(4), level=HALF, epsilon=ONE),
    "extremes": partial(extremes, exact=COUNTS, ladder=np.arange(4), least=1, epsilon=ONE),
    "survey": asked(survey, Exact(1, 1, 1.0, np.arange(4)), 1, ONE),
    "surveys": asked(surveys, SQUARE, 1, ONE),
}


@pytest.fixture
def drawn(monkeypatch):
    """Remember every draw of noise and every coin."""
    draws = []
    adding, flipping = noise._add_exact_noise, chance.secrets.randbelow

    def add(values, family, scale):
        draws.append(family)
        return adding(values, family, scale)

    class Coins:
        @staticmethod
        def randbelow(limit):
            draws.append("coin")
            return flipping(limit)

    monkeypatch.setattr(noise, "_add_exact_noise", add)
    monkeypatch.setattr(chance, "secrets", Coins)
    return draws


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_mechanism_pays_before_it_draws(name, drawn):
    cost = metered(MECHANISMS[name]).cost
    assert drawn and cost != Cost.nothing()
    with Meter(cost) as meter:
        MECHANISMS[name](meter)
    assert meter.spent == cost and meter.private
    prices = {"epsilon": cost.epsilon, "rho": cost.rho, "delta": cost.delta}
    for currency, price in prices.items():
        if price:
            drawn.clear()
            less = {**prices, currency: price * Fraction(999, 1000)}
            with (
                pytest.raises(OverspentError, match="the numbers are withheld"),
                Meter(Cost(**less)) as meter,
            ):
                MECHANISMS[name](meter)
            assert drawn == [], "refused before anything is drawn"


@pytest.mark.parametrize("name", MECHANISMS)
def test_no_mechanism_draws_without_a_meter(name, drawn):
    with pytest.raises((TypeError, AttributeError)):
        MECHANISMS[name]()
    with pytest.raises(AttributeError):
        MECHANISMS[name](None)
    assert drawn == []


def test_noise_and_coins_need_a_receipt(drawn):
    zeros = np.zeros(3, dtype=np.int64)
    with pytest.raises(TypeError):
        add_noise(zeros, "laplace", 1.0)
    with pytest.raises(AttributeError):
        add_noise(None, zeros, "laplace", 1.0)
    with pytest.raises(AttributeError):
        Chance(None).below(7)
    assert drawn == []


def test_making_a_receipt_is_paying():
    with Meter(Cost.pure(ONE)) as meter:
        Receipt(meter, Cost.pure(HALF))
        assert meter.spent == Cost.pure(HALF)
        with pytest.raises(OverspentError):
            Receipt(meter, Cost.pure(ONE))


def test_payments_add_up_to_the_last_fraction():
    third = Cost(Fraction(1, 3), Fraction(0))
    with Meter(Cost(ONE, Fraction(0))) as meter:
        for _ in range(3):
            meter.pay(third)
        with pytest.raises(OverspentError, match="would spend"):
            meter.pay(Cost(Fraction(1, 10**30), Fraction(0)))


@pytest.mark.parametrize(
    "cost",
    [Cost(HALF, ONE), Cost(None, Fraction(1, 9)), Cost(Fraction(0), Fraction(0), Fraction(1, 9))],
    ids=str,
)
def test_every_currency_has_its_limit(cost):
    """A Gaussian payment has no ε, and would leave a limit that has one."""
    with pytest.raises(OverspentError), Meter(Cost(ONE, Fraction(1, 2))) as meter:
        meter.pay(cost)


def test_a_refusal_is_the_end_also_for_whoever_catches_it(drawn):
    with Meter(Cost.pure(ONE)) as meter:
        with pytest.raises(OverspentError):
            laplace(meter, COUNTS, scale=0.5)
        with pytest.raises(OverspentError):
            laplace(meter, COUNTS, scale=100.0)
    assert drawn == []


def test_a_meter_is_open_in_its_block_and_no_longer(drawn):
    meter = Meter(Cost.pure(ONE))
    with pytest.raises(OverspentError, match="not open"):
        meter.pay(Cost.nothing())
    with meter:
        receipt = meter.pay(Cost.nothing())
        with pytest.raises(OverspentError, match="twice"), meter:
            pass
    with pytest.raises(OverspentError, match="not open"):
        meter.pay(Cost.nothing())
    with pytest.raises(OverspentError, match="not open"):
        add_noise(receipt, np.zeros(1, dtype=np.int64), "laplace", 1.0)
    with pytest.raises(OverspentError, match="not open"):
        Chance(receipt).below(2)
    with pytest.raises(OverspentError, match="twice"), meter:
        pass
    assert drawn == []


def test_a_block_that_fails_closes_its_meter():
    with pytest.raises(ZeroDivisionError), Meter(Cost.pure(ONE)) as meter:
        raise ZeroDivisionError
    with pytest.raises(OverspentError):
        meter.pay(Cost.nothing())


def test_noise_that_is_left_for_later_is_not_drawn(drawn):
    """A generator of answers, or a survey that outlives the release, finds the meter closed."""
    with Meter(Cost.pure(ONE)) as meter:
        opened = survey(meter, Exact(1, 1, 1.0, np.arange(4)), 1, ONE)
        later = (laplace(meter, COUNTS, scale=2.0) for _ in range(2))
    with pytest.raises(OverspentError):
        opened.ask([0], [0], ONE)
    with pytest.raises(OverspentError):
        next(later)
    assert drawn == []


def test_a_meter_and_its_receipts_cannot_be_copied():
    with Meter(Cost.pure(ONE)) as meter:
        for each in (meter, meter.pay(Cost.nothing())):
            for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
                with pytest.raises(TypeError, match="cannot be pickled or copied"):
                    duplicate(each)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_cannot_pay_or_draw(monkeypatch):
    with Meter(Cost.pure(ONE)) as meter:
        receipt = meter.pay(Cost.nothing())
        own = os.getpid()
        with monkeypatch.context() as patch:
            patch.setattr(os, "getpid", lambda: own + 1)
            with pytest.raises(LedgerError, match="forked"):
                meter.pay(Cost.nothing())
            with pytest.raises(LedgerError, match="forked"):
                add_noise(receipt, np.zeros(1, dtype=np.int64), "laplace", 1.0)
        add_noise(receipt, np.zeros(1, dtype=np.int64), "laplace", 1.0)


def test_threads_that_pay_at_once_spend_no_more_than_the_limit():
    many, paid = 400, []
    with Meter(Cost(Fraction(many // 2), Fraction(0))) as meter:

        def pay():
            for _ in range(many // 4):
                try:
                    paid.append(meter.pay(Cost(ONE, Fraction(0))))
                except OverspentError:
                    return

        threads = [threading.Thread(target=pay) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(paid) == many // 2


def test_a_meter_is_private_where_all_that_was_paid_to_it_drew_real_noise():
    with Meter(Cost.pure(ONE)) as meter:
        meter.pay(Cost.nothing())
        assert not meter.private, "not before it is closed"
    assert meter.private
    with Meter(Cost.pure(ONE)) as mixed:
        mixed.pay(Cost.nothing())
        with simulated(np.random.default_rng(1)):
            mixed.pay(Cost.nothing())
        mixed.pay(Cost.nothing())
    assert not mixed.private
    with Meter(Cost.pure(ONE)) as unused:
        pass
    assert not unused.private, "nothing was drawn that could be real"


def test_where_noise_comes_from_is_settled_by_the_payment():
    zeros = np.zeros(40, dtype=np.int64)
    with Meter(Cost.pure(ONE)) as meter:
        real = meter.pay(Cost.nothing())
        found = []
        for _ in range(2):
            with simulated(np.random.default_rng(1)):
                found.append(add_noise(real, zeros, "laplace", 1e9).tolist())
    assert meter.private and found[0] != found[1]


def test_surveys_of_all_groups_cost_what_one_costs():
    alone = metered(survey, Exact(1, 1, 1.0, np.arange(4)), 1, ONE).cost
    opened = metered(surveys, SQUARE, 1, ONE)
    assert len(opened.values) == 2 and opened.cost == alone == Cost.pure(ONE)


def test_a_survey_for_each_group_by_itself_would_cost_more():
    """The twin: what a chart cannot say is that two payments cost as one."""
    with pytest.raises(OverspentError), Meter(Cost.pure(ONE)) as meter:
        for _ in range(2):
            survey(meter, Exact(1, 1, 1.0, np.arange(4)), 1, ONE)


def test_what_diverges_by_more_at_the_order_of_the_ledger_is_refused() -> None:
    """Noise of coarser steps than planned has the same ε and ρ, and costs more at every order."""
    fine, coarse = (Cost.laplace(Fraction(1, 4), steps) for steps in (2**30, 1))
    with Meter(fine) as meter:
        meter.pay(coarse)
    with Meter(fine, order=Fraction(20)) as meter, pytest.raises(OverspentError):
        meter.pay(coarse)
    with Meter(coarse, order=Fraction(20)) as meter:
        meter.pay(fine)
