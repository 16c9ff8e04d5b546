"""`MemoryEngine`: the counts of an array, by the kernel that every engine shares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.engines.cells import edges_cells, grid_cells
from sfumato.engines.engine import Schema
from sfumato.exact import Exact
from sfumato.grid import Grid, Key, Labels, shape
from sfumato.privacy.guarantee import PrivacyUnit

VALUE, GROUP = "value", "group"


class MemoryEngine:
    """Counts the rows of an array, and remembers what it was asked.

    Simulations measure one sample many times: a query that was answered is not counted again.

    Parameters
    ----------
    values
        The column ``"value"``.
    groups
        The column ``"group"``, as the position of each row's category.
    """

    def __init__(
        self, values: NDArray[np.float64], groups: NDArray[np.int64] | None = None
    ) -> None:
        self._values, self._groups = values, groups
        self._answers: dict[tuple[Key, ...], Exact] = {}

    def schema(self) -> Schema:
        """Return the names and kinds of columns."""
        return Schema({VALUE: "number", GROUP: "text"})

    def counts(self, keys: Sequence[Key], unit: PrivacyUnit) -> Exact:
        """Count rows in every combination of public cells.

        Privacy
        -------
        One row changes the answer by 1. Other units have no columns here and are refused.
        """
        if unit.column is not None:
            raise ValueError("Simulated tables have rows and no people.")
        asked = tuple(keys)
        if asked not in self._answers:
            self._answers[asked] = self._count(asked, unit)
        return self._answers[asked]

    def occupied(self, column: str, unit: PrivacyUnit) -> Exact:
        """Refuse: simulated categories are declared."""
        raise ValueError(f"The texts of {column!r} are declared, for {unit}.")

    def _count(self, keys: tuple[Key, ...], unit: PrivacyUnit) -> Exact:
        sizes = shape(keys)
        flat = np.zeros(len(self._values), dtype=np.int64)
        for key in keys:
            flat = flat * key.cells + self._along(key)
        sums = np.bincount(flat, minlength=int(np.prod(sizes))).reshape(sizes)
        return Exact(unit.weight, unit.weight**2, unit.step, _values=sums)

    def _along(self, key: Key) -> NDArray[np.int64]:
        if isinstance(key, Labels):
            return np.zeros(len(self._values), np.int64) if self._groups is None else self._groups
        return (
            grid_cells(self._values, key)
            if isinstance(key, Grid)
            else edges_cells(self._values, key)
        )
