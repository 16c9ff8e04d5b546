"""How long a chart takes tells something: how much, for each chart and for bad neighbours.

Charts of a table and of its neighbour are made in turns, with real noise, and their durations
compared. The figure is the probability that the chart with one unit more took longer: 0.5 tells an
observer of one duration nothing, 1 tells all. Nothing here can fail: the library does not promise
to hide its time, and these figures say what that means. Beside the clock, which knows the machine
as well as the table, the random numbers that each chart draws are counted, which is exact.
"""

from __future__ import annotations

from report import Outcome, Size


def attack(size: Size) -> Outcome:
    """Time every chart of every pair, and count what it draws."""
    from clocks import attacking

    return attacking.attack(size)
