import json
from base64 import b64decode
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from io import BytesIO

import numpy as np
import pyarrow as pa
import pytest
from PIL import ExifTags, Image

import sfumato as sf
from sfumato.domain import Bounds
from sfumato.errors import ReleaseError
from sfumato.figure import Heat
from sfumato.grid import Grid
from sfumato.postprocess.density import Leaves
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.releases import document
from sfumato.releases.heatmap import DECODERS, METHODS, HeatmapRelease
from sfumato.releases.heatmap import view as background
from sfumato.releases.heatmap.area import DEGREE, Area, ratio
from sfumato.releases.heatmap.figure import COVERAGE, REACH
from sfumato.releases.heatmap.leaves import LeafNoise
from sfumato.render.plane import encode_png
from sfumato.testing import seeded

LON = Grid("lon", Bounds(-74.3, -73.7), 64)
LAT = Grid("lat", Bounds(40.5, 40.9), 64)
STEP = 2.0**-30


def leaves(*squares, shape=(8, 8)):
    """Leaves from (column, row, span, mass)."""
    column, row, span, mass = zip(*squares, strict=True)
    return Leaves(
        shape,
        np.array(column, dtype=np.int64),
        np.array(row, dtype=np.int64),
        np.array(span, dtype=np.int64),
        np.array(mass, dtype=np.float64),
    )


QUARTERS = leaves(
    (4, 0, 4, 0.0), (0, 4, 4, 6.5), (4, 4, 4, 1 / 3), (0, 0, 2, 9.0), (2, 0, 2, 40.0),
    (0, 2, 2, 3.0), (2, 2, 2, 11.0),
)  # fmt: skip


def release(**changes) -> HeatmapRelease:
    parts = {
        "label": "heatmap of lon and lat",
        "guarantee": Guarantee(1.0, 0.0, PrivacyUnit.users("user")),
        "cost": Cost.pure(Fraction(1)),
        "private": True,
        "x": LON,
        "y": LAT,
        "method": "adaptive",
        "decoder": "bayes",
        "top": None,
        "origin": "lower",
        "aspect": "map",
        "outside": "drop",
        "weight": None,
        "step": STEP,
        "leaves": QUARTERS,
    } | changes
    mass = parts["leaves"].mass
    made = {
        "noisy": tuple(int(value / parts["step"]) - 7 for value in mass),
        "scale": tuple(2.0 / parts["step"] * (1 + (k % 2)) for k in range(len(mass))),
        "total": float(mass.sum()),
    }
    return HeatmapRelease(**(made | parts))


def point(column=5, row=2, cells=8, **changes) -> HeatmapRelease:
    """All mass in one cell of the finest grid."""
    parts = {
        "leaves": leaves((column, row, 1, 1.0), shape=(cells, cells)),
        "x": Grid("x", Bounds(0, 80), 8),
        "y": Grid("y", Bounds(0, 160), 8),
        "aspect": "equal",
    }
    return release(**(parts | changes))


DAY = Grid("day", Bounds.of((date(2026, 1, 1), date(2026, 12, 31))), 64)
ROWS = Guarantee(0.5, 0.0, PrivacyUnit.rows())
EVERY = {"method": "laplace", "decoder": ""}
SAMPLES = {
    "people": release(),
    "rows": release(guarantee=ROWS, cost=Cost.pure(Fraction(1, 2)), step=1.0),
    "weighed": release(
        guarantee=ROWS, cost=Cost.pure(Fraction(1, 2)), step=2.0**-20, weight="visits",
        scale=(2.0**31,) * 7,
    ),
    "image": point(origin="upper"),
    "time": release(x=DAY, aspect="free"),
    "baseline": release(method="laplace", decoder="", top=0.0001, outside="edge"),
    "published": release(method="pyramid", decoder="lp"),
    "empty": release(leaves=leaves((0, 0, 8, 0.0)), total=0.0),
    "simulated": release(private=False),
    "combined": sf.combine(*(point(**EVERY, noisy=noisy) for noisy in ((7,), (4,)))),
    "fine": release(leaves=leaves((0, 0, 2**19, 3.0), (2**20 - 1, 0, 1, 2.0), shape=(2**20,) * 2),
                    x=Grid("lon", LON.bounds, 2**20), y=Grid("lat", LAT.bounds, 2**20)),
}  # fmt: skip


