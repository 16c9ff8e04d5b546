"""Rows are never longer than they may be, and their products are added exactly."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.domain import Bounds
from sfumato.engines import moments as gram
from sfumato.engines.moments import Gram, upper_products
from sfumato.engines.sums import CAP
from sfumato.lattice import LENGTH, MOST_COLUMNS, REACH, Lattice, Moments


def question(columns, radius=float(REACH), constant=1, origin=0):
    names = tuple(f"c{index}" for index in range(columns))
    lattice = Lattice(names, (Bounds(-1, 1),) * columns, (1.0,) * columns)
    return Moments(lattice, (origin,) * columns, radius, constant)


def added(moments, *blocks):
    """Return the sums over blocks of rows, given as points and weights."""
    sums = Gram(moments)
    for points, weights in blocks:
        sums.room[:, : len(points)] = np.array(points, dtype=np.float64).T
        sums.add(len(points), weights)
    return sums


def squared_length(moments, point):
    """Return the squared length of what becomes of one row, without its constant."""
    return int(np.trace(added(moments, ([point], None)).total()[1:, 1:]))


def beside(columns, reach, part, turn):
    """Return a point that is cut to coordinates just above whole numbers and a `part`."""
    each = math.floor(reach / math.sqrt(columns) - part) + part
    wanted = np.full(columns, each)
    left = reach**2 - columns * each**2
    for place in range(columns):  # as many steps more as the length has room for
        here = (turn + place) % columns
        more = math.floor(math.sqrt(max(0.0, wanted[here] ** 2 + left)) - wanted[here])
        left -= (wanted[here] + more) ** 2 - wanted[here] ** 2
        wanted[here] += more
    wanted += 2**-8
    return np.floor(wanted * (2 * REACH / wanted.max())) - REACH


def longest(columns, moments):
    """Return the largest squared length that hostile rows reach."""
    turns = (0, columns // 2, columns - 1)
    rows = [beside(columns, moments.reach, part, turn) for part in (0.0, 0.5) for turn in turns]
    rows += [np.full(columns, REACH), np.eye(columns)[0] * 2 * REACH - REACH]
    return max(squared_length(moments, row) for row in rows)


@pytest.mark.parametrize("radius", [1.0, 1234.5, float(REACH), 2.0**21])
def test_no_row_of_any_number_of_columns_is_too_long(radius):
    for columns in range(2, MOST_COLUMNS + 1):
        moments = question(columns, radius, origin=-REACH)
        assert longest(columns, moments) <= LENGTH**2


@settings(max_examples=200)
@given(st.data(), st.integers(2, 12), st.floats(1, 2**22))
def test_no_row_at_all_is_too_long(data, columns, radius):
    point = data.draw(st.lists(st.integers(-REACH, REACH), min_size=columns, max_size=columns))
    origin = data.draw(st.integers(-REACH, REACH))
    moments = question(columns, radius, origin=origin)
    assert squared_length(moments, point) <= LENGTH**2


@settings(max_examples=200)
@given(st.data(), st.integers(2, 40))
def test_rows_that_are_cut_to_halves_are_not_too_long(data, columns):
    """Coordinates are chosen so that each lies at a half, or just beside it, once it is cut."""
    moments = question(columns, 1.0, origin=-REACH)
    parts = st.floats(0, 1) | st.sampled_from([0.0, 1.0])
    shape = np.array(data.draw(st.lists(parts, min_size=columns, max_size=columns))) + 1e-3
    wanted = np.floor(shape * moments.reach / np.linalg.norm(shape)) + 0.5
    point = np.rint(wanted * (2 * REACH / wanted.max())).clip(max=2 * REACH) - REACH
    assert squared_length(moments, point) <= LENGTH**2


def away_from_zero(values, out=None):
    return np.multiply(np.sign(values), np.ceil(np.abs(values)), out=out)


@pytest.mark.parametrize(
    ("target", "broken"),
    [((Moments, "reach"), float(LENGTH)), ((gram.np, "rint"), away_from_zero)],
    ids=["no room for rounding", "rounded away from zero"],
)
def test_rows_that_are_too_long_would_be_caught(target, broken, monkeypatch):
    asked = {columns: question(columns, 1.0, origin=-REACH) for columns in (30, 64, 100)}
    assert all(longest(columns, moments) <= LENGTH**2 for columns, moments in asked.items())
    monkeypatch.setattr(*target, broken)
    assert all(longest(columns, moments) > LENGTH**2 for columns, moments in asked.items())


def test_a_length_that_is_kept_is_kept_up_to_half_a_step_a_coordinate():
    moments = question(3, radius=float(REACH))
    sums = added(moments, ([[REACH // 2, -REACH // 4, 3]], None)).total()
    unit = Fraction(moments.reach) / REACH
    expected = [round(step * unit) for step in (REACH // 2, -REACH // 4, 3)]
    assert sums[0, 1:].tolist() == expected
    assert sums[1:, 1:].tolist() == np.outer(expected, expected).tolist()


points = st.lists(st.tuples(*[st.integers(-REACH, REACH)] * 3), min_size=1, max_size=20)


@settings(max_examples=50)
@given(points, st.randoms(use_true_random=False), st.integers(1, 50))
def test_sums_do_not_depend_on_order_or_on_where_they_are_cut(rows, random, most):
    moments = question(3, 5000.0, 77, origin=11)
    expected = added(moments, (rows, None)).total().tolist()
    shuffled = random.sample(rows, len(rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gram, "MOST_WEIGHT", most)
        cut = random.randint(0, len(rows))
        one, other = (added(moments, *[([row], None) for row in part]) for part in
                      (shuffled[:cut], shuffled[cut:]))  # fmt: skip
        one.merge(other)
    assert one.total().tolist() == expected


@settings(max_examples=50)
@given(st.data(), points)
def test_a_row_of_weight_n_is_n_rows(data, rows):
    weights = data.draw(st.lists(st.integers(0, 5), min_size=len(rows), max_size=len(rows)))
    moments = question(3, 5000.0, 3)
    repeated = [row for row, weight in zip(rows, weights, strict=True) for _ in range(weight)]
    expected = added(moments, (repeated or [[math.nan] * 3], None)).total()
    assert added(moments, (rows, np.array(weights))).total().tolist() == expected.tolist()


def test_what_is_nowhere_adds_nothing_whatever_it_weighs():
    moments = question(2, constant=9)
    rows = [[math.nan, 5.0], [5.0, math.nan], [7.0, 8.0]]
    expected = added(moments, ([[7.0, 8.0]], np.array([4]))).total().tolist()
    assert added(moments, (rows, np.array([2, 3, 4]))).total().tolist() == expected


def test_sums_beyond_all_floats_are_exact():
    moments, rows = question(2, radius=1.0, constant=LENGTH - 1), 2**13
    heavy = [[REACH, -REACH]] * rows, np.full(rows, 2**20)
    sums = added(moments, heavy, heavy, ([[REACH, -REACH]], None)).total()
    one = added(moments, ([[REACH, -REACH]], None)).total().astype(object)
    weight = 2 * rows * 2**20 + 1
    assert sums.tolist() == (weight * one).tolist()
    assert int(float(sums[0, 0])) != int(sums[0, 0])  # else floats would do


def test_sums_stop_at_the_cap_and_only_at_the_end():
    moments = question(2, radius=1.0, constant=LENGTH)
    one, other = (added(moments, ([[sign, -sign]], None)) for sign in (REACH, -REACH))
    expected = other.total().tolist()
    less = added(moments, ([[REACH, -REACH]], None))
    for _ in range(70):
        one.merge(one)
        less.merge(less)
    assert one.total()[0].tolist() == [CAP, CAP, -CAP]
    assert one.total()[1, 1:].tolist() == [CAP, -CAP]
    less._whole *= -1
    one.merge(less)  # what had passed the cap is taken away again
    one.merge(other)
    assert one.total()[1:, 1:].tolist() == [row[1:] for row in expected[1:]]


@pytest.mark.parametrize("columns", [2, 7, 8, 9, 50, 100])
@pytest.mark.parametrize("rows", [0, 1, 255, 256, 257, 1000])
def test_products_in_tiles_are_the_whole_product(columns, rows):
    generator = np.random.default_rng(columns)
    right = generator.integers(-9, 9, (columns + 1, 2 * rows)).astype(np.float64)[:, :rows]
    left = right[:-1] * generator.integers(0, 9, rows)
    found = np.triu(upper_products(left, right))
    assert np.array_equal(found, np.triu(left @ right.T))


@pytest.mark.parametrize("columns", [2, 20, 100])
def test_no_product_is_large_enough_for_a_second_thread(columns):
    sizes = []

    class Watched(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            plain = [np.asarray(each) for each in inputs]
            if ufunc is np.matmul:
                *_, high, deep = plain[0].shape
                sizes.append(high * deep * plain[1].shape[-1])
            return getattr(ufunc, method)(*plain, **options)

    rows = np.ones((columns + 1, 8191)).view(Watched)
    assert np.triu(upper_products(rows[:-1], rows)).max() == 8191
    assert 0 < max(sizes) <= 2**18


@pytest.mark.parametrize("weight", [2**31, 2**32, 2**33])
def test_light_rows_beside_heavy_ones_are_not_lost(weight):
    """Once a float has passed 2⁵³, a row that adds 1 adds nothing."""
    moments = question(2)
    heavy, light = [(REACH, 0)], [(REACH // 1000, 0)]
    one, other = (added(moments, (row, None)).total() for row in (heavy, light))
    assert other[1, 1] == 1 and one[1, 1] > 2**19
    times = 2**35 // weight
    blocks = [(heavy, np.array([weight])), (light, np.array([1]))] * times
    assert np.array_equal(added(moments, *blocks).total(), times * (weight * one + other))
