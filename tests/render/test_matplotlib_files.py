"""Pictures as files: whole, literal and the same every time."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.image import imread

from render.samples import HOSTILE, SAMPLES, category, histogram, hostile, panels
from sfumato.render.matplotlib import PictureKind, render_picture
from sfumato.render.matplotlib.drawing import natural_size
from sfumato.render.text import clean

KINDS: tuple[PictureKind, ...] = ("svg", "png", "pdf")
STARTS = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}


@pytest.mark.parametrize(
    ("name", "kind"),
    [("category_hue", "svg"), ("category_hue", "png"), ("category_hue", "pdf"), ("panels", "svg")],
)
def test_the_same_figure_gives_the_same_bytes(name: str, kind: PictureKind) -> None:
    first = render_picture(SAMPLES[name], kind)
    assert first.startswith(STARTS[kind])
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black", "svg.hashsalt": "other"}):
        assert render_picture(SAMPLES[name], kind) == first, "whatever the user's style"


def test_another_process_gives_the_same_bytes() -> None:
    script = (
        "import hashlib, sys; sys.path.insert(0, 'tests')\n"
        "from render.samples import numeric_hue\n"
        "from sfumato.render.matplotlib import render_picture\n"
        "for kind in ('svg', 'png', 'pdf'):\n"
        "    print(hashlib.sha256(render_picture(numeric_hue(), kind)).hexdigest())"
    )
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    run = subprocess.run(
        [sys.executable, "-c", script],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    here = [
        hashlib.sha256(render_picture(SAMPLES["numeric_hue"], kind)).hexdigest() for kind in KINDS
    ]
    assert run.stdout.split() == here


def test_another_figure_gives_other_bytes() -> None:
    other = replace(histogram(), caption="another")
    assert render_picture(other, "svg") != render_picture(histogram(), "svg")


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_holds_no_date_and_no_host(kind: PictureKind) -> None:
    content = render_picture(histogram(), kind)
    here = str(Path(__file__).parents[2])
    for trace in ("CreationDate", "dc:date", "Software", "Matplotlib v", here, str(Path.home())):
        assert trace.encode() not in content


@pytest.mark.parametrize("name", SAMPLES)
def test_an_svg_is_valid_and_reaches_for_nothing(name: str) -> None:
    tree = ElementTree.fromstring(render_picture(SAMPLES[name], "svg"))
    for element in tree.iter():
        assert element.tag.rpartition("}")[2] not in ("script", "foreignObject", "a")
        for attribute, value in element.attrib.items():
            if attribute.rpartition("}")[2] == "href":
                assert value.startswith(("#", "data:"))


def test_an_svg_shows_names_as_they_are_spelled() -> None:
    tree = ElementTree.fromstring(render_picture(hostile(), "svg", size=(12, 7)))
    words = " ".join(" ".join(element.itertext()) for element in tree.iter() if _is_text(element))
    for name in HOSTILE[1:]:
        assert all(word in words for word in clean(name).split())


def test_letters_no_font_has_do_no_harm() -> None:
    figure = category(("漢字", "ひらがな", "עברית", "🦉"))
    assert all(render_picture(figure, kind).startswith(STARTS[kind]) for kind in KINDS)


def test_the_size_is_as_asked_or_suits_the_panels() -> None:
    small = imread(BytesIO(render_picture(histogram(), "png", size=(3, 2))))
    assert small.shape[:2] == (400, 600)
    heights = [natural_size(figure)[1] for figure in (histogram(), panels(3), panels(8))]
    assert heights[2] > max(heights[:2])


def _is_text(element: ElementTree.Element) -> bool:
    return element.tag.rpartition("}")[2] == "text"
