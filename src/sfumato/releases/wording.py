"""What the captions of all releases say in the same words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sfumato.figure import percent
from sfumato.grid import MOST_FOUND, Grid, Labels
from sfumato.names import brief
from sfumato.privacy.unit import PrivacyUnit
from sfumato.releases.release import WATERMARK
from sfumato.render.text import moment, number

if TYPE_CHECKING:
    from sfumato.releases.release import Release

NOBODY = "No category is held by enough people to be shown."


def title(release: Release) -> str:
    """Return the label as a title."""
    return release.label[:1].upper() + release.label[1:]


def promise(release: Release) -> str:
    """Say what protects whom, or that nothing does."""
    if release.private:
        return f"Privacy: {release.guarantee}."
    return f"{WATERMARK}. Real noise would give {release.guarantee}."


def counted(unit: PrivacyUnit) -> str:
    """Name what is counted."""
    return f"{brief(unit.column or '')} (each counts once)" if unit.shared else "rows"


def people(unit: PrivacyUnit) -> str:
    """Name what is counted in one word."""
    return "people" if unit.shared else "rows"


def how_sure(signs: str, coverage: float) -> str:
    """Say how much the signs of a picture hold, or that there are none."""
    if coverage == 0:
        return "This method cannot say how sure it is."
    return f"{signs} with {percent(coverage)} probability."


def left_out(keys: Iterable[object], found: Iterable[str]) -> list[str]:
    """Say that a private search leaves small categories out, and where it was cut short."""
    searched = [key for key in keys if isinstance(key, Labels) and key.column in found]
    if not searched:
        return []
    columns = " and ".join(brief(key.column) for key in searched)
    cut = any(key.cells >= MOST_FOUND for key in searched)
    most = f", and beyond the first {MOST_FOUND} by the alphabet" if cut else ""
    return [f"Categories of {columns} that few people hold are left out{most}."]


def bounded(value: Grid, step: float | None, found: Iterable[str]) -> str:
    """Say what becomes of values beyond the bounds, and who chose these."""
    spare = step / 2 if step else 0.0  # cells are centred on whole numbers
    ends = value.bounds.lower + spare, value.bounds.upper - spare
    low, high = map(moment if value.bounds.time else number, ends)
    private = ", found privately," if value.column in found else ""
    return f"Values beyond {low} and {high}{private} count there."
