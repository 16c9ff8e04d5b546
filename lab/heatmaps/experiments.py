"""What the paper varies, and the runs of each of its figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from heatmaps.mixture import named
from heatmaps.places import busiest, photographs
from heatmaps.study import Task

USUAL, GAZE = (256, 256), (320, 240)
EPSILONS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)
GAZE_EPSILONS = (1.0, 2.0, 5.0, 8.0, 10.0, 20.0)
USERS = (50, 100, 200, 300, 400, 500)
SIDES = (64, 128, 256, 512)
SPARSITIES = (1, 5, 15, 30, 50, 75)
MIXTURES = ((5, 2), (10, 5), (20, 15), (20, 30), (80, 75))
SINGLE = 5
"""One place is run so many times as often as each of many: ten times, where those are run twice."""


@dataclass(frozen=True)
class Experiment:
    """One figure: what is varied, and the runs at each of its values.

    Parameters
    ----------
    name
        What it is asked for by, and what its picture is called.
    title
        What it shows.
    axis
        What is varied.
    points
        The runs at each value, by the value as it is printed.
    """

    name: str
    title: str
    axis: str
    points: dict[str, list[Task]]

    @property
    def tasks(self) -> list[Task]:
        """All runs."""
        return [task for tasks in self.points.values() for task in tasks]


def figure_1(runs: int) -> Experiment:
    """Vary ε over the busiest cells."""
    places, enough = busiest(200)
    title = f"Figure 1: {len(places)} busiest of {enough} cells with 200 people, n = 200, Δ = 256"
    tasks = [Task(place, 200, USUAL, 1.0, run) for run in range(runs) for place in places]
    return _by_epsilon("figure-1", title, tasks, EPSILONS)


def thousand(runs: int) -> Experiment:
    """Vary ε where a thousand people are."""
    places, enough = busiest(1000)
    title = f"As Figure 1: {len(places)} of {enough} cells with 1000 people, n = 1000"
    tasks = [Task(place, 1000, USUAL, 1.0, run) for run in range(runs) for place in places]
    return _by_epsilon("thousand", title, tasks, EPSILONS)


def figure_8(runs: int) -> Experiment:
    """Vary ε over photographs."""
    places = photographs(50)
    title = f"Figure 8: {len(places)} photographs with 50 people, n = 50, 320 × 240"
    tasks = [Task(place, 50, GAZE, 1.0, run) for run in range(runs) for place in places]
    return _by_epsilon("figure-8", title, tasks, GAZE_EPSILONS)


def users(name: str, title: str, epsilon: float) -> Callable[[int], Experiment]:
    """Vary the number of people in one cell that has more than enough."""

    def experiment(runs: int) -> Experiment:
        place = busiest(501)[0][0]
        points = {
            str(count): [Task(place, count, USUAL, epsilon, r) for r in range(SINGLE * runs)]
            for count in USERS
        }
        return Experiment(name, f"{title}: {place}, ε = {epsilon:g}, Δ = 256", "users", points)

    return experiment


def resolution(name: str, title: str, epsilon: float) -> Callable[[int], Experiment]:
    """Vary the resolution in one cell."""

    def experiment(runs: int) -> Experiment:
        place = busiest(501)[0][0]
        points = {
            str(side): [Task(place, 200, (side, side), epsilon, r) for r in range(SINGLE * runs)]
            for side in SIDES
        }
        return Experiment(name, f"{title}: {place}, ε = {epsilon:g}, n = 200", "Δ", points)

    return experiment


def figure_10(runs: int) -> Experiment:
    """Vary how many cells a mixture of 20 Gaussians fills."""
    return _mixtures("figure-10", "Figure 10", [(20, percent) for percent in SPARSITIES], runs)


def figure_11(runs: int) -> Experiment:
    """Vary the number of Gaussians too."""
    return _mixtures("figure-11", "Figure 11", MIXTURES, runs)


REAL: dict[str, Callable[[int], Experiment]] = {
    "figure-1": figure_1,
    "thousand": thousand,
    "figure-8": figure_8,
    "figure-4": users("figure-4", "Figures 2 and 4", 10.0),
    "figure-5": resolution("figure-5", "Figures 2 and 5", 10.0),
    "figure-6": users("figure-6", "Figure 6", 1.0),
    "figure-7": resolution("figure-7", "Figure 7", 1.0),
}
SYNTHETIC: dict[str, Callable[[int], Experiment]] = {
    "figure-10": figure_10,
    "figure-11": figure_11,
}


def _by_epsilon(
    name: str, title: str, tasks: Sequence[Task], epsilons: Sequence[float]
) -> Experiment:
    points = {
        f"{epsilon:g}": [task._replace(epsilon=epsilon) for task in tasks] for epsilon in epsilons
    }
    return Experiment(name, title, "ε", points)


def _mixtures(name: str, title: str, kinds: Sequence[tuple[int, int]], runs: int) -> Experiment:
    points = {
        f"{percent} %, {gaussians}": [
            Task(named(gaussians, percent), 200, USUAL, 1.0, run) for run in range(SINGLE * runs)
        ]
        for gaussians, percent in kinds
    }
    title = f"{title}: cells filled by mixtures of Gaussians, n = 200, ε = 1, Δ = 256"
    return Experiment(name, title, "filled, Gaussians", points)
