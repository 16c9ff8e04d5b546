"""Accounts: nobody exceeds their own, and all together never exceed the table's."""

import threading
from collections import Counter
from contextlib import suppress
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy.forging import lay_version_1, reseal, rewrite
from sfumato.errors import BudgetError, LedgerError
from sfumato.privacy.accountant import PrivacyFilter
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.ledger import Ledger
from sfumato.privacy.records import Account
from sfumato.privacy.statement import CAPS

TENTH = Cost.pure(Fraction(1, 10))
BOTH = Budget(2, 1e-6)


@pytest.fixture(params=["file", "memory"])
def begin(request, tmp_path):
    """Begin a ledger with this budget, in a file or in memory."""
    if request.param == "memory":
        return lambda budget: Ledger.memory(budget=budget, table="visits")
    return lambda budget: Ledger.create(tmp_path / "visits.ledger", budget=budget, table="visits")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "visits.ledger"


def test_nobody_exceeds_their_own_account(begin):
    ledger = begin(2)
    ledger.account("Ada", 0.5)
    for _ in range(5):
        ledger.charge("chart", TENTH, who="Ada")
    with pytest.raises(BudgetError, match=r"\(account Ada\) costs ε = 0\.1, but 0\.5 of 0\.5 is"):
        ledger.charge("chart", TENTH, who="Ada")
    assert ledger.spent.epsilon == Fraction(1, 2)


def test_all_accounts_together_never_exceed_the_table(begin):
    ledger = begin(1)
    for name in ("Ada", "Grace"):
        ledger.account(name, 0.8)
    for name in ("Ada", "Grace") * 5:
        ledger.charge("chart", TENTH, who=name)
    for name in ("Ada", "Grace"):
        with pytest.raises(BudgetError, match=r"^chart costs ε = 0\.1, but 1 of 1 is spent"):
            ledger.charge("chart", TENTH, who=name)
    assert ledger.spent.epsilon == 1


@pytest.mark.parametrize("who", [None, "Eve", "ada"])
def test_with_accounts_every_charge_needs_one(who):
    ledger = Ledger.memory(budget=1)
    ledger.charge("chart", TENTH, who=who)
    ledger.account("Ada", 0.5)
    with pytest.raises(LedgerError, match="divided into accounts"):
        ledger.charge("chart", TENTH, who=who)
    with pytest.raises(LedgerError, match="divided into accounts"):
        ledger.stand(who)
    assert len(ledger.entries) == 1
    assert ledger.charge("chart", TENTH, who="Ada").number == 3


def test_what_somebody_spent_before_they_had_an_account_counts():
    ledger = Ledger.memory(budget=1)
    for _ in range(3):
        ledger.charge("chart", TENTH, who="Ada")
    ledger.account("Ada", 0.3)
    with pytest.raises(BudgetError, match=r"0\.3 of 0\.3 is spent"):
        ledger.charge("chart", TENTH, who="Ada")


def test_an_account_is_raised_and_its_ledger_is_not(begin):
    ledger = begin(1)
    first = ledger.account("Ada", 0.1)
    ledger.charge("chart", TENTH, who="Ada")
    raised = ledger.account("Ada", 0.2)
    assert (first.number, raised.number) == (1, 3)
    assert ledger.charge("chart", TENTH, who="Ada").number == 4
    assert ledger.accounts == (raised,)
    assert ledger.budget == Budget(1)


def test_an_account_that_stays_as_it_is_adds_nothing(begin):
    ledger = begin(BOTH)
    first = ledger.account("Ada", Budget(1, 5e-7))
    assert ledger.account("Ada", Budget(1, 5e-7)) == first
    assert ledger.charge("chart", TENTH, who="Ada").number == 2


@pytest.mark.parametrize(
    "budget", [Budget(0.9, 6e-7), Budget(1.5, 1e-7), Budget(1.5), Budget(1, 5e-7, reserve=4e-7)]
)
def test_an_account_is_never_lowered(budget):
    ledger = Ledger.memory(budget=BOTH)
    before = ledger.account("Ada", Budget(1, 5e-7))
    with pytest.raises(BudgetError, match="can be raised and never lowered"):
        ledger.account("Ada", budget)
    assert ledger.accounts == (before,)


@pytest.mark.parametrize("budget", [Budget(2.1), Budget(1, 2e-6)])
def test_an_account_has_no_more_than_the_table(budget):
    with pytest.raises(BudgetError, match="exceeds the table's"):
        Ledger.memory(budget=BOTH).account("Ada", budget)
    with pytest.raises(BudgetError, match="exceeds the table's"):
        Ledger.memory(budget=2).account("Ada", Budget(1, 1e-9))


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 301, None, 5])
def test_an_account_has_a_short_name(name):
    with pytest.raises(LedgerError, match="An account needs a name"):
        Ledger.memory(budget=1).account(name, 0.5)


