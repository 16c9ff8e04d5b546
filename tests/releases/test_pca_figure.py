import json
from dataclasses import replace

import numpy as np
import pytest
import vl_convert
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as Page
from matplotlib.text import Text

from releases.analysed import analysed, cloud
from sfumato.errors import ReleaseError
from sfumato.figure import Bars, Points
from sfumato.postprocess.principal import PrincipalComponents
from sfumato.releases import pca
from sfumato.releases.pca import figure as pca_figure
from sfumato.render import theme
from sfumato.render.description import describe_figure
from sfumato.render.vega import VERSION


def sample(columns=5, *, rows=4000, noise=5.0, **changes):
    generator = np.random.default_rng(3)
    return analysed(cloud(generator, rows, columns), generator, noise=noise, **changes)


CLEAR = sample(3, noise=0.1)
MANY = sample(100, kept=100)
NOISE = sample(20, rows=300, noise=2000.0)


def bars(release) -> list[Bars]:
    (panel,) = release.figure().panels
    assert all(isinstance(mark, Bars) for mark in panel.marks)
    return list(panel.marks)


def told_apart(monkeypatch, *gaps):
    """Decide which gaps between components are wider than the noise."""

    def distinct(found: PrincipalComponents) -> tuple[bool, ...]:
        return gaps + (gaps[-1],) * (len(found.variances) - len(gaps))

    monkeypatch.setattr(pca, "find_distinct", distinct)


def test_a_scree_plot_has_a_bar_for_each_component():
    (drawn,) = bars(CLEAR)
    assert drawn.height == pytest.approx(100 * CLEAR.explained_variance_ratio)
    assert drawn.left[1] < 1 < drawn.right[1]
    sure = CLEAR.uncertainty["explained_variance_ratio"]
    assert drawn.pointwise.low == pytest.approx(100 * np.array(sure.low))
    assert drawn.simultaneous.high[0] > drawn.pointwise.high[0] > drawn.height[0]
    (panel,) = CLEAR.figure().panels
    assert panel.x.categories == ("1", "2", "3")
    assert "total variance" in panel.y.label


def test_components_whose_directions_could_be_noise_are_told_by_colour(monkeypatch):
    release = sample(5)
    told_apart(monkeypatch, True, True, False, False, False)
    clear, unclear = bars(release)
    assert (clear.series, unclear.series) == (pca_figure.RELIABLE, pca_figure.UNRELIABLE)
    assert [len(clear.height), len(unclear.height)] == [2, 3]
    assert clear.right[-1] < unclear.left[0]
    shares = np.concatenate([clear.height, unclear.height])
    assert shares == pytest.approx(100 * release.explained_variance_ratio)
    told_apart(monkeypatch, True)
    assert [mark.series for mark in bars(release)] == [""]


def test_where_no_direction_is_clear_no_bar_has_the_colour_that_says_so(monkeypatch):
    release = sample(5)
    told_apart(monkeypatch, False)
    clear, unclear = bars(release)
    assert (clear.series, unclear.series) == (pca_figure.RELIABLE, pca_figure.UNRELIABLE)
    assert [len(clear.height), len(unclear.height)] == [0, 5]
    ax = release.screeplot(ax=Page().subplots())
    doubtful = theme.bar_colour(1)
    assert {to_hex(bar.get_facecolor()) for bar in ax.patches} == {doubtful}
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    shown = [to_hex(patch.get_facecolor()) for patch in ax.get_legend().get_patches()]
    assert names == [pca_figure.RELIABLE, pca_figure.UNRELIABLE]
    assert shown == [theme.bar_colour(0), doubtful]
    drawn = vl_convert.vegalite_to_svg(release.to_vega(), vl_version=VERSION)
    assert all(f">{name}</text>" in drawn for name in names)
    assert drawn.count(f'fill="{theme.bar_colour(0)}"') == 1, "in the legend"


