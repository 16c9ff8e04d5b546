"""The site builds from what is here: every page is run, every link leads somewhere.

Every day it is a draft: its pictures are drawn and not written, their files are empty sheets. That
figures become files is shown where files are tested, and in depth for the finished site.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from program import blocks

ROOT = Path(__file__).parents[2]
PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if ".templates" not in page.parts]


class Links(HTMLParser):
    """What a page links to and loads, and the places in it that can be linked to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.places |= {name for name in (given.get("id"), given.get("name")) if name}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"] or "")
        elif address := given.get("src") or (given.get("href") if tag == "link" else None):
            self.loaded.append(address)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_in(tmp_path_factory.mktemp("site"), draft=True)


def built_in(folder: Path, *, draft: bool) -> Path:
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "MPLBACKEND": "agg"}
    environment |= {"SITE_DRAFT": "1"} if draft else {}
    built = subprocess.run(
        build, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr[-4000:]
    return folder


def pages(site: Path) -> dict[Path, Links]:
    found = (page for page in sorted(site.rglob("*.html")) if "assets" not in page.parts)
    # The page for what is not there can be asked for from anywhere, and names places from the root.
    return {page: Links(page) for page in found if page.name != "404.html"}


def test_every_page_is_there_and_shows_what_its_code_gave(site: Path) -> None:
    for page in PAGES:
        built = site / page.relative_to(ROOT / "docs").with_suffix(".html")
        assert built.exists(), page
        runs = [block for block in blocks(page.read_text()) if block.language == "python"]
        assert (
            len(runs) < 2
            or page.name == "cluster.md"
            or "shown" in built.read_text()
            or (list(built.with_suffix("").glob("*-dark.png")))
        ), page


def test_every_link_within_the_site_leads_somewhere(site: Path) -> None:
    every = pages(site)
    for page, found in every.items():
        for link in found.links + found.loaded:
            address, _, place = link.partition("#")
            if re.match(r"[a-z]+:|//", address):
                continue
            target = (page.parent / unquote(address)).resolve() if address else page
            assert target.exists(), f"{page.relative_to(site)}: {link}"
            if place and target in every and place not in ("only-light", "only-dark", "__comments"):
                assert unquote(place) in every[target].places, f"{page.relative_to(site)}: {link}"


def test_nothing_is_loaded_from_a_network(site: Path) -> None:
    for page, found in pages(site).items():
        remote = [address for address in found.loaded if re.match(r"(https?:)?//", address)]
        assert not remote, f"{page.relative_to(site)}: {remote}"


def test_every_picture_is_there_for_light_and_for_dark_paper(site: Path) -> None:
    light = {str(path).replace("-light.", "-") for path in site.rglob("*-light.png")}
    dark = {str(path).replace("-dark.", "-") for path in site.rglob("*-dark.png")}
    assert light == dark and len(light) > 40


@pytest.mark.slow
def test_every_picture_of_the_finished_site_is_drawn_for_its_paper(tmp_path: Path) -> None:
    finished = built_in(tmp_path / "site", draft=False)
    every = sorted(finished.rglob("*-light.png"))
    assert len(every) > 40
    for light in every:
        dark = light.with_name(light.name.replace("-light.", "-dark."))
        assert light.read_bytes() != dark.read_bytes(), light
