"""The names of arrows stand near their tips, within the panel, and apart."""

from __future__ import annotations

import math
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from sfumato.render.arrow_names import GAP, Box, Point, find_readable, place_names

FRAME: Box = (-150.0, -150.0, 150.0, 150.0)
SIZES = st.tuples(st.floats(5, 120), st.floats(8, 12))
TIPS = st.tuples(st.floats(-120, 120), st.floats(-120, 120))


def touch(one: Point, other: Point, size: tuple[float, float], more: tuple[float, float]) -> bool:
    across, up = abs(one[0] - other[0]), abs(one[1] - other[1])
    return across < (size[0] + more[0]) / 2 and up < (size[1] + more[1]) / 2


@given(st.lists(st.tuples(TIPS, SIZES), min_size=1, max_size=8))
def test_names_lie_within_the_panel_and_those_shown_do_not_touch(
    arrows: list[tuple[Point, tuple[float, float]]],
) -> None:
    tips, sizes = [tip for tip, _ in arrows], [size for _, size in arrows]
    middles = place_names((0.0, 0.0), tips, sizes, FRAME, GAP)
    for (x, y), (width, height) in zip(middles, sizes, strict=True):
        assert abs(x) + width / 2 <= 150.02 and abs(y) + height / 2 <= 150.02
    seen = [
        place
        for place, clear in enumerate(find_readable(middles, sizes, (-151.0, -151.0, 151.0, 151.0)))
        if clear
    ]
    assert seen[0] == 0
    for one, other in combinations(seen, 2):
        assert not touch(middles[one], middles[other], sizes[one], sizes[other])


def test_five_usual_names_all_find_a_place_by_their_tips() -> None:
    turns = [0.1, 0.25, 1.7, 3.0, 4.9]
    tips = [(110 * math.cos(turn), 110 * math.sin(turn)) for turn in turns]
    sizes = [(60.0, 10.0)] * 5
    middles = place_names((0.0, 0.0), tips, sizes, FRAME, GAP)
    assert all(find_readable(middles, sizes, FRAME))
    assert all(math.dist(*pair) < 60 for pair in zip(tips, middles, strict=True))


def test_names_keep_off_what_they_are_told_to() -> None:
    tip, size = (100.0, 0.0), (20.0, 10.0)
    (alone,) = place_names((0.0, 0.0), [tip], [size], FRAME, GAP)
    (away,) = place_names((0.0, 0.0), [tip], [size], FRAME, GAP, away=[alone])
    assert alone != away and not touch(alone, away, size, (0.0, 0.0))


def test_a_name_beside_other_arrows_does_not_cover_them() -> None:
    tips = [(40.0, 0.0), (100.0, 20.0)]
    middle, _ = place_names((0.0, 0.0), tips, [(30.0, 10.0)] * 2, FRAME, GAP)
    for part in range(1, 21):
        x, y = 5.0 * part, 1.0 * part
        assert abs(x - middle[0]) > 15 or abs(y - middle[1]) > 4


def test_a_name_wider_than_the_panel_is_not_shown() -> None:
    sizes = [(400.0, 10.0)]
    middles = place_names((0.0, 0.0), [(50.0, 50.0)], sizes, FRAME, GAP)
    assert find_readable(middles, sizes, FRAME) == [False]
