"""Signatures and payments on the command line: what is printed, written and refused."""

from __future__ import annotations

import io
import json
import os
import pty
import shutil
import stat
import sys
from pathlib import Path

import pytest
from pyarrow import parquet

import sfumato as sf
from privacy.forging import rewrite
from releases.test_histogram_release import release as histogram
from sfumato.cli.run import run

pytestmark = pytest.mark.usefixtures("no_python_in_a_shell")

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a release and a pair of keys."""
    monkeypatch.chdir(tmp_path)
    histogram().save("ages.json")
    assert run(["key", "create", "key.pem", "public.pem"]) == 0
    return tmp_path


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_a_release_is_signed_and_verified(folder: Path, capsys: Captured) -> None:
    assert stat.S_IMODE(Path("key.pem").stat().st_mode) == 0o600
    assert run(["sign", "ages.json", "--key", "key.pem", "-o", "signed.json"]) == 0
    assert "sfumato verify signed.json" in capsys.readouterr().err
    assert run(["verify", "signed.json", "--key", "public.pem"]) == 0
    told = capsys.readouterr()
    assert told.out == (
        "signed.json: signed with this key. histogram of age, ε = 0.5, protecting each row.\n"
    )
    assert told.err == ""
    assert sf.load("signed.json").verify("public.pem").signature is not None
    assert run(["sign", "signed.json", "--key", "key.pem", "-o", "signed.json"]) == 0
    assert run(["verify", "signed.json", "--key", "public.pem"]) == 0


def test_one_file_that_fails_fails_all_and_the_others_are_still_told(
    folder: Path, capsys: Captured
) -> None:
    run(["sign", "ages.json", "--key", "key.pem", "-o", "signed.json"])
    plain = json.loads(Path("signed.json").read_text())
    plain["values"]["steps"][0] += 1
    Path("changed.json").write_text(json.dumps(plain))
    Path("broken.json").write_text("{")
    capsys.readouterr()
    files = ["changed.json", "ages.json", "broken.json", "nowhere.json", "signed.json"]
    assert run(["verify", *files, "--key", "public.pem"]) == 2
    told = capsys.readouterr()
    assert told.out.startswith("signed.json: signed with this key.") and "\n" not in told.out[:-1]
    wrong = ["was changed after", "is not signed", "changed by hand", "There is no release"]
    for line, file, words in zip(told.err.splitlines(), files[:4], wrong, strict=True):
        assert line.startswith(f"Error: {file}: ") and words in line


def test_a_bad_key_is_refused_once_and_not_for_every_file(folder: Path, capsys: Captured) -> None:
    capsys.readouterr()
    assert run(["verify", "ages.json", "ages.json", "--key", "nowhere.pem"]) == 2
    assert capsys.readouterr().err.count("There is no key") == 1
    assert run(["verify", "ages.json", "--key", "key.pem"]) == 2
    assert "holds a private key" in capsys.readouterr().err


def test_a_locked_key_takes_its_password_from_a_line_where_nobody_can_be_asked(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, "open sesame\n")
    assert run(["key", "create", "locked.pem", "open.pem", "--password"]) == 0
    assert b"ENCRYPTED" in Path("locked.pem").read_bytes()
    for words, status in (("open sesame\nmore", 0), ("sesame", 2), ("", 2)):
        typed(monkeypatch, words)
        signing = ["sign", "ages.json", "--key", "locked.pem", "-o", f"{status}.json"]
        assert run(signing) == status
    said = capsys.readouterr().err
    assert "sesame" not in said and "locked with another password" in said
    assert sf.load("0.json").verify("open.pem")
    assert not Path("2.json").exists()


def test_a_key_locked_with_nothing_is_not_made(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, "")
    assert run(["key", "create", "a.pem", "b.pem", "--password"]) == 2
    assert not Path("a.pem").exists() and not Path("b.pem").exists()


def test_keys_and_pictures_are_not_written_over_or_signed(folder: Path, capsys: Captured) -> None:
    before = Path("key.pem").read_bytes()
    assert run(["key", "create", "key.pem", "more.pem"]) == 2
    assert Path("key.pem").read_bytes() == before and not Path("more.pem").exists()
    assert run(["sign", "ages.json", "--key", "key.pem", "-o", "ages.svg"]) == 2
    assert "not in pictures" in capsys.readouterr().err
    assert run(["sign", "ages.json", "--key", "key.pem", "-o", "no/ages.json"]) == 2
    assert sorted(path.name for path in folder.iterdir()) == ["ages.json", "key.pem", "public.pem"]


def on_a_terminal(words: list[str], *answers: str) -> tuple[int, str]:
    """Run a command on a terminal and answer each question; return its status and what is seen."""
    program = "import sys; from sfumato.cli.run import run; sys.exit(run(sys.argv[1:]))"
    process, terminal = pty.fork()
    if process == 0:
        os.execv(sys.executable, [sys.executable, "-c", program, *words])
    seen, asked = b"", 0
    while True:
        try:
            piece = os.read(terminal, 2**16)
        except OSError:
            piece = b""
        if not piece:
            break
        seen += piece
        while seen.count(b": ") > asked < len(answers):
            os.write(terminal, answers[asked].encode() + b"\n")
            asked += 1
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), seen.decode()


def test_on_a_terminal_a_password_is_asked_for_twice_and_not_shown(folder: Path) -> None:
    create = ["key", "create", "locked.pem", "open.pem", "--password"]
    status, seen = on_a_terminal(create, "open sesame", "open simsim")
    assert status == 2 and "The two passwords differ" in seen and not Path("locked.pem").exists()
    status, told = on_a_terminal(create, "open sesame", "open sesame")
    assert status == 0 and "The same again: " in told
    sign = ["sign", "ages.json", "--key", "locked.pem", "-o", "signed.json"]
    status, asked = on_a_terminal(sign, "open sesame")
    assert status == 0 and "Password of the key: " in asked
    assert "sesame" not in seen + told + asked
    assert sf.load("signed.json").verify("open.pem")


@pytest.fixture
def paid(folder: Path) -> Path:
    """A ledger that paid for two charts, and a chart that nobody remembers."""
    parquet.write_table(sf.testing.city(people=300), "people.parquet")
    sf.Ledger.create("people.ledger", budget=1.0, table="people")
    chart = ["histplot", "people.parquet", "--x", "age", "--bounds", "0,100", "--bins", "4"]
    price = ["--epsilon", "0.25"]
    for name in ("one.json", "two.json"):
        assert run([*chart, *price, "--ledger", "people.ledger", "-o", name]) == 0
    assert run([*chart, *price, "-o", "alone.json"]) == 0
    return folder


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


def test_a_ledger_says_what_it_paid_for(paid: Path, capsys: Captured) -> None:
    capsys.readouterr()
    assert run(["ledger", "verify", "people.ledger", "one.json", "two.json"]) == 0
    told = capsys.readouterr()
    assert lines(told.out) == [
        "people.ledger: whole, and within its budget.",
        "release   entry",
        "one.json      1  paid for, and its noise costs no more than that",
        "two.json      2  paid for, and its noise costs no more than that",
    ]
    assert told.err == ""
    assert run(["ledger", "verify", "people.ledger"]) == 0
    told = capsys.readouterr()
    assert lines(told.out) == ["people.ledger: whole, and within its budget."]
    assert told.err == "Entries that paid for none of these releases: 1, 2.\n"


def test_what_it_did_not_pay_for_is_listed_and_fails(paid: Path, capsys: Captured) -> None:
    plain = json.loads(Path("one.json").read_text())
    plain["parameters"]["noise"]["scale"] /= 2
    Path("quiet.json").write_text(json.dumps(plain))
    capsys.readouterr()
    files = ["quiet.json", "alone.json", "two.json", "nowhere.json"]
    assert run(["ledger", "verify", "people.ledger", *files]) == 2
    told = capsys.readouterr()
    assert lines(told.out)[2:] == [
        "quiet.json        –  This file is not a release, or it was changed by hand.",
        "alone.json        –  does not say what paid for it",
        "two.json          2  paid for, and its noise costs no more than that",
        "nowhere.json      –  There is no release at 'nowhere.json'.",
    ]
    assert lines(told.err) == [
        "Entries that paid for none of these releases: 1.",
        "Error: not everything was paid for, or could be checked.",
    ]


def test_a_ledger_that_was_changed_is_refused_and_an_older_copy_is_noticed(
    paid: Path, capsys: Captured
) -> None:
    shutil.copy("people.ledger", "changed.ledger")
    rewrite(Path("changed.ledger"), "UPDATE entry SET body = replace(body, '1/4', '1/5')")
    assert run(["ledger", "verify", "changed.ledger", "one.json"]) == 2
    assert "not as they were sealed" in capsys.readouterr().err
    rewrite(Path("people.ledger"), "DELETE FROM entry WHERE number = 2")
    assert run(["ledger", "verify", "people.ledger", "one.json", "two.json"]) == 2
    assert "the ledger ends with 1: this is an older copy" in capsys.readouterr().out
