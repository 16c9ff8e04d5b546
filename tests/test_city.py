"""The invented city: always the same, quick to make, and worth drawing."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from hashlib import sha256

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from sfumato.city.people import DISTRICTS, MEASUREMENTS, RARE
from sfumato.city.places import FESTIVAL, lay_out_places
from sfumato.testing import checkins, city


@pytest.fixture(scope="module")
def people() -> pa.Table:
    return city()


@pytest.fixture(scope="module")
def visits() -> pa.Table:
    return checkins()


def column(table: pa.Table, name: str) -> np.ndarray:
    return table[name].to_numpy(zero_copy_only=False)


def digest(table: pa.Table) -> str:
    return sha256(repr(table.to_pydict()).encode()).hexdigest()


def test_the_city_is_the_same_in_another_process() -> None:
    program = (
        "from hashlib import sha256; from sfumato.testing import city, checkins\n"
        "for table in (city(2000), checkins(2000)):\n"
        "    print(sha256(repr(table.to_pydict()).encode()).hexdigest())"
    )
    command = [sys.executable, "-c", program]
    there = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert there == [digest(city(2000)), digest(checkins(2000))]


def test_twenty_thousand_people_are_invented_within_three_seconds() -> None:
    begun = time.perf_counter()
    city(20_001)
    checkins(20_001)
    assert time.perf_counter() - begun < 3


@pytest.mark.parametrize("size", [1, 7, 100])
def test_a_city_can_be_very_small(size: int) -> None:
    assert city(size).num_rows == size
    assert set(checkins(size)["person_id"].to_pylist()) <= set(city(size)["person_id"].to_pylist())


def test_there_is_one_row_per_person(people: pa.Table) -> None:
    assert people.num_rows == pc.count_distinct(people["person_id"]).as_py() == 20_000


def test_some_values_are_missing_and_none_is_nan(people: pa.Table) -> None:
    for name in ("income", "sector", "occupation", "commute_minutes", *MEASUREMENTS):
        assert 0.03 < people[name].null_count / people.num_rows < 0.6
    for name in ("income", "commute_minutes", *MEASUREMENTS):
        assert not pc.any(pc.is_nan(people[name])).as_py()
    for name in ("person_id", "age", "sex", "district", "moved_in", "health"):
        assert people[name].null_count == 0


def test_districts_have_different_characters(people: pa.Table) -> None:
    means = people.group_by("district").aggregate(
        [("age", "mean"), ("income", "approximate_median")]
    )
    assert means.num_rows == len(DISTRICTS) == 6
    for name, factor in (("age_mean", 1.4), ("income_approximate_median", 2)):
        values = column(means, name)
        assert values.max() > factor * values.min()


def test_incomes_have_a_heavy_tail(people: pa.Table) -> None:
    incomes = column(people, "income")
    incomes = incomes[~np.isnan(incomes)]
    assert incomes.min() >= 0
    assert incomes.max() > 20 * np.median(incomes)


def test_commutes_are_told_in_round_minutes(people: pa.Table) -> None:
    minutes = column(people, "commute_minutes")
    minutes = minutes[~np.isnan(minutes)]
    assert (minutes % 5 == 0).mean() > 0.8
    assert (minutes % 5 != 0).any()


def test_some_occupations_are_held_by_very_few(people: pa.Table) -> None:
    counts = Counter(people["occupation"].to_pylist())
    assert {name: counts[name] for name in RARE} == RARE


def test_health_falls_into_clouds_that_two_components_show(people: pa.Table) -> None:
    whole = people.drop_null()
    measured = np.column_stack([column(whole, name) for name in MEASUREMENTS])
    scaled = (measured - measured.mean(axis=0)) / measured.std(axis=0)
    scores = scaled @ np.linalg.svd(scaled, full_matrices=False)[2][:2].T
    health = column(whole, "health")
    kinds = np.unique(health)
    centres = np.array([scores[health == kind].mean(axis=0) for kind in kinds])
    nearest = np.linalg.norm(scores[:, None] - centres, axis=2).argmin(axis=1)
    assert len(kinds) == 4
    assert (kinds[nearest] == health).mean() > 0.85


def test_a_few_people_leave_most_of_the_traces(visits: pa.Table) -> None:
    counts = np.sort(np.unique(column(visits, "person_id"), return_counts=True)[1])
    assert np.median(counts) < counts.mean() / 1.5
    assert counts[-1] > 50 * np.median(counts)
    assert counts[-len(counts) // 10 :].sum() > 0.4 * counts.sum()


def test_nobody_checks_in_outside_the_declared_map(visits: pa.Table) -> None:
    for name, low, high in (("lon", -30.10, -29.90), ("lat", 44.94, 45.06)):
        assert low < column(visits, name).min() < column(visits, name).max() < high


def test_the_map_has_a_river_and_a_bay(visits: pa.Table) -> None:
    town = lay_out_places()
    cells, _, _ = np.histogram2d(town.x, town.y, bins=(64, 52), range=((-7.8, 7.8), (-6.6, 6.6)))
    assert (cells[20:44, 0:4] == 0).all()  # the bay
    across = cells[28:44, 22:24]  # two rows through the middle, from the market to the east bank
    assert (across.sum(axis=1) < across.sum(axis=1).mean() / 4).sum() >= 1


def test_the_year_has_a_rhythm(visits: pa.Table) -> None:
    time_of = column(visits, "time").astype("datetime64[m]").astype(np.int64)
    begin = np.datetime64("2025-01-01", "m").astype(np.int64)
    day, hour = (time_of - begin) // 1440, time_of % 1440 // 60
    assert day.min() == 0 and day.max() == 364
    daily = np.bincount(day)
    assert daily[FESTIVAL.start : FESTIVAL.stop].mean() > 1.3 * np.median(daily)
    place = column(visits, "place")
    assert np.isin(hour[place == "bar"], (20, 21, 22, 23, 0, 1, 2)).mean() > 0.5
    assert np.isin(hour[place == "school"], range(6, 18)).mean() > 0.9