@pytest.mark.parametrize(
    ("gaps", "kept", "words"),
    [
        ((True, True, True, True), 5, ""),
        ((True, True, True, False), 5, "The directions of components 4–5 cannot be distinguished"),
        (
            (True, False, False, False),
            5,
            "The directions of components 2–5 cannot be distinguished",
        ),
        (
            (False, True, False, True),
            5,
            "The directions of components 1–2 and 3–4 cannot be distinguished",
        ),
        (
            (True, True, False, False),
            3,
            "The direction of component 3 cannot be distinguished from noise",
        ),
        ((False, False, False, False), 5, "No direction can be distinguished from noise"),
        ((False, False, False, False), 2, "No direction can be distinguished from noise"),
    ],
)
@pytest.mark.parametrize("view", ["scree", "loadings"])
def test_a_picture_says_which_directions_cannot_be_told_from_noise(
    gaps, kept, words, view, monkeypatch
):
    told_apart(monkeypatch, *gaps)
    notes = " ".join(sample(kept=kept).figure(view=view).notes)
    assert (words in notes) if words else ("noise" not in notes)


def test_a_picture_says_that_all_variance_could_be_noise():
    assert "The total variance is not distinguishable" in NOISE.figure().notes[0]
    assert not any("not distinguishable" in note for note in CLEAR.figure().notes)


def test_variances_below_zero_are_marked():
    below = [clipped for mark in bars(MANY) for clipped in mark.clipped]
    assert below == (MANY.explained_variance[: len(below)] < 0).tolist()
    assert any(below)
    assert "Hollow triangles" in MANY.caption()
    assert "Hollow triangles" not in CLEAR.caption()


def test_a_picture_of_many_components_shows_the_first_and_says_so():
    assert sum(len(mark.height) for mark in bars(MANY)) == pca_figure.MOST_BARS
    assert "The first 20 of 100 components are shown." in MANY.figure().notes
    assert not any("shown" in note for note in CLEAR.figure().notes)


def test_loadings_have_a_row_for_each_column_and_a_panel_for_each_component():
    figure = CLEAR.figure(view="loadings")
    assert [panel.title[:3] for panel in figure.panels] == ["PC1", "PC2", "PC3"]
    assert figure.panels[0].title == f"PC1 ({CLEAR.share_words(1)})"
    for component, panel in enumerate(figure.panels):
        (points,) = panel.marks
        assert isinstance(points, Points)
        assert panel.y.categories == CLEAR.columns[::-1]
        assert points.y == (0.0, 1.0, 2.0)
        assert points.x.value == pytest.approx(CLEAR.components[component][::-1])
        assert points.x.low < points.x.value < points.x.high
        low, high = panel.x.limits
        assert low == -high and high > max(map(abs, (*points.x.low, *points.x.high)))


def test_bars_of_directions_that_could_be_noise_do_not_hide_the_others(monkeypatch):
    release = sample(40, noise=30.0)
    told_apart(monkeypatch, True, False)
    figure = release.figure(view="loadings")
    clear, _, unclear = (panel.marks[0].x for panel in figure.panels)
    limit = figure.panels[0].x.limits[1]
    assert max(map(abs, (*clear.low, *clear.high))) <= limit
    assert max(unclear.high) > limit and max(map(abs, unclear.value)) <= limit
    assert "Some bars extend beyond the axis." in figure.notes
    told_apart(monkeypatch, False)
    figure = release.figure(view="loadings")
    assert figure.panels[0].x.limits[1] > 1
    assert not any("beyond" in note for note in figure.notes)


def test_of_many_columns_those_with_the_largest_loadings_are_shown():
    figure = MANY.figure(view="loadings")
    shown = figure.panels[0].y.categories[::-1]
    assert len(shown) == pca_figure.MOST_ROWS and len(figure.panels) == pca_figure.MOST_PANELS
    largest = np.abs(MANY.components[:3]).max(axis=0)
    places = [MANY.columns.index(column) for column in shown]
    assert places == sorted(places)
    assert largest[places].min() >= np.delete(largest, places).max()
    assert figure.notes[-1] == (
        "Shown are the first 3 of 100 components and the 20 of 100 columns with the largest "
        "loadings there."
    )
    for panel in figure.panels:
        (points,) = panel.marks
        loadings = MANY.components[int(panel.title.split()[0].removeprefix("PC")) - 1]
        assert points.x.value == pytest.approx(loadings[places][::-1])


