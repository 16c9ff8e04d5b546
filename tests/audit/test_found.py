"""No defect that was reported from outside is there again."""

from __future__ import annotations

import pytest

from found import FINDS, attack
from found.find import Find, ReproducedError


@pytest.mark.parametrize("find", FINDS, ids=lambda find: find.name)
def test_no_find_reproduces(find: Find):
    assert find.attempt("fast")


def test_a_find_that_reproduces_fails_the_attack(monkeypatch: pytest.MonkeyPatch):
    def attempt(size: str) -> str:
        raise ReproducedError(f"in the {size} form")

    broken = Find("nothing", "minor", "nothing", attempt)
    monkeypatch.setattr("found.FINDS", (broken,))
    outcome = attack("fast")
    assert not outcome.passed
    assert outcome.tables[0].rows[0][-1] == "REPRODUCED: in the fast form"
