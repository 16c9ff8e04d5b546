"""`NoiseLaw`: the public distribution of the noise on released integers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

NoiseKind = Literal["laplace", "gaussian"]


@dataclass(frozen=True)
class NoiseLaw:
    """Discrete Laplace or discrete Gaussian noise of a public scale, in integer steps.

    ``P(z)`` is proportional to ``exp(-|z| / scale)``, or to ``exp(-z² / (2 scale²))``.

    Examples
    --------
    >>> law = NoiseLaw("laplace", scale=2.0)
    >>> law.radius(0.95), round(law.coverage(6), 3)
    (6, 0.962)
    """

    kind: NoiseKind
    scale: float
