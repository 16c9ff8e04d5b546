"""sfumato: charts of data that nobody may see.

    import sfumato as sf

    sf.histplot("visits.parquet", x="age", bounds=(0, 110), budget=1.0)

Importing the package loads none of the engines; each name is loaded when it is first used. What is
public stands in `__init__.pyi`, for type checkers and for this file alike.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

__version__ = "0.1.0"

_PUBLIC = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
_HOME = {
    name: module for module, name in re.findall(r"^from (\S+) import (\w+)", _PUBLIC, re.MULTILINE)
}

__all__ = sorted(_HOME)  # noqa: PLE0605  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'sfumato' has no attribute {name!r}")
    if _HOME[name] == __name__:
        return import_module(f"{__name__}.{name}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """List what is public: editors complete it."""
    return sorted(["__version__", "__doc__", "__file__", "__path__", *__all__])
