"""Sums that were cut at the end of 64 bits are withheld, and not taken for components."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.sums import CAP
from sfumato.errors import DomainError
from sfumato.exact import Exact
from sfumato.lattice import Moments
from sfumato.privacy.guarantee import PrivacyUnit

BUDGET = sf.Budget(1.0, 1e-6)


def release(monkeypatch: pytest.MonkeyPatch, times: int) -> sf.Release:
    """Release components of a crowd in which everybody is there so many times."""
    sums = DuckEngine.gram

    def crowded(self: DuckEngine, moments: Moments, unit: PrivacyUnit) -> Exact:
        exact = sums(self, moments, unit)
        whole = np.clip(exact.reveal().astype(object) * times, -CAP, CAP).astype(np.int64)
        return Exact(exact.l1, exact.l2_squared, exact.step, _values=whole)

    monkeypatch.setattr(DuckEngine, "gram", crowded)
    generator = np.random.default_rng(0)
    table = pa.table({name: generator.normal(size=2000) for name in "ab"} | {"u": range(2000)})
    domain = {"a": (-4, 4), "b": (-4, 4)}
    session = sf.Session(table, unit="u", domain=domain, budget=sf.Budget(2.0, 1e-5))
    return session.pca(columns=["a", "b"], budget=BUDGET)


def test_sums_that_have_room_are_released(monkeypatch: pytest.MonkeyPatch) -> None:
    assert release(monkeypatch, 100).private


def test_sums_that_were_cut_are_withheld_and_it_is_said_that_they_were_paid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(DomainError, match="more people than components can be summed for") as told:
        release(monkeypatch, 10**9)
    assert any("stays charged" in note for note in told.value.__notes__)
