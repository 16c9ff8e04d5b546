"""The command of every chart in a line, so that help is shown without loading any.

Made by tools/generate.py from the definitions of the charts.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Verb:
    """What a command does, and where its chart is defined."""

    summary: str
    module: str
    chart: str


VERBS = {
    "histplot": Verb(
        "Count rows or people in bins or categories, in one dimension or two.",
        "sfumato.charts.histogram",
        "Histogram",
    ),
    "boxplot": Verb(
        "Show quartiles, whiskers and outliers of a column, by groups.",
        "sfumato.charts.boxplot.chart",
        "Boxplot",
    ),
    "heatmap": Verb(
        "Show where rows or people are, on a map of two columns.",
        "sfumato.charts.heatmap.chart",
        "Heatmap",
    ),
    "pca": Verb(
        "Find the directions in which rows differ most, and draw how much.",
        "sfumato.charts.pca.chart",
        "PCA",
    ),
    "scoreplot": Verb(
        "Show where rows lie along two principal components, by groups.",
        "sfumato.charts.scoreplot.chart",
        "Scoreplot",
    ),
    "quantiles": Verb(
        "Find the numbers below which given shares of a column lie, by groups.",
        "sfumato.charts.quantiles",
        "Quantiles",
    ),
}
"""Every chart, by the word it is asked for with."""
