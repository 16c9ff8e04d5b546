"""The rules that hold the promise: who may see true numbers, and who must say what they cost."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from house.source import (
    LEFT,
    MEETING,
    Finding,
    Function,
    Rule,
    Source,
    arguments,
    is_public,
    method,
)

SEEDS = {"seed", "random_seed", "random_state", "rng"}


def only_mechanisms_open_an_exact(source: Source) -> Iterator[Finding]:
    """Only mechanisms reveal the true numbers, or reach for the fields that hold them."""
    if source.under("mechanisms", "exact"):
        return
    methods = {"reveal", "reveal_labels", "reveal_places", "reveal_between"}
    fields = {"_values", "_labels", "_places", "_between"}
    for node in source.attributes():
        own = isinstance(node.value, ast.Name) and node.value.id == "self"
        if node.attr in methods or (node.attr in fields and not own):
            yield node.lineno, f".{node.attr} opens an Exact"
    for node in source.nodes:
        if isinstance(node, ast.Constant) and node.value in methods | fields:
            yield node.lineno, f"{node.value!r} names what only a mechanism may open"
    if source.under(*LEFT, *MEETING):
        for call, name in source.calls():
            if name in {"vars", "asdict", "astuple"}:
                yield call.lineno, f"{name}() would open an Exact"


def only_the_session_charges_and_measures(source: Source) -> Iterator[Finding]:
    """Only the session measures, and in the same function it has charged before.

    The command line and the renderers measure widths; import contracts keep engines from them. A
    chart may pass the meter that it was given on to another chart; `testing` has no ledger.
    """
    if source.under("cli", "render", "testing"):
        return
    for function in source.functions():
        if function.name == "measure" and _takes_a_meter(function):
            continue
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        lines = {
            verb: [call.lineno for call in calls if method(call) == verb]
            for verb in ("charge", "measure")
        }
        if (lines["charge"] or lines["measure"]) and not source.under("session", "privacy"):
            yield function.lineno, "only Session.release may charge and measure"
        elif lines["measure"] and not (
            lines["charge"] and min(lines["charge"]) < min(lines["measure"])
        ):
            yield function.lineno, f"{function.name} measures before it charges"


def only_the_session_makes_a_meter(source: Source) -> Iterator[Finding]:
    """A meter allows what was charged, and only the session charges."""
    if source.under("session", "testing"):
        return
    for call, name in source.calls():
        if name == "Meter":
            yield call.lineno, "only Session.release makes a Meter"


def only_mechanisms_pay(source: Source) -> Iterator[Finding]:
    """What a draw costs is argued beside the mechanism that draws, and paid there."""
    if source.under("mechanisms"):
        return
    for call, name in source.calls():
        if name in {"pay", "record"} and isinstance(call.func, ast.Attribute):
            yield call.lineno, f".{name}() is for mechanisms"
    for line, module, name in source.imports():
        if module.startswith("sfumato.mechanisms") and name in {"Receipt", "Chance", "add_noise"}:
            yield line, f"imports {name}, which draws"


def no_chart_accounts_for_itself(source: Source) -> Iterator[Finding]:
    """What is measured adds up no costs, and does not say whether its noise was real."""
    if not source.under("charts"):
        return
    for node in source.nodes:
        if isinstance(node, ast.keyword) and node.arg == "private":
            yield node.lineno, "says whether noise was real"
    for function in source.functions():
        for node in ast.walk(function) if _takes_a_meter(function) else ():
            if isinstance(node, ast.BinOp) and ".cost" in ast.unparse(node):
                yield node.lineno, f"{function.name} adds up costs"


def no_seed_is_taken(source: Source) -> Iterator[Finding]:
    """No public function takes a seed; `sfumato.testing` is for that."""
    if source.under("testing"):
        return
    for function in source.functions():
        for argument in arguments(function):
            if argument.arg in {"seed", "random_seed", "random_state", "rng"} and is_public(
                function
            ):
                yield function.lineno, f"{function.name} takes {argument.arg}="


def no_ordinary_randomness(source: Source) -> Iterator[Finding]:
    """Noise is exact and from OpenDP; left of the wall another generator is at most a type."""
    if not source.under(*LEFT, *MEETING):
        return
    for line, module, name in source.imports():
        if module == "random" or f"{module}.{name}".startswith("numpy.random"):
            yield line, f"imports {module}"
    typed = source.under("mechanisms.noise", "mechanisms.meter")
    named = {
        id(node.value)
        for node in source.attributes()
        if typed and node.attr == "Generator" and id(node) not in _called(source)
    }
    for node in source.attributes():
        if ast.unparse(node) in {"np.random", "numpy.random"} and id(node) not in named:
            yield node.lineno, "uses numpy.random"


def no_open_keywords(source: Source) -> Iterator[Finding]:
    """What is measured depends on named arguments alone."""
    if source.under("engines", "mechanisms", *MEETING):
        for function in source.functions():
            if function.args.kwarg is not None:
                yield function.lineno, f"{function.name} takes **{function.args.kwarg.arg}"


def no_default_budget(source: Source) -> Iterator[Finding]:
    """Privacy is spent only by someone who named the amount."""
    for function in source.functions():
        spec = function.args
        late = [*spec.posonlyargs, *spec.args][-len(spec.defaults) :] if spec.defaults else []
        defaults = [*zip(late, spec.defaults, strict=True)]
        defaults += zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
        for argument, default in defaults:
            if argument.arg not in {"budget", "epsilon"} or default is None:
                continue
            if not (isinstance(default, ast.Constant) and default.value is None):
                yield function.lineno, f"{function.name} has a default {argument.arg}"


def what_touches_data_says_how_private_it_is(source: Source) -> Iterator[Finding]:
    """Whatever touches data has a Privacy section.

    These are the public functions and methods of engines, mechanisms, charts, session and api
    that take a table, an engine or an `Exact`, give an `Exact` or a release, or measure.
    """
    if not source.under("engines", "mechanisms", *MEETING):
        return
    for owner, function in _public_functions(source.tree):
        if not _touches_data(function):
            continue
        documented = owner if function.name == "__init__" else function
        text = ast.get_docstring(documented) if documented is not None else None
        if not re.search(r"^Privacy\n-{7}$", text or "", re.MULTILINE):
            name = f"{owner.name}.{function.name}" if owner else function.name
            yield function.lineno, f"{name} touches data but has no Privacy section"


def no_error_carries_another(source: Source) -> Iterator[Finding]:
    """An engine's message may quote a value, so ours is raised after the `except` has ended."""
    if not source.under(*LEFT, *MEETING):
        return
    for handler in source.nodes:
        if isinstance(handler, ast.ExceptHandler):
            for node in ast.walk(handler):
                if isinstance(node, ast.Raise):
                    yield node.lineno, "raises while another error is handled"


