"""Names of categories find room."""

from __future__ import annotations

from itertools import pairwise

import pytest

from render.samples import long_names
from sfumato.render.text import LabelSetting, set_below, set_beside, width


def measure(text: str) -> float:
    return 8.5 * width(text)


def below(names: tuple[str, ...], slot: float) -> LabelSetting:
    return set_below(names, slot=slot, room=60, measure=measure)


def test_short_names_stand_level() -> None:
    assert below(("Bronx", "Queens"), 80) == LabelSetting(("Bronx", "Queens"), 0, 8.5)


def test_long_names_are_broken_between_words() -> None:
    setting = below(("Retail trade and repair", "Arts"), 60)
    assert setting.angle == 0
    assert setting.texts[0].split() == ["Retail", "trade", "and", "repair"]
    assert "\n" in setting.texts[0]


def test_a_monstrous_word_is_cut_and_does_not_tilt_the_others() -> None:
    setting = below(long_names().panels[0].x.categories, 80)
    assert setting.angle == 0
    assert setting.texts[3].endswith("…")


def test_many_names_are_slanted_and_more_stand_upright() -> None:
    names = tuple(f"District {place:02d}" for place in range(30))
    assert below(names, 14).angle == 45
    assert below(names, 8).angle == 90
    assert all(below(names, 5.5).texts), "all thirty are there in a single column"


def test_where_there_is_no_room_for_all_some_are_left_out() -> None:
    names = tuple(f"District {place:03d}" for place in range(300))
    setting = below(names, 1.0)
    shown = [place for place, text in enumerate(setting.texts) if text]
    gaps = {after - before for before, after in pairwise(shown)}
    assert len(gaps) == 1
    assert gaps.pop() * 1.0 >= setting.size


@pytest.mark.parametrize("slot", [4.0, 9.0, 15.0, 40.0, 90.0])
def test_no_label_is_wider_than_its_room(slot: float) -> None:
    setting = below(long_names().panels[0].x.categories, slot)
    room = {0: slot, 45: 1.4 * 60, 90: 60.0}[setting.angle]
    for text in setting.texts:
        for line in text.split("\n"):
            assert measure(line) * setting.size / 8.5 <= room + 1e-9


def test_names_beside_an_axis_keep_to_their_rows() -> None:
    setting = set_beside(("one very long name of a row", "two"), slot=24, room=60, measure=measure)
    assert len(setting.texts[0].split("\n")) <= 2
    assert setting.texts[1] == "two"


def test_rows_smaller_than_a_letter_are_not_all_named() -> None:
    names = tuple(f"District {place:02d}" for place in range(60))
    setting = set_beside(names, slot=2.0, room=60, measure=measure)
    shown = [place for place, text in enumerate(setting.texts) if text]
    assert {after - before for before, after in pairwise(shown)} == {3}
    assert all(set_beside(names, slot=9.0, room=60, measure=measure).texts)
