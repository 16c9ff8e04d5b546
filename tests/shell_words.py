"""A listener for tests of the command line: whatever it refuses is said in a shell's words."""

from __future__ import annotations

import re

import pytest

PYTHON = re.compile(r"\bsf\.|\b(Domain|Session|Budget|PrivacyUnit|Bounds|Ledger)[.(]|=\(|private\(")
"""What is typed in Python alone."""


@pytest.fixture
def no_python_in_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail on an error that the command line would print as Python spells it."""
    from sfumato.cli import run

    say = run.say

    def listen(sentence: str) -> None:
        assert not PYTHON.search(sentence), sentence
        say(sentence)

    monkeypatch.setattr(run, "say", listen)