RULES: tuple[Rule, ...] = (
    only_mechanisms_open_an_exact,
    only_the_session_charges_and_measures,
    only_the_session_makes_a_meter,
    only_mechanisms_pay,
    no_chart_accounts_for_itself,
    no_seed_is_taken,
    no_ordinary_randomness,
    no_open_keywords,
    no_default_budget,
    what_touches_data_says_how_private_it_is,
    no_error_carries_another,
)


def _takes_a_meter(function: Function) -> bool:
    return any(argument.arg == "meter" for argument in arguments(function))


def _called(source: Source) -> set[int]:
    return {id(call.func) for call, _ in source.calls()}


def _public_functions(tree: ast.Module) -> Iterator[tuple[ast.ClassDef | None, Function]]:
    for node in tree.body:
        if isinstance(node, Function) and is_public(node):
            yield None, node
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from (
                (node, inner)
                for inner in node.body
                if isinstance(inner, Function) and is_public(inner)
            )


def _touches_data(function: Function) -> bool:
    taken = [(argument.arg, _words(argument.annotation)) for argument in arguments(function)]
    takes = any(name == "table" or words & {"Exact", "Engine"} for name, words in taken)
    gives = any(word == "Exact" or word.endswith("Release") for word in _words(function.returns))
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    return takes or gives or any(method(call) == "measure" for call in calls)


def _words(annotation: ast.expr | None) -> set[str]:
    return set(re.findall(r"\w+", ast.unparse(annotation))) if annotation is not None else set()
