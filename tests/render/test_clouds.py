"""Groups laid over each other: what their colours and lines say."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.figure import Clouds
from sfumato.render import theme
from sfumato.render.plane import (
    dashes,
    dot_colour,
    line_colour,
    line_width,
    mix_colours,
    synthetic_dot_size,
)

BLUE, RED = "#0000ff", "#ff0000"


def two(first: float, second: float) -> Clouds:
    return Clouds((0, 1), (0, 1), ("a", "b"), (((first,),), ((second,),)))


def pixel(first: float, second: float) -> list[int]:
    return mix_colours(two(first, second), [BLUE, RED])[0, 0].tolist()


def test_one_group_alone_has_its_own_colour_however_thin_it_is() -> None:
    for value in (1.0, 0.5, 0.01):
        assert pixel(value, 0.0)[:3] == [0, 0, 255]
        assert pixel(0.0, value)[:3] == [255, 0, 0]


def test_the_denser_a_place_the_less_the_paper_shows_through() -> None:
    opacity = [pixel(value, 0.0)[3] for value in (0.0, 0.01, 0.1, 0.5, 1.0)]
    assert opacity == sorted(opacity) and opacity[0] == 0 and opacity[-1] < 255
    assert len(set(opacity)) == 5


def test_where_groups_meet_their_colours_mix_the_denser_one_first() -> None:
    even, more = pixel(0.5, 0.5), pixel(0.5, 0.25)
    assert even[0] == even[2] > 127, "as light mixes, without a dark seam"
    assert more[2] > even[2] == even[0] > more[0] > 0
    assert even[3] > pixel(0.5, 0.0)[3]


def test_the_order_of_groups_changes_nothing() -> None:
    swapped = mix_colours(two(0.25, 0.5), [RED, BLUE])[0, 0].tolist()
    assert swapped == pixel(0.5, 0.25)


def test_rows_run_from_the_lowest_y() -> None:
    clouds = Clouds((0, 1), (0, 2), ("a",), (((1.0,), (0.0,)),))
    assert mix_colours(clouds, [BLUE])[:, 0, 3].tolist() == [158, 0]


def test_numbers_beyond_the_scale_are_drawn_as_its_ends() -> None:
    assert pixel(7.0, -3.0) == pixel(1.0, 0.0)


def test_ten_groups_can_be_told_apart_by_colour_or_by_their_lines() -> None:
    looks = [(line_colour(place), dashes(place)) for place in range(10)]
    assert len(set(looks)) == 10
    assert len({colour for colour, pattern in looks if not pattern}) == theme.SOLID


@pytest.mark.parametrize("place", range(14))
def test_the_line_around_a_group_has_the_colour_of_the_group(place: int) -> None:
    darker = theme.mix(theme.series_colour(place), theme.INK, 0.4)
    assert line_colour(place) == (darker if dashes(place) else theme.series_colour(place))


@pytest.mark.parametrize("place", range(14))
def test_lines_are_dark_enough_for_paper_to_show_them(place: int) -> None:
    def light(colour: str) -> float:
        channels = np.array(theme.channels(colour)) / 255
        return float(channels**2.2 @ [0.2126, 0.7152, 0.0722])

    assert (1 + 0.05) / (light(line_colour(place)) + 0.05) > 2.0
    assert light(dot_colour(place)) < light(theme.series_colour(place))


def test_the_core_of_a_group_has_the_wider_line() -> None:
    assert line_width(0.5) > line_width(0.9) > 0.5


def test_many_points_are_smaller_than_few() -> None:
    sizes = [synthetic_dot_size(count) for count in (0, 10, 1000, 100_000)]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] > 2 * sizes[-1] > 0