def mark(sample: HeatmapRelease, **options) -> Heat:
    (panel,) = sample.figure(**options).panels
    (heat,) = panel.marks
    return heat


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_what_is_loaded_equals_what_was_saved_to_the_bit(sample, tmp_path):
    path = sample.save(tmp_path / "release.json")
    loaded = sf.load(path)
    assert loaded == sample and hash(loaded) == hash(sample)
    assert loaded.to_dict() == sample.to_dict()
    assert (loaded.leaves.mass == sample.leaves.mass).all()


def test_releases_with_other_numbers_differ():
    assert release() != release(total=1.0)
    assert release() != release(noisy=(1,) * 7)
    assert release() != "a release"


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_every_release_can_be_drawn(sample, tmp_path):
    assert sample.save(tmp_path / "picture.svg").stat().st_size > 500
    assert json.loads(json.dumps(sample.to_vega(), allow_nan=False))


def test_a_notebook_shows_a_picture():
    assert SAMPLES["image"]._repr_html_().count("<svg") == 1


def broken(**changes):
    plain = release().to_dict()
    for path, value in changes.items():
        *parents, name = path.split("__")
        part = plain
        for parent in parents:
            part = part[parent]
        part[name] = value
    return plain


MALFORMED = {
    "a leaf outside": {"values__leaves__column": [8, 0, 4, 0, 2, 0, 2]},
    "a leaf below zero": {"values__leaves__row": [0, 4, 4, -2, 0, 2, 2]},
    "two that overlap": {"values__leaves__span": [4, 4, 4, 4, 2, 2, 2]},
    "the same twice": {"values__leaves__column": [4, 0, 4, 0, 0, 0, 2]},
    "no square of a quadtree": {"values__leaves__column": [4, 0, 4, 1, 2, 0, 2]},
    "a span that is no power of two": {"values__leaves__span": [3, 4, 4, 2, 2, 2, 2]},
    "no span": {"values__leaves__span": [0, 4, 4, 2, 2, 2, 2]},
    "a column that is no integer": {"values__leaves__column": [4.0, 0, 4, 0, 2, 0, 2]},
    "a negative mass": {"values__leaves__mass": [0, 1, 1, 1, 1, 1, -1e-9]},
    "a mass in words": {"values__leaves__mass": [0, 1, 1, 1, 1, 1, "1"]},
    "a mass too few": {"values__leaves__mass": [0, 1, 1, 1, 1, 1]},
    "a measurement too few": {"values__noisy": [0, 1, 1, 1, 1, 1]},
    "a measurement of no integer": {"values__noisy": [0.5, 1, 1, 1, 1, 1, 1]},
    "no such scale": {"values__scale": [0, 0, 0, 0, 0, 0, 2]},
    "a scale from behind": {"values__scale": [0, 0, 0, 0, 0, 0, -1]},
    "no noise": {"values__scales": [0.0, 1.0]},
    "a shape too large": {"values__leaves__shape": [2**21, 8]},
    "a shape of one side": {"values__leaves__shape": [8]},
    "a total in words": {"values__total": "1"},
    "a negative total": {"values__total": -1.0},
    "no step": {"parameters__step": 0.0},
    "an unknown method": {"parameters__method": "magic"},
    "an unknown decoder": {"parameters__decoder": "magic"},
    "an unknown origin": {"parameters__origin": "left"},
    "an unknown aspect": {"parameters__aspect": None},
    "unknown outside": {"parameters__outside": "keep"},
    "a latitude that is none": {"parameters__y__bounds__upper": 91.0},
    "noise that 64 bits cannot hold": {"values__scales": [2.0**56, 2.0**57]},
    "a top below zero": {"parameters__top": -0.1},
    "an axis of categories": {"parameters__x": {"column": "lon", "categories": ["a"]}},
    "no axis": {"parameters__y": None},
}


