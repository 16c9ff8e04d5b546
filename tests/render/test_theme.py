"""The colours can be told apart, in order, by everyone."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from sfumato.render import theme

Array = NDArray[np.float64]

# Machado, Oliveira and Fernandes (2009), full severity, in linear light.
VISION = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}


def oklab(colour: str, vision: str = "usual") -> Array:
    channels = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    seen = np.clip(VISION[vision] @ linear, 0, 1)
    to_cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    from_cones = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return from_cones @ np.cbrt(to_cones @ seen)


def nearest(colours: list[str], vision: str) -> float:
    pairs = combinations(colours, 2)
    return min(float(np.linalg.norm(oklab(a, vision) - oklab(b, vision))) for a, b in pairs)


@pytest.mark.parametrize("vision", VISION)
def test_fourteen_series_can_be_told_apart(vision: str) -> None:
    assert nearest([theme.series_colour(index) for index in range(14)], vision) > 0.07


def test_those_who_see_all_colours_tell_series_apart_at_a_glance() -> None:
    assert nearest([theme.series_colour(index) for index in range(14)], "usual") > 0.12


def test_the_check_rejects_a_paler_blue_beside_the_blue_of_the_sky() -> None:
    assert nearest(["#56b4e9", "#73b1d5"], "usual") < 0.06


def test_where_colours_begin_again_they_are_paler() -> None:
    first, again, last = (theme.series_colour(index) for index in (0, 14, 28))
    assert oklab(first)[0] < oklab(again)[0] < oklab(last)[0]


def test_the_check_rejects_red_beside_green_for_those_who_cannot_tell_them() -> None:
    assert nearest(["#d62728", "#7f7000"], "usual") > 0.06
    assert nearest(["#c44e52", "#7f7434"], "deuteranopia") < 0.06


@pytest.mark.parametrize("vision", VISION)
def test_the_ramp_darkens_all_the_way(vision: str) -> None:
    lightness = [oklab(colour, vision)[0] for colour in theme.RAMP]
    assert all(before > after + 0.02 for before, after in pairwise(lightness))


def test_the_ramp_takes_equal_steps() -> None:
    steps = [float(np.linalg.norm(oklab(b) - oklab(a))) for a, b in pairwise(theme.RAMP)]
    assert max(steps) < 1.15 * min(steps)


def test_an_error_bar_is_seen_on_its_bar() -> None:
    ink = oklab(theme.INK)[0]
    assert all(oklab(theme.bar_colour(index))[0] - ink > 0.35 for index in range(14))


def test_lines_grow_thinner_with_their_bars() -> None:
    thick, thin = theme.whisker_widths(20)
    narrow_thick, narrow_thin = theme.whisker_widths(3)
    assert thick > narrow_thick > narrow_thin > 0
    assert thick > 2 * thin
