"""Bins by the calendar, on the clocks of a zone; parts that come around again; zooming in."""

import json
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.charts.axes import make_axis_key
from sfumato.charts.histogram import Histogram
from sfumato.domain import Bounds, ColumnType, Domain
from sfumato.errors import DomainError, SourceError
from sfumato.grid import Labels
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases import document
from sfumato.render.scale import choose_time_ticks
from sfumato.testing import seeded
from sfumato.zones import find_zone

HOUR = 3600e6
YORK = ZoneInfo("America/New_York")
ZONED = {"when": ColumnType(time=True, zone="America/New_York")}
YEAR = ("2026-01-01", "2027-01-01")
MUCH = Budget(1e6, weak=True)


def edges_of(bounds, bins, types=None):
    domain = Domain(when=bounds).with_types(ZONED if types is None else types)
    return make_axis_key(domain, "when", None, bins).edges


@pytest.mark.parametrize(
    ("bins", "cells"),
    [("hour", 8760), ("day", 365), ("week", 53), ("month", 12), ("quarter", 4), ("year", 1)],
)
def test_a_year_has_so_many_units(bins, cells):
    assert len(edges_of(YEAR, bins)) - 1 == cells


def test_a_day_on_which_clocks_are_changed_is_23_or_25_hours_long():
    for days, hours in ((("2026-03-07", "2026-03-10"), 23), (("2026-10-31", "2026-11-03"), 25)):
        assert (np.diff(edges_of(days, "day")) / HOUR).tolist() == [24, hours, 24]
        assert set(np.diff(edges_of(days, "hour"))) == {HOUR}
    assert set(np.diff(edges_of(("2026-03-07", "2026-03-10"), "day", {}))) == {24 * HOUR}


def test_first_and_last_units_end_at_the_bounds():
    edges = edges_of(("2026-01-15", "2026-03-10"), "month")
    shown = [datetime.fromtimestamp(edge / 1e6, YORK).date() for edge in edges]
    assert shown == [date(2026, 1, 15), date(2026, 2, 1), date(2026, 3, 1), date(2026, 3, 10)]


def test_edges_are_dates_of_any_spelling_and_bounds_too():
    spellings = [
        ["2026-01-01", "2026-04-01", "2027-01-01"],
        [date(2026, 1, 1), date(2026, 4, 1), date(2027, 1, 1)],
        pd.DatetimeIndex(["2026-01-01", "2026-04-01", "2027-01-01"]),
        np.array(["2026-01-01", "2026-04-01", "2027-01-01"], dtype="datetime64[D]"),
    ]
    charts = [Histogram("when", bins=bins) for bins in spellings]
    domains = [chart.declare(None).with_types(ZONED) for chart in charts]
    plans = [
        chart.plan(domain, PrivacyUnit.rows(), MUCH)
        for chart, domain in zip(charts, domains, strict=True)
    ]
    assert len({plan.x for plan in plans}) == 1
    assert plans[0].x.bounds.show(plans[0].x.values[1]) == datetime(2026, 4, 1, tzinfo=YORK)


@pytest.mark.parametrize(
    ("chart", "domain", "why"),
    [
        (Histogram("age", bins="month"), {"age": (0, 9)}, "is for dates"),
        (Histogram("t", bins="fortnight"), {"t": YEAR}, "'quarter'"),
        (Histogram("t", bins="day"), {"t": ("08:00", "18:00")}, "is for dates"),
        (Histogram("t", bins="hour"), {"t": ("0001-01-02", "9999-12-30")}, "more than"),
        (Histogram("t", bins=[0, 5]), {"t": YEAR}, "kind that its bounds are"),
        (Histogram("t", "age", bins="month"), {"t": YEAR, "age": (0, 9)}, "pair"),
        (Histogram("t", bins="weekday", stat="density"), {}, "no density"),
    ],
    ids=str,
)
def test_what_no_calendar_has_is_refused_in_words(chart, domain, why):
    with pytest.raises(DomainError, match=why):
        chart.plan(Domain(domain), PrivacyUnit.rows(), MUCH)


@pytest.mark.parametrize("bins", [None, "weekday", ("weekday", "weekday"), ("weekday", "day"), 5])
def test_a_column_against_itself_must_show_two_parts(bins):
    with pytest.raises(DomainError, match="different columns"):
        Histogram("when", "when", bins=bins)


def moments(*texts):
    local = [datetime.fromisoformat(text).replace(tzinfo=YORK) for text in texts]
    return pa.table({"when": pa.array(local, pa.timestamp("us", "America/New_York"))})


def test_two_parts_of_one_column_are_counted_on_local_clocks():
    table = moments("2026-03-08 23:30", "2026-03-09 00:30", "2026-11-01 01:30")
    bins = ("hour of day", "weekday")
    release = sf.histplot(table, x="when", y="when", bins=bins, budget=MUCH)
    counts = release.counts
    assert counts.shape == (24, 7)
    assert (counts[23, 6], counts[0, 0], counts[1, 6]) == (1, 1, 1)
    assert counts.sum() == 3
    x, y = release.figure().panels[0].x, release.figure().panels[0].y
    assert x.label == "when (hour of day, America/New_York)"
    assert (y.label, y.categories[0]) == ("when (weekday, America/New_York)", "Mon")
    assert {"when_hour_of_day", "when_weekday"} <= release.records()[0].keys()


