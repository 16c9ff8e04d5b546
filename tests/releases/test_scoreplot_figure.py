from dataclasses import replace

import numpy as np
import pytest

from releases.scored import SCALE, SIDE, components, pyramid, scored, sparse
from sfumato.figure import Arrows, Clouds, Contour, Dots, Heat
from sfumato.postprocess.significance import compute_significance
from sfumato.releases.pca import PcaRelease
from sfumato.releases.release import WATERMARK
from sfumato.releases.scoreplot.density import MOST_TOGETHER
from sfumato.releases.wording import nobody

SIZES = (2000, 1200, 3000)
NAMES = ("A", "B", "C")


def of_kind(figure, kind, panel=0):
    return [mark for mark in figure.panels[panel].marks if isinstance(mark, kind)]


def test_without_groups_there_is_one_density_on_axes_that_say_how_much_they_explain():
    made = scored()
    (panel,) = made.figure().panels
    (heat,) = panel.marks
    assert isinstance(heat, Heat)
    assert panel.title == ""
    assert (panel.x.label, panel.y.label) == (made.pca.axis_label(1), made.pca.axis_label(2))
    assert "of variance" in panel.x.label and "±" in panel.x.label
    assert panel.x.limits == panel.y.limits == heat.x == (-SIDE, SIDE)
    assert (heat.ratio, heat.label) == (1.0, "rows per cell")
    assert heat.noise == made.noise.radius(0.95) and heat.coverage > 0.95


def test_the_picture_holds_the_mass_of_the_group():
    made = scored()
    (heat,) = made.figure().panels[0].marks
    value = np.array(heat.value)
    per_cell = value.size / 256
    assert value.sum() / per_cell == pytest.approx(made.mass.sum())
    middle = value.reshape(16, 8, 16, 8).mean(axis=(1, 3))
    assert np.corrcoef(middle.ravel(), made.mass.ravel())[0, 1] > 0.98


def test_grey_is_what_noise_could_have_made():
    made = scored()
    (heat,) = made.figure().panels[0].marks
    muted = np.array(heat.muted)
    clear = compute_significance(made.counts, SCALE)[0] > 1
    assert 0.2 < clear.mean() < 0.8
    assert not muted[4::8, 4::8][clear].all() and (~muted[4::8, 4::8] == clear).mean() > 0.95
    assert not muted[64, 64] and muted[1, 1]


def test_intervals_are_those_of_the_cell_a_place_lies_in():
    made = scored()
    (heat,) = made.figure().panels[0].marks
    low = np.reshape(made.uncertainty.pointwise.low, (16, 16))
    assert heat.low[8 * 3 + 5][8 * 9] == low[3, 9]
    high = np.reshape(made.uncertainty.pointwise.high, (16, 16))
    assert heat.high[8 * 3][8 * 9 + 7] == high[3, 9]


def test_groups_are_laid_over_each_other_with_two_lines_each():
    figure = scored(SIZES, names=NAMES).figure()
    (clouds,) = of_kind(figure, Clouds)
    assert clouds.series == NAMES and figure.legend == "kind"
    assert [max(map(max, group)) for group in clouds.value] == [1.0, 1.0, 1.0]
    lines = of_kind(figure, Contour)
    assert [(line.series, line.share) for line in lines] == [
        (name, share) for name in NAMES for share in (0.5, 0.9)
    ]
    for core, most in zip(lines[::2], lines[1::2], strict=True):
        assert area(core) < area(most)


def area(line):
    whole = 0.0
    for path in line.paths:
        x, y = np.array(path).T
        whole += float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2
    return whole


def test_a_line_surrounds_the_place_its_group_stands_at():
    lines = of_kind(scored(SIZES, names=NAMES).figure(), Contour)
    for place, line in enumerate(lines[::2]):
        turn = 2 * np.pi * place / 3
        corners = np.concatenate([np.array(path) for path in line.paths])
        assert corners.mean(axis=0) == pytest.approx(
            [2.2 * np.cos(turn), 2.2 * np.sin(turn)], abs=0.3
        )


def test_panels_have_one_density_each_and_one_scale():
    figure = scored(SIZES, names=NAMES).figure(panels=True)
    assert [panel.title for panel in figure.panels] == list(NAMES)
    heats = [of_kind(figure, Heat, place)[0] for place in range(3)]
    assert len({(heat.label, heat.noise, heat.coverage) for heat in heats}) == 1
    assert len({(panel.x, panel.y) for panel in figure.panels}) == 1


