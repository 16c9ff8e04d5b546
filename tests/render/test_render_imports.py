"""Drawing needs a figure and a renderer, and nothing that reads tables or makes noise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def modules_after(script: str) -> set[str]:
    """Run a script in a fresh interpreter and return the packages it left in memory."""
    ending = "\nprint(*sorted({name.partition('.')[0] for name in sys.modules}))"
    run = subprocess.run(
        [sys.executable, "-c", "import sys; sys.path.insert(0, 'tests')\n" + script + ending],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(run.stdout.split())


def test_drawing_in_every_way_touches_no_table_and_no_noise() -> None:
    loaded = modules_after(
        "from render.samples import heat, panels\n"
        "from sfumato.render import html, matplotlib, vega\n"
        "for figure in (panels(), heat()):\n"
        "    html.build_html(figure); vega.build_vega(figure)\n"
        "    matplotlib.render_picture(figure, 'svg'); matplotlib.draw(figure)"
    )
    assert {"matplotlib", "vl_convert"} <= loaded
    assert not loaded & {"duckdb", "opendp", "pandas", "pyarrow", "pyspark", "polars"}


@pytest.mark.parametrize("module", ["html", "matplotlib", "vega"])
def test_a_renderer_is_only_loaded_when_it_draws(module: str) -> None:
    loaded = modules_after(f"import sfumato.render.{module}")
    assert "sfumato" in loaded
    assert not loaded & {"matplotlib", "vl_convert", "PIL"}


def test_a_vega_specification_needs_no_library_at_all() -> None:
    loaded = modules_after(
        "from render.samples import heat, panels\nfrom sfumato.render.vega import build_vega\n"
        "build_vega(panels()); build_vega(heat())"
    )
    assert not loaded & {"matplotlib", "vl_convert", "scipy"}


def test_the_check_sees_a_library_that_is_loaded() -> None:
    assert "duckdb" in modules_after("import duckdb")
