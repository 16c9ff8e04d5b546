import json
from dataclasses import replace

import numpy as np
import pytest

import sfumato as sf
from releases.scored import SCALE, SIDE, components, pyramid, scored, sparse, truth
from sfumato.domain import Bounds, Categories
from sfumato.errors import ReleaseError
from sfumato.grid import Grid, Labels
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.releases import document

THREE = (2000, 1200, 3000)
NAMES = ("A", "B", "C")

SAMPLES = {
    "everyone": scored(),
    "three groups": scored(THREE, names=NAMES),
    "numbers for names": scored(THREE, names=(1, 2, 3)),
    "people": scored(THREE, names=NAMES, shared=True),
    "sparse": sparse(THREE, names=NAMES),
    "pyramid": pyramid(THREE, names=NAMES),
    "haar, simulated": scored(method="haar", private=False),
    "no groups": scored((), names=(), found=("kind",)),
    "paid before": scored(alone=False, split=(0.1, 0.9)),
}


def changed(made, path, value):
    """The document of a release with one thing in it changed."""
    plain = json.loads(json.dumps(made.to_dict()))
    place = plain
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    return plain


@pytest.mark.parametrize("made", SAMPLES.values(), ids=SAMPLES)
def test_what_is_loaded_equals_what_was_saved_to_the_bit(made, tmp_path):
    loaded = sf.load(made.save(tmp_path / "scores.json"))
    assert loaded == made and hash(loaded) == hash(made)
    assert loaded.to_dict() == made.to_dict()
    assert loaded.records() == made.records()
    assert loaded.pca == made.pca


def test_releases_with_other_numbers_differ():
    made = SAMPLES["everyone"]
    assert made != replace(made, alone=False)
    assert made != replace(made, masses=(1.0, *made.masses[1:]))
    assert made != replace(made, pca=components(kept=2))
    assert made != "a release"


MALFORMED = {
    "axes that are one": (("parameters", "axes"), [1, 1]),
    "an axis beyond the components": (("parameters", "axes"), [1, 11]),
    "three axes": (("parameters", "axes"), [1, 2, 3]),
    "an axis that is no number": (("parameters", "axes"), ["1", 2]),
    "an unknown method": (("parameters", "method"), "kernel"),
    "a method without its threshold": (("parameters", "method"), "sparse"),
    "a threshold without its method": (("parameters", "threshold"), 12),
    "no noise": (("parameters", "noise"), None),
    "noise of no scale": (("parameters", "noise", "scale"), 0),
    "noise of another kind": (("parameters", "noise", "kind"), "laplace"),
    "a step of nothing": (("parameters", "step"), 0),
    "a share beyond one": (("parameters", "split"), [2.0]),
    "a flag that is a number": (("parameters", "alone"), 1),
    "a frame of another name": (("parameters", "x", "column"), "PC3"),
    "a frame of another size": (("parameters", "x", "bins"), 15),
    "a count that is no integer": (("values", "steps", 0), 0.5),
    "a mass below zero": (("values", "masses", 0), -1.0),
    "a mass too few": (("values", "masses"), [1.0]),
    "no directions": (("values", "pca"), None),
    "directions changed by hand": (("values", "pca", "values", "vectors", 0, 0), 0),
    "directions of nothing": (("values", "pca", "kind"), "boxplot"),
}


@pytest.mark.parametrize(("path", "value"), MALFORMED.values(), ids=MALFORMED)
def test_a_document_changed_by_hand_is_refused(path, value):
    with pytest.raises(ReleaseError, match=r"not a release|newer"):
        document.read(changed(SAMPLES["everyone"], path, value))


def test_directions_that_are_another_chart_are_refused():
    other = SAMPLES["three groups"].to_dict()
    with pytest.raises(ReleaseError, match="not a release"):
        document.read(changed(SAMPLES["everyone"], ("values", "pca"), other))


def test_a_plot_is_no_more_private_than_its_directions():
    simulated = components(private=False)
    with pytest.raises(ValueError, match="no more private"):
        scored(pca=simulated)
    assert not scored(pca=simulated, private=False).private


def test_a_density_sums_to_one_and_follows_the_group():
    made = SAMPLES["three groups"]
    for group in (None, *NAMES):
        density = made.to_array(group)
        assert density.shape == (16, 16) and density.sum() == pytest.approx(1)
    assert made.to_array("A") == pytest.approx(made.mass[0] / made.mass[0].sum())
    right = made.to_array("A")[:, 8:].sum()
    assert right > 0.7, "the first group stands to the right"
    assert made.to_array() == pytest.approx(made.mass.sum(axis=0) / made.mass.sum())


def test_nothing_is_spread_evenly():
    made = scored(masses=(0.0,) * 256)
    assert (made.to_array() == 1 / 256).all()
    assert np.isfinite(made.points(5)).all()


def test_a_group_that_was_not_asked_for_is_refused():
    for made in (SAMPLES["everyone"], SAMPLES["three groups"]):
        with pytest.raises(ReleaseError, match="no group 'D'"):
            made.to_array("D")
        with pytest.raises(ReleaseError, match="no group 'D'"):
            made.points(3, "D")


