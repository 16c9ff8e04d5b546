"""Squares of all sizes: what they cost, where they put mass, and that they move little of it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from sfumato.charts.allocation import Allocation
from sfumato.charts.heatmap.adaptive import Adaptive
from sfumato.charts.heatmap.method import MeasuredMap
from sfumato.charts.scoreplot import cells as module
from sfumato.charts.scoreplot.cells import LEVELS, FoundWindow, ScorePyramid
from sfumato.domain import Bounds, Categories
from sfumato.errors import OverspentError
from sfumato.exact import Exact
from sfumato.grid import Labels, shape
from sfumato.lattice import REACH, Lattice, Projection
from sfumato.mechanisms.meter import Meter, simulated
from sfumato.mechanisms.survey import Survey, split_into_maps, surveys
from sfumato.metrics.plane import emd
from sfumato.plane import Plane
from sfumato.postprocess.density import rasterise
from sfumato.privacy.budget import Cost
from sfumato.privacy.currency import Concentrated
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.testing import ample_meter, metered

SIDE = 2 ** LEVELS[-1]
RHO = Fraction(1, 50)
COUNTED = Concentrated()  # amounts are ρ
SHARED = PrivacyUnit.users("who")
BODY = Lattice(("a", "b"), (Bounds(-1, 1), Bounds(-1, 1)), (1.0, 1.0))


def window(cells: int) -> FoundWindow:
    directions = (("PC1", (REACH, 0)), ("PC2", (0, REACH)))
    x, y = (
        Projection(BODY, name, (0, 0), vector, Bounds(-1, 1), cells) for name, vector in directions
    )
    return FoundWindow(x, y)


class Counted:
    """An engine that knows the answers: one array of counts for each group."""

    def __init__(self, counts: NDArray[np.int64]) -> None:
        self.counted, self.asked = counts, 0

    def counts(self, keys, unit: PrivacyUnit) -> Exact:
        self.asked += 1
        whole = np.rint(self.counted / unit.step).astype(np.int64)
        return Exact(unit.weight, unit.weight**2, unit.step, _values=whole.reshape(shape(keys)))


def cloud(points: int = 5000) -> NDArray[np.int64]:
    random = np.random.default_rng(3)
    centres = np.array([[-0.5, 0.5], [0.6, 0.1], [0.0, -0.6]])  # x, y
    x, y = (centres[random.integers(0, 3, points)] + random.normal(0, 0.08, (points, 2))).T
    found, _, _ = np.histogram2d(y, x, bins=SIDE, range=[[-1, 1], [-1, 1]])
    return found.astype(np.int64)


def groups_of(number: int) -> Labels:
    return Labels("group", Categories([f"g{index}" for index in range(number)]))


@pytest.mark.parametrize("unit", [PrivacyUnit.rows(), SHARED, PrivacyUnit.users("who", max_rows=3)])
@pytest.mark.parametrize("number", [None, 1, 3])
def test_one_question_and_one_price_fill_the_frame(unit: PrivacyUnit, number: int | None) -> None:
    chart = ScorePyramid(Allocation(RHO, COUNTED), unit)
    engine = Counted(np.array([cloud()] * (number or 1)))
    hue = None if number is None else groups_of(number)
    with simulated(np.random.default_rng(1)), Meter(chart.cost) as meter:
        filled = chart.fill(engine, meter, window(24), hue, unit)  # type: ignore[arg-type]
    assert engine.asked == 1 and not meter.private and filled.steps is None
    assert filled.masses.shape == (number or 1, 24, 24) and (filled.masses >= 0).all()
    assert meter.spent == chart.cost == Cost.gaussian(RHO), "all groups cost what one costs"
    assert filled.masses.sum(axis=(1, 2)) == pytest.approx(5000, rel=0.2)


def test_mass_lies_where_rows_are_with_y_upward() -> None:
    counts = np.zeros((1, SIDE, SIDE), dtype=np.int64)
    counts[0, SIDE - 1, 0] = 1000  # the largest y, the smallest x
    unit = PrivacyUnit.rows()
    with simulated(np.random.default_rng(2)), ample_meter() as meter:
        filled = ScorePyramid(Allocation(Fraction(5), COUNTED), unit).fill(
            Counted(counts),  # type: ignore[arg-type]
            meter,
            window(16),
            None,
            unit,
        )
    assert filled.masses[0, 15, 0] == pytest.approx(1000, rel=0.02)


def test_every_path_is_asked_once_on_every_level(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Survey] = []

    def remembered(*details: object) -> list[Survey]:
        opened.extend(surveys(*details))  # type: ignore[arg-type]
        return opened

    monkeypatch.setattr(module, "surveys", remembered)
    engine = Counted(np.array([cloud(100)] * 2))
    unit = PrivacyUnit.rows()
    with simulated(np.random.default_rng(4)), ample_meter() as meter:
        ScorePyramid(Allocation(RHO, COUNTED), unit).fill(
            engine,  # type: ignore[arg-type]
            meter,
            window(8),
            groups_of(2),
            unit,
        )
    assert len(opened) == 2
    for survey in opened:
        assert [len(asked.code) for asked in survey.asked] == [4**level for level in LEVELS]
        assert {asked.scale for asked in survey.asked} == {
            ScorePyramid(Allocation(RHO, COUNTED), unit).noise.scale
        }


def test_a_twin_that_pays_each_level_in_full_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ScorePyramid, "share", property(lambda self: self.portion.amount))
    with pytest.raises(OverspentError), simulated(np.random.default_rng(5)):
        metered(mapped, ScorePyramid(Allocation(RHO, COUNTED), PrivacyUnit.rows()))


def mapped(meter: Meter, method: ScorePyramid | Adaptive) -> MeasuredMap:
    frame = window(SIDE)
    counts, plane = Exact(1, 1, 1.0, _values=cloud()), Plane(frame.x, frame.y, "edge")
    if isinstance(method, Adaptive):
        return method.map(meter, split_into_maps(counts)[0], plane)
    (asked,) = surveys(meter, counts, plane.levels, method.portion.amount, "gaussian")
    return method.map(asked, plane, 1.0, 1.0)


def test_for_one_price_less_mass_is_moved_than_with_laplace_noise() -> None:
    portion = Allocation(RHO, COUNTED)
    methods = {
        "gaussian": ScorePyramid(portion, PrivacyUnit.rows()),
        "laplace": Adaptive(portion.epsilon),
    }
    distance = dict.fromkeys(methods, 0.0)
    for seed in range(4):
        for name, method in methods.items():
            with simulated(np.random.default_rng(seed)):
                picture = rasterise(metered(mapped, method).values.leaves, (SIDE, SIDE))
            distance[name] += emd(cloud(), picture, gap=1e-2).middle
    assert distance["gaussian"] < 0.7 * distance["laplace"]
