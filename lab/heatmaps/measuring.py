"""Every method of a heatmap on a simulated crowd, and how close its picture is to the true one."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

import sfumato as sf
from heatmaps.crowd import Crowd, Floats, Resolution
from heatmaps.vertex import vertex
from sfumato.charts.heatmap.chart import Heatmap
from sfumato.charts.heatmap.plan import HeatmapPlan
from sfumato.metrics.heatmap import divergence, pearson, similarity
from sfumato.metrics.plane import emd
from sfumato.postprocess import transport
from sfumato.postprocess.density import Leaves, rasterise, smooth
from sfumato.testing import metered

OURS, THEIRS, SHARED, BAYES = "adaptive", "published", "pyramid, lp", "pyramid, bayes"
_REQUESTS: dict[str, dict[str, Any]] = {
    "baseline": {"method": "laplace"},
    "top 0.01 %": {"method": "laplace", "top": 1e-4},
    "top 0.001 %": {"method": "laplace", "top": 1e-5},
    THEIRS: {"method": "pyramid", "decoder": "lp"},
    SHARED: {"method": "pyramid", "decoder": "lp"},
    BAYES: {"method": "pyramid", "decoder": "bayes"},
    "dense": {"method": "dense"},
    OURS: {"method": "adaptive"},
}
METHODS = tuple(_REQUESTS)
"""The baseline and its thresholded variants; the paper's method with its linear program solved by
HiGHS, and by us, who share what is tied; our decoder on the same measurements; the paper's
Appendix D; and ours."""

SIGMAS = (5.0, 10.0)
"""Standard deviations of the Gaussian filter, in cells of a picture of 256 × 256: the paper does
not say which it uses."""

GAP, FINEST = 2e-3, 160
"""Distances are known to this part of themselves, on pictures of at most so many cells a side."""


class Closeness(NamedTuple):
    """How close a picture is to the true one: two numbers to be large, two to be small."""

    similarity: float
    pearson: float
    divergence: float
    emd: float


METRICS = Closeness._fields


@cache
def _plan(method: str, epsilon: float, resolution: Resolution) -> HeatmapPlan:
    """Return the chart's own plan; it knows public facts only, so one of each is enough."""
    chart = Heatmap("x", "y", resolution=resolution, **_REQUESTS[method])
    window = sf.Domain(x=(0, 1), y=(0, 1))
    return chart.plan(window, sf.PrivacyUnit.users("user"), sf.Budget(epsilon, weak=True))


def measured(people: Crowd, method: str, epsilon: float, resolution: Resolution) -> Leaves:
    """Return the squares of a simulated release, as the chart measures them.

    Privacy
    -------
    None, as all simulations.
    """
    plan = _plan(method, epsilon, resolution)
    solver = vertex if method == THEIRS else transport.minimise_transport
    with patch.object(transport, "minimise_transport", solver):
        return metered(plan.method.map, people.masses(plan.plane), plan.plane).values.leaves


def noise_of(method: str) -> str:
    """Return what names the noise of a method: decoders and thresholds share measurements."""
    return _REQUESTS[method]["method"]


def picture(leaves: Leaves, resolution: Resolution) -> Floats:
    """Return mass per cell; where there is none at all, the same everywhere."""
    found = rasterise(leaves, resolution)
    return found if found.sum() > 0 else np.ones(resolution[::-1])


def filtered(heat: Floats, sigma: float) -> Floats:
    """Return a picture under the filter, whose width is given for 256 cells a side.

    A picture of other resolution gets the same filter in parts of its longer side, so that
    resolutions can be compared.
    """
    width = sigma * max(heat.shape) / 256
    return smooth(heat, (width, width))


def closeness(true: Floats, estimate: Floats) -> Closeness:
    """Return all four metrics of two filtered pictures."""
    fine, coarse = pooled(true), pooled(estimate)
    return Closeness(
        similarity(true, estimate),
        pearson(true, estimate),
        divergence(true, estimate),
        emd(fine, coarse, gap=GAP).middle,
    )


def pooled(heat: Floats) -> Floats:
    """Return a picture of at most `FINEST` cells a side, by adding neighbours.

    Filtered pictures hardly change within so few cells: distances differ by some thousandths.
    """
    factor = -(-max(heat.shape) // FINEST)
    rows, columns = (size // factor for size in heat.shape)
    return heat.reshape(rows, factor, columns, factor).sum(axis=(1, 3))
