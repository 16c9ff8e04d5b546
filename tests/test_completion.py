"""What editors complete and check: public names, and no others."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import sfumato as sf

SOURCE = Path(__file__).parents[1] / "src"


def plain(names: list[str]) -> set[str]:
    """Names but for those that every object has."""
    return {name for name in names if not name.startswith("__")}


def test_completion_shows_what_is_public_and_nothing_else() -> None:
    import sfumato.session

    assert sfumato.session.Session is sf.Session  # its module is loaded, and is not listed
    assert plain(dir(sf)) == set(sf.__all__)
    assert plain(dir(sf.testing)) == {"checkins", "city", "districts", "seeded"}


def test_sessions_and_releases_complete_no_private_name() -> None:
    table = pa.table({"x": [1.0, 2.0, 3.0]})
    session = sf.Session(table, domain={"x": (0, 4)}, budget=1)
    release = session.histplot(x="x", budget=0.5)
    for listed, known in ((session, "remaining histplot ledger"), (release, "plot save to_frame")):
        names = plain(dir(listed))
        assert not [name for name in names if name.startswith("_")]
        assert set(known.split()) <= names
        assert all(hasattr(listed, name) for name in names)


def test_a_misspelt_name_is_a_type_error(tmp_path: Path) -> None:
    """By the types that we publish: what is right passes, what is misspelt does not."""
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(SOURCE)]}))
    right = "import sfumato as sf\nsf.histplot('a.csv', x='a', budget=1).plot()\n"
    (tmp_path / "right.py").write_text(right)
    (tmp_path / "wrong.py").write_text(right + "sf.boxpl\nsf.Session('a.csv').histplo\n")
    pyright = Path(sys.executable).with_name("pyright")
    command = [pyright, "--pythonpath", sys.executable, "--outputjson", "-p", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = [each for each in found if each["rule"] == "reportAttributeAccessIssue"]
    assert {Path(each["file"]).name for each in found} == {"wrong.py"}
    assert [each["range"]["start"]["line"] for each in errors] == [2, 3]
    assert '"boxpl" is not a known attribute' in errors[0]["message"]


@pytest.mark.parametrize("name", ["histplot", "Session", "load"])
def test_a_name_that_is_listed_can_be_had(name: str) -> None:
    assert name in dir(sf)
    assert callable(getattr(sf, name))
