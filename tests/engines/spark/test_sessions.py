"""Spark is left out aloud, and leaves nothing behind."""

import os
import signal
import subprocess
import sys

import pytest

from engines.spark.cluster import GUARD
from engines.spark.sessions import TESTS, UNTESTED, java_version, missing


@pytest.fixture
def java_that_says(tmp_path, monkeypatch):
    def install(text):
        java = tmp_path / "bin" / "java"
        java.parent.mkdir()
        java.write_text(f"#!/bin/sh\necho '{text}' >&2\n")
        java.chmod(0o755)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    return install


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('openjdk version "21.0.2" 2024-01-16', 21),
        ('openjdk version "17" 2021-09-14', 17),
        ('openjdk version "11.0.22" 2024-01-16', 11),
        ('java version "1.8.0_401"', 8),
        ("Unable to locate a Java Runtime.", 0),
    ],
)
def test_java_is_asked_how_old_it_is(java_that_says, text, version):
    java_that_says(text)
    assert java_version() == version
    assert (missing() is None) == (version >= 17)


def test_whoever_has_no_java_learns_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert "openjdk-17" in (missing() or "")


def test_a_run_without_java_passes_nothing_and_ends_aloud(tmp_path):
    tests = TESTS / "engines" / "spark" / "test_cluster.py"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tests)],
        cwd=TESTS.parent,
        env=os.environ | {"JAVA_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    told, (*_, last) = run.stdout, run.stdout.splitlines()
    assert "skipped" in last
    assert "passed" not in last
    assert UNTESTED in told[told.index("NOT TESTED") :]


def test_whatever_a_guard_watches_dies_with_the_pipe_to_it():
    command = ["sh", "-c", GUARD, "sh", "sh", "-c", "sleep 600 & echo $!; wait"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        child = int(process.stdout.readline())
        os.kill(child, 0)
        process.stdin.close()
        assert process.wait() == -signal.SIGKILL
        assert process.stdout.read() == b"", "the child holds the pipe as long as it lives"
