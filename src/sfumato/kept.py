"""`KeptReleases`: what a session has released already, so that nothing is paid twice."""

from __future__ import annotations

from collections.abc import Hashable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from sfumato.charts.chart import Chart
from sfumato.charts.refinement import can_continue
from sfumato.domain import Domain
from sfumato.mechanisms.gradual import UnfinishedNoise
from sfumato.mechanisms.meter import simulation
from sfumato.privacy.budget import Cost
from sfumato.releases.release import Release

MOST = 32
"""How many releases a session remembers, the newest ones."""


@dataclass(frozen=True, eq=False)
class Question:
    """All that a release follows from, but for chance: what is asked, of what, at which cost.

    Parameters
    ----------
    chart, words
        What is asked, and how its question prints: 1 equals True, and is another category.
    domain
        What is public of the table, with what its schema tells.
    snapshot
        What tells the table from what it becomes; None where nothing does.
    cost
        The most that is spent on it.
    """

    chart: Chart[Any, Any]
    words: str
    domain: Domain
    snapshot: Hashable | None
    cost: Cost

    @classmethod
    def of(
        cls, chart: Chart[Any, Any], domain: Domain, snapshot: Hashable | None, cost: Cost
    ) -> Question:
        """Write down a question; a list in it that is changed later changes nothing here."""
        return cls(deepcopy(chart), repr(chart.question), domain, snapshot, cost)

    def answers(self, other: Question) -> bool:
        """Tell whether an answer to this question is one to the other, and no less accurate."""
        known = self.snapshot is not None and self.snapshot == other.snapshot
        same = known and self.words == other.words and self.domain == other.domain
        alike = same and _are_equal(self.chart.question, other.chart.question)
        return alike and other.cost.within(self.cost)


def _are_equal(one: Chart[Any, Any], other: Chart[Any, Any]) -> bool:
    try:
        return bool(one == other)
    except ValueError:  # arrays do not say whether they are equal
        return False


@dataclass(frozen=True, eq=False)
class Kept:
    """A release, the question it answers, and its noise where that can be continued."""

    question: Question
    release: Release
    unfinished: UnfinishedNoise | None


class KeptReleases:
    """The newest private releases of a session, with the questions they answer.

    Privacy
    -------
    Holds what was released, and no table; of histograms with Laplace noise the true counts, sealed,
    so that their noise can be continued once. Simulated releases are neither kept nor found, and
    within a simulation nothing is found, so that no simulation shows real noise, nor the reverse.
    """

    def __init__(self) -> None:
        self._kept: tuple[Kept, ...] = ()

    def find(self, asked: Question) -> Release | None:
        """Return the newest release that answers a question, if there is one."""
        if simulation() is not None:
            return None
        found = (kept.release for kept in self._kept if kept.question.answers(asked))
        return asked.chart.arrange(next(found, None))

    def find_entry(self, release: Release) -> Kept | None:
        """Return what is known of a release, if it is one of these."""
        return next((kept for kept in self._kept if kept.release is release), None)

    def keep(self, asked: Question, release: Release, left: tuple[object, ...] = ()) -> None:
        """Remember a release, and forget the oldest where there are too many.

        Parameters
        ----------
        left
            What its mechanisms left to be continued.
        """
        noises = [each for each in left if isinstance(each, UnfinishedNoise)]
        fitting = [noise for noise in noises if can_continue(release, noise)]
        if release.private:
            kept = Kept(asked, release, fitting[0] if len(fitting) == 1 else None)
            self._kept = (kept, *self._kept)[:MOST]

    def refine(self, release: Release, refined: Release) -> None:
        """Answer the question of a release with a better one from now on."""
        known, better = self.find_entry(release), self.find_entry(refined)
        if known is not None and better is not None:
            asked = replace(known.question, cost=refined.cost)
            self._kept = (replace(better, question=asked), *self._kept)[:MOST]
