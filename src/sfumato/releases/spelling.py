"""What the types of a release say about its document, and how nouns from elsewhere stand in it.

A field of a release says by its type how it is written and read, and by `Parameter` or `Released`
in which part of the document it stands. Where the type alone says too little, `Annotated` adds what
holds of the value. Nouns that know nothing of documents are spelled here, by a class with the names
and types that the document has. `codec` writes and reads by these types; the published schema is
made of them and of the docstrings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Annotated, Any, TypeVar, get_args

import numpy as np

from sfumato.domain import Bounds, Categories
from sfumato.ends import CYCLES, DURATIONS
from sfumato.expressions import DerivedColumn, Selection
from sfumato.grid import MOST_CELLS, Edges, Grid, Labels
from sfumato.lattice import Lattice
from sfumato.plane import MOST_LEVELS
from sfumato.postprocess.box import Box, Summary
from sfumato.postprocess.combined_noise import MOST_TERMS, MOST_WEIGHT, CombinedNoise, NoiseTerm
from sfumato.postprocess.density import Leaves
from sfumato.postprocess.noise_law import WIDEST, NoiseKind, NoiseLaw
from sfumato.privacy.budget import Cost, Loss, LossFamily
from sfumato.privacy.guarantee import MOST_MAX_ROWS as MOST_OF_ONE
from sfumato.privacy.guarantee import MOST_ROWS, Guarantee, PrivacyUnit
from sfumato.privacy.payment import Payment
from sfumato.regions import FARTHEST, MOST_LETTERS, MOST_REGIONS, Areas, Region
from sfumato.releases.signature import Signature

T = TypeVar("T")


@dataclass(frozen=True)
class Part:
    """In which part of its document a field of a release stands."""

    name: str


@dataclass(frozen=True)
class Named:
    """What a field is called in documents, or in memory, where that is not its name here.

    One that `follows` from the others is written and compared, and nothing is made of it.
    """

    key: str = ""
    attribute: str = ""
    follows: bool = False


@dataclass(frozen=True)
class Absent:
    """A field that a document may lack: in older files, or wherever it would say the default.

    A field that is added today is of the second sort: one that older files lack and newer ones
    always have would change what was signed without it.
    """

    default: Any = None
    older: bool = False


@dataclass(frozen=True)
class Within:
    """What a number is at least and at most, or lies above and below."""

    minimum: float = -math.inf
    maximum: float = math.inf
    above: float = -math.inf
    below: float = math.inf

    def holds(self, number: float) -> bool:
        """Tell whether a number lies there."""
        return self.minimum <= number <= self.maximum and self.above < number < self.below


@dataclass(frozen=True)
class Length:
    """How many items a list has, or letters a text."""

    least: int = 0
    most: int | None = None


@dataclass(frozen=True)
class Pattern:
    """What a text looks like as a whole."""

    regex: str


@dataclass(frozen=True, init=False)
class OneOf:
    """The few values there are."""

    values: tuple[Any, ...]

    def __init__(self, values: Sequence[Any] | dict[Any, Any]) -> None:
        object.__setattr__(self, "values", tuple(values))


@dataclass(frozen=True)
class NullWhere:
    """Where an optional field is null: where another has one of these values, and there only.

    Not `exactly` there: it may be null elsewhere, too.
    """

    field: str
    values: tuple[Any, ...]
    exactly: bool = True


@dataclass(frozen=True)
class AsArray:
    """A list that is a NumPy array in memory."""

    dtype: type[np.generic]


@dataclass(frozen=True)
class ToldOnce:
    """Numbers of which few differ: those that do stand under `table`, rising, each once.

    Under the field's own name stands which of them each is, from 0.
    """

    table: str


@dataclass(frozen=True)
class Saved:
    """A whole document of this kind within another."""

    kind: str


@dataclass(frozen=True)
class As:
    """A value that stands in the document as one of another type."""

    spelled: Any
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


Parameter = Annotated[T, Part("parameters")]
"""A public fact that a release was made with."""

Released = Annotated[T, Part("values")]
"""A number that was released, or computed from such numbers alone."""

Integer = Annotated[int, Within(-(2**63), 2**63)]
"""A released integer of 64 bits."""

Index = Annotated[int, Within(0, 2**63 - 1)]
"""A place in a list or on a grid, from 0."""

Positive = Annotated[float, Within(above=0)]
Share = Annotated[float, Within(minimum=0, below=1)]
Scale = Annotated[float, Within(above=0, maximum=WIDEST)]
"""The scale of noise on integers, in steps: one that 64 bits can hold."""

Step = Annotated[float, Within(above=0, maximum=1)]
"""What one released integer is worth."""


def _hexadecimal(digits: int) -> Pattern:
    return Pattern(f"[0-9a-f]{{{digits}}}")


_Spacing = Annotated[Positive | None, Absent(None)]
_Parsed = Annotated[bool, Absent(False)]
_Zoned = Annotated[Annotated[str, Pattern("[A-Za-z0-9_+:/-]{1,64}")] | None, Absent(None)]
_Duration = Annotated[Annotated[str, Pattern("|".join(DURATIONS))] | None, Absent(None)]
_CalendarPart = Annotated[Annotated[str, Pattern("|".join(CYCLES))] | None, Absent(None)]
_Side = Annotated[int, Within(1, 2**MOST_LEVELS)]


class BoundsWords:
    """The public range of a column; values outside were moved to the nearer end.

    Parameters
    ----------
    lower
        Where it begins.
    upper
        Where it ends.
    time
        Whether numbers along this column are moments: microseconds since 1970 began, in UTC.
    step
        How far apart values lie, counted from the lower end; absent where they may lie anywhere.
        Microseconds, for moments.
    parsed
        Whether the column holds text that was read as numbers. Absent if not.
    zone
        On whose clocks moments are told. Absent where the column names no zone, which is UTC.
    clock
        Whether numbers are times of day: microseconds since midnight. Absent if not.
    duration
        The unit that numbers are in, where they are durations. Absent if they are not.
    """

    lower: float
    upper: float
    time: bool
    step: _Spacing
    parsed: _Parsed
    zone: _Zoned
    clock: _Parsed
    duration: _Duration


@dataclass(frozen=True)
class ScaledColumn:
    """A column of principal components: its public range, and what one unit is worth in it.

    Parameters
    ----------
    column
        Its name.
    lower
        Where its range begins.
    upper
        Where its range ends.
    time
        Whether the ends are moments: microseconds since 1970 began, in UTC.
    step
        How far apart values lie, counted from the lower end; absent where they may lie anywhere.
        Microseconds, for moments.
    parsed
        Whether the column holds text that was read as numbers. Absent if not.
    zone
        On whose clocks moments are told. Absent where the column names no zone, which is UTC.
    clock
        Whether numbers are times of day: microseconds since midnight. Absent if not.
    duration
        The unit that numbers are in, where they are durations. Absent if they are not.
    scale
        What one scaled unit is in the units of the column.
    """

    column: str
    lower: float
    upper: float
    time: bool
    step: _Spacing
    parsed: _Parsed
    zone: _Zoned
    clock: _Parsed
    duration: _Duration
    scale: Positive


class GridWords:
    """Equal cells between bounds.

    Cell i, from 0, begins at lower + i × (upper − lower) / bins; it holds its lower end and not its
    upper one, but for the last, which holds both.

    Parameters
    ----------
    column
        What the axis is called.
    bounds
        Where the first cell begins and the last ends.
    bins
        How many cells there are.
    drop
        Whether values beyond the bounds are dropped, and not moved to them. Absent if not.
    """

    column: str
    bounds: Bounds
    bins: Annotated[int, Within(1, MOST_CELLS), Named(attribute="cells")]
    drop: _Parsed


class EdgesWords:
    """Cells between edges of any spacing.

    Values are moved into the bounds first, or dropped, and those beyond the edges are then counted
    nowhere.

    Parameters
    ----------
    column
        What the axis is called.
    bounds
        The public range of the column.
    edges
        The ends of all cells, rising: one more than there are cells.
    drop
        Whether values beyond the bounds are dropped, and not moved to them. Absent if not.
    """

    column: str
    bounds: Bounds
    edges: Annotated[tuple[float, ...], Length(2), Named(attribute="values")]
    drop: _Parsed


class LabelsWords:
    """One cell for each category. Rows of other categories are counted nowhere.

    Parameters
    ----------
    column
        What the axis is called.
    categories
        All texts, all numbers or all true and false. Empty only where a private search found none.
    part
        What is read of a column of dates; there is then a category for each such part. Absent where
        the categories are values of the column.
    zone
        On whose clocks that is read. Absent for UTC.
    """

    column: str
    categories: Categories
    part: _CalendarPart
    zone: _Zoned


_Corner = tuple[
    Annotated[float, Within(-FARTHEST, FARTHEST)], Annotated[float, Within(-FARTHEST, FARTHEST)]
]
_Ring = Annotated[tuple[_Corner, ...], Length(4)]
_Polygon = Annotated[tuple[_Ring, ...], Length(1)]


class RegionWords:
    """A public area of a map.

    Parameters
    ----------
    name
        What it is called.
    polygons
        One polygon or several: of each the ring around it, then those around its holes. A ring is a
        list of corners, x before y, of which the last is the first.
    """

    name: Annotated[str, Length(1, MOST_LETTERS)]
    polygons: Annotated[tuple[_Polygon, ...], Length(1)]


class AreasWords:
    """One cell for each region: a row lies in the first that holds its point, or in none.

    Parameters
    ----------
    x, y
        The columns that say where a row lies.
    areas
        The regions.
    """

    x: str
    y: str
    areas: Annotated[tuple[Region, ...], Length(1, MOST_REGIONS)]


class NoiseWords:
    """The known law of the noise on each integer, in steps.

    Laplace: z has a probability proportional to exp(−|z| / scale). Gaussian: proportional to
    exp(−z² / (2 scale²)).

    Parameters
    ----------
    kind
        Which of the two.
    scale
        How wide it is, in steps; no wider than 2^55.
    """

    kind: NoiseKind
    scale: Scale


class CombinedNoiseWords:
    """The known law of the noise on each integer where releases were combined, in steps.

    The noise is the sum of independent noises, each multiplied by a whole number.

    Parameters
    ----------
    terms
        The noises, and what each is multiplied by.
    """

    terms: Annotated[tuple[NoiseTerm, ...], Length(2, MOST_TERMS)]


class NoiseTermWords:
    """One noise in a weighted sum. Its law before it is multiplied is told by kind and scale.

    Laplace: z has a probability proportional to exp(−|z| / scale). Gaussian: proportional to
    exp(−z² / (2 scale²)).

    Parameters
    ----------
    weight
        What it is multiplied by.
    kind
        Which of the two.
    scale
        How wide it is, in steps; no wider than 2^55.
    """

    weight: Annotated[int, Within(1, MOST_WEIGHT)]
    kind: NoiseKind
    scale: Scale


class SummaryWords:
    """A released box with the ends of its intervals.

    Parameters
    ----------
    box
        What is drawn.
    low, high
        The ends of an interval around each of the seven numbers, each for itself.
    size
        The noisy number of units in the group.
    clear
        False where the group is too small for its box to be reliable.
    """

    box: Box
    low: Box
    high: Box
    size: float
    clear: Annotated[bool, Named(attribute="reliable")]


class LeavesWords:
    """Squares of a quadtree, as one list for each of their numbers.

    In a window of shape[0] columns and shape[1] rows of equal cells, leaf i covers span[i] ×
    span[i] cells from column[i] and row[i] on, counted from the lower bounds of x and y.

    Parameters
    ----------
    shape
        Columns and rows.
    column, row
        Where each leaf begins, from 0.
    span
        How many cells each is wide and high: powers of two.
    mass
        How much is estimated to lie in each leaf: rows, people or weights, spread evenly.
    """

    shape: tuple[_Side, _Side]
    column: Annotated[tuple[Index, ...], AsArray(np.int64)]
    row: Annotated[tuple[Index, ...], AsArray(np.int64)]
    span: Annotated[tuple[_Side, ...], AsArray(np.int64)]
    mass: Annotated[tuple[Annotated[float, Within(minimum=0)], ...], AsArray(np.float64)]


class UnitWords:
    """Whose presence is hidden.

    Parameters
    ----------
    column
        The column that names people, all of whose rows are hidden together; null where each row is
        hidden alone.
    max_rows
        How many rows of one person count at most; null where all rows of a person share one unit of
        weight, or where there is no column.
    by
        Further columns, where a unit is told by the values of several together; left out where
        there are none.
    name
        What units are called in words; left out where their column says it.
    """

    column: Annotated[str, Length(1)] | None
    max_rows: Annotated[
        Annotated[int, Within(1, MOST_OF_ONE)] | None, NullWhere("column", (None,), exactly=False)
    ]
    by: Annotated[tuple[Annotated[str, Length(1)], ...], Absent(())]
    name: Annotated[Annotated[str, Length(1)] | None, Absent(None)]


class GuaranteeWords:
    """What is guaranteed to each unit: (ε, δ)-differential privacy.

    No conclusion becomes more than e^ε times as likely because of one unit, but for a chance of δ.

    Parameters
    ----------
    epsilon, delta
        ε and δ, where neighbours are as said below.
    unit
        Whose presence is hidden.
    size
        The number of rows where it is public: neighbours then replace a row, which is a weaker
        guarantee. Null where the number is private too; the first releases left it out, which means
        the same.
    neighbours
        Between which tables the guarantee holds, in words.
    replace_one
        ε and δ of the same release where neighbours replace one unit: 2ε and δ(1 + e^ε), rounded
        up. Where size is public, ε and δ themselves.
    """

    epsilon: Annotated[float, Within(above=0, maximum=1e12)]
    delta: Share
    unit: PrivacyUnit
    size: Annotated[Annotated[int, Within(1, MOST_ROWS)] | None, Absent(None, older=True)]
    neighbours: Annotated[
        str,
        Pattern(r"add or remove (one row|all rows of one [\s\S]*)|replace one row of [0-9]+"),
        Named(follows=True),
    ]
    replace_one: Annotated[
        tuple[Annotated[float, Within(minimum=0)], Annotated[float, Within(minimum=0)]],
        Named(follows=True),
    ]


class CostWords:
    """What the mechanisms spent, in every currency that they have a cost in.

    Costs of several releases of one table add up, each currency for itself. They are exact
    fractions in lowest terms, as texts: 3, or 195057/320000. A number of JSON could not hold them.

    Parameters
    ----------
    epsilon
        Pure ε; null where Gaussian noise was added, which has none.
    rho
        ρ of zero-concentrated differential privacy.
    delta
        The chance that a threshold fails, over and above what ε and ρ say.
    losses
        What is known more exactly of parts of ε and ρ, no two the same and rising; older files
        know nothing.
    """

    epsilon: Fraction | None
    rho: Fraction
    delta: Fraction
    losses: Annotated[tuple[Loss, ...], Absent(())]


class LossWords:
    """What one kind of noise costs, from which its Rényi divergence at any order follows.

    Parameters
    ----------
    family
        Discrete Laplace noise, or an exponential mechanism, whose log-ratios span ε.
    epsilon
        Its pure ε.
    steps
        By how many steps of its lattice one unit shifts Laplace noise; 1 is also the worst of all
        mechanisms with this ε.
    times
        How often it occurs.
    """

    family: Annotated[LossFamily, OneOf(get_args(LossFamily))]
    epsilon: Fraction
    steps: Annotated[int, Within(minimum=1)]
    times: Annotated[int, Within(minimum=1)]


class PaymentWords:
    """The entry of a ledger that paid for a release.

    Parameters
    ----------
    ledger
        The identity of the ledger, drawn at random when it was created.
    number
        Which entry it is, counted from 1.
    seal
        The SHA-256 that links this entry to all before it, in hexadecimal digits.
    """

    ledger: Annotated[str, _hexadecimal(32)]
    number: Annotated[int, Within(1, 2**63 - 1)]
    seal: Annotated[str, _hexadecimal(64)]


class SignatureWords:
    """An Ed25519 signature (RFC 8032) of all that the document says besides.

    What is signed is the text sfumato release 1, an end of line, and the document without its field
    signature, as JSON in UTF-8: names in the order of their code points, no white space, no letter
    escaped that need not be, integers in full and other numbers in the fewest digits that denote
    the same 64-bit float, as Python writes them.

    Parameters
    ----------
    key
        The public key of whoever signed it, 32 bytes in hexadecimal digits. It says which key to
        ask for, and proves nothing unless you know whose it is.
    value
        The signature, 64 bytes in hexadecimal digits.
    """

    key: Annotated[str, _hexadecimal(64)]
    value: Annotated[str, _hexadecimal(128)]


class DerivedColumnWords:
    """A column that is computed from others of the same row.

    Parameters
    ----------
    name
        What it is called.
    definition
        The expression that it is, in the part of Python's grammar that sfumato reads.
    """

    name: str
    definition: str


class SelectionWords:
    """Which rows were counted, and how columns were derived.

    Parameters
    ----------
    where
        The condition that counted rows meet, in the part of Python's grammar that sfumato reads.
        Other rows were counted nowhere, and took their share of a person's weight. Absent where
        all rows were counted.
    session_where
        The condition that rows of the table meet; others were not there, and took no share of a
        person's weight. Absent where all rows were there.
    columns
        Derived columns, by name and definition; absent where there are none.
    """

    where: Annotated[str | None, Absent(None)]
    session_where: Annotated[str | None, Absent(None)]
    columns: Annotated[tuple[DerivedColumn, ...], Length(1), Absent(())]


class HeadWords:
    """What every document says first.

    Parameters
    ----------
    label
        What was asked, in words.
    private
        False where the noise was simulated from a seed, for tests. Such a file keeps no guarantee,
        and every picture of it must say so.
    guarantee
        What is guaranteed.
    cost
        What was spent.
    paid
        The entries of a ledger that paid for it: one, or one for each measurement that it was
        combined from. Absent where no ledger was kept.
    signature
        Who vouches that this is what they published. Absent where nobody does.
    selection
        Which rows were counted, and how columns were derived. Absent where all rows and stored
        columns alone were.
    """

    label: str
    private: bool
    guarantee: Guarantee
    cost: Cost
    paid: Annotated[tuple[Payment, ...], Length(1), Absent(())]
    signature: Annotated[Signature | None, Absent(None)]
    selection: Annotated[Selection | None, Absent(None)]


@dataclass(frozen=True)
class Spelled:
    """The class whose fields a noun has in documents, and what makes the noun of them."""

    words: type
    make: Callable[..., Any]


def _columns(lattice: Lattice) -> list[ScaledColumn]:
    columns = zip(lattice.columns, lattice.bounds, lattice.scales, strict=True)
    return [ScaledColumn(name, **_range(bounds), scale=scale) for name, bounds, scale in columns]


def _lattice(columns: Sequence[ScaledColumn]) -> Lattice:
    names, scales = zip(*((each.column, each.scale) for each in columns), strict=True)
    return Lattice(names, tuple(Bounds(**_range(each)) for each in columns), scales)


def _range(noun: Bounds | ScaledColumn) -> dict[str, Any]:
    return {field.name: getattr(noun, field.name) for field in fields(Bounds)}


# Longer texts could take all memory there is: Fraction also reads '1e999999999'.
_FRACTION = Pattern("0|[1-9][0-9]{0,3999}(/[1-9][0-9]{0,3999})?")
_COLUMNS = Annotated[tuple[ScaledColumn, ...], Length(2, 100)]

SPELLED: dict[type, Spelled | As] = {
    Bounds: Spelled(BoundsWords, Bounds),
    Grid: Spelled(GridWords, Grid),
    Edges: Spelled(EdgesWords, Edges),
    Labels: Spelled(LabelsWords, Labels),
    Region: Spelled(RegionWords, Region),
    Areas: Spelled(AreasWords, Areas),
    NoiseLaw: Spelled(NoiseWords, NoiseLaw),
    CombinedNoise: Spelled(CombinedNoiseWords, CombinedNoise),
    NoiseTerm: Spelled(NoiseTermWords, NoiseTerm),
    Summary: Spelled(SummaryWords, Summary),
    Leaves: Spelled(LeavesWords, Leaves),
    PrivacyUnit: Spelled(UnitWords, PrivacyUnit),
    Guarantee: Spelled(GuaranteeWords, Guarantee),
    Cost: Spelled(CostWords, Cost),
    Loss: Spelled(LossWords, Loss),
    Payment: Spelled(PaymentWords, Payment),
    Signature: Spelled(SignatureWords, Signature),
    DerivedColumn: Spelled(DerivedColumnWords, DerivedColumn),
    Selection: Spelled(SelectionWords, Selection),
    Lattice: As(_COLUMNS, _columns, _lattice),
    Fraction: As(Annotated[str, _FRACTION], str, Fraction),
}
"""How nouns stand in documents that were not made for them."""
