"""A page in a real browser, with the network cut."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from render.plane_samples import GROUPS, arrows, biplot, clouds, map_panels, plane
from render.samples import HOSTILE, heat, heat_over, hostile, panels, two_dimensional
from sfumato.figure import Figure
from sfumato.render import html as runtime
from sfumato.render.html import build_fragment, build_html, build_page
from sfumato.render.vega import build_bare_vega

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="chromium is not installed: pages are not opened"
)


def opened(text: str, folder: Path) -> tuple[str, list[str]]:
    """Open a page and return what it became, and what the browser complained about."""
    file = folder / "page.html"
    file.write_text(text, encoding="utf-8")
    run = subprocess.run(
        [
            CHROMIUM or "",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--enable-logging=stderr",
            f"--user-data-dir={folder / 'profile'}",
            "--dump-dom",
            file.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    complaints = [line for line in run.stderr.splitlines() if "CONSOLE" in line]
    return run.stdout, complaints


def test_a_page_opens_offline_without_a_complaint(tmp_path: Path) -> None:
    became, complaints = opened(build_html(hostile()), tmp_path)
    assert complaints == []
    assert became.count("<svg") == 2, "for a desk and for a phone"
    assert "alert(1)" in became and "<script" not in became
    assert HOSTILE[5] in became


@pytest.mark.parametrize("figure", [heat(label=HOSTILE[0]), heat_over()])
def test_a_density_is_drawn_by_its_script_and_nothing_complains(
    figure: Figure, tmp_path: Path
) -> None:
    became, complaints = opened(build_html(figure), tmp_path)
    assert complaints == []
    place = became[became.index('id="picture"') : became.index('id="specification"')]
    assert "<canvas" in place and "<svg" not in place, "the script has drawn over the still"


@pytest.mark.parametrize(
    "figure", [plane(clouds((HOSTILE[0], "b")), arrows((HOSTILE[2],))), map_panels(GROUPS)]
)
def test_groups_in_a_plane_are_drawn_without_a_script_and_nothing_complains(
    figure: Figure, tmp_path: Path
) -> None:
    became, complaints = opened(build_html(figure), tmp_path)
    assert complaints == []
    assert became.count("<svg") == 2 and "<script" not in became


def test_groups_in_a_plane_can_be_moved_where_a_script_draws_them(tmp_path: Path) -> None:
    block = runtime.embed_chart(build_bare_vega(biplot(), width=600, lively=True), "<svg></svg>")
    text = build_page("Groups", block + '<p id="hint"></p>', script=runtime.write_script())
    became, complaints = opened(text, tmp_path)
    assert complaints == []
    place = became[became.index('id="picture"') : became.index('id="specification"')]
    assert "<canvas" in place and "<svg" not in place


def test_many_charts_on_one_page_open_without_a_complaint(tmp_path: Path) -> None:
    charts = [build_fragment(figure) for figure in (hostile(), panels(4), two_dimensional())]
    became, complaints = opened(build_page("Many", "".join(charts * 2)), tmp_path)
    assert complaints == []
    assert became.count("<svg") == 6


@pytest.mark.parametrize(
    "intruder", ["<script>alert(1)</script>", '<img src="https://example.org/pixel.png">']
)
def test_the_browser_stops_what_does_not_belong_and_the_check_sees_it(
    intruder: str, tmp_path: Path
) -> None:
    _, complaints = opened(
        build_html(two_dimensional()).replace("</main>", intruder + "</main>"), tmp_path
    )
    assert any("Content Security Policy" in line for line in complaints)
