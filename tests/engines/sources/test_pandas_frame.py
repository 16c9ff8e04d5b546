"""pandas frames: what a value is read as depends on it and the type of its column alone."""

import math
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from pandas.api.extensions import ExtensionArray, ExtensionDtype

from sfumato.domain import Bounds, Categories
from sfumato.engines.columns import find_positions, read_identities, read_labels, read_numbers
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.sources.frames import PandasFrame
from sfumato.engines.sources.source import Columns
from sfumato.errors import SourceError
from sfumato.grid import Grid, Labels
from sfumato.privacy.guarantee import PrivacyUnit

ROWS = PrivacyUnit.rows()


class Sex(str, Enum):  # noqa: UP042 - which prints as Sex.F
    F = "female"
    M = "male"


class Level(IntEnum):
    LOW = 1


class Loud(str):
    def __str__(self):
        return "LOUD"

    __repr__ = encode = __str__


class Unequal:
    __hash__ = None

    def __eq__(self, other):
        raise ValueError

    def __str__(self):
        return "7"


class Unlisted:
    def __array__(self, *_, **__):
        raise ValueError


NASTY = [
    *("female", Sex.F, Sex.M, Loud("7"), np.str_("7"), "\ud800", "x\ud800", "7\0", "é" * 9000),
    *(7, 7.0, np.float32(7), np.int8(7), Decimal("7.00"), Fraction(7), Level.LOW, True, np.True_),
    *(10**400, 10**5000, Decimal("1e9999"), Decimal("sNaN"), Decimal("NaN"), 1j, math.inf, -0.0),
    *(None, pd.NA, pd.NaT, math.nan, np.datetime64("NaT"), np.datetime64("2026-01-01")),
    *(b"7", b"\xff", [7], (7,), {7}, np.array([7]), np.array([7, math.nan]), {"a": object}),
    *(pd.Timestamp("2026-01-01"), pd.Interval(0, 7), pd.Period("2026"), date(2026, 1, 1)),
    *(Unequal(), Unlisted(), object()),
]
TEXTS = [value for value in NASTY if isinstance(value, str)] + [None, "male"]
CATEGORIES = Categories(("female", "male", "7", "True", "b'7'", "2026-01-01", "(0, 7]"))


def read(series):
    """Return what each row of a column is read as under every declaration, and whose it is."""
    batches = PandasFrame(pd.DataFrame({"g": series})).batches(Columns(["g"]))
    found = [column for batch, _ in batches for column in batch.columns]
    levels, flags = Categories((7, 1)), Categories((True,))
    readings = [
        np.concatenate([find_positions(column, CATEGORIES) for column in found]),
        np.concatenate([find_positions(column, levels) for column in found]),
        np.concatenate([find_positions(column, flags) for column in found]),
        np.nan_to_num(np.concatenate([read_numbers(column) for column in found]), nan=-77.0),
        [text for column in found for text in read_labels(column).to_pylist()],
        [person for column in found for person in read_identities(column).to_pylist()],
    ]
    return list(zip(*readings, strict=True))


def columns(values):
    """Return values as each of the columns of pandas that hold Python's own objects."""
    texts = all(value is None or isinstance(value, str) for value in values)
    yield pd.Series(values, dtype=object)
    if texts:
        yield pd.Series(values, dtype=pd.StringDtype("python"))
        yield pd.Series(values, dtype=pd.StringDtype("python", na_value=math.nan))


@pytest.mark.parametrize("values", [NASTY, TEXTS], ids=["objects", "texts"])
def test_each_object_of_a_frame_is_read_alone(values):
    for series in columns(values):
        alone = [read(series.iloc[[row]])[0] for row in range(len(series))]
        assert alone == [read(pd.Series([value], dtype=object))[0] for value in values]
        assert read(series) == alone


@pytest.mark.parametrize("dtype", [object, pd.StringDtype("python")])
def test_one_text_that_is_not_unicode_changes_no_other(dtype):
    values = [Sex.F, Sex.M] * 500
    keys = [Labels("g", Categories(("female", "male")))]
    for odd in ([], ["\ud800"]):
        frame = pd.DataFrame({"g": pd.Series(values + odd, dtype=dtype)})
        assert DuckEngine(frame).counts(keys, ROWS).reveal().tolist() == [500, 500]


