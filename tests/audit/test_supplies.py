"""The lock files and licences; each check is shown to notice what it looks for."""

from __future__ import annotations

from email.message import Message
from importlib.metadata import PackageMetadata
from pathlib import Path
from typing import cast

import pytest

import supplies
from supplies import advisories, licences, locks

HASH = f"--hash=sha256:{'0' * 64}"


def test_everything_is_pinned_hashed_and_permitted():
    outcome = supplies.attack("fast")
    assert outcome.passed, outcome.summary


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("numpy>=2.0 \\\n    " + HASH, "numpy>=2.0 is not pinned"),
        ("numpy==2.4.6", "numpy==2.4.6 is not pinned"),
        ("numpy==2.4.6 --hash=md5:0123", "numpy==2.4.6 is not pinned"),
        ("numpy @ https://example.org/numpy.whl " + HASH, "numpy is not pinned"),
        ("--extra-index-url https://example.org", "--extra-index-url is not pinned"),
        (f"numpy==2.4.6 {HASH} --index-url https://example.org", "numpy==2.4.6 names a host"),
    ],
)
def test_a_lock_that_lets_another_file_in_is_noticed(text: str, fault: str, tmp_path: Path):
    path = tmp_path / "run.txt"
    path.write_text(f"# a comment\n{text}\n")
    assert any(fault in found for found in locks.read(path).faults)


def test_a_lock_is_read_over_continued_lines(tmp_path: Path):
    path = tmp_path / "run.txt"
    path.write_text(f"Num_py[all]==2.4.6 ; python_version < '3.12' \\\n  {HASH} \\\n  {HASH}\n")
    assert locks.read(path) == locks.Lock((locks.Pinned("num-py", "2.4.6", 2),), ())


def test_a_package_that_is_asked_for_and_not_locked_is_noticed():
    lock = locks.Lock((locks.Pinned("numpy", "2.4.6", 1),), ())
    assert locks.missing(iter(["NumPy>=2.0", "scipy>=1"]), lock) == ["scipy"]


@pytest.mark.parametrize(
    ("lines", "licence", "fine"),
    [
        ({"License-Expression": "MIT"}, "MIT", True),
        ({"License-Expression": "GPL-3.0-only OR MIT"}, "GPL-3.0-only OR MIT", True),
        ({"License-Expression": "GPL-3.0-only AND MIT"}, "GPL-3.0-only AND MIT", False),
        ({"Classifier": "License :: OSI Approved :: BSD License"}, "BSD", True),
        ({"Classifier": "Topic :: Software"}, "not stated", False),
        ({"License": "Proprietary"}, "Proprietary", False),
        ({"License": "one\ntwo"}, "not stated", False),
    ],
)
def test_a_licence_is_what_the_package_states(lines: dict[str, str], licence: str, fine: bool):
    facts = Message()
    for name, value in lines.items():
        facts[name] = value
    assert licences.stated(cast(PackageMetadata, facts)) == licence
    assert licences.permitted(licence) is fine


def test_a_package_that_is_not_here_is_called_so():
    assert licences.licence_of("no-such-package-anywhere") == licences.UNKNOWN


def test_a_known_vulnerability_is_noticed_and_silence_is_not_called_an_answer():
    packages: list[dict[str, object]] = [
        {"name": "a", "version": "1", "vulns": [{"id": "PYSEC-1"}]},
        {"name": "b", "version": "2", "vulns": []},
        {"name": "c", "skip_reason": "not found"},
    ]
    advice = advisories.understood({"dependencies": packages})
    assert advice.known == ("a 1: PYSEC-1",)
    assert str(advice) == "known vulnerabilities: 1 in 3 packages, 1 could not be asked"
    assert "no answer" in str(advisories.understood({"dependencies": packages[2:]}))
