"""What an object holds on to, by whatever reference: a release must hold nothing of its table."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

_PUBLIC = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)
_SECRET = ("exact", "engines", "session", "mechanisms")
_TABLES = ("pyarrow", "pandas", "polars", "duckdb", "pyspark")


def reached(thing: object) -> Iterator[object]:
    """Yield every object that can be reached from one, without passing through code."""
    seen: set[int] = set()
    waiting: list[Any] = [thing]
    while waiting:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, _PUBLIC):
            continue
        seen.add(id(each))
        yield each
        waiting += gc.get_referents(each)
        # An array that is part of a larger one keeps all of it, which a pickle does not show.
        waiting += [each.base] if isinstance(each, np.ndarray) and each.base is not None else []


def secrets_held(thing: object) -> list[str]:
    """Return the kinds of objects that a thing holds and no release may."""
    kinds = {type(each) for each in reached(thing)}
    return sorted(kind.__qualname__ for kind in kinds if _is_secret(kind))


def _is_secret(kind: type) -> bool:
    package, _, rest = kind.__module__.partition(".")
    return package in _TABLES or (package == "sfumato" and rest.split(".")[0] in _SECRET)
