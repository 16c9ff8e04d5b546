"""How a histogram of scores is measured, and what becomes of its noisy counts."""

from __future__ import annotations

from typing import Literal

Method = Literal["haar", "additive", "sparse", "pyramid"]

METHODS: dict[Method, str] = {
    "haar": "small differences, which noise makes, were evened out",
    "additive": "counts below zero count as zero",
    "sparse": "nothing was added to empty ones, and none is shown below",
    "pyramid": "Gaussian noise on squares of five sizes, decoded together, drawn",
}
"""What became of the noisy counts, as the caption says it."""
