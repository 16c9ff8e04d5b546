"""A release that was paid for is never lost: if it cannot go where it should, it goes elsewhere."""

from __future__ import annotations

import json
import os
import secrets
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.cli.numbers import show_numbers
from sfumato.cli.terminal import say, show
from sfumato.errors import ReleaseError

if TYPE_CHECKING:
    from sfumato.releases.release import Release

FORMS = (".json", ".html", ".svg", ".png", ".pdf")


def check_outputs(paths: Sequence[Path], endings: Sequence[str] = ()) -> None:
    """Refuse what cannot be written, before anything is paid for.

    `endings` are those that only some kinds of releases can write.
    """
    forms = (*FORMS, *endings)
    for path in paths:
        if path.suffix.lower() not in forms:
            raise ReleaseError(
                f"Cannot tell from {path.name!r} what to write.",
                "A chart must not be paid for and then lost.",
                f"Use an ending that is known: {' '.join(forms)}.",
            )
        if path.is_dir() or not os.access(path.absolute().parent, os.W_OK | os.X_OK):
            raise ReleaseError(
                f"Cannot write {str(path)!r}: it is a folder, or its folder is missing or "
                "protected.",
                "A chart must not be paid for and then lost.",
                "Name another file.",
            )


def publish(release: Release, paths: Sequence[Path], *, source: Path | None = None) -> None:
    """Write a release in every form asked for, or print its numbers.

    `source` is the file it was loaded from, if it was.
    """
    try:
        if paths:
            _write(release, paths, source)
        else:
            _print_numbers(release, source)
    except KeyboardInterrupt:
        pass
    else:
        return
    say(f"Interrupted. The release is not lost: {source or _kept(release)} holds it.")
    raise KeyboardInterrupt


def _write(release: Release, paths: Sequence[Path], source: Path | None) -> None:
    # JSON needs no drawing and can be drawn again, so it is written first.
    first = sorted(paths, key=lambda path: path.suffix.lower() != ".json")
    outcome = {path: _saved(release, path) for path in first}
    written = [path for path, problem in outcome.items() if problem is None]
    if written:
        say(f"Wrote {', '.join(map(str, written))}.")
    failed = [f"{path}{problem}" for path, problem in outcome.items() if problem is not None]
    if failed:
        whole = [path for path in written if path.suffix.lower() == ".json"]
        raise _not_lost(
            f"Cannot write {', '.join(failed)}.", release, source or next(iter(whole), None)
        )


def _saved(release: Release, path: Path) -> str | None:
    """Write one form of a release; return what is wrong, or None."""
    try:
        release.save(path)
    except ReleaseError:
        return ""
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001  (a panic of compiled code is no Exception)
        return f" ({type(error).__name__})"
    return None


def _print_numbers(release: Release, source: Path | None) -> None:
    problem = ""
    try:
        show_numbers(release)
        sys.stdout.flush()
    except OSError:
        # What stands in the closed stream's buffer would be an error again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:  # noqa: BLE001 - a bug in printing must not lose what was paid for
        problem = f" ({type(error).__name__})"
    else:
        return
    # Whoever reads a saved release through `head` has seen enough, and lost nothing.
    if source is None or problem:
        raise _not_lost(f"Cannot print the numbers{problem}.", release, source)


def _not_lost(problem: str, release: Release, place: Path | None) -> ReleaseError:
    """Return an error that says where the release is, and put it there first."""
    place = place or _kept(release)
    return ReleaseError(
        f"{problem}",
        f"The release itself is not lost: {place} holds it.",
        f"Draw it from there, which is free: sfumato draw {place} -o chart.svg",
    )


def _kept(release: Release) -> Path:
    """Save a release in this folder or, failing that, in the one for passing files."""
    name = f"sfumato-{secrets.token_hex(4)}.json"
    for folder in (Path(), Path(tempfile.gettempdir())):
        if _saved(release, folder / name) is None:
            return folder / name
    # Spelled by their numbers, all letters survive what `show` does to those that are not printed.
    show(json.dumps(release.to_dict()).replace("\x7f", "\\u007f"))
    return Path("the text above")
