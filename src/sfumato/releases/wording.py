"""What the captions of all releases say in the same words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sfumato.dates import Pace, find_pace
from sfumato.domain import Bounds
from sfumato.ends import DURATIONS, UNITS, choose_duration, format_clock
from sfumato.errors import abbreviate, make_printable
from sfumato.figure import format_percent
from sfumato.grid import MOST_FOUND, Edges, Grid, Labels, count_values_in_cells
from sfumato.postprocess.combined_noise import CombinedNoise
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import format_amount, to_fraction
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.releases.release import WATERMARK
from sfumato.render.text import format_moment, format_number, shorten
from sfumato.zones import find_zone

if TYPE_CHECKING:
    from sfumato.expressions import Selection
    from sfumato.releases.release import Release

_ALIKE = 1.001  # times the least variance: what rounding adds
_LONGEST_TITLE = 90
_LONGEST_CONDITION = 300
_NAMED = 5

ABSENT = "Groups not distinguishable from empty ones (95 % jointly) are not drawn."
"""What becomes of groups with too few people, in the words of a caption."""


def title(release: Release, heading: str = "") -> str:
    """Return a heading as a title; where it is too long, without the rows, which a caption says."""
    label, rows = heading or release.heading, release.selection
    for words in () if rows is None else (rows.session_words, rows.own_words):
        label = label.removesuffix(words) if len(label) > _LONGEST_TITLE else label
    return label[:1].upper() + label[1:]


def selected(release: Release) -> list[str]:
    """Say which rows are counted, whose weight they share, and how columns were derived."""
    chosen = release.selection
    if chosen is None:
        return []
    said = [_which_rows(chosen, release.guarantee.unit)]
    for column in chosen.columns:
        said.append(f"{abbreviate(column.name)} = {_short(column.definition)}.")
    return [make_printable(sentence) for sentence in said if sentence]


def _which_rows(chosen: Selection, unit: PrivacyUnit) -> str:
    match chosen.where, chosen.session_where:
        case None, None:
            return ""
        case None, str(rows):
            said, sharing = f"Rows where {_short(rows)}.", "these rows"
        case str(rows), None:
            said = f"Rows where {_short(rows)}."
            sharing = f"all rows of each {unit.called}"
        case str(rows), str(others):
            said = f"Rows where {_short(rows)}, of those where {_short(others)}."
            sharing = "the latter"
    return f"{said} Weights are shared among {sharing}." if unit.shared else said


def _short(text: str) -> str:
    return abbreviate(text, _LONGEST_CONDITION)


def guarantee(release: Release) -> str:
    """Say what protects whom, or that nothing does."""
    said = release.guarantee
    stated = f"{said.amounts}. Protects {said.protected}{said.weakness}."
    told = (
        f"Privacy: {stated}" if release.private else f"{WATERMARK}. Real noise would give {stated}"
    )
    return " ".join([told, *selected(release)])


def least(release: Release) -> str:
    """Say in a few words what protects whom, or that nothing does."""
    return f"{release.guarantee}." if release.private else f"{WATERMARK}; {release.guarantee}."


def added(noise: NoiseLaw | CombinedNoise, step: float, numbers: str) -> str:
    """Say what noise was added to numbers; of combined ones, what one release would have had."""
    if isinstance(noise, NoiseLaw):
        scale = f"{noise.scale * step:,.4g}"
        return f"{noise.kind.capitalize()} noise of scale {scale} was added to {numbers}."
    said = (
        f"Combined from {len(noise.terms)} measurements: the noise on {numbers} has a standard "
        f"deviation of {_deviation(noise.variance, step)}"
    )
    if noise.least_variance is None or noise.variance < _ALIKE * noise.least_variance:
        return f"{said}."
    return f"{said} ({_deviation(noise.least_variance, step)} in one at the summed cost)."


def _deviation(variance: float, step: float) -> str:
    return f"{math.sqrt(variance) * step:,.4g}"


def counted(unit: PrivacyUnit) -> str:
    """Name what is counted."""
    return f"{unit.called} (weight 1 each)" if unit.shared else "rows"


def people(unit: PrivacyUnit) -> str:
    """Name what is counted in one word."""
    return unit.counted


def how_sure(signs: str, coverage: float) -> str:
    """Say how much the signs of a picture hold, or that there are none."""
    if coverage == 0:
        return "No interval available."
    return f"{signs}: {format_percent(coverage)} intervals."


def found_nothing(guarantee: Guarantee) -> str:
    """Say that a private search for bounds found nothing."""
    epsilon = format_amount(to_fraction(guarantee.epsilon), up=True)
    few = people(guarantee.unit)
    return f"The search for bounds found nothing: too few {few} for ε = {epsilon}."


def beyond(shares: tuple[float, float], unit: PrivacyUnit) -> str:
    """Say how much a private search for bounds has cut off."""
    low, high = (f"{100 * share:.0f}" for share in shares)
    return f"Bounds too narrow: {low}–{high} % of {people(unit)} lie at or beyond them."


def too_few(unit: PrivacyUnit, lost: Sequence[str], groups: int) -> tuple[str, ...]:
    """Say which groups are not drawn, as noise alone could have made what is released of them."""
    if len(lost) == groups:
        return ("Nothing here is distinguishable from noise.",)
    if not lost:
        return ()
    named = ", ".join(shorten(name, 30) for name in lost[:_NAMED])
    more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
    return (f"Too few {people(unit)} to show: {named}{more}.",)


def nobody(unit: PrivacyUnit) -> str:
    """Say that a private search found no category."""
    return f"No category has enough {unit.name or 'people'} to be shown."


def left_out(keys: Iterable[object], found: Iterable[str]) -> list[str]:
    """Say that a private search leaves small categories out, and where it was cut short."""
    searched = [key for key in keys if isinstance(key, Labels) and key.column in found]
    if not searched:
        return []
    columns = " and ".join(abbreviate(key.column) for key in searched)
    cut = any(key.cells >= MOST_FOUND for key in searched)
    most = f", and all after the first {MOST_FOUND} in alphabetical order" if cut else ""
    return [f"Rare categories of {columns} are left out{most}."]


def binned(keys: Iterable[object]) -> list[str]:
    """Say what the bins of a column are, where they could be taken for equal and are not."""
    sized = [key for key in keys if isinstance(key, Grid | Edges)]
    return [said for key in sized for said in (_in_units(key) or _in_values(key),) if said]


def _in_units(key: Grid | Edges) -> str:
    pace = _find_pace(key) if key.bounds.time else None
    if pace is None:
        return ""
    zone = "" if key.bounds.clock else f" in {find_zone(key.bounds.zone).name}"
    return f"Bins of {key.column} are {pace}{zone}, cut at the ends of the axis."


def _find_pace(key: Grid | Edges) -> Pace | None:
    """Return the units of the calendar that bins are, if they are."""
    cells, edges = len(key.edges) - 1, tuple(key.edges.tolist())
    usual = find_pace(key.bounds)
    paces = [*([usual] if usual else []), *map(Pace, UNITS)]
    # Months and years are of different lengths, and a first and a last one may be cut.
    close = [
        pace for pace in paces if abs(key.bounds.width / pace.length - cells) <= 3 + cells / 10
    ]
    return next((pace for pace in close if pace.edges(key.bounds) == edges), None)


def _in_values(key: Grid | Edges) -> str:
    counts = count_values_in_cells(key)
    if counts is None or counts.size < 2 or counts.max() <= 1.01 * counts.min():
        return ""
    first, last, least, most = (
        f"{n:,}" for n in (counts[0], counts[-1], counts.min(), counts.max())
    )
    if (counts[:-1] == counts[0]).all():
        return f"Bins of {key.column} hold {first} values each, the last {last}."
    # Bins that differ by more were asked for.
    return f"Bins of {key.column} hold {least} or {most} values." if np.ptp(counts) == 1 else ""


def parsed(bounds: Iterable[Bounds]) -> list[str]:
    """Say what text was read as, where a column has no other type."""
    kinds = dict.fromkeys("dates" if each.time else "numbers" for each in bounds if each.parsed)
    if not kinds:
        return []
    return [f"Text is parsed as {' and '.join(kinds)}; unparsable values are dropped."]


def range_of(bounds: Bounds, low: float, high: float) -> str:
    """Print a range, as its bounds tell numbers.

    Examples
    --------
    >>> range_of(Bounds.of(("0min", "90min")), 0, 90)
    '[0, 90] minutes'
    """
    if bounds.clock:
        return f"[{format_clock(low)}, {format_clock(high)}]"

    def shown(end: float) -> str:
        return format_moment(end, bounds.zone) if bounds.time else format_number(end)

    unit = f" {bounds.duration}" if bounds.duration else ""
    return f"[{shown(low)}, {shown(high)}]{unit}"


def length_of(bounds: Bounds, length: float) -> str:
    """Print a length between two values to two digits, in a unit of time where these have one.

    Examples
    --------
    >>> length_of(Bounds(0, 1e6), 1.907), length_of(Bounds.of(("2026-01-01", "2027-01-01")), 3e7)
    ('1.9', '30 seconds')
    """
    unit = choose_duration(0, length) if bounds.time else bounds.duration
    worth = DURATIONS[unit] if bounds.time and unit else 1.0
    told = format_number(float(f"{length / worth:.2g}"))
    return f"{told} {unit}" if unit else told


def bounded(value: Grid, step: float | None, found: Iterable[str]) -> str:
    """Say what becomes of values beyond the bounds, and who chose these."""
    spare = step / 2 if step else 0.0  # cells are centred on whole numbers
    ends = value.bounds.lower + spare, value.bounds.upper - spare
    private = ", found privately" if value.column in found else ""
    said = f"Values are clipped to {range_of(value.bounds, *ends)}{private}."
    return " ".join([said, *parsed([value.bounds])])
