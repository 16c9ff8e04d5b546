"""Tables of measured figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from scaling.answering import Answer
from scaling.costing import Rates, bill
from scaling.fitting import exponent, last_exponent
from scaling.questions import PASSES

Name = tuple[str, ...]
"""A chart and its unit, or an engine, a chart and its unit."""

Series = Mapping[int, Answer]
"""Answers to one question by a size: of rows, groups or people."""

_VERBS = ("counts", "marginals", "gram", "masses")
_PREFIXES = ("", "k", "M", "G", "T", "P", "E")


def verdict(met: bool) -> str:
    return "met" if met else "MISSED"


def in_bytes(count: float) -> str:
    """Spell a number of bytes in about three digits.

    Examples
    --------
    >>> in_bytes(640), in_bytes(8e9), in_bytes(338_123_456)
    ('640 B', '8 GB', '338 MB')
    """
    power = 0
    while count >= 999.5 and power + 1 < len(_PREFIXES):
        count, power = count / 1000, power + 1
    return f"{count:.3g} {_PREFIXES[power]}B"


def print_speed(found: Mapping[Name, Answer], rows: Mapping[str, int]) -> None:
    """Print seconds and rows a second by engine, chart and unit, with ratios of wall time."""
    print(f"{'engine':>8} {'chart':>10} {'unit':>6} {'rows':>11} {'seconds':>8}", end="")
    print(f" {'M rows/s':>9} {'CPU ns/row':>11} {'bare':>7} {'ratio':>7} {'bound':>7} {'ratio':>8}")
    for (engine, chart, unit), answer in found.items():
        print(f"{engine:>8} {chart:>10} {unit:>6} {rows[engine]:>11,}", end="")
        if answer.failed:
            print("   failed")
            continue
        bare, bound = (answer.least[way]["wall"] for way in ("bare", "bound"))
        print(
            f" {answer.wall:>8.3f} {rows[engine] / answer.wall / 1e6:>9.2f} "
            f"{answer.cpu / rows[engine] * 1e9:>11,.1f} {bare:>7.3f} {answer.wall / bare:>7.1f} "
            f"{bound:>7.4f} {answer.wall / bound:>8,.0f}"
        )


def print_verbs(found: Mapping[Name, Answer]) -> None:
    """Print the seconds that each verb took, and what follows the sums."""
    print(f"{'engine':>8} {'chart':>10} {'unit':>6}", end="")
    print("".join(f" {verb:>9}" for verb in _VERBS), f"{'after':>9}")
    for (engine, chart, unit), answer in found.items():
        times = [*(answer.verbs.get(verb) for verb in _VERBS), answer.driver.get("1")]
        cells = ["" if each is None else f"{each:.3f}" for each in times]
        print(f"{engine:>8} {chart:>10} {unit:>6}" + "".join(f" {cell:>9}" for cell in cells))


def print_growth(what: str, found: Mapping[Name, Series]) -> dict[Name, float]:
    """Print wall seconds by size and the fitted exponent of each line; return the exponents."""
    sizes = sorted({size for series in found.values() for size in series})
    print(f"{what:>26}" + "".join(f" {size:>12,}" for size in sizes) + "  exponent  at last")
    fitted: dict[Name, float] = {}
    for name, series in found.items():
        cells = [_cell(series, size, lambda found: f"{found.wall:.2f}") for size in sizes]
        print(f"{' '.join(name):>26}" + "".join(f" {cell:>12}" for cell in cells), end="")
        known = [size for size in sizes if size in series and not series[size].failed]
        if len(known) > 1:
            times = [series[size].wall for size in known]
            fitted[name] = exponent(known, times)
            print(f" {fitted[name]:>9.2f} {last_exponent(known, times):>8.2f}", end="")
        print()
    return fitted


def print_memory(found: Mapping[Name, Series]) -> None:
    """Print the most memory by size, in megabytes, and what the largest table left on disk."""
    sizes = sorted({size for series in found.values() for size in series})
    print(f"{'megabytes':>26}" + "".join(f" {size:>12,}" for size in sizes) + "   spilled")
    for name, series in found.items():
        cells = [_cell(series, size, lambda found: f"{found.memory / 1e6:,.0f}") for size in sizes]
        print(f"{' '.join(name):>26}" + "".join(f" {cell:>12}" for cell in cells), end="")
        print(f" {in_bytes(series[max(series)].spilled):>9}")


def print_rates(found: Mapping[Name, Rates], sent: Mapping[Name, float]) -> None:
    """Print what each chart costs by the row, and whatever the number of rows."""
    print(f"{'chart':>10} {'unit':>6} {'passes':>6} {'scanned':>8} {'shuffled':>8}", end="")
    print(f" {'CPU':>8} {'sums':>11} {'a sum':>6} {'to driver':>10} {'at most':>10}")
    print(f"{'':>24} {'B/row':>8} {'B/row':>8} {'ns/row':>8} {'':>11} {'B':>6}")
    for (chart, unit), rates in found.items():
        print(
            f"{chart:>10} {unit:>6} {PASSES[chart]:>6} {rates.scanned:>8.1f} "
            f"{rates.shuffled:>8.1f} {rates.cpu * 1e9:>8,.0f} {rates.sums:>11,} "
            f"{rates.a_sum:>6.1f} {in_bytes(sent[chart, unit]):>10} "
            f"{in_bytes(rates.a_sum * rates.sums):>10}"
        )


def print_bills(found: Mapping[Name, Rates], sizes: Sequence[int]) -> None:
    """Print what each chart would cost at sizes that were not measured."""
    print(f"{'rows':>8} {'chart':>10} {'unit':>6} {'scanned':>9} {'shuffled':>9}", end="")
    print(f" {'to driver':>10} {'driver s':>9} {'core-hours':>11}")
    for rows in sizes:
        for (chart, unit), rates in found.items():
            each = bill(rates, rows)
            print(
                f"{f'10^{round(math.log10(rows))}':>8} {chart:>10} {unit:>6} "
                f"{in_bytes(each.scanned):>9} {in_bytes(each.shuffled):>9} "
                f"{in_bytes(each.sent):>10} {_seconds(each.driver):>9} {each.core_hours:>11,.2f}"
            )


def _seconds(driver: float) -> str:
    return "withheld" if math.isnan(driver) else f"{driver:.3f}"


def _cell(series: Series, size: int, spell: Callable[[Answer], str]) -> str:
    if size not in series:
        return ""
    return "failed" if series[size].failed else spell(series[size])
