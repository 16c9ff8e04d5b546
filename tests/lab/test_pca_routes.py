"""A small version of `lab/pca_routes.py`: routes find what is there, and demands can fail."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pca_routes as script
from pcas import ours, routes
from pcas.demands import print_demands
from pcas.routes import DEFAULT, ROUTES, Purse
from pcas.sets import Floats, mixture
from sfumato.charts.scoreplot.plan import OURS
from sfumato.metrics.scoreplot import captured_variance

ENDLESS = 1e9
"""A ρ with which noise is nothing."""


def cloud(size: int = 3000, columns: int = 5) -> Floats:
    """Normal rows, off the middle, most of whose variance lies in two columns."""
    generator = np.random.default_rng([size, columns])
    along = np.array([0.2, 0.12, *[0.03] * (columns - 2)])
    return generator.normal(0.3, along, (size, columns)).clip(-1, 1)


@pytest.mark.parametrize("name", ROUTES)
def test_without_noise_every_route_finds_the_exact_directions_of_a_normal_cloud(name: str) -> None:
    rows = cloud()
    found = ROUTES[name](rows, Purse(ENDLESS, np.random.default_rng(1)))
    assert captured_variance(found[:2], np.cov(rows.T)) > 0.999


@pytest.mark.parametrize("name", ROUTES)
def test_with_hardly_any_budget_no_route_does(name: str) -> None:
    rows = cloud()
    found = [ROUTES[name](rows, Purse(1e-9, np.random.default_rng(run)))[:2] for run in range(20)]
    assert np.mean([captured_variance(each, np.cov(rows.T)) for each in found]) < 0.8


@pytest.mark.parametrize("name", ROUTES)
def test_few_rows_and_none_are_no_error(name: str) -> None:
    for size in (0, 1, 3):
        found = ROUTES[name](cloud(size), Purse(0.01, np.random.default_rng(2)))
        assert found @ found.T == pytest.approx(np.eye(5))


def test_differences_of_matched_rows_have_their_covariance() -> None:
    rows = cloud(40_000)
    apart = routes.differences(rows, Purse(1.0, np.random.default_rng(3)))
    assert len(apart) == 20_000
    assert apart.T @ apart / len(apart) == pytest.approx(np.cov(rows.T), abs=0.002)


def test_one_more_row_moves_the_pairs_on_a_sphere_by_no_more_than_is_paid_for() -> None:
    generator = np.random.default_rng(4)
    rows = generator.normal(size=(9, 3))
    moves: list[float] = []
    for _ in range(200):
        order = generator.permutation(9)  # the last has no partner and takes that of a lost row
        before = routes.sphere(rows[order[:8:2]] - rows[order[1:8:2]])
        order[order == order[0]] = order[8]
        after = routes.sphere(rows[order[:8:2]] - rows[order[1:8:2]])
        moves.append(float(np.linalg.norm(before.T @ before - after.T @ after)))
    assert 0.9 * math.sqrt(2) < max(moves) <= math.sqrt(2) + 1e-12


def test_the_default_route_captures_what_the_library_does() -> None:
    table, runs = mixture(2000), 12
    covariance = np.cov(table.scaled.T, bias=True)
    simulated = script.lost(table, 1.0, runs)[DEFAULT]
    found = [ours.released(table, ours.budget(1.0), run).pca for run in range(runs)]
    real = 1 - np.mean([captured_variance(each.components[:2], covariance) for each in found])
    assert 0.7 < simulated / real < 1.4
    assert OURS[0] == pytest.approx(0.35)


def test_demands_are_met_by_the_best_route_and_not_by_a_worse_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    best = dict.fromkeys(ROUTES, 0.5) | {DEFAULT: 0.1}
    assert print_demands(script.compared({("a", 1.0): best}))
    assert not print_demands(script.compared({("a", 1.0): best | {"plain": 0.05}}))
    script.print_losses({("a", 1.0): best})
    assert "0.9000 (x 1.0)" in capsys.readouterr().out


def test_tables_that_are_missing_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SFUMATO_DATA", raising=False)
    monkeypatch.delenv("SKIP_DATA", raising=False)
    assert script.main() == 2
    assert (
        "gau_g: no dppca_gau_g.parquet in the folder that SFUMATO_DATA" in capsys.readouterr().out
    )