def test_more_groups_than_can_be_told_apart_get_panels_unless_asked_otherwise():
    many = tuple(range(MOST_TOGETHER + 1))
    made = scored((900,) * len(many), names=many)
    assert len(made.figure().panels) == len(many)
    assert len(made.figure(panels=False).panels) == 1
    few = scored((900,) * MOST_TOGETHER, names=many[:-1])
    assert len(few.figure().panels) == 1


def test_one_group_alone_has_a_panel_that_names_it():
    figure = scored(names=("A",)).figure()
    assert [panel.title for panel in figure.panels] == ["A"]
    assert of_kind(figure, Heat)


def test_a_group_too_small_to_see_is_named_and_not_drawn():
    made = scored((3000, 40, 2000), names=NAMES)
    figure = made.figure(points=500)
    assert figure.notes == ("Not distinguishable from noise: B.",)
    (clouds,) = of_kind(figure, Clouds)
    assert not np.any(clouds.value[1]) and np.any(clouds.value[0])
    assert {line.series for line in of_kind(figure, Contour)} == {"A", "C"}
    assert {dots.series for dots in of_kind(figure, Dots)} == {"A", "C"}


def test_many_groups_too_small_are_not_all_named():
    names = tuple(f"group {place}" for place in range(8))
    (note,) = scored((5000,) + (10,) * 7, names=names).figure().notes
    assert note.endswith("group 1, group 2, group 3, group 4 and 3 more.")


def test_where_nothing_stands_out_the_picture_says_so():
    nothing = "Nothing here is distinguishable from noise."
    assert scored((30,)).figure().notes == (nothing,)
    assert scored((30, 20), names=("A", "B")).figure().notes == (nothing,)
    assert scored((30, 20), names=("A", "B")).figure(panels=True).notes == (nothing,)
    assert scored().figure().notes == ()


def test_where_no_group_may_be_shown_the_picture_says_so():
    release = scored((), names=(), found=("kind",))
    figure = release.figure(points=5, loadings=2)
    assert figure.panels == () and figure.notes == (nobody(release.guarantee.unit),)
    assert "Rare categories of kind are left out" in figure.caption


LOST = "cannot be distinguished from noise: other directions vary as much."
DIRECTIONS = {
    "all clear": ((True, True, True), (1, 2), ()),
    "the second and the third alike": ((True, False, True), (1, 2), (f"PC2 {LOST}",)),
    "the first two alike": (
        (False, True, True),
        (1, 2),
        ("Noise may have turned PC1 and PC2 within their plane.",),
    ),
    "nothing clear": ((False, False, True), (1, 2), (f"PC1 and PC2 {LOST}",)),
    "neighbours further down": ((False, True, True), (2, 3), (f"PC2 {LOST}",)),
    "far apart": ((False, True, False), (3, 1), (f"PC1 and PC3 {LOST}",)),
    "in the other order": (
        (False, True, True),
        (2, 1),
        ("Noise may have turned PC1 and PC2 within their plane.",),
    ),
}


@pytest.mark.parametrize(("distinct", "axes", "notes"), DIRECTIONS.values(), ids=DIRECTIONS)
def test_a_direction_that_noise_could_have_made_is_named(distinct, axes, notes, monkeypatch):
    monkeypatch.setattr(PcaRelease, "distinct", distinct)
    made = scored()
    x, y = (replace(made.x, column=f"PC{axis}") for axis in axes)
    assert scored(axes=axes, x=x, y=y).figure().notes == notes


def test_the_last_component_has_no_next_to_be_told_from(monkeypatch):
    monkeypatch.setattr(PcaRelease, "distinct", (True, False))
    assert scored(pca=components(columns=2)).figure().notes == ()


