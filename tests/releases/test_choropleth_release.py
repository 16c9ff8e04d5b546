"""A choropleth keeps its regions, says how sure it is, and draws what noise made grey."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sfumato as sf
from sfumato.domain import Categories
from sfumato.errors import ReleaseError
from sfumato.figure import Regions
from sfumato.grid import Labels
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.regions import Areas, Region, read_areas
from sfumato.releases import document
from sfumato.releases.choropleth import ChoroplethRelease


def box(left: float, low: float, right: float, high: float) -> Any:
    return ((left, low), (right, low), (right, high), (left, high), (left, low))


AREAS = Areas(
    "lon",
    "lat",
    (
        Region("A & <b>", ((box(0.0, 0.0, 2.0, 2.0), box(0.5, 0.5, 1.0, 1.0)),)),
        Region("B", ((box(2.0, 0.0, 4.0, 1.0),), (box(5.0, 0.0, 6.0, 1.0),))),
        Region("C", ((box(2.0, 1.0, 3.0, 2.0),),)),
    ),
)


def release(**changes: Any) -> ChoroplethRelease:
    parts: dict[str, Any] = {
        "label": "map of lon and lat, by region",
        "guarantee": Guarantee(0.5, 0.0, PrivacyUnit.rows()),
        "cost": Cost.pure(Fraction(1, 2)),
        "private": True,
        "regions": AREAS,
        "stat": "count",
        "aspect": "map",
        "noise": NoiseLaw("laplace", 2.0),
        "step": 1.0,
        "steps": (100, -3, 33),
    }
    return ChoroplethRelease(**(parts | changes))


WARD = Labels("ward", Categories(("A", "B")))
SAMPLES = {
    "plain": release(),
    "density": release(stat="density"),
    "proportion": release(stat="proportion", aspect="free"),
    "panels": release(col=WARD, col_wrap=1, steps=(1, 2, 300, 4, 5, 600)),
    "simulated": release(private=False),
    "people": release(
        guarantee=Guarantee(4.0, 1e-6, PrivacyUnit.users("person")),
        cost=Cost.gaussian(Fraction(1, 4)),
        noise=NoiseLaw("gaussian", 1.5 * 2**30),
        step=2**-30,
        steps=(2**33 + 1, -(2**29) - 1, 5),
        aspect="equal",
    ),
}


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=list(SAMPLES))
def test_it_is_read_as_it_was_written_and_drawn_in_both_ways(
    sample: ChoroplethRelease, tmp_path: Any
) -> None:
    sample.save(tmp_path / "a.json")
    again = sf.load(tmp_path / "a.json")
    assert again == sample and again.to_dict() == sample.to_dict()
    for ending in (".svg", ".html", ".geojson", ".csv"):
        sample.save(tmp_path / f"a{ending}")
    assert "<b>" not in (tmp_path / "a.svg").read_text()


@pytest.mark.parametrize(
    "changes",
    [
        {"steps": (1, 2)},
        {"aspect": "map", "regions": dataclasses.replace(
            AREAS, areas=(Region("far", ((box(0, 0, 1, 200),),)),)), "steps": (1,)},
        {"stat": "density", "steps": (1,), "regions": Areas(
            "x", "y", (Region("tie", ((((0, 0), (2, 2), (2, 0), (0, 2), (0, 0)),),)),))},
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_no_release(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^A |^What "):
        release(**changes)


def test_a_file_with_strange_regions_is_no_release() -> None:
    plain = release().to_dict()
    open_ring, ring = [[0, 0], [1, 0], [1, 1]], [[0, 0], [1, 0], [1, 1], [0, 0]]
    strange = (("", [[ring]]), ("A", [[open_ring]]), ("A", [[]]), ("A", []))
    for areas in ([], *([{"name": name, "polygons": each}] for name, each in strange)):
        regions = {"x": "a", "y": "b", "areas": areas}
        changed = json.loads(json.dumps(plain))
        changed["parameters"]["regions"] = regions
        with pytest.raises(ReleaseError):
            document.read(changed)


def test_regions_are_drawn_with_their_names_and_grey_where_noise_could_have_made_them() -> None:
    figure = release().figure()
    (mark,) = figure.panels[0].marks
    assert isinstance(mark, Regions)
    assert mark.name == ("A & <b>", "B", "C") and mark.muted == (False, True, False)
    assert mark.value.value == (100.0, 0.0, 33.0)
    assert len(mark.paths[0]) == 2 and len(mark.paths[1]) == 2
    assert mark.ratio == pytest.approx(1.0, rel=1e-3) and mark.label == "rows"
    assert "noise of scale 2 was added to every count" in figure.caption
    assert "95 % jointly" in figure.caption


def test_a_map_that_noise_could_have_made_says_so() -> None:
    assert release(steps=(1, 2, 3)).figure().notes == (
        "Too few rows to tell any region from noise.",
    )
    total = release(stat="proportion", steps=(1, -2, 0)).figure().notes
    assert total == ("The noisy total is not above zero: no proportions available.",)


def test_sizes_leave_holes_out_and_add_parts_up() -> None:
    sizes = release(aspect="equal").sizes
    assert sizes / sizes[2] == pytest.approx([3.75, 3, 1])
    far = dataclasses.replace(AREAS, areas=tuple(
        Region(each.name, tuple(tuple(tuple((x + 1e9, y) for x, y in ring) for ring in rings)
                                for rings in each.polygons)) for each in AREAS.areas))  # fmt: skip
    assert release(aspect="equal", regions=far).sizes == pytest.approx(sizes)


def test_intervals_are_as_wide_as_noise_and_as_small_as_areas() -> None:
    count, dense = release().uncertainty, release(stat="density").uncertainty
    assert dense.pointwise.coverage == count.pointwise.coverage
    sizes = release().sizes
    assert np.array(dense.simultaneous.high) * sizes == pytest.approx(count.simultaneous.high)


def test_a_panel_of_regions_is_a_release_of_regions() -> None:
    one = SAMPLES["panels"].facet(col="B")
    assert isinstance(one, ChoroplethRelease) and one.steps == (4, 5, 600)
    records = SAMPLES["panels"].records()
    assert [each["ward"] for each in records] == ["A"] * 3 + ["B"] * 3
    region = Labels("region", Categories(("A", "B")))
    named = release(col=region, steps=(1, 2, 300, 4, 5, 600)).records()
    assert [each["area"] for each in named][:3] == list(AREAS.names)


def test_geojson_has_regions_numbers_and_guarantee() -> None:
    plain = release(stat="density").to_geojson()
    assert read_areas(plain) == AREAS.areas
    assert plain["features"][0]["properties"]["density"] == release(stat="density").numbers[0]
    assert plain["sfumato"]["measure"] == "rows per km²" and plain["sfumato"]["epsilon"] == 0.5


def test_a_person_is_what_is_counted() -> None:
    assert SAMPLES["people"].measure == "person (weight 1 each)"
    assert release().least_cost == release().cost
