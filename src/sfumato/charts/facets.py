"""`Faceted`: a chart in panels, one for each category of one column or two.

Facets are groups like those of `hue`: public categories that are counted in the same query. One
row lies in one panel, so what one unit can move by its weight over all groups it moves over all
panels together, and nothing is paid twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.charts.axes import about_order, declare_categories, read_labels
from sfumato.charts.option import About
from sfumato.domain import Categories, Domain, Value
from sfumato.errors import DomainError, Setting
from sfumato.grid import Labels
from sfumato.private_search import Private
from sfumato.releases.facets import MOST_COLUMNS, FacetedRelease, wrap_columns

PanelOrder = Categories | Sequence[Value]
"""The categories of panels, which cannot be searched for."""


def _about_panels(where: str) -> About:
    return About(help=f"The column that has a panel for each category, {where}.", metavar="COLUMN")


def _about_panel_order(axis: str) -> About:
    about = about_order(axis)
    return About(
        help=about["help"],
        session="Default: all that are declared.",
        metavar="A,B",
        spelled="order",
        panel="What is public",
    )


@dataclass(frozen=True)
class Facets:
    """The public categories that a chart has panels for.

    Parameters
    ----------
    row, col
        Those below each other, and those side by side.
    wrap
        How many panels stand side by side at most.
    """

    row: Labels | None = None
    col: Labels | None = None
    wrap: int | None = None

    @property
    def keys(self) -> tuple[Labels, ...]:
        """The columns of groups there are, in the order of the counts."""
        return tuple(key for key in (self.row, self.col) if key is not None)

    @property
    def fields(self) -> dict[str, Any]:
        """What a release says of its panels."""
        return {"row": self.row, "col": self.col, "col_wrap": self.wrap}


WHOLE = Facets()
"""No panels: all is drawn in one."""


@dataclass(frozen=True, kw_only=True)
class Faceted:
    """What every chart has that can be drawn in panels."""

    col: str | None = field(default=None, metadata=_about_panels("side by side"))
    row: str | None = field(default=None, metadata=_about_panels("one below the other"))
    col_order: PanelOrder | None = field(default=None, metadata=_about_panel_order("`col`"))
    row_order: PanelOrder | None = field(default=None, metadata=_about_panel_order("`row`"))
    # How panels stand changes no number, and a chart that is drawn otherwise is not paid again.
    col_wrap: int | None = field(
        default=None,
        compare=False,
        repr=False,
        metadata=About(
            help="How many panels of `col` stand side by side before the next row.",
            metavar="NUMBER",
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        self._check_columns()
        for name, column in (("col", self.col), ("row", self.row)):
            _check_order(name, column, getattr(self, f"{name}_order"))
        if self.col_wrap is not None:
            self._check_wrap(self.col_wrap)

    def _check_columns(self) -> None:
        facets = [column for column in (self.col, self.row) if column is not None]
        others = [getattr(self, name, None) for name in ("x", "y", "hue")]
        if len(set(facets)) != len(facets) or set(facets) & set(others):
            raise DomainError(
                "col and row must be other columns than x, y, hue and each other.",
                "Panels would hold one group each, and be empty otherwise.",
                "Leave one out.",
            )

    def _check_wrap(self, wrap: object) -> None:
        whole = isinstance(wrap, int) and not isinstance(wrap, bool) and 1 <= wrap <= MOST_COLUMNS
        if not whole or self.col is None or self.row is not None:
            raise DomainError(
                (
                    Setting("col_wrap", wrap),
                    f" must be a whole number from 1 to {MOST_COLUMNS}, of a chart with col and "
                    "without row.",
                ),
                "It says how many panels stand side by side.",
                ("Write ", Setting("col_wrap", 3), ", or leave it out."),
            )

    def _declare_facets(self) -> dict[str, object]:
        """Return the categories that the chart itself declares for its panels."""
        return declare_categories({self.col: self.col_order, self.row: self.row_order})

    def _read_facets(self, domain: Domain) -> Facets:
        """Return the public categories that have a panel, or refuse undeclared ones."""
        row = read_labels(domain, self.row, self.row_order)
        col = read_labels(domain, self.col, self.col_order)
        return Facets(row, col, self.col_wrap)

    @property
    def _for_each(self) -> str:
        """What the panels are of, to be said after what is drawn in them."""
        columns = [column for column in (self.row, self.col) if column is not None]
        return f", for each {' and '.join(columns)}" if columns else ""

    def arrange(self, release: Any) -> Any:
        """Return a release that answers the same question, in panels as they are asked for."""
        if isinstance(release, FacetedRelease):
            return wrap_columns(release, self.col_wrap)
        return release


def _check_order(name: str, column: str | None, order: object) -> None:
    if isinstance(order, Private):
        raise DomainError(
            f"Categories of {name} cannot be searched for.",
            "How many panels there are would depend on what is found.",
            ("List them: ", Setting(f"{name}_order", ["A", "B"]), "."),
        )
    if column is None and order is not None:
        raise DomainError(
            (Setting(f"{name}_order"), f" needs a {name}."),
            "Without one there are no panels to put in order.",
            ("Write ", Setting(name, "ward"), ", or leave ", Setting(f"{name}_order"), " out."),
        )