def test_synthetic_points_follow_the_density_and_are_new_each_time():
    made = SAMPLES["three groups"]
    some = made.points(20_000, "B")
    assert some.shape == (20_000, 2) and np.abs(some).max() <= SIDE
    counted = np.histogram2d(some[:, 1], some[:, 0], bins=16, range=[(-SIDE, SIDE)] * 2)[0]
    assert (counted[made.to_array("B") == 0] == 0).all()
    assert np.abs(counted / 20_000 - made.to_array("B")).sum() / 2 < 0.08
    assert np.abs(counted / 20_000 - made.to_array("A")).sum() / 2 > 0.5, "another group's differ"
    assert (made.points(50, "B") != made.points(50, "B")).all()


def test_points_lie_anywhere_in_their_cells_alike():
    masses = [0.0] * 256
    masses[16 * 3 + 10] = 7.0
    across, up = (scored(masses=tuple(masses)).points(4000) + SIDE).T * 2
    assert (np.floor(across) == 10).all() and (np.floor(up) == 3).all()
    for part in (across % 1, up % 1):
        assert np.histogram(part, 4, (0, 1))[0] == pytest.approx([1000] * 4, abs=150)


@pytest.mark.parametrize("n", [-1, 2.5, True, 10**6, "3"])
def test_a_number_of_points_is_a_whole_number(n):
    with pytest.raises(ReleaseError, match="points must be"):
        SAMPLES["everyone"].points(n)
    with pytest.raises(ReleaseError, match="points must be"):
        SAMPLES["everyone"].figure(points=n)
    with pytest.raises(ReleaseError, match="loadings must be"):
        SAMPLES["everyone"].figure(loadings=n)


def covered(made, truly):
    """How many intervals hold the truth: each alone, and whether all together do."""
    sure = made.uncertainty
    alone, together = (
        (np.array(ends.low) <= truly) & (truly <= np.array(ends.high))
        for ends in (sure.pointwise, sure.simultaneous)
    )
    return alone.mean(), together.all()


@pytest.mark.parametrize("make", [scored, sparse])
def test_intervals_cover_what_they_state(make):
    truly = truth(THREE).ravel()
    pairs = [covered(make(THREE, names=NAMES, drawn=draw), truly) for draw in range(40)]
    alone, together = np.mean(pairs, axis=0)
    assert alone >= 0.945 and together >= 0.85
    assert SAMPLES["three groups"].uncertainty.pointwise.coverage == pytest.approx(0.95, abs=0.02)


def test_intervals_of_counts_left_out_would_not_cover_without_their_threshold():
    truly = truth(THREE).ravel()
    made = sparse(THREE, names=NAMES)
    hidden = np.array(made.steps) == 0
    assert (truly[hidden] > np.array(made.uncertainty.pointwise.high)[hidden]).mean() < 0.05
    assert (truly[hidden] > 2 * SCALE).sum() > 5, "and the noise alone would not explain them"


def test_a_method_without_a_law_of_noise_claims_no_interval():
    made = SAMPLES["pyramid"]
    assert made.uncertainty is None and made.counts is None
    assert made.records()[0]["count"] is None and "low" not in made.records()[0]
    assert "No interval available" in made.caption()


def test_records_name_group_place_count_and_interval():
    made = scored(THREE, names=NAMES, axes=(3, 1), x=grid("PC3"), y=grid("PC1"))
    first, second, *_, last = made.records()
    assert len(made.records()) == 3 * 256
    assert [*first] == [
        "kind", "PC3_left", "PC3_right", "PC1_left", "PC1_right",
        "count", "mass", "low", "high", "low_all", "high_all",
    ]  # fmt: skip
    assert (first["kind"], last["kind"]) == ("A", "C")
    assert (first["PC3_left"], second["PC3_left"]) == (-4.0, -3.5)
    assert (first["PC1_left"], second["PC1_left"], last["PC1_right"]) == (-4.0, -4.0, 4.0)
    assert first["low_all"] < first["low"] < first["count"] < first["high"] < first["high_all"]
    assert last["count"] == made.counts[2, 15, 15]


def test_people_are_counted_in_people():
    made = SAMPLES["people"]
    assert made.counts[0] == pytest.approx(SAMPLES["three groups"].counts[0])
    assert made.uncertainty.pointwise.high[0] - made.counts[0, 0, 0] == pytest.approx(9.8, rel=0.01)


def grid(name, cells=16):
    return Grid(name, Bounds(-SIDE, SIDE), cells)


WRONG = {
    "steps of other cells": {"x": grid("PC1", 8)},
    "an axis of another name": {"x": grid("PC2")},
    "groups without numbers": {"hue": Labels("kind", Categories(("A", "B")))},
    "noise on squares": {"method": "pyramid"},
    "no law": {"noise": None},
    "infinite mass": {"masses": (float("inf"),) + (0.0,) * 255},
    "a threshold for all": {"threshold": 3},
    "a step of two": {"step": 2.0},
    "the same axis twice": {"axes": (1, 1)},
}


@pytest.mark.parametrize("changes", WRONG.values(), ids=WRONG)
def test_numbers_that_do_not_belong_together_are_refused(changes):
    with pytest.raises(ValueError):  # noqa: PT011 - a bug here, never a user's error
        scored(**changes)


def test_a_frame_may_have_more_columns_than_rows():
    numbers = tuple(range(8 * 16))
    made = scored(y=grid("PC2", 8), steps=numbers, masses=tuple(map(float, numbers)))
    assert made.to_array().shape == (8, 16)
    (panel,) = made.figure().panels
    assert panel.marks[0].ratio == 1.0
    assert NoiseLaw("gaussian", SCALE) == made.noise