MISSING = [pd.Categorical([None, None]), pd.Categorical(["a", None]).remove_categories(["a"])]
GIVEN = [["7"], [7], [7.5], [True], [pd.Timestamp("2026-01-01")], ["7", 7], [pd.Interval(0, 7)]]


DECLARED = {
    "texts": Categories(("a",)),
    "numbers": Categories((7,)),
    "flags": Categories((True,)),
    "bounds": Bounds(0, 9),
    "days": Bounds.of((date(2026, 1, 1), date(2027, 1, 1))),
}


@pytest.mark.parametrize("declared", DECLARED.values(), ids=DECLARED)
def test_whether_a_categorical_is_refused_depends_on_no_value(declared):
    def refused(categorical):
        key = Grid("g", declared, 3) if isinstance(declared, Bounds) else Labels("g", declared)
        try:
            DuckEngine(pd.DataFrame({"g": categorical})).counts([key], ROWS)
        except SourceError as error:
            return str(error)
        return ""

    given = [pd.Categorical([*values, None]) for values in GIVEN]
    assert len({refused(categorical) for categorical in [*MISSING, *given]}) == 1


@pytest.mark.parametrize("values", GIVEN, ids=str)
def test_a_category_is_read_as_an_object_whatever_type_pandas_gave_to_all(values):
    mixed = pd.Index([*values, "other"], dtype=object)
    found = [read(pd.Series(pd.Categorical(values, kind))) for kind in (None, mixed)]
    assert found == [read(pd.Series(values, dtype=object))] * 2


def test_a_column_of_a_strangers_type_is_refused_by_its_type():
    """Arrow would see a list of objects, and choose a type by what is in it."""

    class Kind(ExtensionDtype):
        name = "stranger"
        type = object

        @classmethod
        def construct_array_type(cls):
            return Strangers

    class Strangers(ExtensionArray):
        dtype = Kind()

        def __init__(self, values):
            self.values = np.array(values, dtype=object)

        def __len__(self):
            return len(self.values)

        def __getitem__(self, place):
            found = self.values[place]
            return type(self)(found) if isinstance(found, np.ndarray) else found

        def copy(self):
            return self

    for values in ([1, 2], ["a", 2], [None, None]):
        frame = pd.DataFrame({"x": Strangers(values), "y": 1})
        assert PandasFrame(frame).kinds == {"x": "other", "y": "number"}


BESIDE = [
    *(pd.Interval(0, 7), pd.Interval(0.5, 7)),
    pd.Interval(pd.Timestamp(2026, 1, 1), pd.Timestamp(2027, 1, 1)),
    *(timedelta(days=1), np.timedelta64(1, "D"), pd.Timedelta("1h"), np.timedelta64(1, "ns")),
    *(datetime(2026, 1, 1), datetime(2026, 1, 1, tzinfo=UTC), date(2026, 1, 1), time(7)),
    *(np.datetime64("2026-01-01"), np.datetime64("2026-01-01T07:00:00.5"), pd.Period("2026-01")),
    *(True, 7, 7.5, np.float32(0.1), Decimal("7.1"), 1j, np.complex64(2j), Fraction(1, 3)),
    *("x", "7", b"7", Sex.F, Level.LOW, None),
]  # fmt: skip


def test_no_other_value_decides_how_one_is_written():
    # pandas chooses the type of categories by all values that are there.
    for one, other in permutations(BESIDE, 2):
        objects = written(pd.Series([one] * 3, dtype=object))
        assert written(pd.Series([one] * 3 + [other], dtype=object))[:3] == objects
        if (beside := categorical([one] * 3 + [other])) is not None:
            assert written(beside)[:3] == written(categorical([one] * 3)), (one, other)


def categorical(values):
    try:
        return pd.Series(values, dtype=object).astype("category")
    except ValueError:  # to pandas some are the same, and then they are not
        return None


def written(series):
    ((batch, _),) = PandasFrame(pd.DataFrame({"g": series})).batches(Columns(["g"]))
    return read_identities(batch.column("g")).to_pylist()
