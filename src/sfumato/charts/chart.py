"""What every chart has: a plan with its cost, and a way to measure it."""

from __future__ import annotations

import html
import math
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, Generic, Self, TypeVar, cast

from sfumato.charts.axes import list_order
from sfumato.charts.option import About, Example, Ranges, check_choices, options
from sfumato.domain import Bounds, Categories, Domain
from sfumato.engines.engine import Engine, Schema
from sfumato.engines.table import ColumnKind
from sfumato.errors import BudgetError, ReleaseError, Setting, Worded, shorten_label
from sfumato.errors import make_printable as harmless
from sfumato.expressions import Expression, read_where
from sfumato.mechanisms.meter import Meter
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.privacy.payment import Payment
from sfumato.private_search import Private
from sfumato.releases.release import Release


@dataclass(frozen=True)
class Plan(ABC):
    """What a chart will cost and how wrong it will be, known before anyone looks.

    Parameters
    ----------
    label
        What is asked, in words; the ledger keeps it.
    guarantee
        What the release will guarantee.
    cost
        What the ledger will be charged.
    standing
        Whether what the ledger has left would pay for it.
    """

    label: str
    guarantee: Guarantee
    cost: Cost
    standing: str = field(default="", kw_only=True)

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """The guarantees of all that the release will show: also of what was released before."""
        return (self.guarantee,)

    @property
    @abstractmethod
    def expected_error(self) -> float:
        """The mean absolute error of one released number."""

    @property
    def smallest_group(self) -> float:
        """How many rows or people a group needs to be drawn; 0 where every group is."""
        return 0.0

    @abstractmethod
    def check(self, schema: Schema) -> None:
        """Refuse a table that cannot answer, before anything is charged."""

    @abstractmethod
    def lines(self) -> list[tuple[str, str]]:
        """Return what there is to know, as names and values to print."""

    def __str__(self) -> str:
        label = shorten_label(self.label)
        rows = [("plan", label), ("cost", str(self.cost)), ("guarantee", str(self.guarantee))]
        rows += [(harmless(name), harmless(value)) for name, value in self.lines()]
        rows += [("ledger", self.standing)] if self.standing else []
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def describe_text_columns(bounds: Iterable[Bounds]) -> list[tuple[str, str]]:
    """Return what a plan says of columns whose text is read as numbers or dates."""
    kinds = dict.fromkeys("dates" if each.time else "numbers" for each in bounds if each.parsed)
    if not kinds:
        return []
    return [("text", f"parsed as {' and '.join(kinds)}; unparsable values are dropped")]


P = TypeVar("P", bound=Plan)
R_co = TypeVar("R_co", bound=Release, covariant=True)


WHERE = About(
    help="Which rows are counted: a condition on columns, as in pandas' `query`. Comparisons, "
    "`and or not in`, arithmetic, `.isna()`, `.lower()`, `.hour` and the like; a comparison with a "
    "missing value is false. Costs nothing.",
    python="``\"borough == 'Queens' and price < 500\"``. A person's weight is shared among all of "
    "its rows, also those that are not counted.",
    typed="For example \"borough == 'Queens' and price < 500\". A person's weight is shared among "
    "all of its rows, also those that are not counted.",
    metavar="CONDITION",
)