@pytest.mark.parametrize("changes", MALFORMED.values(), ids=MALFORMED)
def test_what_was_changed_by_hand_is_refused(changes):
    document.read(broken())
    with pytest.raises(ReleaseError, match="not a release, or it was changed by hand"):
        document.read(broken(**changes))


def test_a_file_is_columns_of_numbers_and_tells_a_scale_once(tmp_path):
    count = 4**6
    column, row = np.divmod(np.arange(count), 64)
    many = Leaves((64, 64), column, row, np.ones(count, dtype=np.int64), np.ones(count))
    sample = release(leaves=many)
    text = sample.save(tmp_path / "release.json").read_text()
    assert "\n" not in text
    assert len(text) < 60 * count
    assert len(json.loads(text)["values"]["scales"]) == 2


def test_an_array_sums_to_one_and_rows_run_with_y():
    array = point(column=5, row=2).to_array()
    assert array.shape == (8, 8)
    assert array[2, 5] == 1 and array.sum() == 1
    assert (point(column=5, row=2, origin="upper").to_array() == array).all()


@pytest.mark.parametrize("resolution", [1, 7, 64, (12, 5), None])
@pytest.mark.parametrize("smooth", [0.0, 0.01, (0.02, 0.0)])
def test_every_array_sums_to_one(resolution, smooth):
    array = release().to_array(resolution=resolution, smooth=smooth)
    assert array.sum() == pytest.approx(1)
    assert array.min() >= 0
    if resolution == (12, 5):
        assert array.shape == (5, 12)


def test_where_there_is_no_mass_the_density_is_even():
    assert (SAMPLES["empty"].to_array(resolution=(4, 2), smooth=0.01) == 1 / 8).all()


