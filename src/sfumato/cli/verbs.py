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
    "countplot": Verb(
        "Count rows or people in categories.",
        "sfumato.charts.countplot",
        "Countplot",
    ),
    "barplot": Verb(
        "Show means, sums or counts of groups as bars.",
        "sfumato.charts.means.chart",
        "Barplot",
    ),
    "pointplot": Verb(
        "Show means, sums or counts of groups as points with error bars.",
        "sfumato.charts.means.redrawn",
        "Pointplot",
    ),
    "lineplot": Verb(
        "Show means, sums or counts over time, or along bins, as lines with bands.",
        "sfumato.charts.means.redrawn",
        "Lineplot",
    ),
    "boxplot": Verb(
        "Show quartiles, whiskers and outliers of a column, by groups.",
        "sfumato.charts.boxplot.chart",
        "Boxplot",
    ),
    "heatmap": Verb(
        "Show the density of rows or people in two columns.",
        "sfumato.charts.heatmap.chart",
        "Heatmap",
    ),
    "choropleth": Verb(
        "Count rows or people in the regions of a map, or show means of a column there.",
        "sfumato.charts.choropleth.chart",
        "Choropleth",
    ),
    "scatterplot": Verb(
        "Draw synthetic points of the density of two columns, which say that they are.",
        "sfumato.charts.heatmap.redrawn",
        "Scatterplot",
    ),
    "jointplot": Verb(
        "Show the density of two columns with the distribution of each beside it.",
        "sfumato.charts.heatmap.redrawn",
        "Jointplot",
    ),
    "pairplot": Verb(
        "Show the densities of all pairs of several columns, and the distribution of each.",
        "sfumato.charts.pairplot.chart",
        "Pairplot",
    ),
    "pca": Verb(
        "Compute principal components and the variance along each.",
        "sfumato.charts.pca.chart",
        "PCA",
    ),
    "corrplot": Verb(
        "Draw the correlations of several columns, with intervals.",
        "sfumato.charts.pca.corrplot",
        "Corrplot",
    ),
    "scoreplot": Verb(
        "Show the density of rows along two principal components, by groups.",
        "sfumato.charts.scoreplot.chart",
        "Scoreplot",
    ),
    "quantiles": Verb(
        "Estimate quantiles of a column, by groups.",
        "sfumato.charts.quantiles",
        "Quantiles",
    ),
    "distribution": Verb(
        "Measure a column once, to draw its distribution in any way.",
        "sfumato.charts.distribution.chart",
        "Distribution",
    ),
    "ecdfplot": Verb(
        "Draw how large a share of a column lies at or below each value, with a band.",
        "sfumato.charts.distribution.redrawn",
        "Ecdfplot",
    ),
    "kdeplot": Verb(
        "Draw a smooth density of a column, grey where noise could have made it.",
        "sfumato.charts.distribution.redrawn",
        "Kdeplot",
    ),
    "violinplot": Verb(
        "Draw smooth densities of a column by category, with quartiles.",
        "sfumato.charts.distribution.redrawn",
        "Violinplot",
    ),
    "boxenplot": Verb(
        "Draw nested boxes between quantiles of a column by category.",
        "sfumato.charts.distribution.redrawn",
        "Boxenplot",
    ),
}
"""Every chart, by the word it is asked for with."""
