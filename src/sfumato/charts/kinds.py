"""Every chart there is, in one list: doors, pages and tests go over it.

A new chart is its definition and a line here; ``make generate`` writes its function, its method and
its line in the help.
"""

from __future__ import annotations

from typing import Any

from sfumato.charts.boxplot.chart import Boxplot
from sfumato.charts.chart import Chart
from sfumato.charts.choropleth.chart import Choropleth
from sfumato.charts.countplot import Countplot
from sfumato.charts.distribution.chart import Distribution
from sfumato.charts.distribution.redrawn import Boxenplot, Ecdfplot, Kdeplot, Violinplot
from sfumato.charts.heatmap.chart import Heatmap
from sfumato.charts.heatmap.redrawn import Jointplot, Scatterplot
from sfumato.charts.histogram import Histogram
from sfumato.charts.means.chart import Barplot
from sfumato.charts.means.redrawn import Lineplot, Pointplot
from sfumato.charts.pairplot.chart import Pairplot
from sfumato.charts.pca.chart import PCA
from sfumato.charts.pca.corrplot import Corrplot
from sfumato.charts.quantiles import Quantiles
from sfumato.charts.scoreplot.chart import Scoreplot

CHARTS: tuple[type[Chart[Any, Any]], ...] = (
    Histogram,
    Countplot,
    Barplot,
    Pointplot,
    Lineplot,
    Boxplot,
    Heatmap,
    Choropleth,
    Scatterplot,
    Jointplot,
    Pairplot,
    PCA,
    Corrplot,
    Scoreplot,
    Quantiles,
    Distribution,
    Ecdfplot,
    Kdeplot,
    Violinplot,
    Boxenplot,
)
"""In the order in which they are shown."""