def test_a_filter_is_as_wide_in_the_units_of_the_data_at_any_resolution():
    for cells in (64, 160):
        sample = point(column=cells // 2, row=cells // 2, cells=cells)
        array = sample.to_array(resolution=cells, smooth=(4.0, 6.0))
        x = (np.arange(cells) + 0.5) * 80 / cells
        y = (np.arange(cells) + 0.5) * 160 / cells
        for places, shares, sigma in ((x, array.sum(axis=0), 4.0), (y, array.sum(axis=1), 6.0)):
            mean = shares @ places
            assert np.sqrt(shares @ (places - mean) ** 2) == pytest.approx(sigma, rel=0.01)


def test_a_filter_of_one_number_is_as_wide_along_both_axes():
    assert (point().to_array(smooth=5.0) == point().to_array(smooth=(5.0, 5.0))).all()
    timed = SAMPLES["time"]
    day = timedelta(days=1)
    wanted = timed.to_array(smooth=(86_400e6, 0.01))
    assert (timed.to_array(smooth=(day, 0.01)) == wanted).all()


@pytest.mark.parametrize("smooth", [-1, float("nan"), float("inf"), "1", (1,), (1, 2, 3), True])
def test_a_filter_that_has_no_width_is_refused(smooth):
    with pytest.raises(ReleaseError, match="smooth=0"):
        release().to_array(smooth=smooth)
    with pytest.raises(ReleaseError, match="smooth=0"):
        release().figure(smooth=smooth)


@pytest.mark.parametrize("resolution", [0, -1, 2.0, "9", True, (4,), (4, 2**20), 4097])
def test_a_resolution_that_is_none_is_refused(resolution):
    with pytest.raises(ReleaseError, match="resolution=512"):
        release().to_array(resolution=resolution)


def test_a_finer_map_than_any_array_is_refused_unless_a_resolution_is_said():
    with pytest.raises(ReleaseError, match="resolution=512"):
        SAMPLES["fine"].to_array()
    coarse = SAMPLES["fine"].to_array(resolution=2)
    assert coarse == pytest.approx(np.array([[0.6, 0.4], [0, 0]]))


def test_a_record_says_where_how_much_and_how_sure():
    first, *_, last = release().records()
    assert list(last) == [
        "lon_left", "lon_right", "lat_left", "lat_right", "mass", "density", "low", "high"
    ]  # fmt: skip
    assert (first["lon_left"], first["lon_right"]) == (-74.0, -73.7)
    assert (first["lat_left"], first["lat_right"]) == (40.5, pytest.approx(40.7))
    assert (last["mass"], last["low"] < last["mass"] < last["high"]) == (11.0, True)
    across = 0.15 * DEGREE * np.cos(np.radians(40.65))
    assert last["density"] == pytest.approx(11 / (across * 0.1 * DEGREE), rel=1e-4)


def test_moments_are_told_as_moments():
    (first, *_) = SAMPLES["time"].records()
    assert (first["day_left"].year, first["day_right"].year) == (2026, 2026)
    assert SAMPLES["time"].centers(1)[0].x.year == 2026


def test_numbers_can_be_had_as_a_frame():
    frame = release().to_frame()
    assert frame["mass"].sum() == pytest.approx(release().total)


def discrete_laplace(scale, count, generator):
    draws = generator.geometric(-np.expm1(-1 / scale), (2, count))
    return draws[0] - draws[1]


@pytest.mark.parametrize("scale", [0.7, 3.0, 2.0**30])
def test_intervals_cover_the_truth_as_often_as_they_state(scale):
    generator = np.random.default_rng(5)
    truth, count = 1000, 40_000
    noisy = truth + discrete_laplace(scale, count, generator)
    sure = LeafNoise(tuple(noisy.tolist()), (scale,) * count, 1.0).intervals
    low, high = np.array(sure.low), np.array(sure.high)
    covered = ((low <= truth) & (truth <= high)).mean()
    assert covered == pytest.approx(sure.coverage[0], abs=4 * np.sqrt(0.05 / count))
    assert sure.coverage[0] >= 0.95
    short = (np.abs(noisy - truth) <= 0.8 * (high - noisy)).mean()
    assert scale < 1 or short < sure.coverage[0] - 0.01, "a shorter interval would be noticed"


def test_every_leaf_has_the_interval_of_its_own_scale():
    sure = SAMPLES["rows"].uncertainty
    widths = np.array(sure.high) - np.array(sure.low)
    assert len(set(widths[::2])) == len(set(widths[1::2])) == 1
    assert widths[1] > 1.8 * widths[0]
    assert sure.coverage[0] != sure.coverage[1]


@pytest.mark.parametrize("scale", [0.3, 2.0, 50.0])
def test_the_variance_is_that_of_discrete_laplace_noise(scale):
    draws = discrete_laplace(scale, 200_000, np.random.default_rng(1))
    stated = LeafNoise((0,), (scale,), 0.5).variance[0]
    assert 0.25 * draws.var() == pytest.approx(stated, rel=0.03)
    assert LeafNoise((0,), (1e-4,), 1.0).variance[0] == 0


def noisy_map(generator, truth, scale=2.0):
    """A map of 8 x 8 cells, measured directly."""
    column, row = np.divmod(np.arange(64), 8)
    noisy = truth + discrete_laplace(scale, 64, generator)
    cells = Leaves((8, 8), column, row, np.ones(64, dtype=np.int64), np.maximum(noisy, 0) + 0.0)
    return release(
        leaves=cells,
        noisy=tuple(noisy.tolist()),
        scale=(scale,) * 64,
        guarantee=Guarantee(0.5, 0.0, PrivacyUnit.rows()),
        step=1.0,
        x=Grid("x", Bounds(0, 8), 8),
        y=Grid("y", Bounds(0, 8), 8),
        aspect="free",
    )


@pytest.mark.parametrize("smooth", [0.0, 1.0])
def test_the_picture_holds_the_filtered_truth_within_its_intervals(smooth):
    generator = np.random.default_rng(2)
    truth = np.zeros(64, dtype=np.int64)
    truth[0] = 90
    exact = noisy_map(np.random.default_rng(0), truth)
    exact = replace(exact, leaves=replace(exact.leaves, mass=truth.astype(float)))
    wanted = np.array(mark(exact, smooth=smooth).value)[16::32, 16::32]
    nowhere = np.array(mark(exact, smooth=2 * smooth).value)[16::32, 16::32] < 1e-3
    covered, doubted = [], []
    for _ in range(40):
        heat = mark(noisy_map(generator, truth), smooth=smooth)
        low, high = (np.array(end)[16::32, 16::32] for end in (heat.low, heat.high))
        covered.append((low <= wanted) & (wanted <= high))
        doubted.append(np.array(heat.muted)[16::32, 16::32][nowhere])
    assert np.mean(covered) == pytest.approx(COVERAGE, abs=0.03)
    assert np.mean(doubted) == pytest.approx((1 + COVERAGE) / 2, abs=0.02)


def test_an_interval_is_as_wide_as_many_noises_make_it():
    generator = np.random.default_rng(3)
    for count in (1, 2, 5, 60):
        weights = generator.uniform(0.2, 1, count)
        noise = sum(weight * discrete_laplace(30.0, 60_000, generator) for weight in weights)
        within = (np.abs(noise) <= REACH * noise.std()).mean()
        assert within == pytest.approx(COVERAGE, abs=0.008)
        assert abs((np.abs(noise) <= 0.9 * REACH * noise.std()).mean() - COVERAGE) > 0.02


def test_a_density_is_counted_per_square_kilometre_of_the_sphere():
    even = leaves((0, 0, 8, 700.0))
    heat = mark(release(leaves=even), smooth=0)
    mean = 700 / (0.6 * DEGREE * 0.4 * DEGREE * np.cos(np.radians(40.7)))
    assert heat.label == "people per km²"
    assert np.mean(heat.value) == pytest.approx(mean, rel=1e-4)
    assert heat.value[-1][0] / heat.value[0][0] == pytest.approx(
        np.cos(np.radians(40.5)) / np.cos(np.radians(40.9)), rel=1e-4
    )


def test_what_is_counted_is_named_for_what_is_protected():
    assert mark(SAMPLES["rows"]).label == "rows per km²"
    assert mark(SAMPLES["weighed"]).label == "visits per km²"
    assert mark(SAMPLES["image"]).label == "people per 10 × 10 of x × y"
    assert mark(SAMPLES["time"]).label == "people per 5 weeks × 0.05 of day × lat"


def test_an_area_is_round_and_follows_the_bounds_alone():
    for width in (0.7, 1, 3.9, 640, 12_345, 1e9):
        area = Area.of(Grid("a", Bounds(0, width), 4), Grid("b", Bounds(0, width), 4), "free")
        assert 0.04 * width <= area.sides[0] <= 0.125 * width
        assert f"{area.sides[0]:.0e}"[0] in "125"
    hours = Bounds.of((date(2026, 1, 1), date(2026, 1, 2)))
    day = Area.of(Grid("a", hours, 4), Grid("b", Bounds(0, 10), 4), "free")
    assert day.words == "2 hours × 1 of a × b"


def test_a_map_is_as_tall_as_it_is_on_the_ground():
    assert ratio(LON.bounds, LAT.bounds, "map") == pytest.approx(
        0.4 / (0.6 * np.cos(np.radians(40.7)))
    )
    assert ratio(LON.bounds, LAT.bounds, "equal") == pytest.approx(0.4 / 0.6)
    assert ratio(LON.bounds, LAT.bounds, "free") is None
    assert ratio(Bounds(-180, 180), Bounds(80, 100), "map") < 1


def test_a_picture_is_smoothed_the_same_length_on_paper_if_nobody_says():
    sample = release()
    one, other = mark(sample), mark(sample, smooth=0.0)
    assert one != other
    degrees = 0.015 * np.sqrt(0.6 * 0.4 * np.cos(np.radians(40.7)))
    wanted = mark(sample, smooth=(degrees / np.cos(np.radians(40.7)), degrees))
    assert np.array(wanted.value) == pytest.approx(np.array(one.value))
    free = replace(sample, aspect="free")
    wanted = mark(free, smooth=(0.015 * 0.6, 0.015 * 0.4))
    assert np.array(mark(free).value) == pytest.approx(np.array(wanted.value))


def test_the_mass_of_a_picture_lies_where_it_was_measured():
    heat = mark(point(column=5, row=2), smooth=0)
    value = np.array(heat.value)
    assert value.shape == (256, 256)
    rows, columns = np.nonzero(value)
    assert (columns.min(), columns.max() + 1) == (5 * 32, 6 * 32)
    assert (rows.min(), rows.max() + 1) == (2 * 32, 3 * 32)
    assert value.sum() * (80 / 256) * (160 / 256) / (10 * 10) == pytest.approx(1)


def test_a_picture_has_few_points_however_fine_the_map():
    heat = mark(SAMPLES["fine"])
    assert (len(heat.value), len(heat.value[0])) == (512, 512)


def test_leaves_are_drawn_on_request():
    assert mark(release()).leaves == ()
    drawn = mark(release(), leaves=True).leaves
    assert len(drawn) == 7
    assert (drawn[0].left, drawn[0].right, drawn[0].low) == (-74.0, -73.7, 40.5)


def test_an_image_has_its_first_row_on_top():
    (panel,) = SAMPLES["image"].figure().panels
    assert panel.y.reversed and not panel.x.reversed
    (panel,) = release().figure().panels
    assert not panel.y.reversed


def test_a_picture_that_shows_nothing_but_noise_says_so():
    assert SAMPLES["empty"].figure().notes == ("Nothing here is distinguishable from noise.",)
    assert noisy_map(np.random.default_rng(0), np.full(64, 500)).figure().notes == ()


def test_captions_say_what_protects_whom_how_it_was_measured_and_what_grey_means():
    caption = release().caption()
    assert "ε = 1. Protects each user (total weight 1)." in caption
    assert "Grey: not distinguishable from noise (95 % pointwise)." in caption
    assert "Rows outside the window are dropped." in caption
    assert "NOT PRIVATE" in SAMPLES["simulated"].caption()
    baseline = SAMPLES["baseline"].caption()
    assert "the highest 0.01 % of cells kept" in baseline and "clipped to its edge" in baseline
    assert "not smoothed" in release().figure(smooth=0).caption
    assert "σ = 1 day of day" in SAMPLES["time"].figure(smooth=(timedelta(days=1), 0.1)).caption
    assert {caption_of(method, decoder) for method in METHODS for decoder in DECODERS}


def caption_of(method, decoder):
    return release(method=method, decoder=decoder).caption()


PICTURE = np.linspace(0, 1, 12).reshape(3, 4)


@pytest.mark.parametrize(
    "picture",
    [PICTURE, np.dstack([PICTURE] * 3), np.dstack([PICTURE] * 4), (255 * PICTURE).astype(np.uint8)],
)
def test_a_density_can_be_drawn_over_an_array(picture, tmp_path):
    sample = SAMPLES["image"]
    assert sample.save(tmp_path / "over.png", background=picture).stat().st_size > 500
    spec = json.dumps(sample.to_vega(background=picture))
    assert spec.count("data:image/png") == 2
    assert "No colour: little there" in spec


def test_a_density_can_be_drawn_over_a_file(tmp_path):
    path = tmp_path / "scene.png"
    point().save(path)
    drawn = point().to_html(background=path)
    assert drawn.count("data:image/png") == 6, "two pictures: a desk, a phone and the script"
    ax = point().plot(background=str(path))
    assert [image.get_label() for image in ax.images] == ["_background", "_heat"]


@pytest.mark.parametrize("kind", ["png", "jpeg"])
def test_of_a_background_only_the_colours_are_published(kind, tmp_path):
    path = tmp_path / f"scene.{kind}"
    facts = Image.Exif()
    facts[ExifTags.Base.Artist], facts[ExifTags.Base.Orientation] = "CANARY-7f3a", 6
    Image.new("RGB", (40, 20), "red").save(path, exif=facts)
    assert b"CANARY-7f3a" in path.read_bytes()
    content = b64decode(background.read(path).partition(",")[2])
    assert b"CANARY-7f3a" not in content
    assert Image.open(BytesIO(content)).size == (20, 40), "a camera that was held upright"


@pytest.mark.parametrize("picture", ["nowhere.png", np.zeros(3), np.zeros((0, 4)), __file__])
def test_a_background_that_is_no_picture_is_refused(picture):
    with pytest.raises(ReleaseError, match=r"picture|array"):
        release().plot(background=picture)


def test_a_background_that_is_damaged_is_refused(tmp_path):
    path = tmp_path / "scene.png"
    whole = encode_png(np.full((4, 4, 4), 255, dtype=np.uint8))
    for damaged in (whole[:8], whole[:40], whole[:30] + bytes(8) + whole[38:], whole[:8] * 9):
        path.write_bytes(damaged)
        with pytest.raises(ReleaseError, match="damaged") as problem:
            point().plot(background=path)
        assert problem.value.__context__ is None


def test_an_ending_nobody_knows_is_refused(tmp_path):
    known = r"Use \.json, \.csv, \.geojson, \.svg, \.png, \.pdf, \.html or \.vl\.json\."
    with pytest.raises(ReleaseError, match=known):
        release().save(tmp_path / "map.kml")


def signed_area(ring):
    x, y = np.array(ring).T
    return np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]) / 2


