"""How a release shows itself: in three lines, in a notebook, in a style, over a map, in a shell."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.commands import app
from sfumato.releases.heatmap.basemap import read_basemap, read_lines

PEOPLE = pa.table({"age": [20.0, 30.0, 40.0] * 30, "lon": [0.5] * 90, "lat": [0.5] * 90})
SQUARE = {"lon": (0, 1), "lat": (0, 1)}


@pytest.fixture(scope="module")
def ages():
    return sf.histplot(PEOPLE, x="age", bounds=(0, 100), budget=1.0)


@pytest.fixture(scope="module")
def places():
    return sf.heatmap(PEOPLE, x="lon", y="lat", bounds=SQUARE, budget=1.0)


def test_a_release_tells_itself_in_three_lines(ages) -> None:
    what, guarantee, how = repr(ages).split("\n")
    assert "age" in what and guarantee == "ε = 1, protecting each row." and ".plot()" in how


def test_a_notebook_gets_a_page_a_picture_and_text(ages) -> None:
    bundle = ages._repr_mimebundle_()
    assert list(bundle) == ["text/html", "image/png", "text/plain"]
    assert bundle["image/png"].startswith(b"\x89PNG") and bundle["text/html"].count("<svg") == 1
    assert bundle["text/html"] == ages._repr_html_()
    assert list(ages._repr_mimebundle_(include=["text/plain"])) == ["text/plain"]
    assert "image/png" not in ages._repr_mimebundle_(exclude={"image/png"})


def test_a_styled_release_shows_itself_so_and_is_the_same_release(ages, tmp_path: Path) -> None:
    styled = ages.styled(title="Ages of us", caption=False)
    assert styled == ages and hash(styled) == hash(ages) and styled.to_dict() == ages.to_dict()
    assert "Ages of us" in styled._repr_html_() and "Laplace" not in styled._repr_html_()
    assert styled.figure(title="Others").title == "Others"
    assert sf.load(styled.save(tmp_path / "a.json")) == ages
    assert ages.styled() is ages


def test_a_title_is_no_part_of_the_question() -> None:
    session = sf.Session(PEOPLE, domain={"age": (0, 100)}, budget=1.0)
    first = session.histplot(x="age", budget=0.5, title="One")
    again = session.histplot(x="age", budget=0.5, title="Two")
    assert len(session.ledger.entries) == 1 and first == again
    assert [each.figure().title for each in (first, again)] == ["One", "Two"]
    assert first.label == again.label and "One" not in str(session.ledger)


def test_lines_of_a_basemap_are_cut_to_the_window(places) -> None:
    across = {"type": "LineString", "coordinates": [[-1, 0.5], [2, 0.5]]}
    around = {"type": "Polygon", "coordinates": [[[0.2, 0.2], [5, 0.2], [5, 0.8], [0.2, 0.2]]]}
    parts = [{"type": "Feature", "geometry": each} for each in (across, around, None)]
    lines = read_basemap({"type": "FeatureCollection", "features": parts}, (0, 1), (0, 1))
    assert lines[0] == ((0.0, 0.5), (1.0, 0.5))
    assert all(0 <= x <= 1 and 0 <= y <= 1 for line in lines for x, y in line)
    (heat,) = places.figure(basemap=across).panels[0].marks
    assert heat.lines == (((0.0, 0.5), (1.0, 0.5)),)
    assert '"path"' in json.dumps(places.to_vega(basemap=across))


@pytest.mark.parametrize(
    "broken",
    [
        "nowhere.geojson",
        {"type": "Feature"},
        {"type": "Topology"},
        {"type": "FeatureCollection"},
        {"type": "LineString", "coordinates": [[0, "a"], [1, 1]]},
        {"type": "LineString", "coordinates": [[0, float("nan")], [1, 1]]},
        {"type": "Polygon", "coordinates": 3},
        {"type": "LineString", "coordinates": [[7, 7], [8, 8]]},
        {"type": "Point", "coordinates": [0.5, 0.5]},
    ],
)
def test_what_is_no_map_is_refused_in_words(broken) -> None:
    with pytest.raises(sf.ReleaseError) as refused:
        read_basemap(broken, (0, 1), (0, 1))
    assert refused.value.why and refused.value.advice


def test_a_basemap_nested_without_end_is_refused() -> None:
    nested: dict[str, object] = {"type": "GeometryCollection", "geometries": []}
    for _ in range(50):
        nested = {"type": "GeometryCollection", "geometries": [nested]}
    with pytest.raises(sf.ReleaseError, match="nested too deeply"):
        read_lines(nested)


def test_a_shell_draws_as_it_is_told_and_refuses_before_it_pays(ages, tmp_path: Path) -> None:
    saved, drawn = ages.save(tmp_path / "a.json"), tmp_path / "a.svg"
    looks = ["--title", "Ours", "--figsize", "4,3", "--palette", "tab:red", "--caption", "none"]
    done = CliRunner().invoke(app, ["draw", str(saved), "-o", str(drawn), *looks])
    assert done.exit_code == 0 and "Ours" in drawn.read_text()
    for wrong in (["--figsize", "4"], ["--palette", "no such"], ["--log-scale", "z"]):
        asked = ["histplot", "nowhere.csv", "--x", "age", "--bounds", "0,9", "--epsilon", "1"]
        refused = CliRunner().invoke(app, [*asked, *wrong])
        assert isinstance(refused.exception, sf.ReleaseError)
    refused = CliRunner().invoke(app, ["draw", str(saved), "--basemap", str(saved)])
    assert isinstance(refused.exception, sf.ReleaseError)
