"""Laplace noise that is made smaller later, at the difference in ε. Argued in `gradual.md`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fractions import Fraction
from threading import Lock
from typing import NoReturn, final

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import BudgetError
from sfumato.exact import Exact
from sfumato.mechanisms.chance import Chance
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.noise import check_scale
from sfumato.privacy.budget import Cost

Integers = NDArray[np.int64]

MOST_CELLS = 2**16
"""How many cells a measurement has at most that can be continued."""

_ENDS = np.iinfo(np.int64)


@final
class UnfinishedNoise:
    """A measurement whose noise can be continued: once, in the process that drew it.

    Parameters
    ----------
    exact, noisy
        The true integers, and what was released of them.
    scale
        The scale of the discrete Laplace noise between the two.

    Privacy
    -------
    Holds the true integers of one moment, sealed. It can be neither pickled nor copied, and is
    given out once: two continuations of one draw would cost more than both are charged for.
    """

    def __init__(self, exact: Exact, noisy: Integers, scale: float) -> None:
        self.l1, self.scale = exact.l1, scale
        self._exact, self._noisy = exact, noisy
        self._process, self._lock, self._taken = os.getpid(), Lock(), False

    def __repr__(self) -> str:
        return f"UnfinishedNoise(l1={self.l1}, scale={self.scale!r}, hidden)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("Unfinished noise holds true numbers and cannot be pickled or copied.")

    @property
    def spent(self) -> Fraction:
        """The ε of the noise so far."""
        return Fraction(self.l1) / Fraction(self.scale)

    @property
    def ready(self) -> bool:
        """Whether it can be continued here; of what ended where 64 bits end the noise is lost."""
        ends = bool(((self._noisy == _ENDS.min) | (self._noisy == _ENDS.max)).any())
        return not (self._taken or ends or os.getpid() != self._process)

    def belongs_to(self, steps: Sequence[int], scale: float) -> bool:
        """Tell whether these are the numbers that were released."""
        return scale == self.scale and self._noisy.ravel().tolist() == list(steps)

    def take(self) -> tuple[Integers, Integers] | None:
        """Return the true and the noisy integers, the first time; for `continue_laplace` alone."""
        if not self.ready:  # before the lock, which a fork may have left closed
            return None
        with self._lock:
            first, self._taken = not self._taken, True
        return (self._exact.reveal(), self._noisy) if first else None

    def follow(self, noisy: Integers, scale: float) -> UnfinishedNoise:
        """Return what can be continued after this one was."""
        return UnfinishedNoise(self._exact, noisy, scale)


def price_continuation(spent: Fraction, more: Fraction) -> Cost:
    """Return what it costs to continue noise of ε = `spent` until it is that of `more` besides.

    The ε is about both draws together, and holds in ledgers of pure ε alone. The ρ is that of the
    second draw by itself, given the first, which may be as bad as both ε and one of them again.
    """
    return Cost(more, (2 * spent + more) ** 2 / 2)


def continue_laplace(meter: Meter, unfinished: UnfinishedNoise, *, scale: float) -> Integers | None:
    """Draw less noise for the same true integers, such that the first draw follows from it.

    None, and nothing paid or drawn, where the measurement was continued already.

    Privacy
    -------
    Both draws together are ε-DP with ε = ``l1 / scale``, as one draw of this scale would be. The
    true integers are those of the first draw: a table that changed since is not looked at.

    Examples
    --------
    >>> counts = Exact(l1=1, l2_squared=1, step=1.0, _values=np.array([3, 5]))
    >>> half = Fraction(1, 2)
    >>> unfinished = UnfinishedNoise(counts, np.array([2, 9]), scale=2.0)
    >>> with Meter(price_continuation(half, half)) as meter:
    ...     noisy = continue_laplace(meter, unfinished, scale=1.0)
    >>> meter.spent.epsilon, unfinished.ready
    (Fraction(1, 2), False)
    """
    check_scale(scale)
    if not scale < unfinished.scale:
        raise BudgetError(
            "Noise can only be continued to less noise.",
            "What was released cannot be taken back.",
            "Spend more than nothing on it.",
        )
    taken = unfinished.take()
    if taken is None:
        return None
    total = Fraction(unfinished.l1) / Fraction(scale)
    receipt = meter.pay(price_continuation(unfinished.spent, total - unfinished.spent))
    rates = Rates.of(unfinished.scale, scale)
    chance = Chance(receipt)
    truth, noisy = (each.ravel().tolist() for each in taken)
    pairs = zip(truth, noisy, strict=True)
    drawn = [true + rates.draw(chance, before - true) for true, before in pairs]
    kept = [min(max(each, int(_ENDS.min)), int(_ENDS.max)) for each in drawn]
    less = np.array(kept, dtype=np.int64).reshape(taken[0].shape)
    meter.leave(unfinished.follow(less, scale))
    return less


class Rates:
    """The exponents of the geometric laws that the smaller noise is made of, given the larger."""

    def __init__(self, wide: Fraction, narrow: Fraction) -> None:
        self._inward, self._outward, self._twice = narrow - wide, narrow + wide, 2 * wide

    @classmethod
    def of(cls, before: float, after: float) -> Rates:
        """Return those of two scales, the larger first."""
        return cls(1 / Fraction(before), 1 / Fraction(after))

    def draw(self, chance: Chance, before: int) -> int:
        """Return the smaller noise, given that the larger one was `before`."""
        sign = -1 if before < 0 else 1
        return sign * self._draw_above(chance, sign * before)

    def _draw_above(self, chance: Chance, before: int) -> int:
        inner = chance.draw_geometric(self._inward) - chance.draw_geometric(self._outward)
        if inner < before:
            return inner
        if chance.draw_geometric(self._inward) <= chance.draw_geometric(self._twice):
            return before + chance.draw_geometric(self._outward)
        return before
