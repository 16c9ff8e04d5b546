"""The methods of a heatmap: what they ask for, what a path costs, what they give."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from sfumato.charts.heatmap import adaptive as adaptive_module
from sfumato.charts.heatmap import published as flat_module
from sfumato.charts.heatmap import published as pyramid_module
from sfumato.charts.heatmap.adaptive import Adaptive
from sfumato.charts.heatmap.method import MOST_SQUARES, HeatProcedure
from sfumato.charts.heatmap.published import Dense, HeatPyramid, Laplace
from sfumato.domain import Bounds
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.survey import Survey, survey
from sfumato.plane import Plane, deinterleave, interleave
from sfumato.postprocess.quadtree import MeasuredRound, build_quadtree
from sfumato.privacy.budget import Cost
from sfumato.testing import metered, seeded

MODULES = (adaptive_module, flat_module, pyramid_module)
EPSILONS = [Fraction(1, 10), Fraction(1), Fraction(7, 3), Fraction(10)]


def plane(levels: int) -> Plane:
    side = 2**levels
    return Plane(Grid("x", Bounds(0, 1), side), Grid("y", Bounds(0, 1), side))


def cloud(people: int, levels: int, seed: int = 1, l1: int = 2**30) -> Exact:
    """People around four places, each with a whole unit of weight."""
    generator = np.random.default_rng(seed)
    places = generator.random((4, 2))[generator.integers(0, 4, people)]
    points = np.clip(places + generator.normal(0, 0.03, (people, 2)), 0, 1 - 1e-9)
    cells = (points * 2**levels).astype(np.int64)
    codes, counts = np.unique(interleave(*cells.T), return_counts=True)
    return Exact(l1, l1**2, 1 / l1, _values=counts * l1, _places=codes)


def methods(epsilon: Fraction, levels: int) -> dict[str, HeatProcedure]:
    return {
        "adaptive": Adaptive(epsilon),
        "pyramid": HeatPyramid(epsilon, levels),
        "bayes": HeatPyramid(epsilon, levels, decoder="bayes"),
        "laplace": Laplace(epsilon),
        "top": Laplace(epsilon, top=0.01),
        "dense": Dense(epsilon),
    }


NAMES = list(methods(Fraction(1), 3))


@pytest.fixture
def surveys(monkeypatch: pytest.MonkeyPatch) -> list[Survey]:
    """Remember every survey that a method opens."""
    opened: list[Survey] = []

    def remembered(meter: Meter, exact: Exact, levels: int, epsilon: Fraction) -> Survey:
        opened.append(survey(meter, exact, levels, epsilon))
        return opened[-1]

    for module in MODULES:
        monkeypatch.setattr(module, "survey", remembered)
    return opened


def held(survey: Survey, levels: int) -> np.ndarray:
    """Return how often each round asked for a square that holds each finest cell."""
    counts = np.zeros((len(survey.asked), 4**levels), dtype=int)
    for row, asked in zip(counts, survey.asked, strict=True):
        for level, code in zip(asked.level, asked.code, strict=True):
            finer = 2 * (levels - int(level))
            row[int(code) << finer : (int(code) + 1) << finer] += 1
    return counts


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("people", [0, 3, 200, 5000])
def test_every_path_of_the_adaptive_method_spends_epsilon_exactly(
    epsilon: Fraction, people: int, surveys: list[Survey]
) -> None:
    method = Adaptive(epsilon)
    assert sum(method.shares) == epsilon
    with seeded(3):
        metered(method.map, cloud(people, 6), plane(6))
    assert (held(surveys[-1], 6) == 1).all()
    assert len(surveys[-1].asked) == len(method.shares)


@pytest.mark.parametrize("levels", [0, 1, 2, 5, 20])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_levels_of_a_pyramid_spend_epsilon_exactly(epsilon: Fraction, levels: int) -> None:
    shares = HeatPyramid(epsilon, levels).shares
    assert sum(shares) == epsilon
    assert len(shares) == levels - min(2, levels) + 1
    assert all(finer < coarser for coarser, finer in pairwise(shares))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("levels", [0, 1, 3, 6])
@pytest.mark.parametrize("people", [0, 1, 300])
def test_a_method_spends_what_it_says_and_fills_the_window(
    name: str, levels: int, people: int
) -> None:
    epsilon = Fraction(3, 2)
    method = methods(epsilon, levels)[name]
    with seeded(4):
        answer = metered(method.map, cloud(people, levels, l1=2**30), plane(levels))
    # Planned as anything with this ε; noise on a fine lattice diverges by less.
    assert method.cost == Cost.pure(epsilon)
    assert answer.cost == Cost.laplace(epsilon, 2**30)
    assert answer.cost.within(method.cost, order=Fraction(20))
    assert not answer.private
    found = answer.values
    leaves = found.leaves
    assert (leaves.mass >= 0).all() and np.isfinite(leaves.mass).all()
    assert (leaves.span**2).sum() == 4**levels
    seen = np.zeros((2**levels, 2**levels), dtype=int)
    for column, row, span in zip(leaves.column, leaves.row, leaves.span, strict=True):
        seen[row : row + span, column : column + span] += 1
    assert (seen == 1).all()
    assert len(found.noisy) == len(found.scale) == len(leaves.mass)
    assert (found.scale > 0).all()


@pytest.mark.parametrize("name", NAMES)
def test_with_much_budget_mass_lies_where_people_are(name: str) -> None:
    codes = interleave(np.array([12, 3], dtype=np.int64), np.array([2, 9], dtype=np.int64))
    exact = Exact(1, 1, 1.0, _values=np.array([100, 300]), _places=codes)
    with seeded(5):
        found = metered(methods(Fraction(50), 4)[name].map, exact, plane(4)).values.leaves
    one = (found.column <= 3) & (found.column + found.span > 3)
    one &= (found.row <= 9) & (found.row + found.span > 9)
    assert found.mass[one] == pytest.approx([300], abs=2)
    assert found.mass.sum() == pytest.approx(400, abs=15)


def test_a_large_map_is_measured_in_no_more_squares_than_it_can_bear(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(adaptive_module, "MOST_SQUARES", 6000)
    with seeded(6):
        found = metered(Adaptive(Fraction(10)).map, cloud(20_000, 12), plane(12)).values
    assert 4**6 < len(found.noisy) <= 6000 < MOST_SQUARES


# Noise is drawn where a method looks. From one table of noise for all squares of all levels, the
# whole pyramid gives what the method gives that looks at few of them.


class Table:
    """Noise for every square, drawn before anyone looks."""

    def __init__(self, levels: int, seed: int, spread: float) -> None:
        generator = np.random.default_rng(seed)
        self.noise = [
            np.rint(generator.laplace(0, spread, 4**level)).astype(np.int64)
            for level in range(levels + 1)
        ]

    def of(self, level: np.ndarray, code: np.ndarray) -> np.ndarray:
        pairs = zip(level, code, strict=True)
        return np.array([self.noise[one][other] for one, other in pairs], dtype=np.int64)


def from_table(monkeypatch: pytest.MonkeyPatch, table: Table) -> None:
    true = Survey._masses

    def noisy(self: Survey, level: np.ndarray, code: np.ndarray) -> np.ndarray:
        return true(self, level, code) + table.of(level, code)

    monkeypatch.setattr(Survey, "_masses", noisy)
    monkeypatch.setattr(
        "sfumato.mechanisms.survey.add_noise", lambda receipt, values, family, scale: values
    )


def whole_pyramid(
    exact: Exact, levels: int, table: Table, method: HeatPyramid
) -> dict[int, list[int]]:
    """Return the squares that the published algorithm keeps, from noise on all of them."""
    dense = np.zeros(4**levels, dtype=np.int64)
    dense[exact.reveal_places()] = exact.reveal()
    kept: dict[int, list[int]] = {}
    for level in range(method.coarsest, levels + 1):
        sums = dense.reshape(4**level, -1).sum(axis=1) + table.noise[level]
        above = kept.get(level - 1)
        allowed = (
            range(4**level)
            if above is None
            else [4 * code + quarter for code in above for quarter in range(4)]
        )
        ranked = sorted(allowed, key=lambda code: (-sums[code], -code))
        kept[level] = sorted(ranked[: method.width])
    return kept


@pytest.mark.parametrize("seed", range(5))
def test_noise_drawn_where_it_is_looked_at_gives_what_noise_everywhere_gives(
    seed: int, monkeypatch: pytest.MonkeyPatch, surveys: list[Survey]
) -> None:
    levels, method = 5, HeatPyramid(Fraction(2), 5)
    exact, table = cloud(60, levels, seed, l1=1), Table(levels, seed, spread=3.0)
    kept = whole_pyramid(exact, levels, table, method)
    from_table(monkeypatch, table)
    found = metered(method.map, exact, plane(levels)).values
    asked = surveys[-1].asked
    for level, round_ in zip(range(method.coarsest + 1, levels + 1), asked[1:], strict=True):
        children = [4 * code + quarter for code in kept[level - 1] for quarter in range(4)]
        assert round_.code.tolist() == children
    assert len(found.noisy) == sum(len(each.code) for each in asked) - sum(
        len(kept[level]) for level in range(method.coarsest, levels)
    )


@pytest.mark.parametrize("name", NAMES)
def test_what_is_asked_follows_from_answers_and_not_from_the_data(
    name: str, monkeypatch: pytest.MonkeyPatch, surveys: list[Survey]
) -> None:
    table = Table(5, seed=8, spread=20.0)
    monkeypatch.setattr(Survey, "_masses", lambda self, level, code: table.of(level, code))
    monkeypatch.setattr(
        "sfumato.mechanisms.survey.add_noise", lambda receipt, values, family, scale: values
    )
    for people in (0, 500):
        metered(methods(Fraction(1), 5)[name].map, cloud(people, 5, l1=1), plane(5))
    one, other = (each.asked for each in surveys)
    assert [round_.code.tolist() for round_ in one] == [round_.code.tolist() for round_ in other]
    assert [round_.level.tolist() for round_ in one] == [round_.level.tolist() for round_ in other]


def test_a_twin_that_looks_only_where_people_are_is_noticed(
    monkeypatch: pytest.MonkeyPatch, surveys: list[Survey]
) -> None:
    class Peeking(HeatPyramid):
        def map(self, meter: Meter, exact: Exact, plane: Plane):
            true = Survey.ask

            def ask(survey, level, code, epsilon):
                finer = 2 * (plane.levels - np.asarray(level))
                occupied = np.isin(code, exact.reveal_places() >> int(finer[0]))
                return true(survey, level[occupied], code[occupied], epsilon)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(Survey, "ask", ask)
                return super().map(meter, exact, plane)

    table = Table(5, seed=8, spread=20.0)
    from_table(monkeypatch, table)
    for people in (2, 500):
        metered(Peeking(Fraction(1), 5).map, cloud(people, 5, l1=1), plane(5))
    one, other = (each.asked for each in surveys)
    assert [round_.code.tolist() for round_ in one] != [round_.code.tolist() for round_ in other]


def test_the_top_cells_alone_are_shown() -> None:
    with seeded(7):
        every = metered(Laplace(Fraction(1)).map, cloud(500, 6), plane(6)).values.leaves
    with seeded(7):
        few = metered(Laplace(Fraction(1), top=0.01).map, cloud(500, 6), plane(6)).values.leaves
    assert (few.mass > 0).sum() == 41
    shown = few.mass > 0
    assert (few.mass[shown] == every.mass[shown]).all()
    assert every.mass[~shown].max() <= few.mass[shown].min()


def test_a_window_of_any_shape_has_a_cell_for_each_of_its_own() -> None:
    window = Plane(Grid("x", Bounds(0, 1), 5), Grid("y", Bounds(0, 1), 3))
    with seeded(8):
        found = metered(Laplace(Fraction(1)).map, cloud(0, 3), window).values.leaves
    assert found.shape == (5, 3)
    places = set(zip(found.column.tolist(), found.row.tolist(), strict=True))
    assert places == {(column, row) for column in range(5) for row in range(3)}


def test_a_tree_has_four_quarters_wherever_it_has_one() -> None:
    level, code = np.array([0, 2, 3]), np.array([0, 7, 60])
    tree = build_quadtree([MeasuredRound(level, code, np.array([5.0, 2.0, 1.0]), rate=0.5)])
    inner = np.flatnonzero(tree.first >= 0)
    for node in inner:
        children = slice(tree.first[node], tree.first[node] + 4)
        assert tree.code[children].tolist() == [4 * tree.code[node] + each for each in range(4)]
        assert (tree.level[children] == tree.level[node] + 1).all()
        assert (tree.parent[children] == node).all()
    places = tree.places(level, code)
    assert tree.value[0, places].tolist() == [5.0, 2.0, 1.0]
    assert (tree.rate[0] > 0).sum() == 3
    columns, rows = deinterleave(tree.code)
    assert (interleave(columns, rows) == tree.code).all()
