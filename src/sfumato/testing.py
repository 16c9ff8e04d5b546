"""For tests and simulations: repeatable noise that is loudly not private, and a made-up city."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import numpy as np

from sfumato.city import checkins, city
from sfumato.mechanisms.noise import simulated

__all__ = ["checkins", "city", "seeded"]


@contextmanager
def seeded(seed: int) -> Generator[None]:
    """Make every release inside the block repeatable, quick to draw, and not private.

    Privacy
    -------
    None. Whoever knows the seed can subtract the noise, so each release made here says
    ``private=False`` and every figure of it carries a watermark.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = city(people=500)
    >>> with seeded(7):
    ...     one = sf.histplot(people, x="age", bounds=(0, 100), budget=1.0)
    >>> with seeded(7):
    ...     two = sf.histplot(people, x="age", bounds=(0, 100), budget=1.0)
    >>> one == two, one.private
    (True, False)
    """
    with simulated(np.random.default_rng(seed)):
        yield