def test_parts_need_dates():
    table = pa.table({"when": [1, 2]})
    with pytest.raises(SourceError, match="it has numbers"):
        sf.histplot(table, x="when", bins="weekday", budget=1)


def test_the_axis_says_the_zone_and_records_are_told_in_it():
    table = moments("2026-03-08 12:00")
    release = sf.histplot(table, x="when", bounds=YEAR, bins="month", budget=MUCH)
    assert release.figure().panels[0].x.label == "when (America/New_York)"
    assert "months in America/New_York" in release.caption()
    third = release.records()[2]
    assert third["when_left"] == datetime(2026, 3, 1, tzinfo=YORK)
    assert third["when_right"].utcoffset() == timedelta(hours=-4)
    assert third["count"] == 1


def test_files_keep_zones_parts_and_what_is_dropped():
    table = moments("2026-03-08 12:00")
    asked = [
        {"bounds": YEAR, "bins": "month", "outside": "drop"},
        {"bins": "weekday"},
        {"bounds": YEAR},
    ]
    for options in asked:
        release = sf.histplot(table, x="when", budget=1, **options)
        plain = document.write(release)
        assert plain["parameters"]["x"]["column"] == "when"
        assert document.read(json.loads(json.dumps(plain))) == release
        assert ("drop" in plain["parameters"]["x"]) == ("outside" in options)


def test_a_part_with_categories_of_another_is_no_key():
    weekdays = make_axis_key(Domain(), "when", None, "weekday")
    assert isinstance(weekdays, Labels)
    with pytest.raises(ValueError, match="categories of its own"):
        Labels("when", weekdays.categories, "month of year")


def test_values_outside_are_left_out_and_the_caption_says_so():
    table = pa.table({"x": [0.5, 1.5, 99.0, -5.0]})
    clipped = sf.histplot(table, x="x", bounds=(0, 2), bins=2, budget=MUCH)
    dropped = sf.histplot(table, x="x", bounds=(0, 2), bins=2, outside="drop", budget=MUCH)
    assert (clipped.counts.tolist(), dropped.counts.tolist()) == ([2, 2], [1, 1])
    assert "Values are clipped to the axis." in clipped.caption()
    assert "Values of x outside [0, 2] are left out." in dropped.caption()
    assert "clipped" not in dropped.caption()
    assert clipped.cost == dropped.cost


def test_durations_and_times_of_day_are_drawn_in_their_units():
    table = pa.table(
        {
            "late": pa.array([timedelta(minutes=5), None], pa.duration("us")),
            "at": pa.array([30_600, 86_399], pa.time32("s")),
        }
    )
    late = sf.histplot(table, x="late", bounds=("0min", "90min"), bins=9, budget=MUCH)
    assert late.figure().panels[0].x.label == "late (minutes)"
    assert late.counts.tolist() == [1] + [0] * 8
    at = sf.histplot(table, x="at", budget=MUCH)  # which has bounds by itself
    assert at.counts.shape == (24,)
    assert (at.counts[8], at.counts[23]) == (1, 1)
    assert at.records()[-1]["at_right"] == "24:00"
    with pytest.raises(SourceError, match="two durations"):
        sf.histplot(table, x="late", bounds=(0, 90), budget=1)


def test_bounds_of_dates_are_found_within_a_public_window():
    days = pd.date_range("2026-01-01", "2026-12-31", periods=5000, tz="America/New_York")
    table = pa.table({"when": pa.array(days)})
    window = (date(2000, 1, 1), date(2040, 1, 1))
    with seeded(1):
        release = sf.boxplot(table, y="when", bounds=sf.private(within=window), budget=1)
    found = release.value.bounds
    assert found.zone == "America/New_York"
    assert Bounds.of(window).width > 3 * found.width
    assert release.boxes[0].median == pytest.approx(days[2500].timestamp() * 1e6, rel=1e-3)
    with pytest.raises(SourceError, match="within public ones"):
        sf.boxplot(table, y="when", bounds=sf.private(), budget=1)


def test_ticks_of_vega_stand_at_local_midnights_also_where_clocks_change():
    zone = find_zone("America/New_York")
    limits = tuple(zone.to_moment([1_772_841_600e6, 1_773_100_800e6]).tolist())
    ticks = choose_time_ticks(limits, zone, 5)
    assert (np.diff([place for place, _ in ticks]) / HOUR).tolist() == [24, 23, 24]
    release = sf.histplot(
        moments("2026-03-08 12:00"), x="when", bounds=("2026-03-07", "2026-03-10"), budget=1
    )
    drawn = json.dumps(release.to_vega())
    assert "Mar 8" in drawn and "[time(datum.value)]" in drawn  # a number, where a value is a Date


def test_what_all_dates_share_stands_below_the_first_and_not_on_the_label():
    release = sf.histplot(
        moments("2026-03-08 12:00"), x="when", bounds=("2026-03-07", "2026-03-10"), budget=1
    )
    ax = release.plot()
    ax.figure.canvas.draw()
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert labels[0] == "07\n2026-Mar"
    assert ax.xaxis.get_offset_text().get_text() == ""
