"""`Chosen`: cells that a mechanism picked. What may be done with them: `chosen.md`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.budget import Cost


@dataclass(frozen=True, eq=False)
class Chosen:
    """The cells picked for each group and level, with what picking them cost.

    Parameters
    ----------
    cells
        Indices of cells, of shape ``(groups, levels)``; they never fall along the levels.
    private
        Whether the noise is real; False for anything drawn under `simulated`.
    """

    cells: NDArray[np.int64]
    cost: Cost
    private: bool
