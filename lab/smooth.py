"""The median by smooth sensitivity: how it compares, and why it stays here.

Nissim, Raskhodnikova and Smith (2007) add noise to the median in proportion to an upper bound on
how far one row can move it, a bound that itself changes slowly from one table to the next:

    S(x) = max over k of exp(-β k) A(k, x),

where A(k, x) is the furthest one row can move the median of any table within k rows of x. Adding
(2 S / ε) times standard Laplace noise is (ε, δ)-private for β = ε / (2 ln(2/δ)).

**A under add/remove.** Let the median be the ⌈n/2⌉-th of n ordered values within public bounds
[a, b], with x₀ = a and xₙ₊₁ = b; the median of no values is a. Adding or removing one row moves
the median to a neighbour in the order, so a pair of neighbouring tables far apart has a lower
median L, an upper one U, and nothing between. L and U may be taken from x₀, …, xₙ₊₁: a value that
was put in between could be moved outward, at no cost, until it meets one of these. For L = xᵢ and
U = xⱼ the j - i - 1 rows between must go. One table of the pair must then have as many rows below
as above, and the other one more above; to come from i rows below and n - j + 1 above to one of
them takes as many steps as i + j is away from the nearer of n and n + 1, each step one row, so n
changes on the way. For given k the widest such pair holds all others:

    A(k, x) = x_j - x_i  with  i = ⌊(n - k)/2⌋  and  j = ⌊(n + k)/2⌋ + 1,

no window needs to slide, and S takes one pass over the ordered values. At k = n the pair is
(a, b). This is where the bounds enter, and they must: the R package dppca lets A end at the
smallest and largest value of the table. Its noise then has a scale that one row can multiply by
any factor, and whoever sees one large draw knows that the row is there. Both scales are printed.

**Why it stays here.** What leaves a mechanism of this library is an integer drawn exactly. The
proof above compares the density of the noise at z, at z + shift and at z·exp(β): it needs a noise
that can be stretched. Integers cannot: stretching maps the lattice to another one, and rounding a
real number of secret scale to 64 bits makes the set of outputs that can occur depend on S, which
is what an attacker looks for (Mironov 2012). A discrete Laplace distribution of secret scale may
well satisfy a similar bound with its own constants, but until that argument is written, nothing
here is offered as private. The comparison below shows what is missed. Rows are protected, not
people: a person with several rows moves the median by several steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import Bounds
from sfumato.engines.cells import grid_cells
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.mechanisms.joint import joint
from sfumato.testing import metered, seeded

Floats = NDArray[np.float64]

DELTA = 1e-6
REPEATS = 200


@dataclass(frozen=True)
class Ends:
    """What stands before the first and after the last value."""

    lower: float
    upper: float

    @classmethod
    def of(cls, values: Floats) -> Ends:
        """Return the ends of the values themselves, as dppca does. Nothing is private then."""
        return cls(float(values.min()), float(values.max()))


BOUNDS = Ends(-50.0, 50.0)
GRID = Grid("value", Bounds(BOUNDS.lower, BOUNDS.upper), 2**20)


def furthest(values: Floats, ends: Ends) -> Floats:
    """Return A(k, x) for k = 0 … n, of values in order."""
    size = len(values)
    padded = np.concatenate([[ends.lower], values, [ends.upper]])
    distance = np.arange(size + 1)
    return padded[(size + distance) // 2 + 1] - padded[(size - distance) // 2]


def smoothness(epsilon: float, delta: float) -> float:
    """Return β: by which factor exp(β) the scale may differ between neighbours."""
    return epsilon / (2 * math.log(2 / delta))


def noise_scale(values: Floats, ends: Ends, epsilon: float, delta: float = DELTA) -> float:
    """Return the scale of the Laplace noise, which is as secret as the values."""
    beta = smoothness(epsilon, delta)
    moved = furthest(values, ends)
    return float(2 / epsilon * np.max(np.exp(-beta * np.arange(len(moved))) * moved))


def median(values: Floats, ends: Ends) -> float:
    """Return the ⌈n/2⌉-th value, or the lower end if there is none."""
    return float(np.concatenate([[ends.lower], values])[(len(values) + 1) // 2])


def smooth_median(values: Floats, epsilon: float, generator: np.random.Generator) -> float:
    """Return the median with noise of smooth scale, within the bounds. Not private: see above."""
    noisy = median(values, BOUNDS) + generator.laplace(0, noise_scale(values, BOUNDS, epsilon))
    return float(np.clip(noisy, BOUNDS.lower, BOUNDS.upper))


def exponential_median(exact: Exact, epsilon: float) -> float:
    """Return the median by the exponential mechanism, which the library offers."""
    chosen = metered(joint, exact, levels=[Fraction(1, 2)], epsilon=Fraction(epsilon))
    return float(GRID.edge(chosen.values[0, 0] + 0.5))


def print_errors() -> None:
    """Print the mean distance to the sample's median, by both mechanisms."""
    print(f"mean distance to the median, normal data within (-50, 50), δ = {DELTA:g} for smooth")
    print(f"{'n':>7} {'ε':>5} {'smooth':>10} {'exponential':>12} {'ratio':>7}")
    for size in (100, 1_000, 10_000):
        for epsilon in (0.1, 0.5, 1.0, 5.0):
            smooth, exponential = errors(size, epsilon)
            print(
                f"{size:>7,} {epsilon:>5g} {smooth:>10.5f} {exponential:>12.5f}"
                f" {smooth / exponential:>7.1f}"
            )


