"""One-line principal components: a table in, a release out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.api.alone import release_alone
from sfumato.charts.declaring import Range, components_domain
from sfumato.charts.order import Order
from sfumato.charts.pca import PCA, Scale
from sfumato.charts.scoreplot import Scoreplot
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.pca import PcaRelease
from sfumato.releases.scoreplot import ScoreplotRelease


def pca(
    table: object,
    *,
    columns: Sequence[str],
    n_components: int | None = None,
    scale: Scale | None = None,
    bounds: Mapping[str, Range],
    unit: PrivacyUnit | str | None = None,
    budget: Budget,
) -> PcaRelease:
    """Release private principal components of a table, with its scree plot.

    Parameters
    ----------
    table
        As in `histplot`.
    columns, n_components, scale
        As in `PCA`.
    bounds
        The public range of every column, ``{"age": (0, 100), …}``.
    unit
        As in `histplot`.
    budget
        What the analysis may spend; it needs a δ.

    Privacy
    -------
    (ε, δ)-differentially private for one unit added or removed, from the centre to the variances:
    nothing about the data is known before it is paid for.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = sf.testing.city(people=2000)
    >>> body = {"heart_rate": (30, 200), "systolic": (70, 230), "bmi": (12, 60)}
    >>> release = sf.pca(people, columns=list(body), bounds=body, budget=sf.Budget(1, 1e-6))
    >>> release.components.shape
    (3, 3)
    """
    chart = PCA(columns, n_components, scale)
    return release_alone(table, chart, components_domain(bounds), unit, budget)


def scoreplot(
    table: object,
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
    bounds: Mapping[str, Range] | None = None,
    unit: PrivacyUnit | str | None = None,
    budget: Budget,
) -> ScoreplotRelease:
    """Release a private score plot of a table, finding its components first if none are given.

    Parameters
    ----------
    table
        As in `histplot`.
    pca
        Components that are released already; they know their columns and bounds.
    columns, axes, bins, hue, method, split, scale
        As in `Scoreplot`.
    hue_order
        The public categories of `hue`; or ``sf.private(delta=…)`` to search for them.
    bounds
        The public range of every column, where there is no `pca`.
    unit, budget
        As in `pca`.

    Privacy
    -------
    As in `pca`. Directions, frame and counts together cost `budget`, and groups share it. What
    `pca` cost before comes on top: to bound both together, use a `Session`.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = sf.testing.city(people=2000)
    >>> body = {"heart_rate": (30, 200), "systolic": (70, 230), "bmi": (12, 60)}
    >>> release = sf.scoreplot(
    ...     people, columns=list(body), bounds=body, bins=16, budget=sf.Budget(1, 1e-6)
    ... )
    >>> release.to_array().shape
    (16, 16)
    """
    chart = Scoreplot(pca, columns, axes, bins, hue, hue_order, method, split, scale)
    domain = components_domain(bounds, chart.hue, chart.hue_order)
    return release_alone(table, chart, domain, unit, budget)
