"""`Verification`: whether releases were paid for by a ledger, and whether the ledger is whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sfumato.errors import make_printable, shorten_label
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import Guarantee
from sfumato.privacy.payment import Payment
from sfumato.privacy.records import Entry, Log, Terms, sum_costs

UNSAID = "does not say what paid for it"
PAID = "paid for, and its noise costs no more than that"


class Paid(Protocol):
    """What a release says about its cost."""

    @property
    def label(self) -> str:
        """What was asked, in words."""
        ...

    @property
    def guarantee(self) -> Guarantee:
        """What is guaranteed, and to whom."""
        ...

    @property
    def cost(self) -> Cost:
        """What it says that it cost."""
        ...

    @property
    def least_cost(self) -> Cost:
        """What its noise costs at least."""
        ...

    @property
    def private(self) -> bool:
        """Whether its noise was real."""
        ...

    @property
    def paid(self) -> tuple[Payment, ...]:
        """The entries that paid for it."""
        ...

    @property
    def included(self) -> Sequence[Paid]:
        """The releases that it shows, and that were paid for by themselves."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return all that it says."""
        ...


@dataclass(frozen=True)
class Finding:
    """What was found about one release.

    Parameters
    ----------
    place
        Which of the releases that were given it is, or is part of, from 0.
    part
        Whether it is part of that one.
    label
        What was asked, in words.
    entries
        The numbers of the entries that it names.
    problems
        All that is wrong; nothing, if it was paid for.
    """

    place: int
    part: bool
    label: str
    entries: tuple[int, ...]
    problems: tuple[str, ...]

    def __str__(self) -> str:
        return "; ".join(self.problems) or PAID


@dataclass(frozen=True)
class Verification:
    """What a ledger knows about releases.

    Parameters
    ----------
    ledger
        What is wrong with the ledger itself; nothing, if it is whole and within its budget.
    findings
        One for each release, and for each that is part of one.
    others
        The numbers of entries that paid for none of them.

    Examples
    --------
    >>> from sfumato.privacy.ledger import Ledger
    >>> Ledger.memory(budget=1.0).verify().passed
    True
    """

    ledger: tuple[str, ...]
    findings: tuple[Finding, ...]
    others: tuple[int, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong, with the ledger or with any release."""
        return not self.ledger and not any(finding.problems for finding in self.findings)

    @property
    def ledger_finding(self) -> str:
        """What was found about the ledger itself, in words."""
        return "; ".join(self.ledger) or "whole, and within its budget"

    def __str__(self) -> str:
        lines = [f"The ledger: {self.ledger_finding}."]
        lines += [f"{make_printable(each.label)}: {each}." for each in self.findings]
        return "\n".join(lines)


def verify(terms: Terms, log: Log, releases: Sequence[Paid]) -> Verification:
    """Compare releases with the entries they name. The chain was checked when it was read."""
    shown = [(place, each) for place, whole in enumerate(releases) for each in _all_in(whole)]
    shared = _find_shared([release for _, release in shown])
    findings = [
        Finding(
            place,
            release is not releases[place],
            release.label,
            tuple(payment.number for payment in release.paid),
            tuple(_find_problems(terms, log, release, different=shared[release.paid])),
        )
        for place, release in shown
    ]
    payments = [payment for _, release in shown for payment in release.paid]
    named = {each.number for each in payments if not _find_stranger(terms, log, each)}
    return Verification(
        ledger=tuple(_find_faults(terms, log)),
        findings=tuple(findings),
        others=tuple(entry.number for entry in log.entries if entry.number not in named),
    )


def _find_faults(terms: Terms, log: Log) -> Iterator[str]:
    if terms.version == 1:
        yield "has no seals, because an older sfumato began it: whether it was changed is not known"
    if not terms.rule.admits(sum_costs(log.entries), Cost.nothing()):
        yield "was charged more than its budget"


def _all_in(release: Paid) -> Iterator[Paid]:
    yield release
    for part in release.included:
        yield from _all_in(part)


def _find_shared(releases: Sequence[Paid]) -> Mapping[tuple[Payment, ...], int]:
    """Count the different releases that name the same entries; a copy is not different."""
    said: dict[tuple[Payment, ...], list[dict[str, Any]]] = defaultdict(list)
    for release in releases:
        plain = {name: each for name, each in release.to_dict().items() if name != "signature"}
        if plain not in said[release.paid]:
            said[release.paid].append(plain)
    return {paid: len(different) for paid, different in said.items()}


def _find_problems(terms: Terms, log: Log, release: Paid, *, different: int) -> Iterator[str]:
    if strangers := _find_strangers(terms, log, release):
        yield from strangers  # and nothing that was charged can be compared
        return
    yield from _compare_entries(terms, log, release)
    yield from _compare_promises(terms, release)
    if different > 1:
        yield "shares its entry with another release, and it was charged once"


def _find_strangers(terms: Terms, log: Log, release: Paid) -> list[str]:
    """Say which of the entries that a release names are not in the ledger."""
    if not release.paid:
        return [UNSAID]
    strangers = [_find_stranger(terms, log, payment) for payment in release.paid]
    twice = ["names an entry twice"] if len({*release.paid}) < len(release.paid) else []
    return [problem for problem in strangers if problem] + twice


def _find_stranger(terms: Terms, log: Log, payment: Payment) -> str:
    if payment.ledger != terms.identity:
        return "was paid for by another ledger"
    last = log.mark.number
    if payment.number > last:
        return (
            f"names entry {payment.number}, and the ledger ends with {last}: this is an older copy"
        )
    if payment.seal != log.seals[payment.number]:
        return (
            f"names another entry {payment.number} than there is: the ledger was rewritten, or is "
            "an older copy that was charged again"
        )
    return ""


def _compare_entries(terms: Terms, log: Log, release: Paid) -> Iterator[str]:
    """Say where a release differs from what was charged for it."""
    numbers = {payment.number for payment in release.paid}
    entries: list[Entry] = [entry for entry in log.entries if entry.number in numbers]
    for entry in entries:
        if entry.label != shorten_label(release.label):
            yield f"entry {entry.number} paid for {entry.label!r}"
    charged = sum_costs(entries)
    if release.cost != charged:
        yield f"says that it cost {release.cost}, and {charged} was charged"
    if not release.least_cost.within(charged, terms.rule.order):
        yield f"has noise that costs {release.least_cost}, and {charged} was charged"


def _compare_promises(terms: Terms, release: Paid) -> Iterator[str]:
    """Say where a release guarantees something else than its ledger keeps."""
    guarantee = release.guarantee
    if guarantee.unit.protects != terms.protects:
        yield f"protects {guarantee.unit}, and the ledger is kept for {terms.protects!r}"
    if guarantee.size is not None:
        yield "protects rows that are replaced, and the ledger rows that are added"
    if not release.private:
        yield "has simulated noise, which no ledger pays for"
