"""`combine`: two measurements of one question, as one release. Argued beside `CombinedNoise`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import numpy as np

from sfumato.errors import ReleaseError, Setting, abbreviate
from sfumato.postprocess.combined_noise import (
    CombinedNoise,
    choose_weights,
    combine_noise,
    match_scale,
)
from sfumato.postprocess.density import Leaves
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Cost, plain_above, prove_epsilon, to_fraction
from sfumato.privacy.guarantee import Guarantee
from sfumato.releases.heatmap import HeatmapRelease
from sfumato.releases.heatmap.leaves import decode_leaves
from sfumato.releases.histogram import HistogramRelease
from sfumato.releases.release import Release

R = TypeVar("R", bound=Release)

_RARE = 0.01  # how likely independent noise is to be the same in all cells
_SAME = "Their average would be a number of neither."
_OWN = frozenset({"noise", "step", "combined"})  # parameters that may differ


def combine(first: R, second: R) -> R:
    """Combine two releases of one question, weighted by the inverse variance of their noise.

    Histograms can be combined, and heatmaps that measured the same squares. Intervals follow from
    the exact law of the weighted noise. With Gaussian noise nothing is lost: the result is as
    accurate as one release at the summed cost. With Laplace noise the variance is up to twice that
    of one release at the summed ε, and the caption says what it would be.

    Parameters
    ----------
    first, second
        Releases of one table, made independently; they do not say themselves which table it was.

    Privacy
    -------
    Post-processing: it costs nothing. The result states the sum of both costs, and a guarantee
    that follows from it, because both were paid for.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = sf.testing.city(people=500)
    >>> two = [sf.histplot(people, x="age", bounds=(0, 100), budget=0.5) for _ in range(2)]
    >>> both = combine(*two)
    >>> both.guarantee.epsilon, both.noise.variance * both.step**2 < two[0].noise.variance
    (1.0, True)
    """
    _require_two(first, second)
    return combine_independent(first, second)


def combine_independent(first: R, second: R) -> R:
    """Combine two releases that are known to be measured independently.

    Privacy
    -------
    Post-processing, as `combine`.
    """
    _require_same_question(first, second)
    parts = find_measurement(first), find_measurement(second)
    both = None if None in parts else average(*cast(tuple[Measurement, Measurement], parts))
    match first, second:
        case HistogramRelease(), HistogramRelease() if both:
            changes = {"steps": both.steps, "step": both.step, "noise": both.noise}
        case HeatmapRelease(), HeatmapRelease() if both:
            changes = _decode_heatmap(first, second, both)
        case HeatmapRelease(), _:
            raise _other_squares()
        case _:
            raise ReleaseError(
                f"A {first.kind} cannot be combined with another.",
                "Only histograms, and heatmaps that measured the same squares, are averaged.",
                "Ask once, with the budget of both.",
            )
    cost = first.cost + second.cost
    return replace(
        first,
        cost=cost,
        guarantee=add_promises(first.guarantee, second.guarantee, cost),
        private=first.private and second.private,
        paid=tuple(dict.fromkeys((*first.paid, *second.paid))),
        signature=None,
        **changes,
    )


def _require_two(first: Release, second: Release) -> None:
    """Refuse one release twice: numbers that are all equal, which noise would rarely make."""
    one, other = find_measurement(first), find_measurement(second)
    twice = one is not None and one == other and one.noise.coverage(0) ** len(one.steps) < _RARE
    if first is second or twice:
        raise ReleaseError(
            "These are one release twice.",
            "Averaging a release with itself does not reduce its noise.",
            "Combine it with another measurement of the same question.",
        )


def _require_same_question(first: Release, second: Release) -> None:
    if type(first) is not type(second):
        raise ReleaseError(
            f"A {first.kind} and a {second.kind} are releases of two questions.", _SAME, _ALIKE
        )
    promises = first.guarantee, second.guarantee
    facts = [{"unit": each.unit, "size": each.size} for each in promises]
    rows = [{"the rows they are of": each.selection} for each in (first, second)]
    both = zip((first, second), facts, rows, strict=True)
    asked = [each.parameters | fact | selected for each, fact, selected in both]
    differing = [
        name
        for name in asked[0].keys() | asked[1].keys()
        if name not in _OWN and asked[0].get(name) != asked[1].get(name)
    ]
    if differing:
        names = ", ".join(abbreviate(name) for name in sorted(differing))
        raise ReleaseError(f"These releases differ in {names}.", _SAME, _ALIKE)


_ALIKE = "Combine two releases that were asked for alike."


@dataclass(frozen=True)
class Measurement:
    """Noisy integers, what one of them is worth, and the law of their noise."""

    steps: tuple[int, ...]
    step: float
    noise: NoiseLaw | CombinedNoise

    @property
    def variance(self) -> float:
        """The variance of each number, in squared units."""
        return self.noise.variance * self.step**2

    @property
    def lattice(self) -> float:
        """What one integer was worth when it was measured."""
        return self.step * (self.noise.whole if isinstance(self.noise, CombinedNoise) else 1)


def find_measurement(release: Release) -> Measurement | None:
    """Return what a release measured, where that is numbers with noise of one law."""
    match release:
        case HistogramRelease(steps=steps, step=step, noise=noise):
            return Measurement(steps, step, noise)
        case HeatmapRelease(noisy=steps, step=step):
            law = release.noise.law
            return None if law is None else Measurement(steps, step, law)
        case _:
            return None


def average(first: Measurement, second: Measurement) -> Measurement:
    """Return the weighted sum of two measurements, in integers that are worth less."""
    if len(first.steps) != len(second.steps) or first.lattice != second.lattice:
        raise _other_squares()
    weights = choose_weights(first.variance, second.variance)
    if not weights.first or not weights.second:
        return first if weights.first else second  # beside which the other would add nothing
    step = min(first.step, second.step)
    own = weights.first * round(first.step / step)
    other = weights.second * round(second.step / step)
    pairs = zip(first.steps, second.steps, strict=True)
    steps = tuple(own * one + other * another for one, another in pairs)
    noise = combine_noise(first.noise, second.noise, (own, other))
    if noise is None or not all(-(2**63) <= each < 2**63 for each in steps):
        raise ReleaseError(
            "These releases have no weighted sum within 64 bits.",
            "The sums would overflow.",
            "Combine fewer releases, or ask once with the budget of all.",
        )
    return Measurement(steps, step / 2**weights.halvings, noise)


def _decode_heatmap(
    first: HeatmapRelease, second: HeatmapRelease, both: Measurement
) -> dict[str, Any]:
    """Return what changes in a map when masses are decoded anew from better measurements.

    Where squares were chosen by what was measured before, all measurements would be needed to
    decode masses, and a release keeps the last of each square alone.
    """
    if not (_have_same_squares(first.leaves, second.leaves) and _is_full(first)):
        raise _other_squares()
    noisy = np.array(both.steps, dtype=np.float64) * both.step
    masses = decode_leaves(first.leaves, noisy, first.method, first.top)
    return {
        "noisy": both.steps,
        "scale": (match_scale(both.noise.variance),) * len(both.steps),
        "step": both.step,
        "combined": both.noise if isinstance(both.noise, CombinedNoise) else None,
        "leaves": replace(first.leaves, mass=masses),
        "total": float(masses.sum()),
    }


def _other_squares() -> ReleaseError:
    return ReleaseError(
        "These releases did not measure the same squares, each with noise of one law.",
        "Cells that each release chose for itself cannot be averaged.",
        ("Ask for both with ", Setting("method", "laplace"), ", or once with both budgets."),
    )


def _have_same_squares(first: Leaves, second: Leaves) -> bool:
    return first.shape == second.shape and all(
        np.array_equal(getattr(first, name), getattr(second, name))
        for name in ("column", "row", "span")
    )


def _is_full(release: HeatmapRelease) -> bool:
    """Tell whether every square of one size was measured, or every cell."""
    if release.method == "laplace":
        return True
    span = release.leaves.span
    squares = (release.leaves.shape[0] // max(int(span.max(initial=1)), 1)) ** 2
    return release.method == "dense" and bool((span == span.max()).all()) and span.size == squares


def add_promises(first: Guarantee, second: Guarantee, cost: Cost) -> Guarantee:
    """Return what two releases guarantee together: pure ε add up, and so does all δ.

    Where there is a δ besides that of thresholds, it is the ε that the summed cost proves.
    """
    delta = to_fraction(first.delta) + to_fraction(second.delta)
    epsilon = to_fraction(first.epsilon) + to_fraction(second.epsilon)
    if delta > cost.delta:
        epsilon = prove_epsilon(cost, delta - cost.delta)
    return replace(first, epsilon=plain_above(epsilon), delta=plain_above(delta))
