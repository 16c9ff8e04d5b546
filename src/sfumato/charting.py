"""`Charting`: a method for each chart, for whatever can release one.

Made by tools/generate.py from the definitions of the charts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal

from sfumato.charts.axes import Bins, Order
from sfumato.charts.boxplot.chart import BoxMethod, Boxplot
from sfumato.charts.chart import Chart, P, R_co
from sfumato.charts.heatmap.chart import Heatmap, HeatMethod
from sfumato.charts.heatmap.method import Resolution
from sfumato.charts.heatmap.published import Decoder
from sfumato.charts.histogram import Histogram
from sfumato.charts.pca.chart import PCA, Scale
from sfumato.charts.quantiles import Neighbours, QuantileMethod, Quantiles
from sfumato.charts.scoreplot.chart import Scoreplot
from sfumato.figure import Orient
from sfumato.plane import Outside
from sfumato.privacy.budget import Budget
from sfumato.privacy.share import Share
from sfumato.private_search import Private
from sfumato.releases.boxplot import BoxplotRelease
from sfumato.releases.heatmap import HeatmapRelease, Origin
from sfumato.releases.heatmap.area import Aspect
from sfumato.releases.histogram import HistogramRelease, Stat
from sfumato.releases.pca import PcaRelease
from sfumato.releases.quantiles import QuantilesRelease
from sfumato.releases.scoreplot import Method as ScoreMethod
from sfumato.releases.scoreplot import ScoreplotRelease


class Charting(ABC):
    """Charts asked for by name; each is planned, charged and measured by `release`."""

    @abstractmethod
    def release(
        self, chart: Chart[P, R_co], *, budget: Budget | Share | float, fresh: bool = False
    ) -> R_co:
        """Plan, charge, measure; unless the same was released before, and `fresh` is not asked for.

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
        where: str | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
    ) -> HistogramRelease:
        """Count rows or people in bins or categories, in one dimension or two.

        Parameters
        ----------
        x
            The column along the x axis: cut into bins if it has bounds, counted one by one if it
            has categories.
        y
            The column along the y axis, for counts in two dimensions.
        hue
            The column to tell groups by colour.
        bins
            The number of bins, or their edges. Left out, whole numbers and dates are cut into at
            most 40 bins between their values, anything else into 20. For two dimensions a pair of
            either.
        stat
            What the numbers are: counts, proportions of the noisy total, or densities. One of
            ``"count"``, ``"density"``, ``"proportion"``.
        order
            The public categories of `x`, in the order to show them. Left out, all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        hue_order
            The public categories of `hue`, in the order to show them. Left out, all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay, though the session has released the same chart of the same table for no
            less. Left out, that release is returned, free.

        Privacy
        -------
        Costs `budget`, charged before the table is read. All bins and groups together are charged
        once.

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
            order=order,
            hue_order=hue_order,
            where=where,
        )
        return self.release(chart, budget=budget, fresh=fresh)

    def boxplot(
        self,
        *,
        x: str | None = None,
        y: str | None = None,
        hue: str | None = None,
        order: Order | None = None,
        hue_order: Order | None = None,
        bounds: Private | None = None,
        method: BoxMethod = "fence",
        whis: float = 1.5,
        step: float | None = None,
        buffer: float = 0.25,
        orient: Orient | None = None,
        where: str | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
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
            The column to tell groups by colour.
        order
            The public categories of the axis that has no values, in the order to show them. Left
            out, all that are declared. ``sf.private(delta=1e-6)`` searches for them instead, with
            that δ.
        hue_order
            The public categories of `hue`, in the order to show them. Left out, all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        bounds
            ``sf.private()``, to search for bounds that nobody declared, with a share of the price.
        method
            How boxes are measured; all but fence are there to be compared with. One of ``"fence"``,
            ``"dpboxplot"``, ``"jointexp"``, ``"approx"``, ``"single"``, ``"unbounded"``.
        whis
            How far a whisker may reach beyond the box, in lengths of the box.
        step
            How far apart values lie: 1 for whole numbers. Left out, the type of the column tells. A
            ``range`` for bounds tells it too.
        buffer
            For all methods but fence: the power of a group's size by which a fence is favoured.
        orient
            How boxes stand: v with values on `y`, h with values on `x`. Left out, the columns tell.
            One of ``"v"``, ``"h"``.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay, though the session has released the same chart of the same table for no
            less. Left out, that release is returned, free.

        Privacy
        -------
        Costs `budget`, charged before the table is read. All boxes together are charged once.

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
            bounds=bounds,
            method=method,
            whis=whis,
            step=step,
            buffer=buffer,
            orient=orient,
            where=where,
        )
        return self.release(chart, budget=budget, fresh=fresh)

    def heatmap(
        self,
        *,
        x: str,
        y: str,
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
        where: str | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
    ) -> HeatmapRelease:
        """Show where rows or people are, on a map of two columns.

        Parameters
        ----------
        x
            The column along the x axis.
        y
            The column along the y axis.
        resolution
            How many cells a side the picture has, up to 2²⁰. A pair is for x and y.
        method
            How the map is measured; all but adaptive are there to be compared with. One of
            ``"adaptive"``, ``"pyramid"``, ``"laplace"``, ``"dense"``.
        decoder
            For pyramid: how masses follow from noisy ones; lp, as published, if left out. One of
            ``"lp"``, ``"bayes"``.
        top
            For laplace: show only this fraction of the cells, those with the largest counts.
        width
            For pyramid: how many squares are opened on each level, w of the paper.
        decay
            For pyramid: how ε shrinks from one level to the one below, γ of the paper.
        levels
            For pyramid: how many times squares are divided; as the resolution asks for if left out.
        weight
            The column that says how much a row weighs, with public bounds from 0.
        outside
            What becomes of rows beyond the window: dropped, or counted at its edge. One of
            ``"drop"``, ``"edge"``.
        origin
            Where y begins: upper draws it downwards, as in images. One of ``"lower"``, ``"upper"``.
        aspect
            How the window is drawn: map for degrees of longitude and latitude, equal for one scale
            on both axes, free to fill the picture. Left out, names of columns and the origin tell.
            One of ``"map"``, ``"equal"``, ``"free"``.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay, though the session has released the same chart of the same table for no
            less. Left out, that release is returned, free.

        Privacy
        -------
        Costs `budget`, charged before the table is read. The whole map is charged once, at any
        resolution.

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
            where=where,
        )
        return self.release(chart, budget=budget, fresh=fresh)

    def pca(
        self,
        *,
        columns: Sequence[str],
        n_components: int | None = None,
        scale: Scale | None = None,
        where: str | None = None,
        budget: Budget | Share,
        fresh: bool = False,
    ) -> PcaRelease:
        """Find the directions in which rows differ most, and draw how much.

        Parameters
        ----------
        columns
            The columns to analyse, from 2 to 100, each with public bounds. A row that lacks one of
            them is not counted.
        n_components
            How many components to show; all, or ten where there are more, if left out.
        scale
            What one unit is worth in each column; half of each public range if left out. ``{"age":
            20, …}``, or ``sf.private(share=0.1)`` to measure each column by its quartiles, with
            that share of the price.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        budget
            What the chart may spend, ``sf.Budget(epsilon, delta)``: it needs a δ. A part of what is
            left is ``session.remaining / 4``.
        fresh
            Measure and pay, though the session has released the same chart of the same table for no
            less. Left out, that release is returned, free.

        Privacy
        -------
        Costs `budget`, charged before the table is read. Centre, directions and variances together
        are charged once: nothing about the data is known before it is paid for.

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
        return self.release(chart, budget=budget, fresh=fresh)

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
        budget: Budget | Share,
        fresh: bool = False,
    ) -> ScoreplotRelease:
        """Show where rows lie along two principal components, by groups.

        Parameters
        ----------
        pca
            Components that are released already; they know their columns and bounds. Left out, they
            are found first, with part of this chart's price.
        columns
            Where there is no `pca` yet: the columns to analyse, from 2 to 100. A row that lacks one
            of them is not counted.
        axes
            Which two components to show, the first being 1.
        bins
            How many cells a side. Left out, from 8 to 64: as many as the noise and the released
            number of rows make the best picture with. A pair is for both axes.
        hue
            The column to tell groups by colour.
        hue_order
            The public categories of `hue`, in the order to show them. Left out, all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        method
            How cells are measured; all but haar are there to be compared with. One of ``"haar"``,
            ``"additive"``, ``"sparse"``, ``"pyramid"``.
        split
            Shares of the price for directions, frame and histogram; or thirds, or halves where
            directions are paid for already, as others divide it.
        scale
            What one unit is worth in each column; half of each public range if left out. ``{"age":
            20, …}``, or ``sf.private(share=0.1)`` to measure each column by its quartiles, with
            that share of the price.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        budget
            What the chart may spend, ``sf.Budget(epsilon, delta)``: it needs a δ. A part of what is
            left is ``session.remaining / 4``.
        fresh
            Measure and pay, though the session has released the same chart of the same table for no
            less. Left out, that release is returned, free.

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
        return self.release(chart, budget=budget, fresh=fresh)

    def quantiles(
        self,
        *,
        x: str,
        q: Sequence[float] | float = (0.25, 0.5, 0.75),
        hue: str | None = None,
        hue_order: Order | None = None,
        bounds: Private | None = None,
        method: QuantileMethod | None = None,
        step: float | None = None,
        neighbours: Neighbours = "add-remove",
        n: int | None = None,
        where: str | None = None,
        budget: Budget | float | Share,
        fresh: bool = False,
    ) -> QuantilesRelease:
        """Find the numbers below which given shares of a column lie, by groups.

        Parameters
        ----------
        x
            The column of numbers or dates.
        q
            Levels between 0 and 1, rising: 0.5 is the median.
        hue
            The column to tell groups by colour.
        hue_order
            The public categories of `hue`, in the order to show them. Left out, all that are
            declared. ``sf.private(delta=1e-6)`` searches for them instead, with that δ.
        bounds
            ``sf.private()``, to search for bounds that nobody declared, with a share of the price.
        method
            How levels are chosen: joint all together, which errs least, up to six of them; approx
            one after the other, for many. The others are there to be compared with. Left out, the
            number of levels decides. One of ``"joint"``, ``"jointexp"``, ``"approx"``,
            ``"single"``, ``"unbounded"``.
        step
            How far apart values lie: 1 for whole numbers. Left out, the type of the column tells. A
            ``range`` for bounds tells it too.
        neighbours
            What is hidden: that a row is there, or with replace only what it says. Then the number
            of rows, `n`, is public, and no ledger is kept. One of ``"add-remove"``, ``"replace"``.
        n
            The public number of rows, where neighbours replace one. It must be the ``size`` that
            the session was opened with.
        where
            Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, `and
            or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a
            missing value is false. Costs nothing. ``"borough == 'Queens' and price < 500"``. A
            person's weight is shared among all of its rows, also those that are not counted.
        budget
            What the chart may spend; a bare number is pure ε. A part of what is left is
            ``session.remaining / 4``.
        fresh
            Measure and pay, though the session has released the same chart of the same table for no
            less. Left out, that release is returned, free.

        Privacy
        -------
        Costs `budget`, charged before the table is read. All levels and groups together are charged
        once. Where neighbours replace a row the promise is weaker, and the release says so.

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
            bounds=bounds,
            method=method,
            step=step,
            neighbours=neighbours,
            n=n,
            where=where,
        )
        return self.release(chart, budget=budget, fresh=fresh)
