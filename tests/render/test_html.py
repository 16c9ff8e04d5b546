"""A page that needs nothing else, and a fragment that disturbs nothing else."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from render.samples import (
    HOSTILE,
    LIVELY,
    SAMPLES,
    cells,
    heat,
    histogram,
    hostile,
    noted,
    panels,
    watermarked,
)
from sfumato.figure import Figure
from sfumato.render import html as runtime
from sfumato.render.html import MOST_ROWS, build_fragment, build_html, build_page, build_table
from sfumato.render.text import clean

VOID = {"meta", "link", "br", "img"}


class Reader(HTMLParser):
    """Notes elements, attributes and text, and whether every element is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def reaches_out(text: str) -> bool:
    """Tell whether anything in a page could make a browser ask the network."""
    read = Reader(text)
    fetching = {"src", "href", "xlink:href", "srcset", "action", "data", "poster", "background"}
    for name, value in read.attributes:
        if name in fetching and not value.startswith(("data:", "#")):
            return True
        if name == "style" and "url(" in value:
            return True
    styles = re.findall(r"<style>(.*?)</style>", text, re.S)
    outside = any("url(" in style or "@import" in style for style in styles)
    return outside or "script" in read.elements or "iframe" in read.elements


@pytest.mark.parametrize("name", [name for name in SAMPLES if name not in LIVELY])
def test_a_page_is_well_formed_and_reaches_for_nothing(name: str) -> None:
    text = build_html(SAMPLES[name])
    assert Reader(text).open == []
    assert not reaches_out(text)
    plain = re.sub(r"data:image/png;base64,[A-Za-z0-9+/=]*", "", text)
    assert "http:" not in plain and "https:" not in plain and "//" not in plain


def test_a_density_brings_its_own_script_and_a_policy_that_lets_no_other_run() -> None:
    hostile_label = "</script><script>alert(1)</script>"
    text = build_html(heat(label=hostile_label))
    read = Reader(text)
    assert read.open == []
    assert read.elements.count("script") == 2
    code = re.findall(r"<script>(.*)</script>", text, re.S)[0]
    hashed = b64encode(sha256(code.encode()).digest()).decode()
    (policy,) = (value for name, value in read.attributes if name == "content" and "src" in value)
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{hashed}'" in policy
    assert "unsafe-eval" not in policy and "connect-src" not in policy
    assert "<script>alert" not in text


def test_a_page_with_a_density_shows_it_without_a_script_too() -> None:
    text = build_html(heat())
    still = text[text.index('<div id="picture">') : text.index('<script type="application/json"')]
    assert still.count("<svg") == 2 and still.count("<image") == 2  # for a desk and for a phone
    assert still.count("<title>") == 2 * 24 * 24
    assert "lon −74.29; lat 40.51" in still and "(could be noise)" in still
    data = re.findall(r'id="specification">(.*?)</script>', text, re.S)[0]
    assert json.loads(data)["signals"]
    assert len(text) - len(runtime.write_script()) < 1_000_000


@pytest.mark.parametrize(
    "broken",
    [
        '<script src="https://example.org/vega.js"></script>',
        '<img src="https://example.org/pixel.png">',
        "<style>@import url(https://example.org/type.css)</style>",
        '<p style="background:url(https://example.org/a.png)"></p>',
    ],
)
def test_the_check_sees_a_page_that_reaches_out(broken: str) -> None:
    assert reaches_out(build_html(histogram()).replace("<main>", "<main>" + broken))


def test_a_page_says_what_it_is() -> None:
    text = build_html(histogram())
    assert text.startswith("<!doctype html>")
    read = Reader(text)
    assert ("lang", "en") in read.attributes
    assert ("name", "viewport") in read.attributes
    assert f"<title>{histogram().title}</title>" in text
    assert "default-src 'none'" in text
    assert read.elements.count("h1") == 1


def test_title_notes_and_caption_are_real_text() -> None:
    figure = noted()
    text = Reader(build_fragment(figure)).text
    for words in (figure.title, *figure.notes, figure.caption):
        assert words in text


def test_names_that_try_to_break_out_are_only_text() -> None:
    text = build_html(hostile())
    read = Reader(text)
    assert "script" not in read.elements
    assert "b" not in read.elements
    for name in HOSTILE:
        assert " ".join(clean(name).split()) in read.text


def test_every_bar_can_be_read_by_pointing_at_it() -> None:
    figure = histogram()
    spoken = re.findall(r"<title>(.*?)</title>", build_fragment(figure))
    assert len(spoken) == 20
    assert spoken[0] == "age 0–5.5: count 28; 95 % 16 to 40; 95 % all together 2.8 to 53.2"


def test_the_table_has_every_value_once() -> None:
    assert build_table(histogram()).count("<tr>") == 21
    assert build_table(panels(2)).count("<tr>") == 1 + 2 * 16 * 12
    assert "could be empty" in build_table(panels(2))
    assert "below zero" in build_table(histogram())


def test_a_figure_of_very_many_cells_has_no_table() -> None:
    side = int(MOST_ROWS**0.5) + 1
    assert build_table(Figure("", (cells(side, side),), "")) == ""


def test_many_fragments_can_stand_on_one_page() -> None:
    parts = [build_fragment(figure) for figure in SAMPLES.values()]
    assert not any(name == "id" for part in parts for name, _ in Reader(part).attributes)
    whole = build_page("All of them", "".join(parts + parts))
    assert Reader(whole).open == []
    assert len(whole) < 140_000 * len(parts)


def test_a_narrow_fragment_is_a_narrow_picture() -> None:
    def drawn_width(text: str) -> float:
        found = re.search(r'<svg [^>]*?\bwidth="(\d+)', text)
        assert found
        return float(found[1])

    wide, narrow = (build_fragment(panels(4), width=width) for width in (540, 300))
    assert drawn_width(narrow) < 0.7 * drawn_width(wide)


def test_a_watermark_is_on_the_page() -> None:
    words = watermarked().watermark
    assert all(part in Reader(build_fragment(watermarked())).text for part in words.split(" — "))


def test_the_same_figure_gives_the_same_page() -> None:
    assert build_html(panels()) == build_html(panels())
