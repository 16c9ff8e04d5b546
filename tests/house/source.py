"""One Python file, and what the house rules ask of its syntax."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

Finding = tuple[int, str]
Function = ast.FunctionDef | ast.AsyncFunctionDef

LEFT = ("engines", "mechanisms", "exact")
MEETING = ("charts", "session", "alone", "api")


@dataclass(frozen=True)
class Source:
    """One Python file, under the name it is imported by."""

    module: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    def under(self, *places: str) -> bool:
        """Tell whether this is, or lies in, one of these modules of sfumato."""
        return any(
            self.module == f"sfumato.{place}" or self.module.startswith(f"sfumato.{place}.")
            for place in places
        )

    def functions(self) -> Iterator[Function]:
        return (node for node in self.nodes if isinstance(node, Function))

    def attributes(self) -> Iterator[ast.Attribute]:
        return (node for node in self.nodes if isinstance(node, ast.Attribute))

    def calls(self) -> Iterator[tuple[ast.Call, str]]:
        """Yield every call with the last name of what is called."""
        for node in self.nodes:
            if isinstance(node, ast.Call):
                yield node, last_name(node.func)

    def imports(self) -> Iterator[tuple[int, str, str]]:
        """Yield line, imported module and imported name (empty for a plain import)."""
        for node in self.nodes:
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name, "") for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                yield from ((node.lineno, node.module or "", alias.name) for alias in node.names)


Rule = Callable[[Source], Iterator[Finding]]
"""Yields the line and the kind of every breach in one source."""


def last_name(node: ast.expr) -> str:
    """Return `c` of ``a.b.c``, or nothing where there is no name."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def is_public(function: Function) -> bool:
    return not function.name.startswith("_") or function.name == "__init__"


def arguments(function: Function) -> list[ast.arg]:
    spec = function.args
    return [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
