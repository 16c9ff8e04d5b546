"""A picture of a page is drawn for light and for dark paper; a draft draws it once."""

from __future__ import annotations

import pyarrow as pa
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

import sfumato as sf
from showing import shown


def drawn() -> Axes:
    _, ax = plt.subplots(figsize=(2, 1))
    return ax


def pictures(value: object, again: object = drawn) -> tuple[str, dict[str, bytes]]:
    kept: dict[str, bytes] = {}

    def publish(name: str, content: bytes) -> str:
        kept[name] = content
        return name

    return shown(value, again, "one", publish), kept  # type: ignore[arg-type]


def release() -> sf.Release:
    return sf.histplot(pa.table({"x": [1.0, 2.0, 3.0]}), x="x", bounds=(0, 4), bins=4, budget=1)


@pytest.mark.parametrize("make", [drawn, release])
def test_a_picture_is_drawn_for_each_paper(make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SITE_DRAFT", raising=False)
    text, kept = pictures(make())
    assert [*kept] == ["one-light.png", "one-dark.png"]
    assert kept["one-light.png"] != kept["one-dark.png"]
    assert all(f"({name}#only-" in text for name in kept)


def test_a_draft_draws_once_and_has_both_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITE_DRAFT", "1")
    text, kept = pictures(drawn(), lambda: pytest.fail("it was drawn again"))
    light, dark = kept.values()
    assert light == dark
    assert all(f"({name}#only-" in text for name in kept)


def test_a_figure_as_plain_data_is_not_shown_as_text() -> None:
    with pytest.raises(TypeError, match="no picture"):
        pictures(release().figure())
