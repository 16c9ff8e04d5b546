"""`FacetedRelease`: numbers by panel, paid for as one; each panel is a release too."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from typing import Annotated, ClassVar, Self

from sfumato.domain import Categories, Value
from sfumato.errors import DomainError, ReleaseError, abbreviate
from sfumato.grid import Labels
from sfumato.releases.release import Release
from sfumato.releases.spelling import Absent, Parameter, Within

MOST_COLUMNS = 1000

Wrap = Annotated[int, Within(1, MOST_COLUMNS)]


@dataclass(frozen=True, kw_only=True)
class FacetedRelease(Release):
    """A release whose numbers may be told by one column or two, which have panels of their own.

    Parameters
    ----------
    row
        The public categories that have panels below each other; None where there are none. All
        numbers of the first come first.
    col
        The public categories that have panels side by side; None where there are none. Within a
        row all numbers of the first come first.
    col_wrap
        How many panels stand side by side at most; None where that is left to the picture.
    """

    by_panel: ClassVar[tuple[str, ...]] = ()  # the fields whose numbers are told panel by panel

    row: Parameter[Annotated[Labels | None, Absent(None)]] = None
    col: Parameter[Annotated[Labels | None, Absent(None)]] = None
    col_wrap: Parameter[Annotated[Wrap | None, Absent(None)]] = None

    def __post_init__(self) -> None:
        if self.col_wrap is not None and (self.col is None or self.row is not None):
            raise ValueError("Panels are wrapped where there is a col, and no row.")
        if not all(key.cells and key.part is None for key in self.facets):
            raise ValueError("Panels are categories of a column, and there is one at least.")

    @property
    def facets(self) -> tuple[Labels, ...]:
        """The columns that have panels, in the order of the numbers."""
        return tuple(key for key in (self.row, self.col) if key is not None)

    @property
    def panels(self) -> tuple[dict[str, Value], ...]:
        """What each panel shows: a category of each column that has panels."""
        columns = [key.column for key in self.facets]
        places = product(*(key.categories.values for key in self.facets))
        return tuple(dict(zip(columns, place, strict=True)) for place in places)

    def facet(self, *, col: Value | None = None, row: Value | None = None) -> Self:
        """Return the release of one panel, or of one row or column of panels.

        It guarantees what the whole guarantees, and was paid for with it. Its intervals that hold
        jointly do so for its own numbers, and its proportions are of its own total.

        Parameters
        ----------
        col, row
            The category that is kept; left out, all are.
        """
        asked = {"row": (self.row, row), "col": (self.col, col)}
        kept = {name: _keep(name, key, value) for name, (key, value) in asked.items()}
        wanted = {
            key.column: key.categories.values for key in kept.values() if isinstance(key, Labels)
        }
        places = [
            place
            for place, panel in enumerate(self.panels)
            if all(panel[column] in values for column, values in wanted.items())
        ]
        return self._take(places, kept)

    def split(self) -> tuple[Self, ...]:
        """Return the release of each panel, row by row; itself where there are none."""
        if not self.facets:
            return (self,)
        names = {key.column: name for name, key in self._named_facets()}
        return tuple(
            self.facet(**{names[column]: value for column, value in panel.items()})
            for panel in self.panels
        )

    def _named_facets(self) -> list[tuple[str, Labels]]:
        pairs = (("row", self.row), ("col", self.col))
        return [(name, key) for name, key in pairs if key is not None]

    def _take(self, places: list[int], kept: dict[str, Labels | None]) -> Self:
        count = len(self.panels)
        told = {name: getattr(self, name) for name in self.by_panel}
        parts = {name: len(numbers) // count for name, numbers in told.items()}
        chosen = {
            name: tuple(
                number
                for place in places
                for number in numbers[place * parts[name] : (place + 1) * parts[name]]
            )
            for name, numbers in told.items()
        }
        wrap = self.col_wrap if kept["col"] is not None and kept["col"].cells > 1 else None
        return replace(self, **chosen, **kept, col_wrap=wrap, signature=None)


def _keep(name: str, key: Labels | None, value: Value | None) -> Labels | None:
    if value is None:
        return key
    if key is None:
        raise ReleaseError(
            f"This release has no panels by {name}.",
            "There is nothing to choose from.",
            f"Leave {name} out.",
        )
    with suppress(DomainError):
        return Labels(key.column, key.categories.select(Categories((value,)), key.column))
    raise ReleaseError(
        f"{abbreviate(str(value))} is no panel of {abbreviate(key.column)}.",
        "Only declared categories were counted.",
        "Choose one of release.panels.",
    )


def wrap_columns(release: FacetedRelease, wrap: int | None) -> FacetedRelease:
    """Return the same numbers with so many panels side by side."""
    if wrap == release.col_wrap:
        return release
    return replace(release, col_wrap=wrap, signature=None)


Facet = tuple[tuple[str, str], ...]
"""The columns that have panels, and the category of each that a panel shows."""


@dataclass(frozen=True)
class Pane:
    """One panel to draw: the place of its numbers, and of the one group it shows, if it is one."""

    facet: Facet
    place: int = 0
    group: int | None = None


def arrange_panes(
    release: FacetedRelease, groups: Labels | None = None
) -> tuple[tuple[Pane, ...], int | None]:
    """Return the panels of a release in the order they are drawn, and how many stand abreast.

    Parameters
    ----------
    groups
        The groups that have panels of their own, too.
    """
    facets = [_spell(panel) for panel in release.panels]
    if groups is None:
        return tuple(Pane(facet, place) for place, facet in enumerate(facets)), _columns(release)
    names = [(groups.column, str(name)) for name in groups.categories.values]
    whole = [[Pane((*f, n), p, g) for g, n in enumerate(names)] for p, f in enumerate(facets)]
    if release.col is not None and release.row is None:  # which stay side by side
        panes = [column[group] for group in range(len(names)) for column in whole]
        return tuple(panes), release.col.cells
    flat = tuple(pane for panes in whole for pane in panes)
    return flat, len(names) if release.facets else None


def _spell(panel: dict[str, Value]) -> Facet:
    return tuple((column, str(value)) for column, value in panel.items())


def _columns(release: FacetedRelease) -> int | None:
    if release.row is not None:
        return release.col.cells if release.col is not None else 1
    return release.col_wrap
