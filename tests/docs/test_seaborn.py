"""The page for those who come from seaborn names all of its functions, and none that we lack."""

from __future__ import annotations

import re
from pathlib import Path

import sfumato as sf

PAGE = Path(__file__).parents[2] / "docs" / "coming-from" / "seaborn.md"
TEXT = PAGE.read_text(encoding="utf-8")

# The public names of seaborn 0.13, as its own reference groups them. It is no dependency of ours.
FUNCTIONS = re.findall(
    r"\w+",
    """
relplot scatterplot lineplot displot histplot kdeplot ecdfplot rugplot distplot catplot
stripplot swarmplot boxplot violinplot boxenplot pointplot barplot countplot lmplot regplot
residplot heatmap clustermap FacetGrid pairplot PairGrid jointplot JointGrid set_theme
axes_style set_style plotting_context set_context set_color_codes reset_defaults reset_orig set
set_palette color_palette husl_palette hls_palette cubehelix_palette dark_palette light_palette
diverging_palette blend_palette xkcd_palette crayon_palette mpl_palette
choose_colorbrewer_palette choose_cubehelix_palette choose_light_palette choose_dark_palette
choose_diverging_palette despine move_legend saturate desaturate set_hls_values load_dataset
get_dataset_names get_data_home
""",
)
OBJECTS = re.findall(
    r"\w+",
    """
Plot Dot Dots Dash Line Lines Path Paths Range Bar Bars Area Band Text Agg Est Count Hist KDE
Perc PolyFit Dodge Jitter Norm Stack Shift Boolean Continuous Nominal Temporal Mark Stat Move
Scale
""",
)


def answers(text: str) -> dict[str, str]:
    """What the tables of a page answer, for each name in their first column."""
    told = text.partition("## Every function of seaborn")[2]
    rows = re.findall(r"^\| (`.*?) \| (.+) \|$", told, re.MULTILINE)
    return {name: here for names, here in rows for name in re.findall(r"`(\w+)`", names)}


def test_every_name_of_seaborn_has_an_answer_and_no_other() -> None:
    assert {*answers(TEXT)} == {*FUNCTIONS, *OBJECTS}
    assert len(FUNCTIONS) == len({*FUNCTIONS}) > 60


def test_every_answer_is_a_call_a_way_or_a_reason() -> None:
    for name, here in answers(TEXT).items():
        assert len(here) > 8, name
        assert not here.startswith("none") or ":" in here or "," in here, name


def test_every_call_that_is_named_exists() -> None:
    named = {*re.findall(r"\bsf\.([A-Za-z_]+)", TEXT)}
    assert named
    assert not [name for name in sorted(named) if not hasattr(sf, name)]


def test_what_seaborn_calls_as_we_do_is_answered_with_it() -> None:
    told = answers(TEXT)
    shared = {name for name in FUNCTIONS if hasattr(sf, name)}
    assert shared
    assert not [name for name in shared if f"sf.{name}" not in told[name]]


def test_a_name_that_is_not_answered_is_noticed() -> None:
    assert "relplot" not in answers(TEXT.replace("`relplot`", "something"))
