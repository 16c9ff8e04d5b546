"""Score plots as a chart would release them, of groups whose places are known."""

import math
from fractions import Fraction

import numpy as np

from releases.analysed import analysed, cloud
from sfumato.domain import Bounds, Categories
from sfumato.grid import Grid, Labels
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.releases.pca import PcaRelease
from sfumato.releases.scoreplot import ScoreplotRelease

SIDE = 4.0
SCALE = 5.0


def components(columns=5, **changes) -> PcaRelease:
    generator = np.random.default_rng(3)
    return analysed(cloud(generator, 4000, columns), generator, **changes)


def truth(sizes, bins=16):
    """Counts ``[group, row, column]`` of round groups that stand in a ring."""
    middle = SIDE * ((2 * np.arange(bins) + 1) / bins - 1)
    counts = []
    for place, size in enumerate(sizes):
        turn = 2 * math.pi * place / len(sizes)
        x, y = (2.2 * part * (len(sizes) > 1) for part in (math.cos(turn), math.sin(turn)))
        hill = np.exp(-((middle - x) ** 2 + (middle[:, None] - y) ** 2) / 1.2)
        counts.append(np.rint(size * hill / hill.sum()))
    return np.array(counts).reshape(len(sizes), bins, bins)


def scored(sizes=(2000,), *, names=None, bins=16, drawn=1, shared=False, pca=None, **changes):
    """A release of groups so large; without `names` there is one, and no hue."""
    noise = np.random.default_rng(drawn).normal(0, SCALE, (len(sizes), bins, bins))
    noisy = np.rint(truth(sizes, bins) + noise)
    unit = PrivacyUnit.users("user") if shared else PrivacyUnit.rows()
    steps = noisy * round(1 / unit.step)
    parts = {
        "label": "scores of c1 to c5 on PC1 and PC2",
        "guarantee": Guarantee(1.0, 1e-5, unit),
        "cost": Cost.gaussian(Fraction(1, 40)),
        "private": True,
        "pca": pca or components(shared=shared),
        "axes": (1, 2),
        "method": "additive",
        "x": Grid("PC1", Bounds(-SIDE, SIDE), bins),
        "y": Grid("PC2", Bounds(-SIDE, SIDE), bins),
        "hue": None if names is None else Labels("kind", Categories(tuple(names))),
        "noise": NoiseLaw("gaussian", SCALE / unit.step),
        "step": unit.step,
        "threshold": None,
        "steps": tuple(int(each) for each in steps.ravel()),
        "masses": tuple(np.maximum(noisy, 0).ravel().tolist()),
        "split": (0.35, 0.05, 0.6),
        "alone": True,
    }
    return ScoreplotRelease(**(parts | changes))


def sparse(sizes, *, least=15, **changes):
    """A release that says nothing of counts below `least`."""
    made = scored(sizes, **changes)
    full = truth(sizes, made.x.cells) > 0
    noisy = np.array(made.steps).reshape(made.shape)
    kept = np.where(full & (noisy >= least), noisy, 0).ravel().tolist()
    return scored(
        sizes,
        **changes,
        method="sparse",
        threshold=least,
        steps=tuple(kept),
        masses=tuple(map(float, kept)),
    )


def pyramid(sizes, **changes):
    """A release whose squares were measured in another way."""
    return scored(sizes, **changes, method="pyramid", noise=None, steps=())