@dataclass(frozen=True)
class Chart(ABC, Generic[P, R_co]):
    """A public request with a cost, defined once.

    Its fields are its options, and say about themselves what doors and pages need: `Option`. What
    is true of the chart as a whole stands here; `sfumato.charts.kinds` lists all charts there are.

    Attributes
    ----------
    verb
        What its function, its method and its command are called.
    summary
        What it does, in one line.
    ranges
        What its function and its command take for `bounds`.
    privacy
        What is charged for what, in a sentence or two.
    example
        A chart of the invented city.
    needs_delta
        Whether its cost needs a δ.
    endings
        The endings of files that only its releases can write.
    views
        What only its releases can be told when they are drawn, and a command offers.
    """

    verb: ClassVar[str]
    summary: ClassVar[str]
    ranges: ClassVar[Ranges]
    privacy: ClassVar[str]
    example: ClassVar[Example]
    needs_delta: ClassVar[bool] = False
    endings: ClassVar[tuple[str, ...]] = ()
    views: ClassVar[tuple[str, ...]] = ()

    where: str | None = field(default=None, kw_only=True, metadata=WHERE)

    def __post_init__(self) -> None:
        check_choices(self)
        for option in options(type(self)):
            if option.name == "order" or option.name.endswith("_order"):
                object.__setattr__(self, option.name, list_order(getattr(self, option.name)))
        object.__setattr__(self, "where", read_where(self.where))

    @property
    @abstractmethod
    def label(self) -> str:
        """What is asked, in words."""

    @property
    def question(self) -> Chart[P, R_co]:
        """What is asked, however it is drawn: whoever asks the same is answered alike, and free."""
        return self

    @property
    def one_range(self) -> bool:
        """Whether one pair of bounds says it all."""
        return False

    @property
    def paid(self) -> tuple[Payment, ...]:
        """What paid for that which its release will hold already."""
        return ()

    @property
    def named_columns(self) -> frozenset[str]:
        """The columns that its options name."""
        given = [getattr(self, each.name) for each in fields(self)]
        condition = () if self.where is None else Expression.of(self.where).columns
        return frozenset([*condition, *(name for value in given for name in _list_texts(value))])

    @property
    def public_size(self) -> int | None:
        """The number of rows, where it is asked for as a public one."""
        return None

    @abstractmethod
    def declare(self, bounds: Any) -> Domain:
        """Return the public facts that the chart declares if it stands alone.

        These are its `bounds`, as a one-line function takes them, and its orders as categories.
        """

    def check_view(self, plan: P, view: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Refuse a way to draw that its release does not have, before anything is charged."""
        unknown = next((name for name in view if name not in self.views), None)
        if unknown is not None:
            raise ReleaseError(
                (Setting(unknown, view[unknown]), f" is no way to draw a {self.verb}."),
                "Nothing was charged.",
                ("Leave ", Setting(unknown), " out."),
            )

    def arrange(self, release: Any) -> Any:
        """Return a release that answers the same question, drawn as this chart asks for it."""
        return release

    def adapt(self, bounds: object, kind: Callable[[str], ColumnKind]) -> Self:  # noqa: ARG002
        """Return the chart with what the kinds of columns tell, which are public."""
        return self

    @abstractmethod
    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> P:
        """Return the cost and the expected error, or refuse. Knows public facts only."""

    @abstractmethod
    def measure(self, engine: Engine, plan: P, meter: Meter) -> R_co:
        """Ask the engine, add the noise, return the release. Only after the charge.

        Privacy
        -------
        Mechanisms take the meter and pay before they draw: at most the plan's cost, whatever the
        data. Whether the noise was real is not the chart's to say.
        """


@dataclass(frozen=True)
class Redrawn(Chart[P, R_co]):
    """A chart that asks what another one asks, and draws the answer in its own way.

    It has its own name, options and help, a `question`, and an `arrange` that says how the release
    is drawn. All that is planned, paid and measured is the question's.
    """

    @property
    @abstractmethod
    def question(self) -> Chart[P, R_co]:
        """The chart whose release it draws."""

    @abstractmethod
    def arrange(self, release: Any) -> Any:
        """Return a release of the question, drawn as this chart asks for it."""

    @property
    def label(self) -> str:
        """What is asked, in words."""
        return self.question.label

    @property
    def one_range(self) -> bool:
        """Whether one pair of bounds says it all."""
        return self.question.one_range

    def declare(self, bounds: Any) -> Domain:
        """Return what its question declares where it stands alone."""
        return self.question.declare(bounds)

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> P:
        """Return the cost and the expected error, or refuse. Knows public facts only."""
        return self.question.plan(domain, unit, budget)

    def measure(self, engine: Engine, plan: P, meter: Meter) -> R_co:
        """Measure what is asked, to be drawn in another way.

        Privacy
        -------
        As the question's own `measure` states; how a release is drawn costs nothing.
        """
        return self.arrange(self.question.measure(engine, plan, meter))


def _list_texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Release):
        selection = value.selection
        return [] if selection is None else [column.name for column in selection.columns]
    several = cast("Iterable[object]", value) if isinstance(value, list | tuple) else ()
    return [each for each in several if isinstance(each, str)]


def declare_within(
    domain: Domain, chart: Chart[P, R_co], bounds: object, kind: Callable[[str], ColumnKind]
) -> tuple[Chart[P, R_co], Domain]:
    """Return a chart of a session, and what is public for it: the domain, and bounds of its own.

    Bounds that are given for one chart hold for it alone, also where the domain declares others.

    Privacy
    -------
    Whoever asks says them, as they say a domain: nothing is read but kinds of columns.
    """
    if bounds is None or isinstance(bounds, Private):
        return chart, domain
    listed = {name for name in domain if isinstance(domain[name], Categories)}
    chart = chart.adapt(bounds, lambda name: "text" if name in listed else kind(name))
    named = cast(Mapping[str, object], bounds) if isinstance(bounds, Mapping) else None
    own = {
        name: fact
        for name, fact in chart.declare(bounds).columns.items()
        if (isinstance(fact, Bounds) if named is None else name in named)
    }
    return chart, domain | own


def describe_smallest(smallest: float, unit: PrivacyUnit) -> tuple[str, str]:
    """Say how many rows or people a group needs to be drawn.

    Examples
    --------
    >>> describe_smallest(138.2, PrivacyUnit.rows())
    ('smallest group', 'about 140 rows (smaller: not drawn)')
    """
    counted = unit.counted
    rounded = float(f"{smallest:.1e}")
    return "smallest group", f"about {rounded:,.12g} {counted} (smaller: not drawn)"


def find_budget(
    chart: Chart[Any, Any],
    domain: Domain,
    unit: PrivacyUnit,
    *,
    error: float,
    size: float = math.inf,
    delta: float = 0.0,
) -> Budget:
    """Return the smallest budget whose plan expects at most this error, and draws such groups.

    A group of `size` rows or people is drawn where the plan's smallest one is no larger. ε is
    searched for on a scale of four digits, so that it can be read, typed and spent as it is.
    """

    def reached(epsilon: float) -> bool:
        plan = chart.plan(domain, unit, Budget(epsilon, delta, weak=True))
        return plan.expected_error <= error and (math.isinf(size) or plan.smallest_group <= size)

    def enough(epsilon: float) -> bool:
        with suppress(BudgetError):  # so small an ε buys nothing at all
            return reached(epsilon)
        return False

    if not (error > 0 and size > 0):
        raise BudgetError(
            f"A wanted error of {error!r}, and the size of a group, must be numbers above 0.",
            "No finite ε removes the noise.",
            (
                "Name an error that you accept: ",
                Worded("plan(chart, error=10)", in_shell="--error 10"),
                ".",
            ),
        )
    candidates = _list_amounts()
    low, high = 0, len(candidates) - 1
    if not reached(candidates[high]):
        raise BudgetError(
            f"No ε up to {candidates[high]:g} reaches an error of {error:g} for groups of "
            f"{size:g}.",
            "The remaining error is not due to noise.",
            "Ask for a larger error, or for larger groups.",
        )
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(candidates[middle]) else (middle + 1, high)
    return Budget(candidates[high], delta, weak=True)  # a plan grants nothing, and says so


def find_largest(
    chart: Chart[P, Any],
    domain: Domain,
    unit: PrivacyUnit,
    asked: Budget,
    *,
    grant: Callable[[Budget], Budget],
    fits: Callable[[P], bool],
) -> Budget | None:
    """Return the largest budget with the asked δ whose plan still fits, or None.

    ε is searched for below the asked one on a scale of four digits, so that it can be typed.

    Parameters
    ----------
    grant
        Turns what is typed into what the chart may spend.
    """

    def affordable(epsilon: float) -> bool | None:
        budget = Budget(epsilon, asked.delta, asked.reserve, weak=True)
        with suppress(BudgetError):  # so small an ε buys nothing at all
            return fits(chart.plan(domain, unit, grant(budget)))
        return None

    candidates = [amount for amount in _list_amounts() if amount <= asked.epsilon]
    most = bisect_left(candidates, True, key=lambda epsilon: affordable(epsilon) is False) - 1
    if most < 0 or not affordable(candidates[most]):
        return None
    return Budget(candidates[most], asked.delta, asked.reserve, weak=asked.weak)


@cache
def _list_amounts() -> list[float]:
    """Return all ε that are typed with four digits, rising."""
    powers, digits = range(-8, 1), range(1000, 10000)
    return [float(f"{digit}e{power}") for power in powers for digit in digits]
