"""`Charting`: one method per chart, for whatever can release one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from sfumato.asking import Private
from sfumato.charts.bins import Bins
from sfumato.charts.boxplot import Boxplot
from sfumato.charts.chart import Chart, P, R_co
from sfumato.charts.heat.window import Resolution
from sfumato.charts.heatmap import Heatmap
from sfumato.charts.histogram import Histogram
from sfumato.charts.order import Order
from sfumato.charts.pca import PCA, Scale
from sfumato.charts.quantiles import Quantiles
from sfumato.charts.scoreplot import Scoreplot
from sfumato.figure import Orient
from sfumato.plane import Outside
from sfumato.privacy.budget import Budget
from sfumato.releases.area import Aspect
from sfumato.releases.boxplot import BoxplotRelease
from sfumato.releases.heatmap import HeatmapRelease, Origin
from sfumato.releases.histogram import HistogramRelease, Stat
from sfumato.releases.pca import PcaRelease
from sfumato.releases.quantiles import QuantilesRelease
from sfumato.releases.scoreplot import ScoreplotRelease


class Charting(ABC):
    """Charts asked for by name; each is planned, charged and measured by `release`."""

    @abstractmethod
    def release(self, chart: Chart[P, R_co], *, budget: Budget | float) -> R_co:
        """Plan, charge, measure.

        Privacy
        -------
        Costs at most `budget`, charged before anything is read.
        """

    def histplot(
        self,
        *,
        x: str,
        y: str | None = None,
        hue: str | None = None,
        bins: Bins | None = None,
        stat: Stat = "count",
        order: Order | None = None,
        hue_order: Order | None = None,
        budget: Budget | float,
    ) -> HistogramRelease:
        """Release a histogram; see `Histogram` for what the keywords mean.

        Privacy
        -------
        Costs `budget`, charged once for all bins and groups.
        """
        chart = Histogram(x, y, hue, bins, stat, order, hue_order)
        return self.release(chart, budget=budget)

    def boxplot(
        self,
        *,
        x: str | None = None,
        y: str | None = None,
        hue: str | None = None,
        order: Order | None = None,
        hue_order: Order | None = None,
        bounds: Private | None = None,
        method: str = "fence",
        whis: float = 1.5,
        step: float | None = None,
        orient: Orient | None = None,
        budget: Budget | float,
    ) -> BoxplotRelease:
        """Release a boxplot; see `Boxplot` for what the keywords mean.

        Privacy
        -------
        Costs `budget`, charged once for all boxes.
        """
        chart = Boxplot(x, y, hue, order, hue_order, bounds, method, whis, step, orient=orient)
        return self.release(chart, budget=budget)

    def heatmap(
        self,
        *,
        x: str,
        y: str,
        resolution: Resolution = 256,
        method: str = "adaptive",
        decoder: str | None = None,
        top: float | None = None,
        width: int = 20,
        decay: float = 2**-0.5,
        levels: int | None = None,
        weight: str | None = None,
        outside: Outside = "drop",
        origin: Origin = "lower",
        aspect: Aspect | None = None,
        budget: Budget | float,
    ) -> HeatmapRelease:
        """Release a heatmap; see `Heatmap` for what the keywords mean.

        Privacy
        -------
        Costs `budget`, charged once for all squares, at any resolution.
        """
        options = (method, decoder, top, width, decay, levels, weight, outside, origin, aspect)
        return self.release(Heatmap(x, y, resolution, *options), budget=budget)

    def quantiles(
        self,
        *,
        x: str,
        q: Sequence[float] | float = (0.25, 0.5, 0.75),
        hue: str | None = None,
        hue_order: Order | None = None,
        bounds: Private | None = None,
        method: str | None = None,
        step: float | None = None,
        budget: Budget | float,
    ) -> QuantilesRelease:
        """Release quantiles; see `Quantiles` for what the keywords mean.

        Privacy
        -------
        Costs `budget`, charged once for all levels and groups.
        """
        chart = Quantiles(x, q, hue, hue_order, bounds, method, step)
        return self.release(chart, budget=budget)

    def pca(
        self,
        *,
        columns: Sequence[str],
        n_components: int | None = None,
        scale: Scale | None = None,
        budget: Budget | float,
    ) -> PcaRelease:
        """Release principal components; see `PCA` for what the keywords mean.

        Privacy
        -------
        Costs `budget`, which needs a δ, charged once for centre, directions and variances.
        """
        return self.release(PCA(columns, n_components, scale), budget=budget)

    def scoreplot(
        self,
        pca: PcaRelease | None = None,
        *,
        columns: Sequence[str] | None = None,
        axes: tuple[int, int] = (1, 2),
        bins: int | tuple[int, int] | None = None,
        hue: str | None = None,
        hue_order: Order | None = None,
        method: str = "haar",
        split: str | Sequence[float] | None = None,
        scale: Scale | None = None,
        budget: Budget | float,
    ) -> ScoreplotRelease:
        """Release a score plot; see `Scoreplot` for what the keywords mean.

        Privacy
        -------
        Costs `budget`, which needs a δ, charged once for all cells and groups. The components of
        `pca` were charged when they were released.
        """
        chart = Scoreplot(pca, columns, axes, bins, hue, hue_order, method, split, scale)
        return self.release(chart, budget=budget)
