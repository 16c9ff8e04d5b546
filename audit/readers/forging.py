"""Releases that promise more than they keep, and say so without contradicting themselves."""

# What JSON holds has no type.
# pyright: basic

from __future__ import annotations

import json
from contextlib import suppress
from fractions import Fraction
from random import Random
from typing import Any

from sfumato.errors import SfumatoError
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit


def forged(text: bytes, dice: Random) -> bytes:
    """Return a release that promises more than it did, and is the same else."""
    tree = json.loads(text)
    forge(tree, dice)
    return json.dumps(tree).encode()


def forge(tree: Any, dice: Random) -> None:
    """Lower the promise of a release; or its price as well; or its noise; or widen its unit."""
    less = dice.choice((0.9, 0.5, 0.125))
    with suppress(KeyError, TypeError, ValueError, ArithmeticError, AttributeError, SfumatoError):
        match dice.randrange(4):
            case 0:
                _promise(tree["guarantee"], less)
            case 1:
                _promise(tree["guarantee"], less)
                _price(tree["cost"], less)
            case 2:
                tree["parameters"]["noise"]["scale"] *= less
            case _:
                tree["guarantee"]["unit"] = {
                    "column": "person_id",
                    "max_rows": dice.choice((None, 2, 20)),
                }
                _promise(tree["guarantee"], 1.0)


def _promise(plain: dict[str, Any], less: float) -> None:
    """Promise less loss, and say what follows from it in the words of the library."""
    unit = PrivacyUnit(plain["unit"]["column"], plain["unit"]["max_rows"])
    made = Guarantee(float(plain["epsilon"]) * less, float(plain["delta"]), unit, plain["size"])
    plain["epsilon"] = made.epsilon
    plain["neighbours"] = made.neighbours
    plain["replace_one"] = list(made.replace_one)


def _price(plain: dict[str, Any], less: float) -> None:
    for name, factor in (("epsilon", less), ("rho", less * less)):
        if plain[name] is not None:
            plain[name] = str(Fraction(plain[name]) * Fraction(factor))
