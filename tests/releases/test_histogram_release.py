import dataclasses
import json
import subprocess
import sys
from datetime import date
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato.domain import Bounds, Categories
from sfumato.errors import ReleaseError
from sfumato.grid import Edges, Grid, Labels
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.releases.histogram import HistogramRelease

AGE = Grid("age", Bounds(0, 90), 3)
WARD = Labels("ward", Categories(("A", "B")))
DAY = Grid("day", Bounds.of((date(2026, 1, 1), date(2026, 1, 3))), 2)

HOUR = Edges("hour", Bounds(0, 4, step=1, parsed=True), (-0.5, 1.5, 3.5, 4.5))


def release(**changes) -> HistogramRelease:
    parts = {
        "label": "histogram of age",
        "guarantee": Guarantee(0.5, 0.0, PrivacyUnit.rows()),
        "cost": Cost.pure(Fraction(1, 2)),
        "private": True,
        "x": AGE,
        "y": None,
        "hue": None,
        "stat": "count",
        "noise": NoiseLaw("laplace", 2.0),
        "step": 1.0,
        "steps": (10, -3, 33),
    }
    return HistogramRelease(**(parts | changes))


SAMPLES = {
    "plain": release(),
    "hue": release(hue=WARD, steps=(1, 2, 3, 4, 5, 6)),
    "map": release(y=Edges("pay", Bounds(0, 9), (0.0, 1.0, 9.0)), steps=(1, 2, 3, 4, 5, 6)),
    "density": release(stat="density", steps=(100, 200, 300)),
    "flags": release(x=Labels("sick", Categories((True, False))), steps=(3, 2**62)),
    "days": release(x=DAY, steps=(3, 4)),
    "whole": release(x=HOUR, steps=(3, 4, 5)),
    "shared": release(
        guarantee=Guarantee(4.0, 1e-6, PrivacyUnit.users("person")),
        cost=Cost.gaussian(Fraction(1, 4)),
        noise=NoiseLaw("gaussian", 1.5 * 2**30),
        step=2**-30,
        steps=(2**33 + 1, -(2**29) - 1, 5),
    ),
    "nothing found": release(x=Labels("job", Categories(())), steps=(), found=("job",)),
    "simulated": release(private=False),
    "combined": sf.combine(release(), release(steps=(8, 1, 30))),
}


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_what_is_loaded_equals_what_was_saved_to_the_bit(sample, tmp_path):
    path = sample.save(tmp_path / "release.json")
    assert sf.load(path) == sample
    assert sf.load(path).to_dict() == sample.to_dict()


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
@pytest.mark.parametrize("ending", ["svg", "png", "pdf", "html"])
def test_every_release_can_be_drawn(sample, ending, tmp_path):
    assert sample.save(tmp_path / f"picture.{ending}").stat().st_size > 500


def test_noisy_counts_may_be_negative_and_bars_may_not():
    bars = SAMPLES["plain"].figure().panels[0].marks[0]
    assert SAMPLES["plain"].counts.tolist() == [10, -3, 33]
    assert bars.height == (10, 0, 33)
    assert bars.clipped == (False, True, False)
    assert min(bars.pointwise.low) >= 0


def test_records_name_places_numbers_and_intervals():
    first = SAMPLES["hue"].records()[0]
    assert first == {
        "ward": "A", "age_left": 0.0, "age_right": 30.0,
        "count": 1.0, "low": -5.0, "high": 7.0, "low_all": -8.0, "high_all": 10.0,
    }  # fmt: skip
    assert SAMPLES["days"].records()[0]["day_left"].date() == date(2026, 1, 1)


def test_a_frame_has_one_row_per_cell():
    frame = SAMPLES["hue"].to_frame()
    assert frame["count"].tolist() == [1, 2, 3, 4, 5, 6]
    assert frame["ward"].tolist() == ["A"] * 3 + ["B"] * 3


def test_density_integrates_to_one():
    sample = SAMPLES["density"]
    assert float((sample.numbers * np.diff(AGE.edges)).sum()) == pytest.approx(1)


def test_shared_weights_are_shown_as_people():
    assert SAMPLES["shared"].counts[0] == (2**33 + 1) / 2**30
    assert "total weight 1" in SAMPLES["shared"].caption()


def test_the_caption_states_guarantee_unit_and_noise():
    caption = SAMPLES["plain"].caption()
    for part in ("ε = 0.5", "each row", "scale 2", "96 %", "below zero"):
        assert part in caption


def test_simulated_noise_is_said_everywhere():
    sample = SAMPLES["simulated"]
    for text in (sample.caption(), sample.to_html(), json.dumps(sample.to_vega())):
        assert "NOT PRIVATE" in text
    assert sample.to_dict()["private"] is False


def changed(**changes):
    return {**SAMPLES["plain"].to_dict(), **changes}


