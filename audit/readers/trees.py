"""JSON that still has the shape of a release, but for a few places."""

# What JSON holds has no type.
# pyright: basic

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from copy import deepcopy
from random import Random
from typing import Any

from readers.forging import forge

_ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 0.0, -0.0, 0.5, 1.0, -1.0, 1e-300, 5e-324, 1e300, -1e300,
    1.7976931348623157e308, math.inf, -math.inf, math.nan, 2**31, 2**53 + 1, 2**63, -(2**63),
    2**64, 10**400, [], {}, [[]], "", "0", "1", "nan", "inf", "-1", "1e999", "1/2", "2/4", "1/0",
    "-1/2", "0/1", "1" * 500, "\ud800", "\x00", "\n", "\u202e", "<script>", "$\\frac$", "%s{}",
    "__class__", "a" * 400, "é", "row", "rows", "PC1", "v", "h",
)  # fmt: skip
_FAR = (0.5, 1e12, 1e100, 1.7e308, 1e-9, 1e-300, 5e-324)
_SPELLINGS = (
    "1e999",
    "-1e999",
    "NaN",
    "Infinity",
    "1E5",
    "0.1e1",
    "-0",
    "1" * 5000,
    "1e-999",
    "[" * 900 + "]" * 900,
)
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?")
_TEXT = re.compile(r'"(\w+)": ')


def changed(text: bytes, others: Sequence[bytes], dice: Random) -> bytes | None:
    """Return JSON changed in a few places; None where it is no JSON at all."""
    try:
        tree = json.loads(text)
        mildly = dice.random() < 0.4
        for _ in range(dice.choice((1, 1, 2) if mildly else (1, 1, 1, 2, 2, 4))):
            tree = _move(tree, dice) if mildly else _change(tree, others, dice)
        plain = json.dumps(tree, ensure_ascii=dice.random() < 0.9)
    except (ValueError, ArithmeticError, RecursionError):  # numbers too long to be spelled, too
        return None
    if dice.random() < 0.1:
        plain = _respelled(plain, dice)
    return plain.encode("utf-8", "surrogatepass")


def _change(tree: Any, others: Sequence[bytes], dice: Random) -> Any:
    if dice.random() < 0.15:
        (forge if dice.random() < 0.3 else _fudge)(tree, dice)
        return tree
    whole = [tree]
    parent, key = _somewhere(whole, dice)
    match dice.randrange(8):
        case 0 | 1:
            parent[key] = deepcopy(dice.choice(_ODD))
        case 2 | 3:
            parent[key] = _nudged(parent[key], dice)
        case 4:
            del parent[key]
        case 5:
            _repeat(parent, key, dice)
        case 6:
            other, place = _somewhere(whole, dice)
            parent[key] = deepcopy(other[place])
        case _:
            other, place = _somewhere([json.loads(dice.choice(others))], dice)
            parent[key] = other[place]
    return whole[0] if whole else None


def _move(tree: Any, dice: Random) -> Any:
    """Change a number or a text to another of its kind, which may well be believed."""
    whole = [tree]
    parent, key = _somewhere(whole, dice, stop=0.0)
    match parent[key]:
        case bool():
            parent[key] = not parent[key]
        case int() as value:
            parent[key] = dice.choice((value + 1, value - 1, -value, value * 1000, 2**62, 0))
        case float() as value:
            parent[key] = dice.choice((value * 1.01, -value, value * 1e6, value / 1e6, *_FAR))
        case str():
            parent[key] = dice.choice(("a", "<b>$x$", "é\u2028", "x" * 300, "low", "%", "\\"))
        case _:
            pass
    return whole[0]


def _somewhere(whole: list[Any], dice: Random, stop: float = 0.15) -> tuple[Any, Any]:
    parent, key = whole, 0
    while isinstance(parent[key], dict | list) and parent[key] and dice.random() >= stop:
        parent = parent[key]
        key = dice.choice(list(parent)) if isinstance(parent, dict) else dice.randrange(len(parent))
    return parent, key


def _nudged(value: Any, dice: Random) -> Any:  # noqa: PLR0911 - one for each kind of value
    match value:
        case bool():
            return dice.choice((not value, int(value), str(value).lower()))
        case int():
            return dice.choice((value + 1, value - 1, -value, 2 * value, float(value % 2**60), 0))
        case float():
            return dice.choice(
                (value * 2, value / 2, -value, value * 1e9, math.nextafter(value, 9e9), str(value))
            )
        case str():
            return dice.choice((value[:-1], value + value[:20], f"1{value}", [value]))
        case list():
            return dice.choice((value[:-1], value + value[:1], value[::-1], dict(enumerate(value))))
        case dict():
            return dice.choice((list(value.values()), list(value)))
        case _:
            return deepcopy(dice.choice(_ODD))


def _repeat(parent: Any, key: Any, dice: Random) -> None:
    if isinstance(parent, list):
        parent.insert(dice.randrange(len(parent) + 1), deepcopy(parent[key]))
    else:
        parent[dice.choice(("size", "extra", "kind", "epsilon", f"{key}_"))] = deepcopy(parent[key])


def _fudge(tree: Any, dice: Random) -> None:
    """Make a release promise more than it keeps, without much care."""
    promise = _inside(tree, "guarantee")
    if not isinstance(promise, dict):
        return
    less = dice.choice((0.5, 0.1, 0.999999))
    for part, names in (("guarantee", ("epsilon", "delta")), ("cost", ("epsilon", "rho", "delta"))):
        inside = _inside(tree, part)
        for name in names if isinstance(inside, dict) and dice.random() < 0.6 else ():
            inside[name] = _lessened(inside.get(name), less, dice)
    if dice.random() < 0.3:
        tree["private"] = dice.choice((True, 1, "true"))
    if dice.random() < 0.2:
        promise["unit"] = {
            "column": dice.choice((None, "person", "", 1)),
            "max_rows": dice.choice((None, -1, 0, 1, 2, True, 1.0)),
        }
    if dice.random() < 0.2:
        promise["size"] = dice.choice((None, 0, 1, 900, True, 1.5, "900", 10**4000))


def _inside(tree: Any, *path: str) -> Any:
    for name in path:
        tree = tree.get(name) if isinstance(tree, dict) else None
    return tree


def _lessened(value: Any, less: float, dice: Random) -> Any:
    match value:
        case int() | float():
            return dice.choice((value * less, 0.0, -value, math.nan, str(value), True))
        case str():
            return dice.choice((f"{less}", "0", "1/10", "1/100000", f"{value}0", "-1", "1/2/3"))
        case _:
            return dice.choice((None, "0", 0))


def _respelled(plain: str, dice: Random) -> str:
    """Say a key twice, or a number in letters that json.dumps does not use."""
    names = list(_TEXT.finditer(plain))
    numbers = list(_NUMBER.finditer(plain))
    if names and dice.random() < 0.5:
        chosen = dice.choice(names)
        value = json.dumps(dice.choice(_ODD))
        return f'{plain[: chosen.start()]}"{chosen[1]}": {value}, {plain[chosen.start() :]}'
    if not numbers:
        return plain
    chosen = dice.choice(numbers)
    return plain[: chosen.start()] + dice.choice(_SPELLINGS) + plain[chosen.end() :]
