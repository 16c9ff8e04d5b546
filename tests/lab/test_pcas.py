"""A small version of `lab/pca.py`: the peer is what it says, ours is closer, demands can fail."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pca as script
import pca_scree
import sfumato as sf
from pcas import demands, dppca, ours, protocol, quantiles, sets
from pcas.demands import Demand
from pcas.dppca import EDITIONS, REFERENCE, Peer
from pcas.kendall import kendall
from pcas.protocol import PRIVATE, RAW, Setting, Task, truth
from pcas.results import TV, W1, Results
from pcas.sets import Floats
from pcas.truth import Closeness, Picture
from sfumato.metrics.plane import CellWindow, Cloud

MIXTURE = "2000"


def nothing(*_: object) -> tuple[()]:
    return ()


def rows(size: int, columns: int = 3) -> Floats:
    return np.random.default_rng([size, columns]).normal(size=(size, columns))


def test_the_kendall_matrix_is_the_mean_over_all_pairs() -> None:
    values = np.concatenate([rows(12), rows(12)[:4]])
    expected = np.zeros((3, 3))
    for first in range(16):
        for second in range(first):
            apart = values[first] - values[second]
            if apart.any():
                expected += np.outer(apart, apart) / (apart @ apart)
    assert kendall(values) == pytest.approx(expected / (16 * 15 / 2))


def test_one_replaced_row_moves_the_kendall_matrix_by_more_than_dppca_says() -> None:
    size = 400
    near = np.zeros((size, 2))
    near[:, 0] = 1e3 * np.arange(size)
    near[0], far = [0, 1e-3], near.copy()
    far[0] = [0, 1e9]
    moved = float(np.linalg.norm(kendall(near) - kendall(far)))
    assert 2 / size < moved <= 2 * math.sqrt(2) / size + 1e-12


def test_smooth_sensitivity_is_that_of_its_definition() -> None:
    ordered = np.sort(rows(40)[:, 0])
    for rank, beta in ((20, 0.05), (39, 0.3), (0, 0.01), (36, 2.0)):
        windows = [
            math.exp(-beta * k) * (ordered[start + k + 1] - ordered[start])
            for k in range(39)
            for start in range(max(0, rank - k - 1), min(rank, 38 - k) + 1)
        ]
        found = quantiles.sensitivity(ordered, rank, beta)
        assert found == pytest.approx(max(windows), rel=2 * quantiles.CLOSE)


def test_quantiles_are_right_where_noise_is_small() -> None:
    generator = np.random.default_rng(5)
    values = 3 * rows(20_000)[:, 0] + 1
    for level in (0.2, 0.5, 0.9):
        true = float(np.quantile(values, level))
        assert quantiles.smooth(values, level, 5, 1e-5, generator) == pytest.approx(true, abs=0.1)
        assert quantiles.unbounded(values, level, 5, generator) == pytest.approx(true, abs=0.1)
    far = abs(values)
    expected = float(np.quantile(far, 0.99))
    assert quantiles.unbounded_above(far, 0.99, 5, generator) == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: edition.name)
@pytest.mark.parametrize("private", [True, False])
def test_the_peer_spends_all_it_has(edition: dppca.Edition, private: bool) -> None:
    assert sum(edition.epsilon[private]) == pytest.approx(1)
    assert sum(edition.delta[private]) == pytest.approx(1)
    assert (edition.epsilon[private][0] > 0) == private


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: edition.name)
def test_with_much_budget_the_peer_shows_the_exact_picture(edition: dppca.Edition) -> None:
    exact, generator = truth(MIXTURE), np.random.default_rng(1)
    framed = Peer(exact.table).framed(edition, 1e4, 1e-5, generator)
    window, counts = dppca.counted(framed, 32)
    assert counts.sum() == pytest.approx(2000)
    for histogram in dppca.METHODS.values():
        drawn = Picture(histogram(framed, counts, generator), window, framed.directions, exact.mean)
        assert exact.closeness(drawn).tv < 0.1
        assert exact.closeness(drawn).w1 < 0.02
        assert exact.closeness(drawn).captured > 0.99


def test_the_sparse_histogram_keeps_nothing_below_its_threshold() -> None:
    counts = np.array([[0.0, 3.0], [9.0, 5000.0]])
    framed = dppca.Framed(np.eye(2), np.zeros((1, 2)), CellWindow((0, 1), (0, 1), 1), 1.0, 1e-5)
    found = dppca.sparse(framed, counts, np.random.default_rng(0))
    assert found.tolist() == [[0, 0], [0, 1]]


def test_a_part_of_the_budget_has_that_part_of_rho() -> None:
    whole = ours.budget(1.0)
    assert whole == sf.Budget(1.0, ours.DELTA)
    for part in (2, 4):
        assert float(ours.budget(1.0, part).rho * part / whole.rho) == pytest.approx(1, rel=1e-6)


def test_the_exact_picture_is_at_no_distance_from_itself() -> None:
    exact = truth(MIXTURE)
    window = CellWindow(exact.window.x, exact.window.y, 64)
    drawn = Picture(window.density(exact.cloud), window, exact.directions, exact.mean)
    close = exact.closeness(drawn)
    assert close.tv < 1e-12
    assert close.w1 < 0.01
    assert close.captured == pytest.approx(1)
    aside = Picture(drawn.density, window, exact.directions, exact.mean + exact.directions[0])
    assert exact.closeness(aside).w1 > 0.3


def test_an_origin_that_is_off_is_told_where_it_is_kept() -> None:
    exact = truth(MIXTURE)
    turned = np.linalg.qr(exact.directions.T + 0.1 * rows(20, 2))[0].T
    origin = exact.mean + 0.3
    scores = (exact.table.scaled - origin) @ turned.T
    window = CellWindow((scores.min(), scores.max()), (scores.min(), scores.max()), 64)
    close = exact.closeness(Picture(window.density(Cloud(scores)), window, turned, origin))
    assert close.captured > 0.9
    assert close.w1 < 0.03 < close.w1_placed


def test_bounds_are_declared_for_every_column_of_every_table() -> None:
    assert [len(sets.RANGES[name]) for name in sets.NAMES] == [20, 16, 16, 5, 30, 64]
    for ranges in sets.RANGES.values():
        assert all(lower < upper for lower, upper in ranges.values())
    scaled = sets.mixture(500).scaled
    assert -1 <= scaled.min() < scaled.max() <= 1


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SFUMATO_DATA", raising=False)
    monkeypatch.setattr(sets, "find_spec", dict[str, None]().get)
    absent = sets.missing()
    assert list(absent) == list(sets.NAMES)
    assert "dry_bean.parquet" in absent["Dry Bean"]
    assert "pip install scikit-learn" in absent["digits"]


def test_without_data_the_script_says_so_and_stops(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SFUMATO_DATA", raising=False)
    monkeypatch.delenv("SKIP_DATA", raising=False)
    assert script.main(["--only", "gau_g"]) == 2
    assert "dppca_gau_g.parquet" in capsys.readouterr().out


@pytest.fixture(scope="module")
def results() -> Results:
    work = [Task(MIXTURE, epsilon, run) for epsilon in (1.0, 3.0) for run in range(2)]
    return Results(protocol.gather(work, processes=1))


def test_ours_is_closer_than_the_peer_with_its_best_settings(results: Results) -> None:
    for cell in results.cells:
        best = results.best(cell, PRIVATE, (REFERENCE.name,))
        assert results.ratio(cell, Setting(ours.STATED), best, TV).value < 1
        assert results.ratio(cell, Setting(ours.STATED), best, W1).value < 1


def test_the_best_setting_is_that_of_the_lowest_mean(results: Results) -> None:
    cell = results.cells[0]
    best = results.best(cell, RAW, [edition.name for edition in EDITIONS])
    every = [each for each in results.found[Task(*cell, 0)] if each.who == RAW]
    assert len(every) == len(EDITIONS) * len(protocol.BINS) * len(dppca.METHODS)
    lowest = min(results.mean(cell, each, TV).value for each in every)
    assert results.mean(cell, best, TV).value == lowest


def made(tv: float, w1: float) -> Results:
    """Results in which ours is so far away, and the peer at 1."""
    settings = [Setting(PRIVATE, edition.name, "add", 8) for edition in EDITIONS]
    found = {setting: Closeness(1.0, 1.0, 1.0, 1.0, 1.0) for setting in settings}
    found |= {Setting(who): Closeness(tv, w1, 1.0, tv, w1) for who in ours.BUDGETS}
    return Results({Task("digits", 1.0, run): found for run in range(2)})


def deciding(results: Results) -> list[bool]:
    return [each.met for each in demands.compared(results) if each.decides]


def test_demands_notice_what_they_are_about() -> None:
    assert deciding(made(0.9, 0.4)) == [True, True]
    assert deciding(made(1.1, 0.4)) == [False, True]
    assert deciding(made(0.9, 0.6)) == [True, False]
    assert "NOT MET" in str(Demand("x", 2.0, 1.0))
    assert "NOT MET" not in str(Demand("x", 2.0, 1.0, decides=False))


def test_directions_capture_what_is_demanded_of_them() -> None:
    assert demands.print_demands(demands.captured(2, sizes=(10_000,)))


def test_the_script_prints_tables_and_a_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], results: Results
) -> None:
    monkeypatch.setenv("SKIP_DATA", "1")
    monkeypatch.setattr(script, "missing", lambda: dict.fromkeys(sets.NAMES, "not here"))
    monkeypatch.setattr(script, "MIXTURE", MIXTURE)
    monkeypatch.setattr(script, "gather", lambda *_: results.found)
    monkeypatch.setattr(demands, "captured", nothing)
    status = script.main(["--runs", "2"])
    printed = capsys.readouterr().out
    assert "NOT PRIVATE" in printed
    assert ("NOT ALL MET" in printed) == (status == 1)


def test_variances_along_components_are_those_of_the_table() -> None:
    found = pca_scree.studied(sets.mixture(3_000), 3.0, runs=6)
    assert found.share < 0.05 and found.total < 0.1
    assert found.held >= 0.75