def test_a_caption_says_who_is_protected_how_and_what_the_numbers_are_of():
    words = CLEAR.caption()
    assert words == CLEAR.figure().caption
    assert words.startswith("Privacy: ε = 1, δ = 1e-05. Protects each row.")
    assert "Columns are scaled by half of their public range." in words
    assert "Shares of the total variance" in words and "all 3 columns" in words
    assert "95 % intervals" in words and "all 3 jointly" in words
    cut = CLEAR.spread.length(CLEAR.lattice)
    assert f"Rows, centred at the released mean, are clipped to length {cut:.2g}." in words
    users = sample(shared=True, scaled="private").caption()
    assert "each user (total weight 1)" in users and "private measure of their spread" in users
    assert "scaled as given" in sample(scaled="given").caption()


def test_the_caption_of_loadings_is_about_loadings():
    words = CLEAR.caption(view="loadings")
    assert words == CLEAR.figure(view="loadings").caption
    cut = CLEAR.directions.length(CLEAR.lattice)
    assert f"Rows, centred at the released medians, are clipped to length {cut:.2g}." in words
    assert "Bars: 95 % intervals of the noise" in words
    assert "total variance" not in words


def test_a_simulated_release_says_so_on_every_picture():
    made = sample(private=False)
    for view in ("scree", "loadings"):
        assert made.figure(view=view).watermark and not CLEAR.figure(view=view).watermark
        assert made.caption(view=view).startswith("NOT PRIVATE")


@pytest.mark.parametrize("release", [CLEAR, MANY, NOISE], ids=["clear", "many", "noise"])
@pytest.mark.parametrize("view", ["scree", "loadings"])
def test_every_view_can_be_drawn_saved_and_read_aloud(release, view, tmp_path):
    assert release.save(tmp_path / "picture.svg", view=view).stat().st_size > 500
    assert json.loads(json.dumps(release.to_vega(view=view), allow_nan=False))
    said = str(next(describe_figure(release.figure(view=view))))
    assert said.startswith("principal component 1" if view == "scree" else "PC1 (")


def test_a_page_shows_the_view_that_was_asked_for(tmp_path):
    page = CLEAR.to_html(view="loadings")
    assert page == CLEAR.save(tmp_path / "page.html", view="loadings").read_text()
    assert "intervals of the noise" in page and "intervals of the noise" not in CLEAR.to_html()


def test_plots_are_drawn_into_the_axes_given():
    page = Page(figsize=(12, 5))
    left, right = page.subplots(1, 2)
    assert CLEAR.screeplot(ax=left) is left
    assert CLEAR.loadings_plot(ax=right) is right
    assert left.get_ylabel() == CLEAR.figure().panels[0].y.label
    assert len(right.child_axes) == 3
    page.draw_without_rendering()


def test_the_titles_of_panels_stand_below_that_of_the_figure():
    page = Page(figsize=(8, 4))
    ax = CLEAR.loadings_plot(ax=page.subplots())
    page.draw_without_rendering()
    title = written(ax)
    assert title.get_text() == CLEAR.figure().title
    for inset in ax.child_axes:
        assert written(inset).get_window_extent().y1 <= title.get_window_extent().y0


def written(ax):
    """The title of an Axes, as it is drawn."""
    words = ax.get_title(loc="left")
    return next(
        text for text in ax.get_children() if isinstance(text, Text) and text.get_text() == words
    )


def test_a_view_that_there_is_not_is_refused(tmp_path):
    for draw in (
        lambda: CLEAR.figure(view="biplot"),
        lambda: CLEAR.caption(view="biplot"),
        lambda: CLEAR.save(tmp_path / "picture.svg", view="biplot"),
        lambda: CLEAR.to_vega(view="biplot"),
    ):
        with pytest.raises(ReleaseError, match="view='loadings'"):
            draw()
    assert not list(tmp_path.iterdir())


def test_names_are_drawn_as_they_are_spelled(tmp_path):
    names = tuple(f"$\\frac{{$ {index}" for index in range(len(CLEAR.columns)))
    release = replace(CLEAR, lattice=replace(CLEAR.lattice, columns=names))
    for view in ("scree", "loadings"):
        assert release.save(tmp_path / f"{view}.svg", view=view).stat().st_size > 0