@pytest.mark.parametrize(
    "document",
    [
        [],
        {},
        changed(format="other"),
        changed(version="1"),
        changed(values={"steps": [1, 2]}),
        changed(values={"steps": [1, 2, 1.5]}),
        changed(values={"steps": [1, 2, True]}),
        changed(values={"steps": [1, 2, 2**70]}),
        changed(cost={"epsilon": "1e99999999999", "rho": "0", "delta": "0"}),
        changed(cost={"epsilon": "1/0", "rho": "0", "delta": "0"}),
        changed(guarantee={"epsilon": "x"}),
        changed(parameters={}),
        changed(parameters={**SAMPLES["plain"].parameters, "step": -1}),
        changed(parameters={**SAMPLES["plain"].parameters, "noise": {"kind": "x", "scale": 1}}),
    ],
)
def test_a_changed_file_is_refused_with_one_clear_error(document, tmp_path):
    path = tmp_path / "release.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ReleaseError, match=r"not a release, or it was changed") as caught:
        sf.load(path)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("text", ["", "{", "NaN", '{"a": NaN}', "[" * 100_000, "\x00"])
def test_a_file_that_is_not_json_is_refused(text, tmp_path):
    path = tmp_path / "release.json"
    path.write_text(text)
    with pytest.raises(ReleaseError):
        sf.load(path)


@pytest.mark.parametrize("change", [{"version": 2}, {"kind": "hologram"}])
def test_a_release_from_the_future_asks_for_an_upgrade(change, tmp_path):
    path = tmp_path / "release.json"
    path.write_text(json.dumps(changed(**change)))
    with pytest.raises(ReleaseError, match="newer sfumato"):
        sf.load(path)


def test_a_failed_save_leaves_the_old_file_and_no_other(tmp_path):
    path = SAMPLES["plain"].save(tmp_path / "release.json")
    with pytest.raises(ReleaseError, match="format of"):
        SAMPLES["plain"].save(tmp_path / "release.doc")
    with pytest.raises(ReleaseError, match="Cannot write"):
        SAMPLES["plain"].save(tmp_path / "nowhere" / "release.json")
    assert list(tmp_path.iterdir()) == [path]


def test_a_release_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        SAMPLES["plain"].private = True


DRAW = """
import sys
import sfumato as sf
release = sf.load(sys.argv[1])
release.save(sys.argv[2]); release.to_html(); release._repr_html_(); release.plot()
heavy = {"duckdb", "opendp", "pandas", "pyarrow", "pyspark", "polars"} & set(sys.modules)
sys.exit(f"loaded {heavy}" if heavy else 0)
"""


def test_loading_and_drawing_loads_neither_engine_nor_noise(tmp_path):
    path = SAMPLES["plain"].save(tmp_path / "release.json")
    command = [sys.executable, "-c", DRAW, str(path), str(tmp_path / "picture.svg")]
    quiet = {"MPLBACKEND": "agg"}
    run = subprocess.run(command, capture_output=True, text=True, env=quiet, check=False)
    assert run.returncode == 0, run.stderr


def test_the_caption_never_states_more_than_it_knows():
    sure = release(noise=NoiseLaw("laplace", 1 / 3), steps=(10, 20, 30))
    assert 0.995 < sure.uncertainty.pointwise.coverage < 1
    assert "100 %" not in sure.caption()


def test_the_caption_says_when_a_search_was_cut_short():
    names = Categories(tuple(f"c{number:04}" for number in range(1024)))
    cut = release(x=Labels("job", names), steps=(9,) * 1024, found=("job",))
    assert "first 1024" in cut.caption()
    assert "first 1024" not in SAMPLES["nothing found"].caption()


def test_a_simulated_release_promises_nothing():
    assert "Privacy:" not in SAMPLES["simulated"].caption()


def test_bins_of_whole_numbers_are_told_by_their_first_and_last_value():
    whole = SAMPLES["whole"]
    ends = [(record["hour_left"], record["hour_right"]) for record in whole.records()]
    assert ends == [(0, 1), (2, 3), (4, 4)]
    assert whole.figure().panels[0].x.step == 1
    page = json.dumps(whole.to_vega(), ensure_ascii=False)
    assert "hour 2–3: rows 4" in page and "hour 4: rows 5" in page
    assert '"tickMinStep": 1.0' in page
    assert (
        "Bins of hour hold 2 values each, the last 1. Text is parsed as numbers" in whole.caption()
    )


def test_edges_on_values_are_told_as_they_are():
    asked = release(x=Edges("hour", Bounds(0, 4, step=1), (0.0, 2.0, 4.0)), steps=(3, 4))
    assert asked.records()[0]["hour_right"] == 2
    assert asked.figure().panels[0].x.step is None


def test_a_document_tells_of_steps_and_of_text_only_where_there_are_any():
    plain = release().parameters["x"]["bounds"]
    assert plain == {"lower": 0.0, "upper": 90.0, "time": False}
    whole = SAMPLES["whole"].parameters["x"]["bounds"]
    assert whole == {"lower": 0.0, "upper": 4.0, "time": False, "step": 1.0, "parsed": True}