def test_geojson_is_what_the_standard_asks_for(tmp_path):
    sample = release()
    plain = json.loads(sample.save(tmp_path / "map.geojson").read_text())
    assert plain["type"] == "FeatureCollection"
    assert len(plain["features"]) == 7
    for feature, record in zip(plain["features"], sample.records(), strict=True):
        assert feature["type"] == "Feature"
        assert feature["geometry"]["type"] == "Polygon"
        (ring,) = feature["geometry"]["coordinates"]
        assert len(ring) == 5 and ring[0] == ring[-1]
        assert signed_area(ring) > 0, "outer rings run counter-clockwise"
        assert ring[0] == [record["lon_left"], record["lat_left"]]
        assert ring[2] == [record["lon_right"], record["lat_right"]]
        wanted = {name: record[name] for name in ("mass", "density", "low", "high")}
        assert feature["properties"] == wanted


def test_geojson_names_the_guarantee():
    said = release().to_geojson()["sfumato"]
    assert (said["epsilon"], said["private"], said["density"]) == (1.0, True, "people per km²")
    assert "ε = 1" in said["guarantee"]
    assert "NOT PRIVATE" in SAMPLES["simulated"].to_geojson()["sfumato"]["guarantee"]


def test_moments_are_no_places_on_a_map():
    with pytest.raises(ReleaseError, match="records"):
        SAMPLES["time"].to_geojson()


