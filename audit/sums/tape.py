"""What mechanisms said, on tape: recorded from one table, and played back over another.

A chart is all that lies between the engine and the release. If what it publishes is the same
whenever mechanisms say the same, whichever table lies behind them, then nothing of the table
reaches a release, a figure or a file but through the noise.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from sfumato.exact import Exact
from sfumato.mechanisms import (
    approx,
    gaussian,
    joint,
    laplace,
    moments,
    noise,
    sparse,
    stability,
    threshold,
)
from sfumato.mechanisms.meter import Meter
from sfumato.privacy.budget import Cost

Integers = NDArray[np.int64]
Mechanism = Callable[..., Any]

MECHANISMS: tuple[Mechanism, ...] = (
    laplace.laplace,
    gaussian.gaussian,
    joint.joint,
    approx.approx,
    approx.single,
    threshold.threshold,
    threshold.extremes,
    moments.add_moment_noise,
    sparse.threshold_counts,
    stability.threshold_categories,
    noise.add_noise,
)
"""Whatever turns an `Exact`, or its integers, into something that may be published."""


@dataclass(frozen=True)
class Said:
    """One answer of a mechanism, and the true integers that it was given."""

    mechanism: str
    true: Integers
    answer: Any

    @property
    def integers(self) -> tuple[object, ...]:
        """The numbers of the answer, as they left the mechanism."""
        if isinstance(self.answer, np.ndarray):
            return tuple(self.answer.ravel().tolist())
        return ()  # categories: texts alone

    @property
    def lattice(self) -> bool:
        """Whether integers went in and integers came out."""
        whole = all(type(number) is int for number in self.integers)
        return self.true.dtype == np.int64 and whole


@dataclass(frozen=True)
class Tape:
    """What mechanisms said while one release was made, in order."""

    said: list[Said] = field(default_factory=list[Said])

    @contextmanager
    def recording(self) -> Generator[None]:
        """Let mechanisms work, and keep what they say."""

        def record(name: str, original: Mechanism, *given: Any, **options: Any) -> Any:
            answer = original(*given, **options)
            _, exact, *_ = given  # after a meter, or a receipt
            true = exact.reveal() if isinstance(exact, Exact) else exact
            self.said.append(Said(name, np.asarray(true), answer))
            return answer

        with _instead(record):
            yield

    @contextmanager
    def playing(self) -> Generator[None]:
        """Let mechanisms repeat what they said, whatever they are given now."""
        answers: Iterator[Said] = iter(self.said)

        def play(name: str, original: Mechanism, *given: Any, **options: Any) -> Any:
            del original, options
            if isinstance(given[0], Meter):
                given[0].pay(Cost.nothing())
            said = next(answers, None)
            if said is None or said.mechanism != name:
                raise AssertionError("What is asked next depends on more than what was said.")
            return said.answer

        with _instead(play):
            yield
        if next(answers, None) is not None:
            raise AssertionError("What is asked depends on more than what was said.")


@contextmanager
def _instead(act: Callable[..., Any]) -> Generator[None]:
    """Put `act` in the place of every mechanism that charts and surveys call by name."""
    with ExitStack() as stack:
        for module in [each for name, each in sys.modules.items() if _calls_mechanisms(name)]:
            for name, value in list(vars(module).items()):
                if any(value is mechanism for mechanism in MECHANISMS):
                    stack.enter_context(patch.object(module, name, _acting(act, name, value)))
        yield


def _calls_mechanisms(module: str) -> bool:
    return module.startswith("sfumato.charts.") or module == "sfumato.mechanisms.survey"


def _acting(act: Callable[..., Any], name: str, original: Mechanism) -> Mechanism:
    return lambda *given, **options: act(name, original, *given, **options)
