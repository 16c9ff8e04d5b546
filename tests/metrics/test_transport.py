"""The bounds of the earth mover's distance hold the exact value, and a wrong one is noticed."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy import ndimage, optimize, sparse

from sfumato.metrics import plane as transport
from sfumato.metrics.heatmap import Map
from sfumato.metrics.plane import Distance, emd

ROUNDING = 1e-12


def exact(h: Map, g: Map) -> float:
    """Return the cheapest flow between neighbouring cells, by linear programming."""
    (rows, columns), cells = h.shape, np.arange(h.size).reshape(h.shape)
    tails = np.concatenate([cells[:-1].ravel(), cells[:, :-1].ravel()])
    heads = np.concatenate([cells[1:].ravel(), cells[:, 1:].ravel()])
    lengths = np.repeat([1 / rows, 1 / columns], [cells[1:].size, cells[:, 1:].size])
    edges = np.arange(len(tails))
    leaving = sparse.coo_array(
        (np.repeat([1.0, -1.0], len(edges)), (np.append(tails, heads), np.append(edges, edges)))
    ).tocsr()
    supply = (h / h.sum() - g / g.sum()).ravel()
    found = optimize.linprog(
        np.append(lengths, lengths), A_eq=sparse.hstack([leaving, -leaving]), b_eq=supply
    )
    assert found.status == 0
    return float(found.fun)


def _steep(potential: Map, costs: tuple[float, float]) -> Map:
    return potential


def holds(bounds: Distance, value: float) -> bool:
    return bounds.low - ROUNDING <= value <= bounds.high + ROUNDING


def spikes(generator: np.random.Generator, shape: tuple[int, int]) -> Map:
    return generator.exponential(size=shape) * (generator.random(shape) < 0.05)


def pairs(shape: tuple[int, int]) -> list[tuple[Map, Map]]:
    generator = np.random.default_rng(3)
    one, other = spikes(generator, shape), spikes(generator, shape)
    smooth = ndimage.gaussian_filter(one, 2)
    return [
        (one, other),
        (smooth, ndimage.gaussian_filter(other, 2)),
        (one, generator.exponential(size=shape)),
        (smooth, np.roll(smooth, 1, axis=0)),
    ]


@pytest.fixture(scope="module")
def known() -> list[tuple[Map, Map, float]]:
    shapes = [(32, 32), (32, 32), (9, 20), (24, 5)]
    chosen = [pairs(shape)[index] for index, shape in enumerate(shapes)]
    return [(h, g, exact(h, g)) for h, g in chosen]


@pytest.mark.parametrize("gap", [0.1, 1e-3, 1e-5])
def test_the_bounds_hold_the_exact_distance(
    known: list[tuple[Map, Map, float]], gap: float
) -> None:
    for h, g, value in known:
        bounds = emd(h, g, gap=gap)
        assert holds(bounds, value)
        assert bounds.high - bounds.low <= gap * bounds.high


def test_bounds_that_are_stopped_early_hold_all_the_same(
    known: list[tuple[Map, Map, float]],
) -> None:
    for h, g, value in known:
        bounds = emd(h, g, gap=0, steps=10)
        assert holds(bounds, value)
        assert bounds.low < bounds.high


def test_a_lower_bound_from_a_steep_potential_is_caught(
    known: list[tuple[Map, Map, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "_make_lipschitz", _steep)
    assert not all(holds(emd(h, g, gap=0, steps=50), value) for h, g, value in known)


def test_an_upper_bound_from_a_flow_that_loses_mass_is_caught(
    known: list[tuple[Map, Map, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    paid = transport._bound_cost

    def lossy(flow: transport.Flow, supply: Map) -> float:
        shrunk = 0.99 * flow[0], 0.99 * flow[1]
        return paid(shrunk, transport._compute_divergence(shrunk))

    monkeypatch.setattr(transport, "_bound_cost", lossy)
    assert not all(holds(emd(h, g, gap=1e-3), value) for h, g, value in known)


def test_what_a_flow_forgets_is_charged() -> None:
    supply = np.array([[0.5, 0.0], [0.0, -0.5]])
    nothing = np.zeros((1, 2)), np.zeros((2, 1))
    assert transport._bound_cost(nothing, supply) >= 0.5


def test_a_gentle_potential_is_gentle_and_below() -> None:
    potential = np.random.default_rng(4).normal(size=(6, 11))
    gentle = transport._make_lipschitz(potential, (0.2, 0.1))
    assert (gentle <= potential + ROUNDING).all()
    assert np.abs(np.diff(gentle, axis=0)).max() <= 0.2 + ROUNDING
    assert np.abs(np.diff(gentle, axis=1)).max() <= 0.1 + ROUNDING
    assert transport._make_lipschitz(gentle, (0.2, 0.1)) == pytest.approx(gentle, abs=ROUNDING)


@pytest.mark.parametrize("shape", [(1, 9), (9, 1), (7, 12), (16, 16)])
def test_a_point_moves_by_the_way_it_goes(shape: tuple[int, int]) -> None:
    h, g = np.zeros((2, *shape))
    h[0, 0] = g[-1, -1] = 3.0
    way = (shape[0] - 1) / shape[0] + (shape[1] - 1) / shape[1]
    bounds = emd(h, g, gap=1e-6)
    assert holds(bounds, way)
    assert bounds.middle == pytest.approx(way, rel=1e-6)


def test_a_shift_costs_its_length() -> None:
    h = np.zeros((10, 20))
    h[2:5, 3:9] = np.random.default_rng(5).random((3, 6))
    assert holds(emd(h, np.roll(h, 4, axis=1)), 4 / 20)
    assert holds(emd(h, np.roll(h, 3, axis=0)), 3 / 10)


def test_equal_maps_are_no_way_apart() -> None:
    h = np.random.default_rng(6).random((12, 8))
    assert emd(h, h) == Distance(0, 0)
    assert emd(h, 5 * h).high < 1e-14
    assert emd([[1.0]], [[2.0]]) == Distance(0, 0)


def test_the_distance_does_not_take_sides() -> None:
    h, g = pairs((12, 8))[0]
    one, other = emd(h, g, gap=1e-4), emd(g, h, gap=1e-4)
    assert one.middle == pytest.approx(other.middle, rel=1e-4)
    turned = emd(h.T, g.T, gap=1e-4)
    assert turned.middle == pytest.approx(one.middle, rel=1e-4)


def test_large_maps_take_about_a_second() -> None:
    h, g = pairs((256, 256))[0]
    h, g = ndimage.gaussian_filter(h, 5), ndimage.gaussian_filter(g, 5)
    begun = time.process_time()
    bounds = emd(h, g)
    assert bounds.high - bounds.low <= 1e-3 * bounds.high
    # Five times what it takes on an idle machine: a test machine has other work to do.
    assert time.process_time() - begun < 5
