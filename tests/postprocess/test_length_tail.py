"""How far rows are clipped, and what that takes off them, follow from what others show."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from sfumato.postprocess.length_tail import Clipped, LengthTail, choose_length, fit_tail, tells_tail
from sfumato.postprocess.principal import NoisySums

Rows = np.ndarray


def clip(rows: Rows, length: float) -> Rows:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows * np.minimum(1.0, length / np.maximum(lengths, 1e-9))


def add_up(rows: Rows, noise: float = 0.0) -> NoisySums:
    return NoisySums(float(len(rows)), rows.sum(axis=0), rows.T @ rows, noise, noise, noise)


def draw(kind: str, rows: int = 200_000) -> Rows:
    generator = np.random.default_rng(4)
    return getattr(generator, f"standard_{kind}")((rows, 4))


def test_a_tail_is_that_of_a_lognormal_law() -> None:
    lengths = np.random.default_rng(1).lognormal(0.3, 0.4, 400_000)
    known = float(np.exp(0.3 + 0.4 * NormalDist().inv_cdf(0.98)))
    tail = LengthTail(known, beyond=0.02, spread=0.4)
    for end in (known, 1.5 * known):
        squares = np.minimum(lengths, end) ** 2
        assert tail.square(end) == pytest.approx(squares.mean(), rel=0.01)
        assert tail.excess(end) == pytest.approx((lengths**2 - squares).mean(), rel=0.25)
    assert tail.excess(40 * known) < 1e-9


@pytest.mark.parametrize("kind", ["normal", "exponential"])
def test_rows_are_clipped_at_a_length_that_hardly_any_exceeds(kind: str) -> None:
    rows = draw(kind)
    length = float(np.quantile(np.linalg.norm(rows, axis=1), 0.98))
    found = choose_length(
        add_up(clip(rows, length)), length=length, beyond=50.0, farthest=100.0, noise=10.0
    )
    gone = 1 - np.sum(clip(rows, found) ** 2) / np.sum(rows**2)
    assert length < found < 4 * length
    assert gone < 0.001


def test_more_noise_clips_more_and_a_few_rows_are_not_clipped() -> None:
    rows = draw("normal", 5000)
    sums = add_up(clip(rows, 3.5))
    near, far = (
        choose_length(sums, length=3.5, beyond=50.0, farthest=100.0, noise=noise)
        for noise in (100.0, 1.0)
    )
    assert 3.5 <= near < far < 100
    assert choose_length(sums, length=3.5, beyond=4500.0, farthest=100.0, noise=1.0) == 100


@pytest.mark.parametrize("count", [-1000.0, 0.0, 90.0, 240.0])
def test_rows_that_may_be_none_or_all_longer_are_not_clipped(count: float) -> None:
    sums = NoisySums(count, np.zeros(2), np.eye(2) * count, 1.0, 100.0, 1.0)
    assert choose_length(sums, length=1.0, beyond=50.0, farthest=9.0, noise=20.0) == 9


@pytest.mark.parametrize("trace", [-1e6, 0.0, 1e-9, 1e9])
def test_any_sums_have_a_length_and_an_excess(trace: float) -> None:
    sums = NoisySums(1000.0, np.zeros(2), np.eye(2) * trace, 1.0, 10.0, 1.0)
    found = choose_length(sums, length=1.0, beyond=50.0, farthest=9.0, noise=20.0)
    near, far = Clipped(sums, 1.0), Clipped(sums, found)
    tail = fit_tail(near, far, np.zeros(2), size=1000.0, beyond=50.0)
    assert 1 <= found <= 9
    assert 0 <= tail.excess(found) <= tail.excess(1.0) < np.inf


@pytest.mark.parametrize("kind", ["normal", "exponential"])
def test_what_clipping_takes_off_is_not_told_too_small(kind: str) -> None:
    rows = draw(kind)
    length = float(np.quantile(np.linalg.norm(rows, axis=1), 0.98))
    shift = np.full(4, 0.1)
    for longer in (1.3 * length, 2 * length):
        tail = fit_tail(
            Clipped(add_up(clip(rows, length), 20.0), length),
            Clipped(add_up(clip(rows - shift, longer), 20.0), longer),
            shift,
            size=len(rows),
            beyond=50.0,
        )
        for end, most in ((longer, 10.0), (length, 3.0)):
            gone = np.sum(rows**2 - clip(rows, end) ** 2) / len(rows)
            assert gone <= tail.excess(end) < most * gone + 0.03


@pytest.mark.parametrize(("size", "told"), [(1000.0, True), (90.0, False), (-5.0, False)])
def test_few_rows_do_not_tell_how_long_most_of_them_are(size: float, told: bool) -> None:
    assert tells_tail(size, 50.0) == told
