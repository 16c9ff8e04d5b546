"""`Charting`: a method for each chart, for whatever can release one.

Made by tools/generate.py from the definitions of the charts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Literal

from sfumato.charts.axes import Bins, Clipping, Order, Range
from sfumato.charts.boxplot.chart import BoxMethod, Boxplot
from sfumato.charts.chart import Chart, P, R_co
from sfumato.charts.choropleth.chart import Choropleth, RegionalEstimator
from sfumato.charts.countplot import Countplot, CountStat
from sfumato.charts.distribution.chart import Distribution
from sfumato.charts.distribution.redrawn import Boxenplot, Ecdfplot, Kdeplot, Violinplot
from sfumato.charts.facets import PanelOrder
from sfumato.charts.heatmap.chart import Heatmap, HeatMethod
from sfumato.charts.heatmap.method import Resolution
from sfumato.charts.heatmap.published import Decoder
from sfumato.charts.heatmap.redrawn import Jointplot, Scatterplot
from sfumato.charts.histogram import Histogram
from sfumato.charts.means.chart import Barplot, ClipRule
from sfumato.charts.means.redrawn import Lineplot, Pointplot
from sfumato.charts.pairplot.chart import Pairplot
from sfumato.charts.pca.chart import PCA, Scale
from sfumato.charts.pca.corrplot import Corrplot
from sfumato.charts.quantiles import Neighbours, QuantileMethod, Quantiles
from sfumato.charts.scoreplot.chart import Scoreplot
from sfumato.figure import Orient
from sfumato.plane import Outside
from sfumato.privacy.budget import Budget
from sfumato.privacy.share import Share
from sfumato.private_search import Private, find_searches
from sfumato.regions import Regions
from sfumato.releases.boxplot import BoxplotRelease
from sfumato.releases.choropleth import ChoroplethRelease
from sfumato.releases.choropleth.means import RegionalMeansRelease
from sfumato.releases.distribution import DistributionRelease
from sfumato.releases.heatmap import HeatmapRelease, Origin
from sfumato.releases.heatmap.area import Aspect
from sfumato.releases.histogram import HistogramRelease, Stat
from sfumato.releases.means import Estimator, MeansRelease
from sfumato.releases.pairplot import PairplotRelease
from sfumato.releases.pca import PcaRelease
from sfumato.releases.quantiles import QuantilesRelease
from sfumato.releases.scoreplot import Method as ScoreMethod
from sfumato.releases.scoreplot import ScoreplotRelease


class Charting(ABC):
    """Charts asked for by name; each is planned, charged and measured by `release`."""

    @abstractmethod
    def release(
        self,
        chart: Chart[P, R_co],
        *,
        bounds: object = None,
        budget: Budget | Share | float,
        fresh: bool = False,
    ) -> R_co:
        """Plan, charge, measure; unless the same was released before, and `fresh` is not asked for.

        Privacy
        -------
        Costs at most `budget`, charged before anything is read.
        """

    def histplot(
        self,
        x: str,
        y: str | None = None,
        *,
        hue: str | None = None,
        bins: Bins | None = None,
        stat: Stat = "count",
        outside: Clipping = "clip",
        order: Order | None = None,
        hue_order: Order | None = None,
        where: str | None = None,
        col: str | None = None,
        row: str | None = None,
        col_order: PanelOrder | None = None,
        row_order: PanelOrder | None = None,
        col_wrap: int | None = None,
        bounds: Range | Mapping[str, Range] | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> HistogramRelease:
        """Count rows or people in bins or categories, in one dimension or two.

        Parameters
        ----------
        x
            The column along the x axis: binned if it has bounds, one bar per category if it has
            categories.
        y
            The column along the y axis, for counts in two dimensions.
        hue
            The column whose categories are groups, one colour each.
        bins
            The number of bins, or their edges; of dates also `hour`, `day`, `week`, `month`,
            `quarter` or `year`, and `hour of day`, `weekday` or `month of year`, which need no
            bounds. Left out, whole numbers and dates are cut into at most 40 bins between their
            values, anything else into 20. For two dimensions a pair of any.
        stat
            What the numbers are: counts, proportions of the noisy total, or densities. One of
            ``"count"``, ``"density"``, ``"proportion"``.
        outside
            Whether values beyond the bounds are clipped to them or dropped, to zoom in. One of
            ``"clip"``, ``"drop"``.
        order
            The public categories of `x`, in the order to show them. Default: all that are declared.
            ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        hue_order
            The public categories of `hue`, in the order to show them. Default: all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        col
            The column that has a panel for each category, side by side.
        row
            The column that has a panel for each category, one below the other.
        col_order
            The public categories of `col`, in the order to show them. Default: all that are
            declared.
        row_order
            The public categories of `row`, in the order to show them. Default: all that are
            declared.
        col_wrap
            How many panels of `col` stand side by side before the next row.
        bounds
            The public range of `x`, ``(lower, upper)``; of two columns ``{"lon": (…), "lat":
            (…)}``. Edges of bins are bounds too. It holds for this chart alone; left out, what the
            session's domain declares.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. All bins, groups and panels together are
        charged once.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.city(people=500)
        >>> session = sf.Session(table, domain={"age": (0, 100)}, budget=2.0)
        >>> release = session.histplot(x="age", bins=10, budget=1.0)
        >>> len(release.counts)
        10
        """
        chart = Histogram(
            x=x,
            y=y,
            hue=hue,
            bins=bins,
            stat=stat,
            outside=outside,
            order=order,
            hue_order=hue_order,
            where=where,
            col=col,
            row=row,
            col_order=col_order,
            row_order=row_order,
            col_wrap=col_wrap,
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def countplot(
        self,
        x: str,
        *,
        hue: str | None = None,
        stat: CountStat = "count",
        order: Order | None = None,
        hue_order: Order | None = None,
        where: str | None = None,
        col: str | None = None,
        row: str | None = None,
        col_order: PanelOrder | None = None,
        row_order: PanelOrder | None = None,
        col_wrap: int | None = None,
        bounds: Range | Mapping[str, Range] | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> HistogramRelease:
        """Count rows or people in categories.

        Parameters
        ----------
        x
            The column whose categories are counted.
        hue
            The column whose categories are groups, one colour each.
        stat
            What the numbers are: counts, or proportions of the noisy total. One of ``"count"``,
            ``"proportion"``.
        order
            The public categories of `x`, in the order to show them. Default: all that are declared.
            ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        hue_order
            The public categories of `hue`, in the order to show them. Default: all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        col
            The column that has a panel for each category, side by side.
        row
            The column that has a panel for each category, one below the other.
        col_order
            The public categories of `col`, in the order to show them. Default: all that are
            declared.
        row_order
            The public categories of `row`, in the order to show them. Default: all that are
            declared.
        col_wrap
            How many panels of `col` stand side by side before the next row.
        bounds
            Public ranges of columns that `where` or panels need; categories have none. It holds for
            this chart alone; left out, what the session's domain declares.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. All categories, groups and panels together
        are charged once, and nothing where a histogram has released the same counts.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.city(people=500)
        >>> session = sf.Session(table, domain={"sex": ["f", "m"]}, budget=2.0)
        >>> release = session.countplot(x="sex", order=["f", "m"], budget=1.0)
        >>> len(release.counts)
        2
        """
        chart = Countplot(
            x=x,
            hue=hue,
            stat=stat,
            order=order,
            hue_order=hue_order,
            where=where,
            col=col,
            row=row,
            col_order=col_order,
            row_order=row_order,
            col_wrap=col_wrap,
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def barplot(
        self,
        x: str | None = None,
        y: str | None = None,
        *,
        hue: str | None = None,
        estimator: Estimator = "mean",
        bins: Bins | None = None,
        clip: ClipRule = "private",
        order: Order | None = None,
        hue_order: Order | None = None,
        levels: PanelOrder | None = None,
        where: str | None = None,
        col: str | None = None,
        row: str | None = None,
        col_order: PanelOrder | None = None,
        row_order: PanelOrder | None = None,
        col_wrap: int | None = None,
        bounds: Range | Private | Mapping[str, Range] | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> MeansRelease:
        """Show means, sums or counts of groups as bars.

        Parameters
        ----------
        x
            The column of groups along the x axis: its categories, or bins if it has bounds.
        y
            The column of numbers; of categories for a proportion. For counts it may be left out;
            where it is named, rows with a number are counted.
        hue
            The column whose categories are groups, one colour each.
        estimator
            What is told of each group: the mean, the sum or the median of `y`, how many there are,
            or the proportion of a category of `y`: the last of its `levels`. One of ``"mean"``,
            ``"sum"``, ``"median"``, ``"count"``, ``"proportion"``.
        bins
            The bins of `x`, where it has bounds: their number or their edges; of dates also `hour`,
            `day`, `week`, `month`, `quarter` or `year`, and `hour of day`, `weekday` or `month of
            year`, which need no bounds.
        clip
            Where values are clipped before they are added up: private finds where noise and bias
            together are smallest, for a quarter of the budget; bounds clips at the declared range
            and spends nothing. One of ``"private"``, ``"bounds"``.
        order
            The public categories of `x`, in the order to show them. Default: all that are declared.
            ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        hue_order
            The public categories of `hue`, in the order to show them. Default: all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        levels
            For a proportion: the public categories of `y`, of which the last one is counted among
            all of them. Default: all that are declared.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        col
            The column that has a panel for each category, side by side.
        row
            The column that has a panel for each category, one below the other.
        col_order
            The public categories of `col`, in the order to show them. Default: all that are
            declared.
        row_order
            The public categories of `row`, in the order to show them. Default: all that are
            declared.
        col_wrap
            How many panels of `col` stand side by side before the next row.
        bounds
            The public range of `y`, ``(lower, upper)``, however generous; or ``sf.private()`` where
            nothing is known. Where `x` has bins, ``{"day": (…), "wait": (…)}``. It holds for this
            chart alone; left out, what the session's domain declares.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. The search for where to clip and all
        groups of all panels together are charged once, and nothing where the same was asked for
        before, as bars, points or a line.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.city(people=2000)
        >>> session = sf.Session(
        ...     table, domain={"age": (0, 110), "sex": ["female", "male"]}, budget=2.0
        ... )
        >>> release = session.barplot(x="sex", y="age", order=["female", "male"], budget=1.0)
        >>> len(release.estimates.value)
        2
        """
        chart = Barplot(
            x=x,
            y=y,
            hue=hue,
            estimator=estimator,
            bins=bins,
            clip=clip,
            order=order,
            hue_order=hue_order,
            levels=levels,
            where=where,
            col=col,
            row=row,
            col_order=col_order,
            row_order=row_order,
            col_wrap=col_wrap,
            bounds=find_searches(bounds),
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def pointplot(
        self,
        x: str | None = None,
        y: str | None = None,
        *,
        hue: str | None = None,
        estimator: Estimator = "mean",
        bins: Bins | None = None,
        clip: ClipRule = "private",
        order: Order | None = None,
        hue_order: Order | None = None,
        levels: PanelOrder | None = None,
        where: str | None = None,
        col: str | None = None,
        row: str | None = None,
        col_order: PanelOrder | None = None,
        row_order: PanelOrder | None = None,
        col_wrap: int | None = None,
        bounds: Range | Private | Mapping[str, Range] | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> MeansRelease:
        """Show means, sums or counts of groups as points with error bars.

        Parameters
        ----------
        x
            The column of groups along the x axis: its categories, or bins if it has bounds.
        y
            The column of numbers; of categories for a proportion. For counts it may be left out;
            where it is named, rows with a number are counted.
        hue
            The column whose categories are groups, one colour each.
        estimator
            What is told of each group: the mean, the sum or the median of `y`, how many there are,
            or the proportion of a category of `y`: the last of its `levels`. One of ``"mean"``,
            ``"sum"``, ``"median"``, ``"count"``, ``"proportion"``.
        bins
            The bins of `x`, where it has bounds: their number or their edges; of dates also `hour`,
            `day`, `week`, `month`, `quarter` or `year`, and `hour of day`, `weekday` or `month of
            year`, which need no bounds.
        clip
            Where values are clipped before they are added up: private finds where noise and bias
            together are smallest, for a quarter of the budget; bounds clips at the declared range
            and spends nothing. One of ``"private"``, ``"bounds"``.
        order
            The public categories of `x`, in the order to show them. Default: all that are declared.
            ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        hue_order
            The public categories of `hue`, in the order to show them. Default: all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        levels
            For a proportion: the public categories of `y`, of which the last one is counted among
            all of them. Default: all that are declared.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        col
            The column that has a panel for each category, side by side.
        row
            The column that has a panel for each category, one below the other.
        col_order
            The public categories of `col`, in the order to show them. Default: all that are
            declared.
        row_order
            The public categories of `row`, in the order to show them. Default: all that are
            declared.
        col_wrap
            How many panels of `col` stand side by side before the next row.
        bounds
            The public range of `y`, ``(lower, upper)``, however generous; or ``sf.private()`` where
            nothing is known. Where `x` has bins, ``{"day": (…), "wait": (…)}``. It holds for this
            chart alone; left out, what the session's domain declares.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. The search for where to clip and all
        groups of all panels together are charged once, and nothing where the same was asked for
        before, as bars, points or a line.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.city(people=2000)
        >>> session = sf.Session(
        ...     table, domain={"age": (0, 110), "sex": ["female", "male"]}, budget=2.0
        ... )
        >>> release = session.pointplot(x="sex", y="age", order=["female", "male"], budget=1.0)
        >>> len(release.estimates.value)
        2
        """
        chart = Pointplot(
            x=x,
            y=y,
            hue=hue,
            estimator=estimator,
            bins=bins,
            clip=clip,
            order=order,
            hue_order=hue_order,
            levels=levels,
            where=where,
            col=col,
            row=row,
            col_order=col_order,
            row_order=row_order,
            col_wrap=col_wrap,
            bounds=find_searches(bounds),
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def lineplot(
        self,
        x: str | None = None,
        y: str | None = None,
        *,
        hue: str | None = None,
        estimator: Estimator = "mean",
        bins: Bins | None = None,
        clip: ClipRule = "private",
        order: Order | None = None,
        hue_order: Order | None = None,
        levels: PanelOrder | None = None,
        where: str | None = None,
        col: str | None = None,
        row: str | None = None,
        col_order: PanelOrder | None = None,
        row_order: PanelOrder | None = None,
        col_wrap: int | None = None,
        bounds: Range | Private | Mapping[str, Range] | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> MeansRelease:
        """Show means, sums or counts over time, or along bins, as lines with bands.

        Parameters
        ----------
        x
            The column of groups along the x axis: its categories, or bins if it has bounds.
        y
            The column of numbers; of categories for a proportion. For counts it may be left out;
            where it is named, rows with a number are counted.
        hue
            The column whose categories are groups, one colour each.
        estimator
            What is told of each group: the mean, the sum or the median of `y`, how many there are,
            or the proportion of a category of `y`: the last of its `levels`. One of ``"mean"``,
            ``"sum"``, ``"median"``, ``"count"``, ``"proportion"``.
        bins
            The bins of `x`, where it has bounds: their number or their edges; of dates also `hour`,
            `day`, `week`, `month`, `quarter` or `year`, and `hour of day`, `weekday` or `month of
            year`, which need no bounds.
        clip
            Where values are clipped before they are added up: private finds where noise and bias
            together are smallest, for a quarter of the budget; bounds clips at the declared range
            and spends nothing. One of ``"private"``, ``"bounds"``.
        order
            The public categories of `x`, in the order to show them. Default: all that are declared.
            ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        hue_order
            The public categories of `hue`, in the order to show them. Default: all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        levels
            For a proportion: the public categories of `y`, of which the last one is counted among
            all of them. Default: all that are declared.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        col
            The column that has a panel for each category, side by side.
        row
            The column that has a panel for each category, one below the other.
        col_order
            The public categories of `col`, in the order to show them. Default: all that are
            declared.
        row_order
            The public categories of `row`, in the order to show them. Default: all that are
            declared.
        col_wrap
            How many panels of `col` stand side by side before the next row.
        bounds
            The public range of `y`, ``(lower, upper)``, however generous; or ``sf.private()`` where
            nothing is known. Where `x` has bins, ``{"day": (…), "wait": (…)}``. It holds for this
            chart alone; left out, what the session's domain declares.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. The search for where to clip and all
        groups of all panels together are charged once, and nothing where the same was asked for
        before, as bars, points or a line.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.city(people=2000)
        >>> session = sf.Session(
        ...     table, domain={"age": (0, 110), "income": (0, 200_000)}, budget=2.0
        ... )
        >>> release = session.lineplot(x="age", y="income", bins=10, budget=1.0)
        >>> len(release.estimates.value)
        10
        """
        chart = Lineplot(
            x=x,
            y=y,
            hue=hue,
            estimator=estimator,
            bins=bins,
            clip=clip,
            order=order,
            hue_order=hue_order,
            levels=levels,
            where=where,
            col=col,
            row=row,
            col_order=col_order,
            row_order=row_order,
            col_wrap=col_wrap,
            bounds=find_searches(bounds),
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def boxplot(
        self,
        x: str | None = None,
        y: str | None = None,
        *,
        hue: str | None = None,
        order: Order | None = None,
        hue_order: Order | None = None,
        method: BoxMethod = "fence",
        whis: float = 1.5,
        step: float | None = None,
        buffer: float = 0.25,
        orient: Orient | None = None,
        where: str | None = None,
        col: str | None = None,
        row: str | None = None,
        col_order: PanelOrder | None = None,
        row_order: PanelOrder | None = None,
        col_wrap: int | None = None,
        bounds: Range | Private | Mapping[str, Range] | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> BoxplotRelease:
        """Show quartiles, whiskers and outliers of a column, by groups.

        Parameters
        ----------
        x
            The column along the x axis, if any. The one of `x` and `y` with bounds has the values,
            the other the categories.
        y
            The column along the y axis, if any. Values on `x` give horizontal boxes.
        hue
            The column whose categories are groups, one colour each.
        order
            The public categories of the axis that has no values, in the order to show them.
            Default: all that are declared. ``sf.private(delta=1e-6)`` searches for them instead,
            with that δ.
        hue_order
            The public categories of `hue`, in the order to show them. Default: all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        method
            How boxes are measured; the others than fence are for comparison. One of ``"fence"``,
            ``"dpboxplot"``, ``"jointexp"``, ``"approx"``, ``"single"``, ``"unbounded"``.
        whis
            The longest whisker, in lengths of the box.
        step
            The spacing of the values: 1 for whole numbers. Default: from the type of the column. A
            ``range`` as bounds also sets it.
        buffer
            For the other methods than fence: the power of the group's size in the published buffer.
        orient
            Direction of the boxes: v with values on `y`, h with values on `x`. Default: from the
            columns. One of ``"v"``, ``"h"``.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        col
            The column that has a panel for each category, side by side.
        row
            The column that has a panel for each category, one below the other.
        col_order
            The public categories of `col`, in the order to show them. Default: all that are
            declared.
        row_order
            The public categories of `row`, in the order to show them. Default: all that are
            declared.
        col_wrap
            How many panels of `col` stand side by side before the next row.
        bounds
            The public range of the values, ``(lower, upper)``; or ``sf.private()`` to search for it
            with a share of the budget. It holds for this chart alone; left out, what the session's
            domain declares.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. All boxes of all panels together are
        charged once.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.city(people=2000)
        >>> session = sf.Session(table, domain={"age": (0, 100)}, budget=2.0)
        >>> release = session.boxplot(y="age", step=1, budget=1.0)
        >>> release.boxes[0].q1 <= release.boxes[0].median <= release.boxes[0].q3
        True
        """
        chart = Boxplot(
            x=x,
            y=y,
            hue=hue,
            order=order,
            hue_order=hue_order,
            method=method,
            whis=whis,
            step=step,
            buffer=buffer,
            orient=orient,
            where=where,
            col=col,
            row=row,
            col_order=col_order,
            row_order=row_order,
            col_wrap=col_wrap,
            bounds=find_searches(bounds),
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def heatmap(
        self,
        x: str,
        y: str,
        *,
        resolution: Resolution = 256,
        method: HeatMethod = "adaptive",
        decoder: Decoder | None = None,
        top: float | None = None,
        width: int = 20,
        decay: float = 2 ** (-0.5),
        levels: int | None = None,
        weight: str | None = None,
        outside: Outside = "drop",
        origin: Origin = "lower",
        aspect: Aspect | None = None,
        hue: str | None = None,
        hue_order: Order | None = None,
        where: str | None = None,
        bounds: Mapping[str, Range | Private] | Private | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> HeatmapRelease:
        """Show the density of rows or people in two columns.

        Parameters
        ----------
        x
            The column along the x axis.
        y
            The column along the y axis.
        resolution
            Cells along each side of the map, up to 2²⁰. A pair is for x and y.
        method
            How the map is measured; the others than adaptive are for comparison. One of
            ``"adaptive"``, ``"pyramid"``, ``"laplace"``, ``"dense"``.
        decoder
            For pyramid: how masses are estimated from noisy ones; default lp, as published. One of
            ``"lp"``, ``"bayes"``.
        top
            For laplace: show only this fraction of the cells, those with the largest counts.
        width
            For pyramid: how many squares are split on each level, w of the paper.
        decay
            For pyramid: how ε shrinks from one level to the one below, γ of the paper.
        levels
            For pyramid: how many times squares are split; default: from the resolution.
        weight
            The column with the weight of each row, with public bounds from 0.
        outside
            Rows outside the window are dropped, or clipped to its edge. One of ``"drop"``,
            ``"edge"``.
        origin
            Where y begins: upper draws it downwards, as in images. One of ``"lower"``, ``"upper"``.
        aspect
            How the window is drawn: map for degrees of longitude and latitude, equal for one scale
            on both axes, free to fill the picture. Default: from the names of the columns and the
            origin. One of ``"map"``, ``"equal"``, ``"free"``.
        hue
            The column whose categories are groups, one colour each.
        hue_order
            The public categories of `hue`, in the order to show them. Default: all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        bounds
            The public window, ``{"lon": (…), "lat": (…)}``, and the public range of `weight` if
            there is one; or ``sf.private(within=(…))`` for a column, or for both, to search for it
            with a share of the budget. It holds for this chart alone; left out, what the session's
            domain declares.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. The maps of all groups are charged once
        together, at any resolution.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.checkins(people=500)
        >>> session = sf.Session(
        ...     table,
        ...     domain={"lon": (-30.10, -29.90), "lat": (44.94, 45.06)},
        ...     unit="person_id",
        ...     budget=2.0,
        ... )
        >>> release = session.heatmap(x="lon", y="lat", budget=1.0)
        >>> release.to_array(resolution=(4, 3)).shape
        (3, 4)
        """
        chart = Heatmap(
            x=x,
            y=y,
            resolution=resolution,
            method=method,
            decoder=decoder,
            top=top,
            width=width,
            decay=decay,
            levels=levels,
            weight=weight,
            outside=outside,
            origin=origin,
            aspect=aspect,
            hue=hue,
            hue_order=hue_order,
            where=where,
            bounds=find_searches(bounds),
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def choropleth(
        self,
        x: str,
        y: str,
        *,
        regions: Regions,
        name: str = "name",
        stat: Stat = "count",
        aspect: Aspect | None = None,
        value: str | None = None,
        estimator: RegionalEstimator = "mean",
        clip: ClipRule = "private",
        levels: PanelOrder | None = None,
        where: str | None = None,
        col: str | None = None,
        row: str | None = None,
        col_order: PanelOrder | None = None,
        row_order: PanelOrder | None = None,
        col_wrap: int | None = None,
        bounds: Range | Private | Mapping[str, Range] | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> ChoroplethRelease | RegionalMeansRelease:
        """Count rows or people in the regions of a map, or show means of a column there.

        Parameters
        ----------
        x
            The column along the x axis, such as the longitude.
        y
            The column along the y axis, such as the latitude.
        regions
            The public regions: your own GeoJSON file of polygons, in the units of the columns. Of
            several that hold a point the first counts it. Its path, or what is in it, or a frame of
            geopandas.
        name
            The property of each polygon that names it.
        stat
            What the numbers are: counts, proportions of the noisy total, or densities: counts per
            square kilometre, or per square of the axes. One of ``"count"``, ``"density"``,
            ``"proportion"``.
        aspect
            How the map is drawn: map for degrees of longitude and latitude, equal for one scale on
            both axes, free to fill the picture. Default: map where the columns are called so, equal
            otherwise. One of ``"map"``, ``"equal"``, ``"free"``.
        value
            The column of numbers that each region tells the mean of, or of categories for a
            proportion; left out, rows or people are counted.
        estimator
            What is told of `value` in each region: its mean, sum or median, or the proportion of a
            category: the last of its `levels`. One of ``"mean"``, ``"sum"``, ``"median"``,
            ``"proportion"``.
        clip
            Where values are clipped before they are added up: private finds where noise and bias
            together are smallest, for a quarter of the budget; bounds clips at the declared range
            and spends nothing. One of ``"private"``, ``"bounds"``.
        levels
            For a proportion: the public categories of `value`, of which the last one is counted
            among all of them. Default: all that are declared.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        col
            The column that has a panel for each category, side by side.
        row
            The column that has a panel for each category, one below the other.
        col_order
            The public categories of `col`, in the order to show them. Default: all that are
            declared.
        row_order
            The public categories of `row`, in the order to show them. Default: all that are
            declared.
        col_wrap
            How many panels of `col` stand side by side before the next row.
        bounds
            The public range of `value`, ``(lower, upper)``, however generous; or ``sf.private()``
            where nothing is known. Counts need none: regions say where to look. It holds for this
            chart alone; left out, what the session's domain declares.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. All regions and panels together are
        charged once, with the search for where to clip `value`.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.checkins(people=500)
        >>> session = sf.Session(table, domain={}, unit="person_id", budget=2.0)
        >>> release = session.choropleth(
        ...     x="lon", y="lat", regions=sf.testing.districts(), budget=1.0
        ... )
        >>> len(release.counts)
        6
        """
        chart = Choropleth(
            x=x,
            y=y,
            regions=regions,
            name=name,
            stat=stat,
            aspect=aspect,
            value=value,
            estimator=estimator,
            clip=clip,
            levels=levels,
            where=where,
            col=col,
            row=row,
            col_order=col_order,
            row_order=row_order,
            col_wrap=col_wrap,
            bounds=find_searches(bounds),
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def scatterplot(
        self,
        x: str,
        y: str,
        *,
        hue: str | None = None,
        hue_order: Order | None = None,
        outside: Outside = "drop",
        where: str | None = None,
        bounds: Mapping[str, Range | Private] | Private | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> HeatmapRelease:
        """Draw synthetic points of the density of two columns, which say that they are.

        Parameters
        ----------
        x
            The column along the x axis.
        y
            The column along the y axis.
        hue
            The column whose categories are groups, one colour each.
        hue_order
            The public categories of `hue`, in the order to show them. Default: all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        outside
            Rows outside the window are dropped, or clipped to its edge. One of ``"drop"``,
            ``"edge"``.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        bounds
            The public window, ``{"lon": (…), "lat": (…)}``, and the public range of `weight` if
            there is one; or ``sf.private(within=(…))`` for a column, or for both, to search for it
            with a share of the budget. It holds for this chart alone; left out, what the session's
            domain declares.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. The points of all groups are charged once
        together, and nothing where a heatmap of the same columns was released.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.city(people=2000)
        >>> session = sf.Session(
        ...     table,
        ...     domain={"age": (0, 100), "income": (0, 150_000), "sex": ["female", "male"]},
        ...     budget=2.0,
        ... )
        >>> release = session.scatterplot(
        ...     x="age", y="income", hue="sex", hue_order=["female", "male"], budget=1.0
        ... )
        >>> release.view
        'scatter'
        """
        chart = Scatterplot(
            x=x,
            y=y,
            hue=hue,
            hue_order=hue_order,
            outside=outside,
            where=where,
            bounds=find_searches(bounds),
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def jointplot(
        self,
        x: str,
        y: str,
        *,
        hue: str | None = None,
        hue_order: Order | None = None,
        outside: Outside = "drop",
        where: str | None = None,
        bounds: Mapping[str, Range | Private] | Private | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> HeatmapRelease:
        """Show the density of two columns with the distribution of each beside it.

        Parameters
        ----------
        x
            The column along the x axis.
        y
            The column along the y axis.
        hue
            The column whose categories are groups, one colour each.
        hue_order
            The public categories of `hue`, in the order to show them. Default: all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        outside
            Rows outside the window are dropped, or clipped to its edge. One of ``"drop"``,
            ``"edge"``.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        bounds
            The public window, ``{"lon": (…), "lat": (…)}``, and the public range of `weight` if
            there is one; or ``sf.private(within=(…))`` for a column, or for both, to search for it
            with a share of the budget. It holds for this chart alone; left out, what the session's
            domain declares.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. Density and distributions are one
        measurement, charged once, and nothing where a heatmap of the same columns was released.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.city(people=2000)
        >>> session = sf.Session(
        ...     table, domain={"age": (0, 100), "income": (0, 150_000)}, budget=2.0
        ... )
        >>> release = session.jointplot(x="age", y="income", budget=1.0)
        >>> release.view
        'joint'
        """
        chart = Jointplot(
            x=x,
            y=y,
            hue=hue,
            hue_order=hue_order,
            outside=outside,
            where=where,
            bounds=find_searches(bounds),
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def pairplot(
        self,
        *,
        columns: Sequence[str],
        hue: str | None = None,
        hue_order: Order | None = None,
        where: str | None = None,
        bounds: Mapping[str, Range] | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> PairplotRelease:
        """Show the densities of all pairs of several columns, and the distribution of each.

        Parameters
        ----------
        columns
            The columns to compare, from 2 to 8, each with public bounds.
        hue
            The column whose categories are groups, one colour each.
        hue_order
            The public categories of `hue`, in the order to show them. Default: all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        bounds
            The public range of every column, ``{"age": (0, 100), …}``. It holds for this chart
            alone; left out, what the session's domain declares.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. All pairs, columns and groups together are
        charged once.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.city(people=2000)
        >>> session = sf.Session(
        ...     table, domain={"age": (0, 100), "income": (0, 150_000), "bmi": (10, 60)}, budget=2.0
        ... )
        >>> release = session.pairplot(columns=["age", "income", "bmi"], budget=1.0)
        >>> len(release.pairs)
        3
        """
        chart = Pairplot(
            columns=columns,
            hue=hue,
            hue_order=hue_order,
            where=where,
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def pca(
        self,
        *,
        columns: Sequence[str],
        n_components: int | None = None,
        scale: Scale | None = None,
        where: str | None = None,
        bounds: Mapping[str, Range] | None = None,
        budget: Budget | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> PcaRelease:
        """Compute principal components and the variance along each.

        Parameters
        ----------
        columns
            The columns to analyse, from 2 to 100, each with public bounds. Rows with a missing
            value are dropped.
        n_components
            How many components to show; default: all, at most ten.
        scale
            One scaled unit in each column; default: half of each public range. ``{"age": 20, …}``,
            or ``sf.private(share=0.1)`` to scale each column by how far its rows spread, with that
            share of the budget.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        bounds
            The public range of every column, ``{"age": (0, 100), …}``. It holds for this chart
            alone; left out, what the session's domain declares.
        budget
            What the chart may spend, ``sf.Budget(epsilon, delta)``: it needs a δ. A part of what is
            left is ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. Centre, directions and variances together
        are charged once.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.city(people=2000)
        >>> session = sf.Session(
        ...     table,
        ...     domain={"heart_rate": (30, 200), "systolic": (70, 230), "bmi": (12, 60)},
        ...     budget=sf.Budget(2, 1e-5),
        ... )
        >>> release = session.pca(
        ...     columns=["heart_rate", "systolic", "bmi"], budget=sf.Budget(1, 1e-6)
        ... )
        >>> release.components.shape
        (3, 3)
        """
        chart = PCA(
            columns=columns,
            n_components=n_components,
            scale=scale,
            where=where,
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def corrplot(
        self,
        *,
        columns: Sequence[str],
        scale: Scale | None = None,
        where: str | None = None,
        bounds: Mapping[str, Range] | None = None,
        budget: Budget | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> PcaRelease:
        """Draw the correlations of several columns, with intervals.

        Parameters
        ----------
        columns
            The columns to analyse, from 2 to 100, each with public bounds. Rows with a missing
            value are dropped.
        scale
            One scaled unit in each column, to cut rows alike in all of them; default: what a
            private search finds, with a tenth of the budget. ``{"age": 20, …}``, or
            ``sf.private(share=0.2)`` for another share.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        bounds
            The public range of every column, ``{"age": (0, 100), …}``. It holds for this chart
            alone; left out, what the session's domain declares.
        budget
            What the chart may spend, ``sf.Budget(epsilon, delta)``: it needs a δ. A part of what is
            left is ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. Scales, centre and second moments together
        are charged once, and nothing where principal components of the same columns and scales were
        released.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.city(people=2000)
        >>> session = sf.Session(
        ...     table,
        ...     domain={"heart_rate": (30, 200), "systolic": (70, 230), "bmi": (12, 60)},
        ...     budget=sf.Budget(2, 1e-5),
        ... )
        >>> release = session.corrplot(
        ...     columns=["heart_rate", "systolic", "bmi"], budget=sf.Budget(1, 1e-6)
        ... )
        >>> release.correlations.value.shape
        (3, 3)
        """
        chart = Corrplot(
            columns=columns,
            scale=scale,
            where=where,
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def scoreplot(
        self,
        pca: PcaRelease | None = None,
        *,
        columns: Sequence[str] | None = None,
        axes: tuple[int, int] = (1, 2),
        bins: int | tuple[int, int] | None = None,
        hue: str | None = None,
        hue_order: Order | None = None,
        method: ScoreMethod = "haar",
        split: Literal["thirds", "halves"] | Sequence[float] | None = None,
        scale: Scale | None = None,
        where: str | None = None,
        bounds: Mapping[str, Range] | None = None,
        budget: Budget | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> ScoreplotRelease:
        """Show the density of rows along two principal components, by groups.

        Parameters
        ----------
        pca
            Released components, with their columns and bounds. Without them, components are
            computed first, with part of this chart's budget.
        columns
            Without a `pca`: the columns to analyse, from 2 to 100. Rows with a missing value are
            dropped.
        axes
            Which two components to show, the first being 1.
        bins
            How many cells a side. Default: from 8 to 64, chosen from the noise and the released
            number of rows. A pair is for both axes.
        hue
            The column whose categories are groups, one colour each.
        hue_order
            The public categories of `hue`, in the order to show them. Default: all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        method
            How cells are measured; the others than haar are for comparison. One of ``"haar"``,
            ``"additive"``, ``"sparse"``, ``"pyramid"``.
        split
            Shares of the budget for directions, frame and histogram; or thirds, or halves with
            released components, as in the literature.
        scale
            One scaled unit in each column; default: half of each public range. ``{"age": 20, …}``,
            or ``sf.private(share=0.1)`` to scale each column by how far its rows spread, with that
            share of the budget.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        bounds
            The public range of every column, ``{"age": (0, 100), …}``. Not needed with a `pca`. It
            holds for this chart alone; left out, what the session's domain declares.
        budget
            What the chart may spend, ``sf.Budget(epsilon, delta)``: it needs a δ. A part of what is
            left is ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. Directions, frame and counts of all groups
        together are charged once. What `pca` cost was charged where it was released, and comes on
        top.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.city(people=2000)
        >>> session = sf.Session(
        ...     table,
        ...     domain={"heart_rate": (30, 200), "systolic": (70, 230), "bmi": (12, 60)},
        ...     budget=sf.Budget(2, 1e-5),
        ... )
        >>> release = session.scoreplot(
        ...     columns=["heart_rate", "systolic", "bmi"], bins=16, budget=sf.Budget(1, 1e-6)
        ... )
        >>> release.to_array().shape
        (16, 16)
        """
        chart = Scoreplot(
            pca=pca,
            columns=columns,
            axes=axes,
            bins=bins,
            hue=hue,
            hue_order=hue_order,
            method=method,
            split=split,
            scale=scale,
            where=where,
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def quantiles(
        self,
        x: str,
        *,
        q: Sequence[float] | float = (0.25, 0.5, 0.75),
        hue: str | None = None,
        hue_order: Order | None = None,
        method: QuantileMethod | None = None,
        step: float | None = None,
        neighbours: Neighbours = "add-remove",
        n: int | None = None,
        where: str | None = None,
        col: str | None = None,
        row: str | None = None,
        col_order: PanelOrder | None = None,
        row_order: PanelOrder | None = None,
        col_wrap: int | None = None,
        bounds: Range | Private | Mapping[str, Range] | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> QuantilesRelease:
        """Estimate quantiles of a column, by groups.

        Parameters
        ----------
        x
            The column of numbers or dates.
        q
            Levels between 0 and 1, rising: 0.5 is the median.
        hue
            The column whose categories are groups, one colour each.
        hue_order
            The public categories of `hue`, in the order to show them. Default: all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        method
            How quantiles are chosen: joint all at once, most accurate, up to six levels; approx
            recursively, for many levels. The others are for comparison. Default: by the number of
            levels. One of ``"joint"``, ``"jointexp"``, ``"approx"``, ``"single"``, ``"unbounded"``.
        step
            The spacing of the values: 1 for whole numbers. Default: from the type of the column. A
            ``range`` as bounds also sets it.
        neighbours
            What is protected: the presence of a row, or with replace only its values. Then the
            number of rows, `n`, is public, and no ledger is kept. One of ``"add-remove"``,
            ``"replace"``.
        n
            The public number of rows, with replaced rows as neighbours. It must be the ``size``
            that the session was opened with.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        col
            The column that has a panel for each category, side by side.
        row
            The column that has a panel for each category, one below the other.
        col_order
            The public categories of `col`, in the order to show them. Default: all that are
            declared.
        row_order
            The public categories of `row`, in the order to show them. Default: all that are
            declared.
        col_wrap
            How many panels of `col` stand side by side before the next row.
        bounds
            The public range of the values, ``(lower, upper)``; or ``sf.private()`` to search for it
            with a share of the budget. It holds for this chart alone; left out, what the session's
            domain declares.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. All levels, groups and panels together are
        charged once. With replaced rows as neighbours the guarantee is weaker, and the release says
        so.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.city(people=2000)
        >>> session = sf.Session(table, domain={"age": (0, 100)}, budget=2.0)
        >>> release = session.quantiles(x="age", q=[0.1, 0.5, 0.9], budget=1.0)
        >>> release.quantiles.shape
        (1, 3)
        """
        chart = Quantiles(
            x=x,
            q=q,
            hue=hue,
            hue_order=hue_order,
            method=method,
            step=step,
            neighbours=neighbours,
            n=n,
            where=where,
            col=col,
            row=row,
            col_order=col_order,
            row_order=row_order,
            col_wrap=col_wrap,
            bounds=find_searches(bounds),
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def distribution(
        self,
        x: str,
        *,
        hue: str | None = None,
        hue_order: Order | None = None,
        by: str | None = None,
        by_order: Order | None = None,
        step: float | None = None,
        where: str | None = None,
        col: str | None = None,
        row: str | None = None,
        col_order: PanelOrder | None = None,
        row_order: PanelOrder | None = None,
        col_wrap: int | None = None,
        bounds: Range | Private | Mapping[str, Range] | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> DistributionRelease:
        """Measure a column once, to draw its distribution in any way.

        Parameters
        ----------
        x
            The column of numbers or dates.
        hue
            The column whose categories are groups, one colour each.
        hue_order
            The public categories of `hue`, in the order to show them. Default: all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        by
            Another column of categories, each of which has all groups of `hue`: violins and boxes
            stand side by side.
        by_order
            The public categories of `by`, in the order to show them. Default: all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        step
            The spacing of the values: 1 for whole numbers. Default: from the type of the column. A
            ``range`` as bounds also sets it.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        col
            The column that has a panel for each category, side by side.
        row
            The column that has a panel for each category, one below the other.
        col_order
            The public categories of `col`, in the order to show them. Default: all that are
            declared.
        row_order
            The public categories of `row`, in the order to show them. Default: all that are
            declared.
        col_wrap
            How many panels of `col` stand side by side before the next row.
        bounds
            The public range of the values, ``(lower, upper)``; or ``sf.private()`` to search for it
            with a share of the budget. It holds for this chart alone; left out, what the session's
            domain declares.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. All groups and panels together are charged
        once. Every way to draw the distribution is free.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.city(people=2000)
        >>> session = sf.Session(table, domain={"age": (0, 100)}, budget=2.0)
        >>> release = session.distribution(x="age", budget=1.0)
        >>> release.reliable
        (True,)
        """
        chart = Distribution(
            x=x,
            hue=hue,
            hue_order=hue_order,
            by=by,
            by_order=by_order,
            step=step,
            where=where,
            col=col,
            row=row,
            col_order=col_order,
            row_order=row_order,
            col_wrap=col_wrap,
            bounds=find_searches(bounds),
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def ecdfplot(
        self,
        x: str,
        *,
        hue: str | None = None,
        hue_order: Order | None = None,
        step: float | None = None,
        where: str | None = None,
        col: str | None = None,
        row: str | None = None,
        col_order: PanelOrder | None = None,
        row_order: PanelOrder | None = None,
        col_wrap: int | None = None,
        bounds: Range | Private | Mapping[str, Range] | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> DistributionRelease:
        """Draw how large a share of a column lies at or below each value, with a band.

        Parameters
        ----------
        x
            The column of numbers or dates.
        hue
            The column whose categories are groups, one colour each.
        hue_order
            The public categories of `hue`, in the order to show them. Default: all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        step
            The spacing of the values: 1 for whole numbers. Default: from the type of the column. A
            ``range`` as bounds also sets it.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        col
            The column that has a panel for each category, side by side.
        row
            The column that has a panel for each category, one below the other.
        col_order
            The public categories of `col`, in the order to show them. Default: all that are
            declared.
        row_order
            The public categories of `row`, in the order to show them. Default: all that are
            declared.
        col_wrap
            How many panels of `col` stand side by side before the next row.
        bounds
            The public range of the values, ``(lower, upper)``; or ``sf.private()`` to search for it
            with a share of the budget. It holds for this chart alone; left out, what the session's
            domain declares.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. All groups and panels together are charged
        once, and nothing where the same distribution was released, however it was drawn.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.city(people=2000)
        >>> session = sf.Session(table, domain={"age": (0, 100)}, budget=2.0)
        >>> release = session.ecdfplot(x="age", budget=1.0)
        >>> release.reliable
        (True,)
        """
        chart = Ecdfplot(
            x=x,
            hue=hue,
            hue_order=hue_order,
            step=step,
            where=where,
            col=col,
            row=row,
            col_order=col_order,
            row_order=row_order,
            col_wrap=col_wrap,
            bounds=find_searches(bounds),
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def kdeplot(
        self,
        x: str,
        *,
        hue: str | None = None,
        hue_order: Order | None = None,
        step: float | None = None,
        where: str | None = None,
        col: str | None = None,
        row: str | None = None,
        col_order: PanelOrder | None = None,
        row_order: PanelOrder | None = None,
        col_wrap: int | None = None,
        bounds: Range | Private | Mapping[str, Range] | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> DistributionRelease:
        """Draw a smooth density of a column, grey where noise could have made it.

        Parameters
        ----------
        x
            The column of numbers or dates.
        hue
            The column whose categories are groups, one colour each.
        hue_order
            The public categories of `hue`, in the order to show them. Default: all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        step
            The spacing of the values: 1 for whole numbers. Default: from the type of the column. A
            ``range`` as bounds also sets it.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        col
            The column that has a panel for each category, side by side.
        row
            The column that has a panel for each category, one below the other.
        col_order
            The public categories of `col`, in the order to show them. Default: all that are
            declared.
        row_order
            The public categories of `row`, in the order to show them. Default: all that are
            declared.
        col_wrap
            How many panels of `col` stand side by side before the next row.
        bounds
            The public range of the values, ``(lower, upper)``; or ``sf.private()`` to search for it
            with a share of the budget. It holds for this chart alone; left out, what the session's
            domain declares.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. All groups and panels together are charged
        once, and nothing where the same distribution was released, however it was drawn.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.city(people=2000)
        >>> session = sf.Session(table, domain={"age": (0, 100)}, budget=2.0)
        >>> release = session.kdeplot(x="age", budget=1.0)
        >>> release.reliable
        (True,)
        """
        chart = Kdeplot(
            x=x,
            hue=hue,
            hue_order=hue_order,
            step=step,
            where=where,
            col=col,
            row=row,
            col_order=col_order,
            row_order=row_order,
            col_wrap=col_wrap,
            bounds=find_searches(bounds),
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def violinplot(
        self,
        x: str | None = None,
        y: str | None = None,
        *,
        hue: str | None = None,
        order: Order | None = None,
        hue_order: Order | None = None,
        step: float | None = None,
        where: str | None = None,
        col: str | None = None,
        row: str | None = None,
        col_order: PanelOrder | None = None,
        row_order: PanelOrder | None = None,
        col_wrap: int | None = None,
        bounds: Range | Private | Mapping[str, Range] | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> DistributionRelease:
        """Draw smooth densities of a column by category, with quartiles.

        Parameters
        ----------
        x
            The column of categories along the x axis, if any.
        y
            The column of numbers or dates along the y axis.
        hue
            The column whose categories are groups, one colour each.
        order
            The public categories of `x`, in the order to show them. Default: all that are declared.
            ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        hue_order
            The public categories of `hue`, in the order to show them. Default: all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        step
            The spacing of the values: 1 for whole numbers. Default: from the type of the column. A
            ``range`` as bounds also sets it.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        col
            The column that has a panel for each category, side by side.
        row
            The column that has a panel for each category, one below the other.
        col_order
            The public categories of `col`, in the order to show them. Default: all that are
            declared.
        row_order
            The public categories of `row`, in the order to show them. Default: all that are
            declared.
        col_wrap
            How many panels of `col` stand side by side before the next row.
        bounds
            The public range of the values, ``(lower, upper)``; or ``sf.private()`` to search for it
            with a share of the budget. It holds for this chart alone; left out, what the session's
            domain declares.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. All groups and panels together are charged
        once, and nothing where the same distribution was released, however it was drawn.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.city(people=2000)
        >>> session = sf.Session(table, domain={"age": (0, 100)}, budget=2.0)
        >>> release = session.violinplot(y="age", budget=1.0)
        >>> release.reliable
        (True,)
        """
        chart = Violinplot(
            x=x,
            y=y,
            hue=hue,
            order=order,
            hue_order=hue_order,
            step=step,
            where=where,
            col=col,
            row=row,
            col_order=col_order,
            row_order=row_order,
            col_wrap=col_wrap,
            bounds=find_searches(bounds),
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)

    def boxenplot(
        self,
        x: str | None = None,
        y: str | None = None,
        *,
        hue: str | None = None,
        order: Order | None = None,
        hue_order: Order | None = None,
        step: float | None = None,
        where: str | None = None,
        col: str | None = None,
        row: str | None = None,
        col_order: PanelOrder | None = None,
        row_order: PanelOrder | None = None,
        col_wrap: int | None = None,
        bounds: Range | Private | Mapping[str, Range] | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
        title: str | None = None,
    ) -> DistributionRelease:
        """Draw nested boxes between quantiles of a column by category.

        Parameters
        ----------
        x
            The column of categories along the x axis, if any.
        y
            The column of numbers or dates along the y axis.
        hue
            The column whose categories are groups, one colour each.
        order
            The public categories of `x`, in the order to show them. Default: all that are declared.
            ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        hue_order
            The public categories of `hue`, in the order to show them. Default: all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        step
            The spacing of the values: 1 for whole numbers. Default: from the type of the column. A
            ``range`` as bounds also sets it.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        col
            The column that has a panel for each category, side by side.
        row
            The column that has a panel for each category, one below the other.
        col_order
            The public categories of `col`, in the order to show them. Default: all that are
            declared.
        row_order
            The public categories of `row`, in the order to show them. Default: all that are
            declared.
        col_wrap
            How many panels of `col` stand side by side before the next row.
        bounds
            The public range of the values, ``(lower, upper)``; or ``sf.private()`` to search for it
            with a share of the budget. It holds for this chart alone; left out, what the session's
            domain declares.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay again, even if the session has released the same chart of the same table
            at this cost or more. By default that release is returned, free.
        title
            What stands above the picture, instead of what was asked. It changes nothing else.

        Privacy
        -------
        Costs `budget`, charged before the table is read. All groups and panels together are charged
        once, and nothing where the same distribution was released, however it was drawn.

        Examples
        --------
        >>> import sfumato as sf
        >>> table = sf.testing.city(people=2000)
        >>> session = sf.Session(table, domain={"age": (0, 100)}, budget=2.0)
        >>> release = session.boxenplot(y="age", budget=1.0)
        >>> release.reliable
        (True,)
        """
        chart = Boxenplot(
            x=x,
            y=y,
            hue=hue,
            order=order,
            hue_order=hue_order,
            step=step,
            where=where,
            col=col,
            row=row,
            col_order=col_order,
            row_order=row_order,
            col_wrap=col_wrap,
            bounds=find_searches(bounds),
        )
        release = self.release(chart, bounds=bounds, budget=budget, fresh=fresh)
        return release.styled(title=title)
