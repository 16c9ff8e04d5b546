"""The rules that keep the code small, calm and its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from house.source import Finding, Rule, Source, last_name


def nothing_is_warned_or_printed(source: Source) -> Iterator[Finding]:
    """A problem with privacy is an error; only the command line prints."""
    for call, name in source.calls():
        if name == "print" and isinstance(call.func, ast.Name) and not source.under("cli", "web"):
            yield call.lineno, "prints"
        if name == "warn":
            yield call.lineno, "warns"
    for line, module, _ in source.imports():
        if module == "logging":
            yield line, "logs"


def no_global_state(source: Source) -> Iterator[Finding]:
    """No session, ledger or engine lives in a module."""
    for node in source.nodes:
        if isinstance(node, ast.Global):
            yield node.lineno, f"global {', '.join(node.names)}"
    for statement in source.tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            for node in ast.walk(statement.value):
                name = last_name(node.func) if isinstance(node, ast.Call) else ""
                if name.endswith(("Session", "Ledger", "Engine")):
                    yield node.lineno, f"a {name} for everyone"


def nouns_are_frozen(source: Source) -> Iterator[Finding]:
    """What is public, planned or released does not change afterwards."""
    for node in source.nodes:
        if not isinstance(node, ast.ClassDef):
            continue
        for decorator in node.decorator_list:
            if last_name(getattr(decorator, "func", decorator)) != "dataclass":
                continue
            options = decorator.keywords if isinstance(decorator, ast.Call) else []
            if not any(ast.unparse(option) == "frozen=True" for option in options):
                yield node.lineno, f"{node.name} can be changed"


def no_private_names_of_others(source: Source) -> Iterator[Finding]:
    """Another library's private names may change without notice."""
    bound: set[str] = set()
    for node in source.nodes:
        if isinstance(node, ast.Import):
            bound |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    for line, module, name in source.imports():
        parts = [*module.split("."), name]
        foreign = parts[0] not in {"sfumato", "__future__"}
        if foreign and any(part.startswith("_") for part in parts):
            yield line, f"imports {'.'.join(filter(None, parts))}"
    for node in source.attributes():
        private = node.attr.startswith("_") and not node.attr.startswith("__")
        root = ast.unparse(node.value).split(".")[0]
        if private and root in bound - {"sfumato"}:
            yield node.lineno, f"uses {ast.unparse(node)}"


def the_public_package_is_for_users(source: Source) -> Iterator[Finding]:
    """Modules import each other by name; importing sfumato itself would go round the layers."""
    if source.under("__init__", "cli", "web", "demo", "testing"):
        return
    for line, module, _ in source.imports():
        if module == "sfumato":
            yield line, "imports sfumato itself"


def functions_are_small(source: Source) -> Iterator[Finding]:
    """At most 40 lines, the signature and the docstring not counted."""
    for function in source.functions():
        body = function.body[1:] if ast.get_docstring(function) else function.body
        length = (function.end_lineno or 0) - body[0].lineno + 1 if body else 0
        if length > 40:
            yield function.lineno, f"{source.module}.{function.name} has {length} lines"


RULES: tuple[Rule, ...] = (
    nothing_is_warned_or_printed,
    no_global_state,
    nouns_are_frozen,
    no_private_names_of_others,
    the_public_package_is_for_users,
    functions_are_small,
)
