"""A bar tells that work goes on: to people who look, after a while, and nothing but time."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from sfumato import progress
from sfumato.progress import show_progress


class Terminal(io.StringIO):
    """What a terminal would show."""

    def isatty(self) -> bool:
        return True


class Shown:
    """Stands in for a bar, and says when it is there."""

    def __init__(self) -> None:
        self.tasks = [SimpleNamespace(total=None, completed=0.0)]
        self.titles: list[str] = []
        self.stopped = threading.Event()

    def started(self, title: str) -> Shown:
        self.titles.append(title)
        return self

    def stop(self) -> None:
        self.stopped.set()

    @property
    def total(self) -> float | None:
        return self.tasks[0].total


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    bar = Shown()
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(progress, "_start_bar", bar.started)
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=Terminal()))
    return bar


def until(true: Callable[[], Any]) -> None:
    for _ in range(20_000):
        if true():
            return
        threading.Event().wait(0.001)
    pytest.fail("it never came")


def test_a_bar_moves_until_a_fraction_is_known_and_again_when_all_is_read(shown: Shown) -> None:
    with show_progress("histogram of age") as report:
        until(lambda: shown.titles)
        totals = [shown.total]
        for fraction in (0.0, 0.25, 0.95, 1.0, 0.05):
            report(fraction)
            totals.append(shown.total)
    assert shown.titles == ["histogram of age"]
    assert totals == [None, None, 1.0, 1.0, None, 1.0]
    assert shown.tasks[0].completed == 0.05


def test_a_bar_is_shown_also_where_nothing_is_ever_reported(shown: Shown) -> None:
    with show_progress("histogram of age"):
        until(lambda: shown.titles)
    assert shown.stopped.is_set()


def test_a_bar_knows_what_was_reported_before_it_was_shown(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.05)
    with show_progress("histogram of age") as report:
        report(0.5)
        until(lambda: shown.titles and shown.total)
        assert shown.tasks[0].completed == 0.5


def test_a_bar_is_taken_away_after_an_interrupt(shown: Shown) -> None:
    with pytest.raises(KeyboardInterrupt), show_progress("histogram of age"):
        until(lambda: shown.titles)
        raise KeyboardInterrupt
    assert shown.stopped.is_set()


def test_quick_work_shows_no_bar_and_leaves_no_thread(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 3600.0)
    before = threading.active_count()
    with show_progress("histogram of age") as report:
        report(0.5)
    until(lambda: threading.active_count() == before)
    assert shown.titles == []


@pytest.mark.parametrize("stderr", [io.StringIO(), None])
def test_no_bar_is_drawn_into_a_file(
    shown: Shown, monkeypatch: pytest.MonkeyPatch, stderr: io.StringIO | None
) -> None:
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stderr))
    before = threading.active_count()
    with show_progress("histogram of age") as report:
        report(0.5)
        assert threading.active_count() == before
    assert shown.titles == []


@pytest.mark.parametrize("fraction", [None, 0.35])
def test_a_bar_says_what_is_drawn_and_how_long_it_takes_and_no_more(
    monkeypatch: pytest.MonkeyPatch, fraction: float | None
) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    bar = progress._start_bar("histogram of [age]")
    if fraction is not None:
        bar.tasks[0].total, bar.tasks[0].completed = 1.0, fraction
    bar.stop()
    plain = Console(file=io.StringIO(), width=80)
    with plain.capture() as printed:
        plain.print(bar.get_renderable())
    (line,) = printed.get().splitlines()
    title, *_, clock = line.split("━")
    assert title.strip() == "histogram of [age]"
    assert set(clock.strip()) <= set("-0123456789:")
    assert set(line.removeprefix(title).removesuffix(clock)) <= set("━╸╺ ")
