"""`Meter`: what was charged, and the only way to noise. The argument stands in `meter.md`."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from threading import Lock
from types import TracebackType
from typing import NoReturn, final

import numpy as np

from sfumato.errors import LedgerError, OverspentError, shorten_label
from sfumato.privacy.budget import Cost

_simulation: ContextVar[np.random.Generator | None] = ContextVar("_simulation", default=None)


@contextmanager
def simulated(generator: np.random.Generator) -> Generator[None]:
    """Draw fast, repeatable noise from `generator` inside the block.

    Privacy
    -------
    None: whoever knows the generator's seed can subtract the noise. A meter that anything was paid
    to inside is not private.
    """
    token = _simulation.set(generator)
    try:
        yield
    finally:
        _simulation.reset(token)


def simulation() -> np.random.Generator | None:
    """Return the generator of the surrounding `simulated` block, or None where chance is real."""
    return _simulation.get()


@final
class Meter:
    """Adds up what mechanisms spend, and refuses what was not charged before any noise is drawn.

    `Session.release` makes one from the cost of each plan and hands it to the chart, which passes
    it on. It changes, as a ledger does, and ends with its ``with`` block. Like an `Exact` it can be
    neither pickled nor copied: each copy could spend the same charge again.

    Parameters
    ----------
    limit
        What was charged: the most that all payments may come to.
    label
        What was asked, in words.
    order
        The order at which the ledger counts divergences, if it does.

    Privacy
    -------
    Every mechanism pays before it draws, whatever the data, so that all that is drawn costs at most
    `limit`, in every currency, also where costs are chosen from earlier answers (`meter.md`).

    Examples
    --------
    >>> from fractions import Fraction
    >>> with Meter(Cost.pure(Fraction(1))) as meter:
    ...     receipt = meter.pay(Cost.pure(Fraction(1, 2)))
    >>> meter.spent, meter.private
    (Cost(ε = 0.5, ρ = 0.125), True)
    """

    def __init__(
        self, limit: Cost, label: str = "A chart", *, order: Fraction | None = None
    ) -> None:
        self._limit, self._label, self._order = limit, label, order
        self._spent = Cost.nothing()
        self._real: bool | None = None  # of all payments so far
        self._open: bool | None = None  # not yet
        self._process = os.getpid()
        self._lock = Lock()
        self._left: tuple[object, ...] = ()

    def __enter__(self) -> Meter:
        if self._open is not None:
            raise _misused("A meter was opened twice")
        self._open = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open = False

    def __reduce__(self) -> NoReturn:
        raise TypeError("A meter says what may still be spent and cannot be pickled or copied.")

    @property
    def spent(self) -> Cost:
        """What all payments come to, with one that was refused."""
        return self._spent

    @property
    def private(self) -> bool:
        """Whether the meter is closed, something was paid, and nobody can repeat its noise."""
        return self._open is False and self._real is True

    @property
    def left(self) -> tuple[object, ...]:
        """What mechanisms left here to be continued later, in other releases."""
        return self._left

    def leave(self, unfinished: object) -> None:
        """Leave something that can be continued."""
        self._left = (*self._left, unfinished)

    def pay(self, cost: Cost) -> Receipt:
        """Return what one mechanism draws with, or refuse what would go beyond the limit.

        Privacy
        -------
        Nothing is drawn yet. Whether it is refused follows from what was planned and asked for.
        """
        return Receipt(self, cost)

    def require_open(self) -> None:
        """Refuse to draw before and after the ``with`` block, and in another process."""
        require_process(self._process)
        if not self._open:
            raise _misused("Noise was asked for from a meter that is not open")

    def record(self, cost: Cost) -> np.random.Generator | None:
        """Write down a payment, and return where its chance comes from; for `Receipt`.

        Privacy
        -------
        The one look at the context that tells the meter and the draws whether noise is real.
        """
        require_process(self._process)  # before the lock, which a fork may have left closed
        with self._lock:
            self.require_open()
            source = simulation()
            self._real = self._real is not False and source is None
            # Written down before it is compared, so that a refusal ends the release for good.
            self._spent = spent = self._spent + cost
        if not spent.within(self._limit, self._order):
            raise OverspentError(
                f"{shorten_label(self._label)} would spend {spent}, but {self._limit} was charged.",
                "This is a bug in sfumato: the numbers are withheld.",
                "Please report it.",
            )
        return source


@final
class Receipt:
    """What noise and coins are drawn with: making one is paying.

    Parameters
    ----------
    cost
        What all that will be drawn with it costs together, argued in the `.md` of the mechanism.

    Privacy
    -------
    Nothing is drawn yet. Whether chance is real is settled here, for the meter and for all draws
    alike, so that they cannot disagree.
    """

    def __init__(self, meter: Meter, cost: Cost) -> None:
        self._generator = meter.record(cost)
        self._meter = meter

    @property
    def generator(self) -> np.random.Generator | None:
        """The generator of a simulation, or None where chance is real; only in an open meter."""
        self._meter.require_open()
        return self._generator

    def __reduce__(self) -> NoReturn:
        raise TypeError("A receipt is what noise is drawn with and cannot be pickled or copied.")


def require_process(process: int) -> None:
    """Refuse to go on in a process that was forked from the one that was charged."""
    # A signal's handler may fork in mid-release, and both of them come back from it.
    if os.getpid() != process:
        raise LedgerError(
            "A process that was forked while a chart was being released cannot have it too.",
            "Two releases would be published for one charge.",
            "Ask for the chart again in this process.",
        )


def _misused(what: str) -> OverspentError:
    return OverspentError(
        f"{what}.",
        "This is a bug in sfumato: nothing is drawn that was not paid for.",
        "Please report it.",
    )
