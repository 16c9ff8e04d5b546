from dataclasses import replace

from sfumato.metrics.boxplot import BoxplotErrors, boxplot_errors
from sfumato.postprocess.box import Box

BOX = Box(3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 5.0)


def test_a_box_is_no_distance_from_itself():
    assert boxplot_errors(BOX, BOX) == BoxplotErrors(0, 0, 0, 0)


def test_each_error_sees_its_own_numbers_alone():
    assert boxplot_errors(replace(BOX, median=0.5), BOX) == BoxplotErrors(0.5, 0, 0, 0)
    assert boxplot_errors(replace(BOX, q1=-1.5), BOX) == BoxplotErrors(0, 0.5, 0, 0)
    assert boxplot_errors(replace(BOX, q1=-0.5, q3=1.5), BOX) == BoxplotErrors(0, 0, 0, 0)
    both = replace(BOX, lower_whisker=-3.0, upper_whisker=1.5)
    assert boxplot_errors(both, BOX) == BoxplotErrors(0, 0, 1.5, 0)
    assert boxplot_errors(replace(BOX, outliers_below=0.0, outliers_above=9.0), BOX).tails == 7


def test_errors_do_not_take_sides():
    other = Box(0.0, -4.0, -2.0, 1.0, 5.0, 9.0, 1.0)
    assert boxplot_errors(BOX, other) == boxplot_errors(other, BOX)
