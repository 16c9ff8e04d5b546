"""Files that sfumato 0.1 wrote of the invented city: they load, and are written again alike."""

import json
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.errors import ReleaseError
from sfumato.releases import document

SAVED = sorted((Path(__file__).parent / "saved").iterdir())

FIRST = {
    "boxplot": [("guarantee", "size"), ("parameters", "bounds_found")],
    "quantiles": [
        ("guarantee", "size"),
        *(("parameters", name) for name in ("unit_step", "bounds_found")),
        *(("values", name) for name in ("reliable", "measured", "beyond")),
    ],
}
"""What the first files of a kind did not say."""


def test_there_is_a_file_of_every_kind():
    assert [path.stem for path in SAVED] == sorted(document.kinds())


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_a_file_of_an_earlier_version_is_loaded_drawn_and_saved_to_the_byte(path, tmp_path):
    release = sf.load(path)
    assert release.save(tmp_path / path.name).read_bytes() == path.read_bytes()
    assert release.figure().watermark
    assert release.records()


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_the_first_files_said_less_and_no_file_may_say_less_than_they(path):
    plain = json.loads(path.read_bytes())
    added = FIRST.get(path.stem, [("guarantee", "size")])
    for part, name in added:
        del plain[part][name]
    release = document.read(plain)
    assert type(release) is type(sf.load(path))
    assert all(name in release.to_dict()[part] for part, name in added)
    for part in document.PARTS:
        for name in list(plain[part]):
            less = plain | {part: {key: plain[part][key] for key in plain[part] if key != name}}
            with pytest.raises(ReleaseError, match="changed by hand"):
                document.read(less)
