"""What `order=` and `hue_order=` mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from sfumato.asking import Private
from sfumato.domain import Categories, Domain, Value
from sfumato.grid import Labels

Order = Categories | Private | Sequence[Value]


def read_order(order: Order | None) -> Categories | Private | None:
    """Read a list of categories; a request for a search stays one."""
    return order if isinstance(order, Private | None) else Categories.of(order)


def labels(domain: Domain, column: str | None, order: Order | None) -> Labels | None:
    """Return the public categories of a column, in the order asked for."""
    if column is None:
        return None
    wanted = cast(Categories | None, read_order(order))
    return Labels(column, domain.categories(column).select(wanted, column))
