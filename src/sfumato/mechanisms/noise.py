"""The one place that draws noise. Where it comes from and what is trusted: `noise.md`."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import BudgetError, SfumatoError, Spending
from sfumato.mechanisms.meter import Receipt

Family = Literal["laplace", "gaussian"]

LARGEST_SCALE = 2.0**55
"""From a count below 2^62, such noise leaves 64 bits with a probability of less than e^-127."""

# OpenDP answers with a list of Python integers; blocks keep that list small and threads busy.
_BLOCK = 2**12
_ENDS = np.iinfo(np.int64)


def check_scale(scale: float | Fraction) -> None:
    """Refuse a scale that no noise can have, or that would drown everything."""
    if scale > LARGEST_SCALE:
        raise BudgetError(
            "So small a budget needs noise of a scale above 2^55 steps.",
            "64-bit integers could not hold it.",
            "Spend more on this chart, or ask for less.",
        )
    if not scale > 0:
        raise BudgetError(
            "The scale of the noise must be above 0.",
            "Without noise the true counts would be shown.",
            ("Spend a finite amount above 0: ", Spending(1), "."),
        )


def add_noise(
    receipt: Receipt, values: NDArray[np.int64], family: Family, scale: float
) -> NDArray[np.int64]:
    """Add independent noise to each of `values`, keeping within 64 bits.

    Privacy
    -------
    What it costs was paid for the receipt, by the caller's claim, argued in the `.md` beside it.
    The receipt also says whether the noise is real.
    """
    check_scale(scale)
    generator = receipt.generator
    if generator is None:
        return _add_exact_noise(values, family, scale)
    noise = _simulate[family](generator, scale, values.size).reshape(values.shape)
    return _add_saturating(values, noise)


def _add_exact_noise(values: NDArray[np.int64], family: Family, scale: float) -> NDArray[np.int64]:
    flat = np.ascontiguousarray(values, dtype=np.int64).ravel()
    noisy = np.empty_like(flat)

    def draw(start: int) -> None:
        # Each block has a measurement of its own, so that threads share nothing but the system's
        # randomness.
        block = slice(start, start + _BLOCK)
        noisy[block] = _make_measurement(family, scale)(flat[block])

    failed = False
    try:
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(draw, range(0, flat.size, _BLOCK)))
    except Exception:  # noqa: BLE001 - whatever it says could quote a true count
        failed = True
    if failed:
        raise SfumatoError(
            "The noise could not be drawn; most likely the system gave no randomness.",
            "Nothing is released, and what was charged stays charged, since the data has been "
            "read.",
            "Ask again when the system has recovered.",
        )
    return noisy.reshape(values.shape)


def _make_measurement(family: Family, scale: float) -> Callable[[NDArray[np.int64]], list[int]]:
    # OpenDP's annotations are partial.
    from opendp.domains import atom_domain, vector_domain  # pyright: ignore
    from opendp.measurements import make_gaussian, make_laplace  # pyright: ignore
    from opendp.metrics import l1_distance, l2_distance  # pyright: ignore
    from opendp.mod import enable_features

    enable_features("contrib")
    integers = vector_domain(atom_domain(T="i64"))
    match family:
        case "laplace":
            return make_laplace(integers, l1_distance(T="i64"), float(scale))
        case "gaussian":
            return make_gaussian(integers, l2_distance(T="f64"), float(scale))


def _simulate_laplace(generator: np.random.Generator, scale: float, size: int) -> NDArray[np.int64]:
    """Draw as the difference of two geometric numbers, which is discrete Laplace."""
    success = -math.expm1(-1 / scale)
    return generator.geometric(success, size) - generator.geometric(success, size)


def _simulate_gaussian(
    generator: np.random.Generator, scale: float, size: int
) -> NDArray[np.int64]:
    """Draw by rejection from Laplace noise (Canonne, Kamath and Steinke 2020, Algorithm 3)."""
    wide = math.floor(scale) + 1
    accepted = np.empty(0, dtype=np.int64)
    while accepted.size < size:
        candidates = _simulate_laplace(generator, wide, 2 * (size - accepted.size) + 16)
        with np.errstate(over="ignore"):
            excess = (np.abs(candidates) / scale - scale / wide) ** 2 / 2
        kept = candidates[generator.random(candidates.size) < np.exp(-excess)]
        accepted = np.concatenate([accepted, kept])
    return accepted[:size]


_simulate: dict[Family, Callable[[np.random.Generator, float, int], NDArray[np.int64]]] = {
    "laplace": _simulate_laplace,
    "gaussian": _simulate_gaussian,
}


def _add_saturating(values: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add with the ends of 64 bits as limits, as OpenDP does."""
    largest = _ENDS.max - np.maximum(noise, 0)
    smallest = _ENDS.min - np.minimum(noise, 0)
    return np.clip(values, smallest, largest) + noise
