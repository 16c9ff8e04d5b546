"""The commands about signatures: make keys, sign a release, verify one."""

from __future__ import annotations

import sys
from getpass import getpass
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.output import check_outputs, say, show
from sfumato.errors import SHELL, ReleaseError, SfumatoError

Saved = Annotated[Path, typer.Argument(metavar="FILE.json", help="A saved release.")]
Several = Annotated[list[Path], typer.Argument(metavar="FILE.json", help="Saved releases.")]
Secret = Annotated[
    Path, typer.Option("--key", metavar="KEY.pem", help="Your private key, of the kind Ed25519.")
]
Shown = Annotated[
    Path, typer.Option("--key", metavar="PUBLIC.pem", help="The publisher's public key.")
]
Signed = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="SIGNED.json", help="Where to write the signed file."),
]
Lock = Annotated[
    bool,
    typer.Option("--password", help="Lock the private key with a password (asked for)."),
]


def sign(file: Saved, *, key: Secret, output: Signed) -> None:
    """Sign a saved release with your private key."""
    from sfumato.releases.document import load
    from sfumato.releases.signature import is_locked

    check_outputs([output])
    if output.suffix.lower() != ".json":
        raise ReleaseError(
            f"{output.name!r} cannot hold a signature.",
            "Signatures are stored in the JSON file of a release, not in pictures.",
            "Use the ending .json.",
        )
    release = load(file)
    password = ask_password("Password of the key: ") if is_locked(key) else None
    release.sign(key, password=password).save(output)
    say(f"Wrote {output}. Readers verify it with: sfumato verify {output} --key PUBLIC.pem")


def verify(files: Several, *, key: Shown) -> None:
    """Check that these releases were signed with a key and not changed since."""
    from sfumato.releases.signature import read_public_key

    read_public_key(key)  # refused once, and not for each file
    problems = [problem for file in files if (problem := _problem_of(file, key))]
    if problems:
        raise typer.Exit(2)


def create_key(
    private: Annotated[
        Path, typer.Argument(metavar="KEY.pem", help="A new file for the private key: keep it.")
    ],
    public: Annotated[
        Path, typer.Argument(metavar="PUBLIC.pem", help="A new file for the public key: share it.")
    ],
    *,
    password: Lock = False,
) -> None:
    """Make a pair of keys: one to sign releases with, and one to hand out."""
    from sfumato.releases import signature

    signature.create_key(private, public, password=_choose_password() if password else None)
    say(
        f"Wrote {private}, which only you can read: whoever has it signs in your name. Readers "
        f"need {public}."
    )


def _problem_of(file: Path, key: Path) -> SfumatoError | None:
    """Say of one file whether it is signed; return what is wrong, or None."""
    from sfumato.releases.document import load

    problem: SfumatoError
    try:
        release = load(file).verify(key)
    except SfumatoError as error:
        problem = error
    else:
        show(f"{file}: signed with this key. {release.label}, {release.guarantee}.")
        return None
    SHELL.respell(problem)
    say(f"Error: {file}: {problem}")
    return problem


def ask_password(words: str) -> str:
    """Ask for a password without showing it; where nobody can be asked, read a line."""
    if sys.stdin.isatty():
        return getpass(words)
    return sys.stdin.readline().removesuffix("\n")


def _choose_password() -> str:
    first = ask_password("Password for the new key: ")
    if sys.stdin.isatty() and getpass("The same again: ") != first:
        raise typer.BadParameter("The two passwords differ")
    return first
