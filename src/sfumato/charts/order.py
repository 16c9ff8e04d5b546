"""What `order=` and `hue_order=` mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from sfumato.asking import Private
from sfumato.charts.option import About
from sfumato.domain import Categories, Domain, Value
from sfumato.grid import Labels

Order = Categories | Private | Sequence[Value]

HUE = About(help="The column to tell groups by colour.", metavar="COLUMN")
"""What every `hue` says about itself."""


def about_order(axis: str) -> About:
    """Return what the order of an axis says about itself."""
    return About(
        help=f"The public categories of {axis}, in the order to show them.",
        session="Left out, all that are declared.",
        python="``sf.private(delta=1e-6)`` searches for them instead, with that δ.",
        typed="private:1e-6 searches for them, with that δ.",
        metavar="A,B",
        spelled="order",
        panel="What is public",
    )


HUE_ORDER = about_order("`hue`")
"""What every `hue_order` says about itself."""


def read_order(order: Order | None) -> Categories | Private | None:
    """Read a list of categories; a request for a search stays one."""
    return order if isinstance(order, Private | None) else Categories.of(order)


def labels(domain: Domain, column: str | None, order: Order | None) -> Labels | None:
    """Return the public categories of a column, in the order asked for."""
    if column is None:
        return None
    wanted = cast(Categories | None, read_order(order))
    return Labels(column, domain.categories(column).select(wanted, column))