def test_a_refused_account_leaves_the_ledger_as_it_was(path):
    ledger = Ledger.create(path, budget=1, table="visits")
    ledger.account("Ada", 0.5)
    before = path.read_bytes()
    for budget in (0.4, 2.0):
        with pytest.raises(BudgetError):
            ledger.account("Ada", budget)
    assert path.read_bytes() == before


@pytest.mark.parametrize("whole", [BOTH, Budget(2, 1e-6, reserve=1e-7), Budget(2)])
def test_an_account_of_everything_is_exactly_everything(whole):
    ledger = Ledger.memory(budget=whole)
    account = ledger.account("Ada", Budget(whole.epsilon, whole.delta))
    rule = account.limit_rule(ledger.rule)
    assert (rule.epsilon, rule.limit, rule.reserve) == (
        ledger.rule.epsilon,
        ledger.rule.limit,
        ledger.rule.reserve,
    )
    assert ledger.stand("Ada").remaining == ledger.remaining


def test_an_account_counts_in_the_order_of_its_ledger_and_divides_its_delta_so():
    ledger = Ledger.memory(budget=Budget(2, 1e-6, reserve=2.5e-7))
    account = ledger.account("Ada", Budget(0.5, 4e-7))
    rule = account.limit_rule(ledger.rule)
    assert rule.order == ledger.rule.order
    assert rule.reserve == Fraction(1, 10**7)
    rho = rule.limit / rule.order
    ledger.charge("pca", Cost.gaussian(rho), who="Ada")
    with pytest.raises(BudgetError, match="account Ada"):
        ledger.charge("pca", Cost.gaussian(rho / 10**6), who="Ada")


def test_a_pure_account_pays_for_no_gaussian_noise_and_for_no_threshold():
    ledger = Ledger.memory(budget=BOTH)
    ledger.account("Ada", 0.5)
    for cost in (
        Cost.gaussian(Fraction(1, 10**6)),
        Cost.pure(Fraction(1, 9), delta=Fraction(1, 10**9)),
    ):
        with pytest.raises(BudgetError, match="or for an account with δ"):
            ledger.charge("chart", cost, who="Ada")
    assert ledger.entries == ()


COSTS = [
    TENTH,
    Cost.pure(Fraction(1, 3)),
    Cost.exponential(Fraction(1, 4)),
    Cost.gaussian(Fraction(1, 200)),
    Cost.pure(Fraction(1, 20), delta=Fraction(1, 10**7)),
]
PEOPLE = ["Ada", "Grace"]
charges = st.lists(st.tuples(st.sampled_from(COSTS), st.sampled_from(PEOPLE)), max_size=25)


@given(charges)
def test_whatever_is_asked_every_account_and_the_table_stay_within_their_rules(asked):
    """By sums of the test's own, over all that was admitted."""
    ledger = Ledger.memory(budget=Budget(1, 1e-6))
    caps = {"Ada": Budget(0.5, 5e-7), "Grace": Budget(0.75)}
    for name, budget in caps.items():
        ledger.account(name, budget)
    for cost, who in asked:
        with suppress(BudgetError):
            ledger.charge("chart", cost, who=who)
    for name, account in zip(caps, ledger.accounts, strict=True):
        own = [entry.cost for entry in ledger.entries if entry.who == name]
        assert keeps(account.limit_rule(ledger.rule), own)
    assert keeps(ledger.rule, [entry.cost for entry in ledger.entries])


def keeps(rule: PrivacyFilter, costs: list[Cost]) -> bool:
    pure = [cost.epsilon for cost in costs]
    by_epsilon = None not in pure and sum(pure) <= rule.epsilon
    counted = sum((cost.diverge(rule.order) for cost in costs), Fraction(0))
    return sum(cost.delta for cost in costs) <= rule.reserve and (
        by_epsilon or counted <= rule.limit
    )


def test_what_is_admitted_is_what_both_admit_over_all_short_lists():
    """Every list of three charges, by two people, against the two rules asked one by one."""
    for asked in product(product(COSTS[1:4], PEOPLE), repeat=3):
        ledger = Ledger.memory(budget=Budget(0.7, 1e-6))
        caps = {name: ledger.account(name, Budget(0.5, 5e-7)) for name in PEOPLE}
        for cost, who in asked:
            own = sum((e.cost for e in ledger.entries if e.who == who), Cost.nothing())
            fits = caps[who].limit_rule(ledger.rule).admits(own, cost)
            fits = fits and ledger.rule.admits(ledger.spent, cost)
            assert is_charged(ledger, cost, who) == fits


def is_charged(ledger: Ledger, cost: Cost, who: str) -> bool:
    """Charge, and tell whether it was written down."""
    before = len(ledger.entries)
    with suppress(BudgetError):
        ledger.charge("chart", cost, who=who)
    return len(ledger.entries) > before