def errors(size: int, epsilon: float, repeats: int = REPEATS) -> tuple[float, float]:
    """Return the mean distance to the median by smooth sensitivity and exponential mechanism."""
    generator = np.random.default_rng([size, int(1000 * epsilon)])
    distances = np.empty((repeats, 2))
    with seeded(size):
        for row in distances:
            values = np.sort(generator.standard_normal(size))
            counts = np.bincount(grid_cells(values, GRID), minlength=GRID.cells)
            exact = Exact(1, 1, 1.0, _values=counts[None, :])
            drawn = smooth_median(values, epsilon, generator), exponential_median(exact, epsilon)
            row[:] = np.abs(np.array(drawn) - median(values, BOUNDS))
    smooth, exponential = distances.mean(axis=0)
    return float(smooth), float(exponential)


def print_scales() -> None:
    """Print the scale of the noise for two neighbours, with and without bounds."""
    epsilon, far = 1.0, 1e9
    values = np.sort(np.random.default_rng(0).standard_normal(100))
    more = np.append(values, far)
    within = np.clip(more, BOUNDS.lower, BOUNDS.upper)
    factor = math.exp(smoothness(epsilon, DELTA))
    print(f"\nscale of the noise for 100 rows and for one row more, ε = {epsilon:g}, δ = {DELTA:g}")
    print(f"may differ by a factor of {factor:.4f}")
    for name, pair in (
        ("with the bounds", [(values, BOUNDS), (within, BOUNDS)]),
        ("ends of the data", [(values, Ends.of(values)), (more, Ends.of(more))]),
    ):
        one, other = (noise_scale(table, ends, epsilon) for table, ends in pair)
        print(f"  {name:<18}{one:>12.4g}{other:>12.4g}   factor {other / one:.4g}")
        if other > one * factor:
            print(_seen(one, other))


def _seen(one: float, other: float) -> str:
    """Tell how far the two neighbours can be told apart by one draw."""
    line = math.sqrt(one * other)
    usual = math.exp(-line / other)
    return (
        f"  beyond ±{line:,.0f} lies a draw in {1 / usual:.1f} with the row, and one in "
        f"e^{line / one:,.0f} without it"
    )


def main() -> None:
    """Print both tables."""
    print_errors()
    print_scales()


if __name__ == "__main__":
    main()
