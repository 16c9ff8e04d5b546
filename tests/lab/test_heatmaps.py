"""A small version of `lab/heatmap.py`: methods compare as they should, and runs are resumed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

import heatmap as script
import sfumato
from heatmaps import centers, experiments, measuring, places, store, study
from heatmaps.crowd import Crowd, crowd
from heatmaps.demands import Demand, demanded
from heatmaps.experiments import Experiment
from heatmaps.measuring import BAYES, METHODS, METRICS, OURS, SHARED, SIGMAS, THEIRS, Closeness
from heatmaps.mixture import named
from heatmaps.results import LARGE, Results
from heatmaps.store import Store
from heatmaps.study import Task, gather, simulate
from heatmaps.vertex import vertex
from sfumato.domain import Bounds
from sfumato.engines.dispatch import DuckEngine
from sfumato.grid import Grid
from sfumato.plane import Plane
from sfumato.postprocess import transport
from sfumato.postprocess.quadtree import Masses, MeasuredRound, Quadtree, build_quadtree
from sfumato.privacy.guarantee import PrivacyUnit

SIDE = (64, 64)


def small(runs: int = 3) -> Experiment:
    tasks = [Task(named(5, 2), 200, SIDE, 5.0, run) for run in range(runs)]
    return Experiment("small", "A small experiment", "ε", {"5": tasks})


def small_twice(runs: int) -> Experiment:
    return small(2 * runs)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    kept = Store(tmp_path_factory.mktemp("lab") / "small.sqlite")
    gather(small().tasks, kept, processes=1)
    return Results(kept, small(), SIGMAS[0])


@pytest.fixture
def people() -> Crowd:
    return study.Task(named(5, 2), 30, SIDE, 1.0, 0).crowd()


def test_ours_is_closer_than_the_published_method_and_the_baseline(results: Results) -> None:
    for metric in METRICS:
        sign = -1 if metric in LARGE else 1
        mean = {method: sign * results.mean("5", method, metric).value for method in METHODS}
        assert mean[OURS] < mean[THEIRS]
        assert mean[OURS] < mean["baseline"]
    assert results.ratio("5", OURS, "emd").high < 1
    assert results.ratio("5", THEIRS, "emd", "baseline").high < 1


def test_ratios_are_of_means_over_the_same_people(results: Results) -> None:
    ours, theirs = (results.mean("5", method, "emd").value for method in (OURS, THEIRS))
    assert results.ratio("5", OURS, "emd").value == pytest.approx(ours / theirs)
    assert results.overall(OURS, "emd") == pytest.approx(ours / theirs)
    assert results.ratio("5", SHARED, "emd", SHARED).value == 1


def test_a_second_call_continues_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done: list[Task] = []

    def noted(task: Task) -> study.Found:
        done.append(task)
        close = Closeness(0.5, 0.5, task.run, task.epsilon)
        return {(method, sigma): close for method in METHODS for sigma in SIGMAS}

    monkeypatch.setattr(study, "simulate", noted)
    first, both = small(1).tasks, small(2).tasks
    gather(first, Store(tmp_path / "runs.sqlite", "code"), processes=1)
    gather([*both, *both], Store(tmp_path / "runs.sqlite", "code"), processes=1)
    assert done == both
    assert "2 runs, 1 of them done before" in capsys.readouterr().out
    found = Store(tmp_path / "runs.sqlite", "code").get(both, OURS, SIGMAS[0])
    assert found[:, METRICS.index("divergence")].tolist() == [0, 1]


def test_results_of_other_code_or_with_a_method_missing_count_as_not_done(tmp_path: Path) -> None:
    task, close = small(1).tasks[0], Closeness(1, 1, 0, 0)
    store = Store(tmp_path / "runs.sqlite", "old")
    store.put(task, {(method, 5.0): close for method in METHODS[:-1]})
    assert not store.has(task)
    store.put(task, {(METHODS[-1], 5.0): close})
    assert store.has(task)
    assert not Store(tmp_path / "runs.sqlite", "new").has(task)


def test_what_results_are_known_by_follows_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    package = Path(sfumato.__file__).parent
    assert all(list(package.glob(pattern)) for pattern in store.MATTERING)
    before = store.fingerprint()
    assert before == store.fingerprint()
    monkeypatch.setattr(store, "MATTERING", (*store.MATTERING, "plane.py"))
    assert before != store.fingerprint()


def test_a_run_can_be_repeated_alone() -> None:
    task = Task(named(5, 2), 50, SIDE, 1.0, 3)
    alone, together = simulate(task, [OURS]), simulate(task, [THEIRS, OURS])
    assert alone.items() < together.items()
    assert alone != simulate(task._replace(run=4), [OURS])


def test_methods_see_the_same_people_and_decoders_the_same_noise() -> None:
    task = Task(named(5, 2), 50, SIDE, 1.0, 0)
    assert np.array_equal(task.crowd().x, task._replace(epsilon=9.0).crowd().x)
    assert task.noise(THEIRS) == task.noise(SHARED) == task.noise(BAYES) != task.noise(OURS)


def test_a_crowd_counts_as_an_engine_does(people: Crowd) -> None:
    table = pa.table({"user": people.user, "x": people.x, "y": people.y})
    plane = Plane(Grid("x", Bounds(0, 1), 64), Grid("y", Bounds(0, 1), 64))
    expected = DuckEngine(table).masses(plane, PrivacyUnit.users("user"))
    found = people.masses(plane)
    assert np.array_equal(found.reveal_places(), expected.reveal_places())
    assert np.array_equal(found.reveal(), expected.reveal())
    assert repr(found) == repr(expected)


def test_a_crowd_weighs_one_per_person_however_often_each_was_there() -> None:
    some = crowd(
        np.array([7, 7, 9, 9]),
        np.array([0.1, 0.6, 0.1, 1.5]),
        np.array([0.1, 0.9, 0.1, 0.5]),
        np.array([3, 1, 5, 5]),
    )
    assert some.users == 2
    assert some.picture((2, 2)) == pytest.approx(np.array([[1.75, 0], [0, 0.25]]))
    one = some.sample(np.random.default_rng(0), 1)
    assert one.users == 1
    assert one.picture((2, 2)).sum() == pytest.approx(1)


@pytest.mark.parametrize(("gaussians", "percent"), [(5, 2), (20, 30)])
def test_a_mixture_fills_as_many_cells_as_asked(gaussians: int, percent: int) -> None:
    drawn = places.drawn(named(gaussians, percent), 200, np.random.default_rng(0))
    filled = (drawn.picture((256, 256)) > 0).mean()
    assert filled == pytest.approx(percent / 100, abs=1e-4)
    assert drawn.users == 200


def test_pooling_keeps_mass_and_filters_keep_their_width() -> None:
    heat = np.random.default_rng(0).random((240, 320))
    assert measuring.pooled(heat).shape == (120, 160)
    assert measuring.pooled(heat).sum() == pytest.approx(heat.sum())
    assert measuring.filtered(heat, 5.0).sum() == pytest.approx(heat.sum())


def test_an_empty_picture_is_compared_as_a_uniform_one(people: Crowd) -> None:
    leaves = measuring.measured(people, OURS, 1.0, SIDE)
    empty = type(leaves)(leaves.shape, leaves.column, leaves.row, leaves.span, 0 * leaves.mass)
    assert np.ptp(measuring.picture(empty, SIDE)) == 0


def test_the_solver_finds_another_optimum_of_the_same_program() -> None:
    generator = np.random.default_rng(1)
    levels = [(np.arange(4**level), generator.normal(3, 2, 4**level)) for level in (1, 2, 3)]
    tree = build_quadtree(
        [MeasuredRound(np.full(len(c), n), c, v, 1.0) for n, (c, v) in enumerate(levels, 1)],
    )
    kept = generator.random(tree.size) < 0.5
    one, other = transport.minimise_transport(tree, kept, 5), vertex(tree, kept, 5)
    assert program(tree, kept, one) == pytest.approx(program(tree, kept, other), rel=1e-9)
    more = 1.01 * other
    assert program(tree, kept, more) > program(tree, kept, one) + 1e-6


def program(tree: Quadtree, kept: NDArray[np.bool_], mass: Masses) -> float:
    """Return what the published program charges for masses, with 5 levels in all."""
    value = tree.value.sum(axis=0)
    measured, leaf = (tree.rate > 0).any(axis=0), tree.first < 0
    off = np.abs(np.where(kept & measured, value, 0) - mass) * (measured | leaf)
    return float((2.0**-tree.level * (off + leaf * mass) - leaf * mass * 2.0**-5).sum())


def test_demands_notice_what_is_too_large_against_either_optimum(tmp_path: Path) -> None:
    tasks = [Task("x", 1, SIDE, 1.0, run) for run in range(2)]
    figure = Experiment("thousand", "", "ε", {"1": tasks, "5": tasks})
    store = Store(tmp_path / "runs.sqlite", "code")
    for task in tasks:
        close = {(method, 5.0): Closeness(1, 1, 1, 1 + task.run) for method in METHODS}
        close[OURS, 5.0] = Closeness(1, 1, 1, 0.5 + 0.5 * task.run)
        store.put(task, close)
    found = list(demanded(Results(store, figure, 5.0)))
    assert [each.met for each in found] == [True, False] * 2
    assert str(found[1]).startswith("NOT MET")
    for task in tasks:
        store.put(task, {(THEIRS, 5.0): Closeness(1, 1, 1, 9)})
    found = list(demanded(Results(store, figure, 5.0)))
    assert [each.met for each in found] == [True, True, True, False]
    assert Demand("", 0.3, 0.3).met


def test_without_its_data_the_script_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SFUMATO_DATA", str(tmp_path))
    monkeypatch.delenv("SKIP_DATA", raising=False)
    assert script.main([]) != 0
    said = capsys.readouterr().out
    assert all(name in said for name in places.FILES)
    assert "SKIP_DATA=1" in said


def test_synthetic_experiments_run_without_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SFUMATO_DATA", str(tmp_path))
    monkeypatch.setenv("SKIP_DATA", "1")
    monkeypatch.setenv("RUNS", "1")
    monkeypatch.setattr(script, "OUT", tmp_path / "out")
    monkeypatch.setattr(experiments, "SYNTHETIC", {"small": small_twice})
    assert script.main(["small", "--processes", "1"]) == 0
    said = capsys.readouterr().out
    assert "adaptive / published" in said
    assert (tmp_path / "out" / "heatmap.sqlite").exists()
    assert (tmp_path / "out" / "heatmap-small-5.png").exists()


def test_the_centers_of_a_release_cost_little_more_than_those_of_the_data() -> None:
    task = Task(named(5, 10), centers.USERS, (256, 256), centers.EPSILON, 0)
    assert 0.9 < centers.ratio(task) < centers.MOST
