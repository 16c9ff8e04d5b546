"""Bins of a line that are merged where noise could have made their differences."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.group_mean import GroupEstimates
from sfumato.postprocess.merging import find_runs
from sfumato.postprocess.noise_law import PooledNoise

Array = NDArray[np.float64]

if TYPE_CHECKING:
    from sfumato.releases.means import MeansRelease


def merge_bins(release: MeansRelease, pairs: Array) -> tuple[list[tuple[int, int]], GroupEstimates]:
    """Return which bins of one line are merged, and what is told of each run of them.

    The noisy sums of a run add up, and so does their noise. Counts and sums are averages per bin.
    """
    runs = find_runs(*_compare(release, pairs))
    told = [_pool(release, pairs[start:stop]) for start, stop in runs]
    parts = ([getattr(each, part.name) for each in told] for part in fields(GroupEstimates))
    return runs, GroupEstimates(*(np.concatenate(part) for part in parts))


def _compare(release: MeansRelease, pairs: Array) -> tuple[Array, Array]:
    """Return a number of each bin that tells it from its neighbours, and how precise it is."""
    variance = max(release.noise.variance, 1e-300)
    if release.estimator in ("mean", "proportion"):
        return _linearise(pairs, variance)
    alone = release.estimate(pairs, release.noise)
    # Half of a 95 % interval is about twice the deviation of the noise.
    return alone.value, (4 / np.maximum(alone.high - alone.low, 1e-300)) ** 2


def _linearise(pairs: Array, variance: float) -> tuple[Array, Array]:
    """Return shares of the second sums, which may be of bins too small for a ratio of their own.

    Each bin tells how far its second sum is from the share of all bins together, over a size that
    it has in common with its neighbours.
    """
    whole = pairs.sum(axis=1)
    sizes = np.concatenate(
        [
            np.full(stop - start, whole[start:stop].mean())
            for start, stop in find_runs(whole, np.full(len(whole), 1 / (2 * variance)))
        ]
    )
    share = float(np.clip(pairs[:, 1].sum() / max(whole.sum(), 1e-300), 0, 1))
    size = np.maximum(sizes, math.sqrt(variance))
    value = share + (pairs[:, 1] - share * whole) / size
    known = np.where(sizes > 0, size**2, 0.0)
    return value, known / (variance * (share**2 + (1 - share) ** 2))


def _pool(release: MeansRelease, pairs: Array) -> GroupEstimates:
    bins = len(pairs)
    law = release.noise if bins == 1 else PooledNoise(release.noise, bins)
    told = release.estimate(pairs.sum(axis=0, keepdims=True), law)
    each = 1 if release.estimator in ("mean", "proportion") else bins
    return GroupEstimates(told.value / each, told.low / each, told.high / each, told.reliable)
