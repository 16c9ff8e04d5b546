"""`Windows`: sums over all that may come before, in linear time. See `../joint.md`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.mechanisms.ranks.profile import Floats, Integers

_FEW = 256  # blocks that are quicker to sum one by one


@dataclass(frozen=True, eq=False)
class Windows:
    """For each state of a level, the states of the level before it that may come before it.

    Those up to `split` miss their target by less; those from `split` to `before` by more, and by
    less than one gap more. Blocks of one gap cut such a window in two at most, so two running
    sums within blocks give every window without a subtraction.

    Parameters
    ----------
    blocks, own
        The block of each state before, and the block in which the window of each state ends.
    """

    blocks: Floats
    own: Floats
    split: Integers
    before: Integers

    def sums(self, errors: Floats, weights: Floats, targets: Floats, rate: float) -> Floats:
        """Return the sum of ``weights * exp(-rate |targets - errors|)`` over all before."""
        cut = np.searchsorted(self.blocks, self.own)
        split = np.clip(self.split, np.searchsorted(self.blocks, self.own - 1), cut)
        split = np.minimum(split, self.before)
        rising = np.append(0.0, np.cumsum(weights * np.exp(rate * errors)))
        falling = weights * np.exp(-rate * errors)
        starts = np.flatnonzero(np.diff(self.blocks, prepend=np.nan) != 0)
        ends = np.append(starts[1:], errors.size)
        forward = np.append(0.0, running_sums(falling, starts))
        backward = np.append(running_sums(falling[::-1], (errors.size - ends)[::-1])[::-1], 0.0)
        above = np.where(split < cut, backward[split], 0.0)
        above += np.where(cut < self.before, forward[self.before], 0.0)
        return np.exp(-rate * targets) * rising[split] + np.exp(rate * targets) * above


def running_sums(values: Floats, starts: Integers) -> Floats:
    """Return running sums that begin anew at every start, by additions alone.

    Examples
    --------
    >>> running_sums(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([0, 2]))
    array([ 1.,  3.,  3.,  7., 12.])
    """
    sums = values.copy()
    lengths = np.diff(starts, append=values.size)
    if starts.size <= _FEW:
        for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
            np.cumsum(values[start : start + length], out=sums[start : start + length])
        return sums
    # Many blocks are short: sums of 1, 2, 4, 8 … are made in all of them at once.
    inside, reached = np.arange(values.size) - np.repeat(starts, lengths), 1
    while reached < lengths.max():
        further = np.flatnonzero(inside >= reached)
        sums[further] += sums[further - reached]
        reached *= 2
    return sums
