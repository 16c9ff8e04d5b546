"""The gallery shows every option that the catalogue of requests has."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from program import blocks
from sfumato.catalogue import CITY, Request, requests

GALLERY = Path(__file__).parents[2] / "docs" / "gallery"
PAGES = {
    "histplot": "histograms",
    "countplot": "counts",
    "barplot": "means",
    "pointplot": "means",
    "lineplot": "means",
    "boxplot": "boxplots",
    "quantiles": "quantiles",
    "distribution": "distributions",
    "ecdfplot": "distributions",
    "kdeplot": "distributions",
    "violinplot": "distributions",
    "boxenplot": "distributions",
    "heatmap": "heatmaps",
    "scatterplot": "pairs",
    "jointplot": "pairs",
    "pairplot": "pairs",
    "choropleth": "regions",
    "pca": "components",
    "corrplot": "correlations",
    "scoreplot": "scores",
}
UNSEEN = {"buffer"}  # which moves a whisker of the published methods, by less than noise does


def said(code: str) -> Iterator[str]:
    """Return the names of all options in a program, and its texts."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.keyword(arg=str(name)) | ast.Constant(value=str(name)) | ast.Name(id=name):
                yield name
            case _:
                pass


def wanted(asked: Iterable[Request]) -> set[str]:
    """Return every option of requests."""
    return {option for each in asked for option in each.options}


def code(page: str) -> str:
    source = (GALLERY / f"{page}.md").read_text(encoding="utf-8")
    return "\n".join(block.source for block in blocks(source) if block.language == "python")


@pytest.mark.parametrize("verb", PAGES)
def test_every_option_of_a_chart_is_shown(verb: str) -> None:
    mine = [each for each in requests(CITY) if each.verb == verb]
    assert wanted(mine) - {*said(code(PAGES[verb]))} <= UNSEEN


def test_an_option_that_is_not_shown_is_noticed() -> None:
    boxes = [each for each in requests(CITY) if each.verb == "boxplot"]
    assert wanted(boxes) - {*said("sf.boxplot(people, x='age')")} >= {"orient", "order"}
    assert {each.verb for each in requests(CITY)} == {*PAGES}
