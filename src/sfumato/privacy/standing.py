"""`Standing`: what was spent of a ledger and of one account in it, and what fits both."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

from sfumato.errors import BudgetError, LedgerError, Setting, Spending, Worded, typed
from sfumato.privacy.accountant import PrivacyFilter, make_refusal
from sfumato.privacy.budget import Cost
from sfumato.privacy.records import Account, Log, sum_costs
from sfumato.privacy.share import Share, find_pure


@dataclass(frozen=True)
class Standing:
    """Where a ledger stands for one person: what all have spent of it, and what they have.

    Parameters
    ----------
    rule
        The rule of the ledger.
    spent
        What all charges cost together.
    account
        The account of whoever asks; None in a ledger without accounts.
    own
        What was charged to that account.

    Privacy
    -------
    An account only ever refuses what the ledger would admit, for reasons that stand in the ledger,
    so all charges together keep the ledger's (ε, δ) as they do without accounts.
    """

    rule: PrivacyFilter
    spent: Cost
    account: Account | None = None
    own: Cost = field(default_factory=Cost.nothing)

    @classmethod
    def find(cls, rule: PrivacyFilter, log: Log, who: str | None) -> Standing:
        """Return where `who` stands; in a ledger with accounts they need one."""
        spent, accounts = sum_costs(log.entries), log.current_accounts
        if not accounts:
            return cls(rule, spent)
        if who is None or who not in accounts:
            raise _refuse_stranger(who)
        return cls(rule, spent, accounts[who], log.sum_charges(who))

    def admits(self, cost: Cost) -> bool:
        """Tell whether `cost` fits the ledger, and the account if there is one."""
        return self.rule.admits(self.spent, cost) and self._is_within_account(cost)

    def _is_within_account(self, cost: Cost) -> bool:
        return self.account is None or self.account.limit_rule(self.rule).admits(self.own, cost)

    def after(self, cost: Cost) -> Standing:
        """Return where things stand once `cost` is charged."""
        return replace(self, spent=self.spent + cost, own=self.own + cost)

    @property
    def remaining(self) -> Share:
        """What is left for whoever asks, to be spent or divided."""
        whole = Share.remaining(self.rule, self.spent)
        if self.account is None:
            return whole
        own = Share.remaining(self.account.limit_rule(self.rule), self.own)
        # Without a limit it is spent in ε alone, whatever the ledger counts that in.
        pure = find_pure(self.rule, self.spent) if own.amount == 0 else whole.epsilon
        return Share(
            self.rule,
            None if own.epsilon is None or pure is None else min(own.epsilon, pure),
            min(own.amount, whole.amount),
            min(own.delta, whole.delta),
        )

    @property
    def largest_pure(self) -> Fraction:
        """The most pure ε that one chart could still have."""
        largest = find_pure(self.rule, self.spent)
        if self.account is None:
            return largest
        return min(largest, find_pure(self.account.limit_rule(self.rule), self.own))

    def make_refusal(self, label: str, cost: Cost, largest: Spending | None = None) -> BudgetError:
        """Return the error for a `cost` that does not fit, with the most that would."""
        if self.account is None or not self.rule.admits(self.spent, cost):
            return make_refusal(label, self.rule, self.spent, cost, largest)
        rule, whose = self.account.limit_rule(self.rule), f"{label} (account {self.account.name})"
        what, _, advice = make_refusal(whose, rule, self.own, cost, largest).args
        if self.account.budget.pure and (cost.epsilon is None or cost.delta):
            advice = "Ask for Laplace noise and declared categories, or for an account with δ."
        return BudgetError(what, "Each account may spend only its own part of the budget.", advice)


def _refuse_stranger(who: str | None) -> LedgerError:
    if who is None:
        return LedgerError(
            "This ledger is divided into accounts, and no account was named.",
            "Otherwise one person could spend the budget of others.",
            ("Say whose it is: ", Setting("who", "analyst-1"), "."),
        )
    return LedgerError(
        f"{who!r} has no account in this ledger, which is divided into accounts.",
        "Otherwise one person could spend the budget of others.",
        (
            "Name one that is there, or open it: ",
            Worded(
                f"ledger.account({who!r}, 0.5)",
                in_shell=f"sfumato ledger account FILE {typed(who)} --epsilon 0.5",
            ),
            ".",
        ),
    )
