"""`CombinedNoise`: the law of a weighted sum of noises. The argument: `combined_noise.md`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.noise_law import KnownNoise, NoiseKind, NoiseLaw
from sfumato.privacy.budget import Cost

Array = NDArray[np.float64]

MOST_TERMS = 64
MOST_WEIGHT = 2**40

_FINE = 2**12  # steps to all scales together, beyond which the lattice is made coarser
_LISTED = 2.0**14  # the widest law whose integers are listed one by one
_REACH: dict[NoiseKind, float] = {"laplace": 42.0, "gaussian": 9.5}  # scales: all but 1e-18
_ROUNDING = 1e-12  # more than all errors of floats together
_MOST_HALVINGS = 12
_LOSS = 1e-4  # of the variance, which rounding the weights may add


@dataclass(frozen=True)
class NoiseTerm:
    """One noise in a weighted sum, multiplied by a whole number."""

    weight: int
    kind: NoiseKind
    scale: float

    @property
    def law(self) -> NoiseLaw:
        """The law of the noise before it is multiplied."""
        return NoiseLaw(self.kind, self.scale)

    @property
    def spread(self) -> float:
        """The scale of the noise after it is multiplied."""
        return self.weight * self.scale

    def list_masses(self, grain: int) -> Array:
        """Return the probabilities of the nearest multiples of `grain`, from 0 up to the reach.

        The law is symmetric, so that those below 0 are the same.
        """
        if self.scale > _LISTED:
            return self._integrate_masses(grain)
        reach = np.arange(math.ceil(_REACH[self.kind] * self.scale) + 2)
        weighed = np.exp(-_exponent(self.kind, reach / self.scale))
        weighed /= 2 * weighed.sum() - weighed[0]
        places = (2 * self.weight * reach + grain) // (2 * grain)
        masses = np.bincount(places, weighed).astype(np.float64)
        # What is listed at 0 is one side of it: all that other integers add there counts twice.
        masses[0] += masses[0] - weighed[0]
        return masses

    def _integrate_masses(self, grain: int) -> Array:
        cells = math.ceil(_REACH[self.kind] * self.spread / grain) + 2
        edges = np.ceil((np.arange(1, cells + 1) - 0.5) * (grain / self.weight))
        if self.kind == "laplace":
            beyond = np.exp(-edges / self.scale) / (1 + math.exp(-1 / self.scale))
        else:
            scaled = (edges - 0.5) / (self.scale * math.sqrt(2))
            beyond = np.array([math.erfc(edge) / 2 for edge in scaled.tolist()])
        return np.concatenate([[1 - 2 * beyond[0]], -np.diff(beyond)])


def _exponent(kind: NoiseKind, scaled: Array) -> Array:
    return scaled if kind == "laplace" else scaled**2 / 2


@dataclass(frozen=True)
class CombinedNoise(KnownNoise):
    """The sum of independent noises, each multiplied by a whole number.

    The noise on a weighted sum of several measurements of the same integers.

    Parameters
    ----------
    terms
        The noises, and what each is multiplied by.

    Examples
    --------
    >>> law = CombinedNoise((NoiseTerm(1, "laplace", 2.0), NoiseTerm(1, "laplace", 2.0)))
    >>> law.radius(0.95), round(law.coverage(8), 3)
    (8, 0.957)
    """

    terms: tuple[NoiseTerm, ...]

    def __post_init__(self) -> None:
        if not 2 <= len(self.terms) <= MOST_TERMS:
            raise ValueError("Noise is combined of two parts or more, and of few.")
        if not all(1 <= term.weight <= MOST_WEIGHT for term in self.terms):
            raise ValueError("A part of combined noise has a weight.")

    def cost(self, weight: int) -> Cost:
        """Return the cost of all measurements together, each moved by `weight` in all."""
        return sum((term.law.cost(weight) for term in self.terms), Cost.nothing())

    @property
    def variance(self) -> float:
        """The variance of the noise, in squared steps."""
        return math.fsum(term.weight**2 * term.law.variance for term in self.terms)

    @property
    def whole(self) -> int:
        """The sum of all weights: what one step of the measurements is in steps of their sum."""
        return sum(term.weight for term in self.terms)

    @property
    def least_variance(self) -> float | None:
        """The variance that one release at the summed cost would have had, in the same steps.

        None where noises of both kinds are combined, whose costs have no sum of either kind.
        """
        kinds = {term.kind for term in self.terms}
        if len(kinds) > 1:
            return None
        power = 1 if kinds == {"laplace"} else 2
        scale = math.fsum(term.scale**-power for term in self.terms) ** (-1 / power)
        alone = NoiseLaw(self.terms[0].kind, scale).variance
        return alone * self.whole**2

    def miss(self, radius: int) -> float:
        """Return the probability that the noise lies further out than `radius`, or a little more.

        Exact but for rounding, by less than 1e-12, where the lattice is listed. On a coarser one
        each noise is moved by at most half a grain, and what they all move together is given away.
        """
        grain, tails = self._grain, self._tails
        moved = len(self.terms) * (grain // 2)
        if radius < moved:
            return 1.0
        place = (radius - moved) // grain
        beyond = float(tails[place]) if place < tails.size else 0.0
        return min(1.0, beyond + self._doubt)

    @property
    def mean_absolute(self) -> float:
        """The expected absolute value of the noise: the error of a released integer."""
        return self._grain * float(self._tails.sum())

    def draw_sums(self, cells: int, generator: np.random.Generator) -> Array:
        """Simulate the summed noise of several cells, many times over."""
        parts = [term.weight * term.law.draw_sums(cells, generator) for term in self.terms]
        return np.sum(parts, axis=0)

    @cached_property
    def _grain(self) -> int:
        return max(1, math.ceil(sum(term.spread for term in self.terms) / _FINE))

    @cached_property
    def _doubt(self) -> float:
        """What all errors come to: of floats, and of integrals in place of sums."""
        wide = (term.scale for term in self.terms if term.kind == "gaussian")
        return _ROUNDING + math.fsum(0.01 / scale**2 for scale in wide if scale > _LISTED)

    @cached_property
    def _tails(self) -> Array:
        """The probability that the sum of all noises, in grains, lies beyond each distance."""
        sides = [term.list_masses(self._grain) for term in self.terms]
        reach = sum(side.size - 1 for side in sides)
        size = 2 ** (2 * reach + 1).bit_length()
        spectrum = np.ones(size // 2 + 1)
        for side in sides:
            circle = np.zeros(size)
            circle[: side.size] = side
            circle[size - side.size + 1 :] = side[:0:-1]
            spectrum = spectrum * np.fft.rfft(circle).real  # of a symmetric law
        masses = np.maximum(np.fft.irfft(spectrum, size)[: reach + 1], 0.0)
        beyond = np.cumsum(masses[::-1])[::-1]
        return 2 * np.append(beyond[1:], 0.0)


@dataclass(frozen=True)
class Weights:
    """What two measurements are multiplied by, and the power of two that divides their sum."""

    first: int
    second: int
    halvings: int


def choose_weights(first: float, second: float) -> Weights:
    """Return weights by inverse variance, as whole numbers whose sum is a power of two.

    The smallest power that adds no more than 0.01 % to the variance: sums of integers stay small.

    Examples
    --------
    >>> choose_weights(4.0, 4.0), choose_weights(3.0, 1.0)
    (Weights(first=1, second=1, halvings=1), Weights(first=1, second=3, halvings=2))
    """
    both = first + second
    best = second / both if both > 0 else 0.5
    least = first * second / both if both > 0 else 0.0
    for halvings in range(_MOST_HALVINGS + 1):
        weight = round(best * 2**halvings)
        share = weight / 2**halvings
        if share**2 * first + (1 - share) ** 2 * second <= (1 + _LOSS) * least:
            return Weights(weight, 2**halvings - weight, halvings)
    weight = round(best * 2**_MOST_HALVINGS)
    return Weights(weight, 2**_MOST_HALVINGS - weight, _MOST_HALVINGS)


def combine_noise(
    first: NoiseLaw | CombinedNoise, second: NoiseLaw | CombinedNoise, weights: tuple[int, int]
) -> CombinedNoise | None:
    """Return the law of two independent noises, each multiplied by its weight, added up.

    None where it has more terms, or larger weights, than can be told.

    Examples
    --------
    >>> law = NoiseLaw("gaussian", 2.0)
    >>> round(combine_noise(law, law, (1, 1)).variance, 9)
    8.0
    """
    terms = (*_weigh(first, weights[0]), *_weigh(second, weights[1]))
    if len(terms) > MOST_TERMS or max(term.weight for term in terms) > MOST_WEIGHT:
        return None
    return CombinedNoise(terms)


def match_scale(variance: float) -> float:
    """Return the scale of discrete Laplace noise with this variance.

    Examples
    --------
    >>> round(match_scale(NoiseLaw("laplace", 3.0).variance), 9)
    3.0
    """
    return 1 / (2 * math.asinh(1 / math.sqrt(2 * max(variance, 1e-300))))


def _weigh(noise: NoiseLaw | CombinedNoise, weight: int) -> tuple[NoiseTerm, ...]:
    if isinstance(noise, NoiseLaw):
        return (NoiseTerm(weight, noise.kind, noise.scale),)
    return tuple(NoiseTerm(weight * term.weight, term.kind, term.scale) for term in noise.terms)
