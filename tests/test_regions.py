"""Areas of a map are read from GeoJSON, and refused before anything is charged."""

import json
import math

import pytest

from sfumato import regions as module
from sfumato.engines.locating import check_geometry
from sfumato.errors import DomainError
from sfumato.regions import Areas, read_areas, write_areas

SQUARE = [[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]]
BOW_TIE = [[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]


def feature(name, coordinates, kind="Polygon"):
    geometry = {"type": kind, "coordinates": coordinates}
    return {"type": "Feature", "properties": {"name": name}, "geometry": geometry}


def collection(*features):
    return {"type": "FeatureCollection", "features": list(features)}


def test_a_file_and_its_contents_are_the_same_regions(tmp_path):
    plain = collection(feature("A", [SQUARE]), feature(7, [[SQUARE]], "MultiPolygon"))
    (tmp_path / "a.geojson").write_text(json.dumps(plain))
    assert read_areas(tmp_path / "a.geojson") == read_areas(plain)
    assert [area.name for area in read_areas(plain)] == ["A", "7"]


@pytest.mark.parametrize(
    "plain",
    [
        {},
        collection(),
        collection(feature("A", [])),
        collection(feature("A", [], "MultiPolygon")),
        collection(feature("A", [[]])),
        collection(feature("", [SQUARE])),
        collection(feature("\ud800", [SQUARE])),
        collection(feature("A" * 257, [SQUARE])),
        collection(feature(1.5, [SQUARE])),
        collection(feature(True, [SQUARE])),
        collection(feature("7", [SQUARE]), feature(7, [SQUARE])),
        collection(feature(None, [SQUARE])),
        collection(feature("A", [SQUARE]), feature("A", [SQUARE])),
        collection(feature("A", [0, 0], "Point")),
        collection(feature("A", SQUARE, "LineString")),
        collection(feature("A", [SQUARE[:-1]])),
        collection(feature("A", [[[0, 0], [1, math.nan], [1, 1], [0, 0]]])),
        collection(feature("A", [[[0, 0], [1, math.inf], [1, 1], [0, 0]]])),
        collection(feature("A", [[[0, 0], [1, True], [1, 1], [0, 0]]])),
        collection(feature("A", [[[0, 0], [1, "1"], [1, 1], [0, 0]]])),
        collection(feature("A", [[[0, 0], [10**400, 1], [1, 1], [0, 0]]])),
        collection({"type": "Feature", "properties": None, "geometry": None}),
        {"type": "FeatureCollection", "features": [3]},
    ],
)
def test_what_is_no_area_is_refused(plain):
    with pytest.raises(DomainError) as caught:
        Areas("x", "y", read_areas(plain))
    assert caught.value.__context__ is None


PLAIN = collection(feature("Süd", [SQUARE]))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_file_is_read_in_every_encoding_that_json_may_have(tmp_path, encoding):
    (tmp_path / "a.geojson").write_text(json.dumps(PLAIN, ensure_ascii=False), encoding=encoding)
    assert read_areas(tmp_path / "a.geojson") == read_areas(str(tmp_path / "a.geojson"))
    assert read_areas(tmp_path / "a.geojson") == read_areas(PLAIN)


def test_heights_and_foreign_members_are_passed_over():
    high = collection(feature("Süd", [[[*corner, 99.5] for corner in SQUARE]]))
    system = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::3857"}}
    high |= {"crs": system, "bbox": [0, 0, 1, 1], "name": "districts"}
    assert read_areas(high) == read_areas(PLAIN)


def test_a_frame_says_what_is_in_it():
    class Frame:
        __geo_interface__ = PLAIN

    assert read_areas(Frame()) == read_areas(PLAIN)


def test_regions_are_written_as_they_are_read():
    areas = read_areas(collection(feature("A", [SQUARE]), feature("B", [[SQUARE]], "MultiPolygon")))
    assert read_areas(write_areas(areas)) == areas == read_areas(areas)
    told = write_areas(areas, [{"count": 1}, {"count": 2}])["features"]
    assert [each["properties"] for each in told] == [
        {"name": "A", "count": 1}, {"name": "B", "count": 2},
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, "\x00"])
def test_a_file_that_is_no_geojson_is_refused(tmp_path, text):
    (tmp_path / "a.geojson").write_text(text)
    with pytest.raises(DomainError):
        read_areas(tmp_path / "a.geojson")
    with pytest.raises(DomainError):
        read_areas(tmp_path / "absent.geojson")


@pytest.mark.parametrize("name", ["MOST_REGIONS", "MOST_CORNERS", "MOST_BYTES"])
def test_regions_too_many_to_carry_are_refused(tmp_path, monkeypatch, name):
    plain = collection(feature("A", [SQUARE]), feature("B", [SQUARE]))
    (tmp_path / "a.geojson").write_text(json.dumps(plain))
    monkeypatch.setattr(module, name, 1)
    with pytest.raises(DomainError):
        Areas("x", "y", read_areas(tmp_path / "a.geojson"))


LOPSIDED = [[0, 0], [2, 2], [3, 0], [0, 1], [0, 0]]


@pytest.mark.parametrize("ring", [BOW_TIE, LOPSIDED, [[0, 0], [1, 1], [2, 2], [0, 0]]])
def test_a_ring_that_crosses_itself_or_holds_nothing_is_refused(ring):
    with pytest.raises(DomainError, match="crosses itself"):
        check_geometry(Areas("x", "y", read_areas(collection(feature("A", [ring])))))


def test_without_shapely_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "shapely", None)
    with pytest.raises(DomainError, match=r"sfumato\[geo\]"):
        check_geometry(Areas("x", "y", read_areas(collection(feature("A", [SQUARE])))))