@pytest.mark.parametrize("cap", [Budget(1, 5e-7), Budget(0.5), Budget(2, 1e-6)])
@pytest.mark.parametrize("others", [Cost.nothing(), TENTH, Cost.gaussian(Fraction(1, 50))])
@pytest.mark.parametrize("own", [Cost.nothing(), TENTH])
@pytest.mark.parametrize("parts", [1, 3])
def test_what_is_left_for_somebody_fits_and_is_divided_exactly(cap, others, own, parts):
    ledger = Ledger.memory(budget=BOTH)
    ledger.account("Ada", cap)
    ledger.account("Grace", BOTH)
    ledger.charge("before", others, who="Grace")
    ledger.charge("before", own, who="Ada")
    share = ledger.stand("Ada").remaining / parts
    cost = Cost.gaussian(share.rho) if share.proven_epsilon else Cost.pure(share.epsilon)
    for _ in range(parts):
        ledger.charge("chart", cost, who="Ada")
    with pytest.raises(BudgetError):
        ledger.charge("chart", Cost.pure(Fraction(1, 2)), who="Ada")


def fill_by_threads(ledger: Ledger, price: Cost) -> None:
    def fill(name):
        with suppress(BudgetError):
            while True:
                ledger.charge("chart", price, who=name)

    names = ["Ada", "Grace"] * 4
    threads = [threading.Thread(target=fill, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize(
    ("ada", "grace", "total"), [(0.25, 0.5, 45), (0.75, 0.5, 60), (1.0, 1.0, 60)]
)
def test_threads_spend_accounts_and_ledger_to_the_last_unit_and_not_one_more(
    begin, ada, grace, total
):
    ledger = begin(1)
    ledger.account("Ada", ada)
    ledger.account("Grace", grace)
    fill_by_threads(ledger, Cost.pure(Fraction(1, 60)))
    spent = Counter(entry.who for entry in ledger.entries)
    assert spent["Ada"] + spent["Grace"] == total
    assert spent["Ada"] <= 60 * ada
    assert spent["Grace"] <= 60 * grace


def test_an_account_raised_in_the_middle_of_a_race_is_spent_to_its_new_end(begin):
    ledger = begin(1)
    ledger.account("Ada", 0.25)
    ledger.account("Grace", 0.25)
    racing = threading.Thread(target=fill_by_threads, args=(ledger, Cost.pure(Fraction(1, 60))))
    racing.start()
    ledger.account("Ada", 0.5)
    racing.join()
    fill_by_threads(ledger, Cost.pure(Fraction(1, 60)))
    assert Counter(entry.who for entry in ledger.entries) == {"Ada": 30, "Grace": 15}


def test_accounts_come_back_as_they_were(path):
    ledger = Ledger.create(path, budget=Budget(20, 1e-6, reserve=1e-7, weak=True), table="visits")
    made = [
        ledger.account("Ada", Budget(0.3)),
        ledger.account("Zoë", Budget(15, 1e-7, weak=True)),
        ledger.account("Grace", Budget(1, 1e-7, reserve=0)),
    ]
    assert list(Ledger.open(path).accounts) == made
    assert isinstance(made[0], Account)


def saying(name: str, value: str) -> str:
    return f"UPDATE entry SET body = json_set(body, '$.{name}', {value}) WHERE number = 1"


@pytest.mark.parametrize(
    "change",
    [
        saying("epsilon", "'-1/2'"),
        saying("epsilon", "'1/3'"),
        saying("epsilon", "'2/4'"),
        saying("epsilon", "NULL"),
        saying("limit", "'-1/2'"),
        saying("limit", "NULL"),
        saying("limit", "0"),
        saying("reserve", "'9/1'"),
        saying("name", "''"),
        saying("name", "7"),
        saying("more", "'1/1'"),
        saying("epsilon", "printf('%.*c', 600, '1') || '/1'"),
        "UPDATE entry SET body = json_remove(body, '$.limit') WHERE number = 1",
        "UPDATE entry SET body = json_remove(body, '$.delta') WHERE number = 1",
    ],
)
def test_an_account_that_makes_no_sense_is_refused(path, change):
    Ledger.create(path, budget=BOTH, table="visits").account("Ada", Budget(0.5, 1e-7))
    rewrite(path, change)
    reseal(path)
    with pytest.raises(LedgerError, match="not a ledger this sfumato can use") as refused:
        Ledger.open(path)
    assert refused.value.__context__ is None


def test_an_old_ledger_has_no_accounts(path):
    ledger = Ledger.open(lay_version_1(path))
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="begin a new ledger"):
        ledger.account("Ada", 0.5)
    assert ledger.accounts == ()
    assert path.read_bytes() == before


def test_it_is_said_that_an_account_is_a_cap_and_no_guarantee():
    ledger = Ledger.memory(budget=2)
    assert CAPS not in str(ledger)
    ledger.account("Ada", 0.5)
    ledger.charge("chart", TENTH, who="Ada")
    for words in (str(ledger), str(ledger.report("who"))):
        assert "guarantee nothing by themselves" in words
    assert "account Ada: Budget(epsilon=0.5), left: ε = 0.4" in str(ledger)
    assert "no guarantee" in (Ledger.account.__doc__ or "")
    assert "no guarantee" in (Account.__doc__ or "")