def test_centers_lie_where_the_mass_is_and_share_it():
    far = leaves((0, 0, 1, 30.0), (1, 0, 1, 10.0), (7, 7, 1, 20.0), (4, 4, 1, 0.0))
    sample = point(leaves=far)
    first, second = sample.centers(2)
    assert (first.x, first.y) == (5.0, 10.0)
    assert (second.x, second.y) == (75.0, 150.0)
    assert (first.share, second.share) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    (alone,) = sample.centers(1)
    assert alone.share == 1


def test_centers_of_nothing_still_are_places_in_the_window():
    (center,) = SAMPLES["empty"].centers(1)
    assert LON.bounds.lower < center.x < LON.bounds.upper
    assert center.share == 1


@pytest.mark.parametrize("k", [0, -1, 1.0, True, None, 1001])
def test_a_number_of_centers_that_is_none_is_refused(k):
    with pytest.raises(ReleaseError, match=r"centers\(5\)"):
        release().centers(k)


def test_leaves_and_measurements_go_together():
    with pytest.raises(ValueError, match="one measurement"):
        release(noisy=(1, 2))


@pytest.mark.parametrize("bounds", [(2.0**53, 2.0**53 + 64), (1e300, 1.00000000000001e300)])
def test_a_window_between_neighbouring_floats_is_drawn(bounds):
    table = pa.table({"x": [0.2, 0.5], "y": [bounds[0], bounds[1]]})
    with seeded(1):
        release = sf.heatmap(
            table, x="x", y="y", bounds={"x": (0, 1), "y": bounds}, resolution=2, budget=1.0
        )
    (heat,) = (mark for mark in release.figure().panels[0].marks if isinstance(mark, Heat))
    assert np.isfinite(heat.value).all()