def test_arrows_are_the_longest_loadings_enlarged_alike():
    made = scored()
    (arrows,) = of_kind(made.figure(loadings=3), Arrows)
    loading = made.pca.components[:2]
    longest = np.argsort(-np.hypot(*loading))[:3]
    assert arrows.label == tuple(made.pca.columns[place] for place in longest)
    ends = np.array([arrows.x.value, arrows.y.value])
    assert np.hypot(*ends).max() == pytest.approx(0.4 * 2 * SIDE)
    factor = ends / loading[:, longest]
    assert factor == pytest.approx(np.full((2, 3), factor[0, 0]))
    sure = made.pca.uncertainty["components"]
    low = np.reshape(sure.low, made.pca.components.shape)[1, longest[0]]
    assert arrows.y.low[0] == pytest.approx(low * factor[0, 0])
    assert arrows.coverage == sure.coverage and arrows.origin == (0.0, 0.0)


def test_arrows_of_other_axes_are_other_loadings():
    made = scored()
    turned = scored(axes=(2, 1), x=replace(made.x, column="PC2"), y=replace(made.y, column="PC1"))
    (one,), (other,) = (of_kind(each.figure(loadings=9), Arrows) for each in (made, turned))
    assert one.x == other.y and one.y == other.x and len(one.label) == 5


def test_points_are_shared_among_groups_by_their_sizes():
    figure = scored(SIZES, names=NAMES).figure(points=300)
    dots = of_kind(figure, Dots)
    assert sum(len(each.x) for each in dots) == 300
    assert [each.series for each in dots] == list(NAMES)
    assert len(dots[2].x) > len(dots[1].x)
    apart = scored(SIZES, names=NAMES).figure(points=300, panels=True)
    alone = [of_kind(apart, Dots, place)[0] for place in range(3)]
    assert [each.series for each in alone] == ["", "", ""], "panels name them already"
    assert sum(len(each.x) for each in alone) == 300
    (everyone,) = of_kind(scored().figure(points=40), Dots)
    assert len(everyone.x) == len(everyone.y) == 40


def test_the_caption_says_what_protects_whom_and_what_was_paid_for():
    made = scored(SIZES, names=NAMES)
    assert made.caption().startswith("Privacy: ε = 1, δ = 1e-05. Protects each row.")
    assert "This includes the directions." in made.caption()
    before = replace(made, alone=False).caption()
    assert "The directions were released before (ε = 1, δ = 1e-05)." in before
    assert "This includes" not in before
    assert "Gaussian noise of scale 5 on the count of each of 16 × 16 cells" in before
    assert "Rows are clipped to the frame, found privately." in before


def test_the_caption_explains_the_signs_that_are_drawn_and_no_other():
    made = scored(SIZES, names=NAMES)
    plain, apart = made.figure().caption, made.figure(panels=True).caption
    assert "lines enclose 50 % and 90 %" in plain and "Grey" not in plain
    assert "Grey" in apart and "lines" not in apart
    assert "Arrows" not in plain and "synthetic" not in plain
    full = made.figure(loadings=2, points=30).caption
    assert "Arrows" in full and "The 30 points are synthetic" in full
    assert made.caption() == plain


def test_each_method_is_explained_and_claims_no_more_than_it_knows():
    hidden = sparse(SIZES, names=NAMES)
    assert "none is shown below 15" in hidden.caption()
    assert "95 %" not in hidden.caption() + pyramid(SIZES, names=NAMES).caption()
    (heat,) = of_kind(pyramid(SIZES, names=NAMES).figure(panels=True), Heat)
    assert (heat.noise, heat.coverage) == (0.0, 0.0) and heat.low == heat.high
    (heat,) = of_kind(hidden.figure(panels=True), Heat)
    assert heat.noise == 10.0


def test_what_a_sparse_histogram_shows_is_there():
    hidden = sparse((2000, 40), names=("A", "B"))
    (heat,) = of_kind(hidden.figure(panels=True), Heat)
    shown = np.array(hidden.steps).reshape(hidden.shape)[0] > 0
    muted = np.array(heat.muted)[2::4, 2::4]
    assert (muted == ~shown).mean() > 0.95
    assert hidden.figure().notes == ("Not distinguishable from noise: B.",)


def test_a_simulated_release_is_watermarked():
    assert scored(private=False).figure().watermark == WATERMARK
    assert scored().figure().watermark == ""


def test_people_are_called_people():
    figure = scored(SIZES, names=NAMES, shared=True).figure(panels=True)
    (heat,) = of_kind(figure, Heat)
    assert heat.label == "people per cell"
    assert heat.noise == pytest.approx(9.8)
