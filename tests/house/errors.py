"""The rules that make errors speak: three parts each, and what is typed as each door spells it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from house.source import Finding, Rule, Source

ERRORS = {
    "SfumatoError",
    "DomainError",
    "BudgetError",
    "LedgerError",
    "SourceError",
    "ReleaseError",
    "OverspentError",
}
TYPED = re.compile(r"\bsf\.|\b(Domain|Session|Budget|PrivacyUnit|Bounds|Categories|Ledger)[.(]")
"""What only whoever writes Python types."""


def errors_have_three_parts(source: Source) -> Iterator[Finding]:
    """An error says what is wrong, why it matters and what to type, each in its own part."""
    for call, name in source.calls():
        if name in ERRORS:
            starred = any(isinstance(part, ast.Starred) for part in call.args)
            empty = any(isinstance(part, ast.Constant) and not part.value for part in call.args)
            if len(call.args) + len(call.keywords) != 3 or starred or empty:
                yield call.lineno, f"{name} needs what, why and advice"


def what_is_typed_stands_in_phrases(source: Source) -> Iterator[Finding]:
    """A sentence that spells Python out would say so in a shell too."""
    for call, name in source.calls():
        if name not in ERRORS:
            continue
        for part in call.args:
            pieces = part.elts if isinstance(part, ast.Tuple) else [part]
            for piece in pieces:
                if TYPED.search(_text(piece)):
                    yield piece.lineno, f"{name} spells out what a phrase should"


def _text(piece: ast.expr) -> str:
    """Return the words of a text, without what is put in."""
    values = piece.values if isinstance(piece, ast.JoinedStr) else [piece]
    words = [value.value for value in values if isinstance(value, ast.Constant)]
    return "".join(word for word in words if isinstance(word, str))


RULES: tuple[Rule, ...] = (errors_have_three_parts, what_is_typed_stands_in_phrases)
