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


LESS_NOISE = {
    "choropleth": ("parameters", "noise", "scale"),
    "distribution": ("values", "measured", 0, "rounds", -1, "scale"),
    "means": ("parameters", "noise", "scale"),
    "pairplot": ("parameters", "noise", "scale"),
    "regional_means": ("parameters", "noise", "scale"),
}
"""Where the noise stands that a promise rests on."""


def told_otherwise(kind: str, way: tuple[str | int, ...], factor: float) -> object:
    """Load the file of a kind with one of its numbers multiplied."""
    path = next(path for path in SAVED if path.stem == kind)
    plain = json.loads(path.read_bytes())
    place = plain
    for each in way[:-1]:
        place = place[each]
    place[way[-1]] *= factor
    return document.read(plain)


@pytest.mark.parametrize(("kind", "way"), LESS_NOISE.items())
def test_a_file_with_less_noise_than_its_cost_allows_is_refused(kind, way):
    assert told_otherwise(kind, way, 1.0)
    # Looks that no file tells of took their part of a distribution's cost.
    with pytest.raises(ReleaseError, match="changed by hand"):
        told_otherwise(kind, way, 0.2 if kind == "distribution" else 0.9)


@pytest.mark.parametrize("kind", ["means", "regional_means"])
@pytest.mark.parametrize("factor", [0.7, 2.0**30])
def test_a_row_of_means_is_worth_a_whole_number_of_steps(kind, factor):
    """Steps that were worth more would make noise look as if it cost less."""
    assert told_otherwise(kind, ("parameters", "step"), 1.0)
    with pytest.raises(ReleaseError, match="changed by hand"):
        told_otherwise(kind, ("parameters", "step"), factor)
