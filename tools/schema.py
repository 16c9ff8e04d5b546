"""Write the JSON Schema of releases from their types and docstrings: `python tools/schema.py`.

What a field is follows from its annotation, and what is said of it from the docstring of its class.
A test makes the schema again and compares.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from inspect import getdoc
from pathlib import Path
from typing import Any, cast

from sfumato.releases import document, forms
from sfumato.releases.spelling import Length, NullWhere, Within

PLACE = Path(__file__).parents[1] / "src" / "sfumato" / "releases" / "schema"

DESCRIPTION = (
    "A differentially private chart as it is saved: noisy numbers, the public facts they were "
    "measured with, what they promise and what they cost. Nothing in it is secret. The file is "
    "UTF-8 without a byte order mark, no name stands twice in an object, and no number is NaN or "
    "infinite."
)
PARTS = {
    "parameters": (
        "The public facts the chart was made with. None was read from the data, but for what a "
        "private search found and paid for."
    ),
    "values": "What was released: noisy integers, and numbers computed from them alone.",
}
WIDTH = 88
_NULL = {"type": "null"}


def main() -> None:
    """Write the schema of the version that is written."""
    PLACE.joinpath(f"release-{document.VERSION}.json").write_text(text(), encoding="utf-8")


def text() -> str:
    """Return the schema as the content of its file."""
    return _lines(schema(), "", WIDTH) + "\n"


def _lines(plain: Any, indent: str, room: int) -> str:
    """Return JSON as text, whatever fits on one line on one line."""
    line = json.dumps(plain, ensure_ascii=False)
    if len(indent) + len(line) <= room:
        return line
    deeper = indent + "  "
    match plain:
        case dict():
            named = cast(dict[str, Any], plain).items()
            items = [f"{json.dumps(key)}: {_lines(each, deeper, room)}" for key, each in named]
        case list():
            items = [_lines(each, deeper, room) for each in cast(list[Any], plain)]
        case _:
            return line
    inner = ",\n".join(deeper + item for item in items)
    return f"{line[0]}\n{inner}\n{indent}{line[-1]}"


def schema() -> dict[str, Any]:
    """Return the schema of a release of any kind."""
    kinds, defined = document.kinds(), Definitions()
    described = {name: _kind(kind, defined) for name, kind in kinds.items()}
    optional = {each.key for each in document.head().fields if each.absent}
    header = {
        "format": {
            "description": "Tells this file from any other JSON.",
            "const": document.FORMAT,
        },
        "version": {
            "description": (
                "The version of the format. A reader refuses a version that it does not know."
            ),
            "type": "integer",
            "const": document.VERSION,
        },
        "kind": {
            "description": "Which chart it is; parameters and values follow from it.",
            "enum": list(kinds),
        },
        **defined.fields(document.head()),
        **{part: {"description": said, "type": "object"} for part, said in PARTS.items()},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:sfumato:release:{document.VERSION}",
        "title": f"sfumato release, version {document.VERSION}",
        "description": DESCRIPTION,
        "type": "object",
        "properties": header,
        "required": [name for name in header if name not in optional],
        "additionalProperties": False,
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in kinds],
        "$defs": described | defined.made,
    }


def _kind(kind: type[Any], defined: Definitions) -> dict[str, Any]:
    parts = {part: defined.record(document.part(kind, part)) for part in document.PARTS}
    for part in parts.values():
        del part["type"]  # which all kinds have in common
    return {
        "description": _first(kind),
        "properties": {"kind": {"const": kind.kind}, **parts},
    }


@dataclass(frozen=True)
class Definitions:
    """What stands in several places and is described once."""

    made: dict[str, Any] = field(default_factory=dict[str, Any])

    def of(self, form: forms.Form) -> dict[str, Any]:
        """Return the schema of a form."""
        match form:
            case forms.Record(words=words):
                return self._reference(words, form)
            case forms.Either(options):
                return {"oneOf": [self.of(option) for _, option in options]}
            case forms.Nullable(inner):
                return {"oneOf": [_NULL, self.of(inner)]}
            case forms.Several(item, length):
                return {"type": "array", **_sizes("Items", length), "items": self.of(item)}
            case forms.Converted(inner):
                return self.of(inner)
            case _:
                return _simple(form)

    def record(self, form: forms.Record) -> dict[str, Any]:
        """Return the schema of an object."""
        needed = [key for each in form.fields if not each.absent for key in each.keys]
        plain = {
            "type": "object",
            "properties": self.fields(form),
            "required": needed,
            "additionalProperties": False,
        }
        rules = [rule for each in form.fields for rule in _conditions(each)]
        return plain | ({"allOf": rules} if rules else {})

    def fields(self, form: forms.Record) -> dict[str, Any]:
        """Return the schema of each field of an object, with what is said of it."""
        nouns = reversed(form.words.__mro__)
        said = {name: words for noun in nouns for name, words in _parameters(noun)}
        return {
            key: {"description": said[each.attribute if each.attribute in said else key]} | plain
            for each in form.fields
            for key, plain in self._keys(each)
        }

    def _keys(self, each: forms.Field) -> Iterator[tuple[str, dict[str, Any]]]:
        """Return the names of a field; of two, what is said of the second differs."""
        if each.told:
            which = f"For each, which of {each.told} it is, from 0; they stand there once, rising."
            yield each.told, self.of(each.form) | {"uniqueItems": True}
            yield each.key, {"description": which} | self.of(forms.PLACES)
        elif isinstance(each.form, forms.Flag) and each.absent and not each.absent.older:
            yield each.key, {"const": not each.absent.default}
        elif isinstance(each.form, forms.Nullable) and each.absent and not each.absent.older:
            yield each.key, self.of(each.form.inner)
        elif isinstance(each.form, forms.Words) and each.absent and not each.absent.older:
            spelled = self.of(each.form)
            written = [word for word in spelled["enum"] if word != each.absent.default]
            yield each.key, spelled | {"enum": written}
        else:
            yield each.key, self.of(each.form)

    def _reference(self, words: type, form: forms.Record) -> dict[str, Any]:
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", words.__name__.removesuffix("Words")).lower()
        if name not in self.made:
            self.made[name] = {}  # keeps its place among the others
            self.made[name] = {"description": _summary(words), **self.record(form)}
        return {"$ref": f"#/$defs/{name}"}


def _simple(form: forms.Form) -> dict[str, Any]:
    match form:
        case forms.Number(whole, within):
            return {"type": "integer" if whole else "number", **_limits(within)}
        case forms.Text(length, pattern):
            looks = {"pattern": f"^({pattern.regex})$"} if pattern else {}
            return {"type": "string", **_sizes("Length", length), **looks}
        case forms.Flag():
            return {"type": "boolean"}
        case forms.Words(values):
            return {"enum": list(map(_short, values))}
        case forms.Whole(kind):
            return {"allOf": [{"$ref": "#"}, {"$ref": f"#/$defs/{kind}"}]}
        case _:
            return _LISTED


_LISTED: dict[str, Any] = {
    "type": "array",
    "uniqueItems": True,
    "anyOf": [
        {"items": {"type": "string"}},
        {"items": {"type": "boolean"}},
        {"items": {"type": "number", "minimum": -(2**53), "maximum": 2**53}},
    ],
}


def _limits(within: Within) -> dict[str, float]:
    names = {
        "minimum": within.minimum,
        "maximum": within.maximum,
        "exclusiveMinimum": within.above,
        "exclusiveMaximum": within.below,
    }
    return {name: _short(limit) for name, limit in names.items() if math.isfinite(limit)}


def _short(number: Any) -> Any:
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _sizes(what: str, length: Length) -> dict[str, int]:
    least = {f"min{what}": length.least} if length.least else {}
    return least | ({} if length.most is None else {f"max{what}": length.most})


def _conditions(each: forms.Field) -> Iterator[dict[str, Any]]:
    """Say where a field is null, and where only there."""
    for mark in each.marks:
        if isinstance(mark, NullWhere):
            said = {"const": mark.values[0]} if len(mark.values) == 1 else {"enum": [*mark.values]}
            there = {"if": {"properties": {mark.field: said}}}
            null = {"then": {"properties": {each.key: _NULL}}}
            other = {"else": {"properties": {each.key: {"not": _NULL}}}}
            yield there | null | (other if mark.exactly else {})


def _first(words: type) -> str:
    return _plain((getdoc(words) or "").partition("\n\n")[0])


def _summary(words: type) -> str:
    return _plain(re.split(r"\n\n(?:\w+\n-+\n|Examples)", getdoc(words) or "")[0])


def _parameters(words: type) -> Iterator[tuple[str, str]]:
    """Return what the docstring of a class says of each of its fields."""
    _, _, listed = (getdoc(words) or "").partition("Parameters\n----------\n")
    section = re.split(r"\n\n\w+\n-+\n", listed)[0]
    for names, said in re.findall(r"^(\w[\w, ]*)\n((?:[ ]+.*\n?)+)", section, re.MULTILINE):
        for name in names.split(", "):
            yield name, _plain(said)


def _plain(said: str) -> str:
    """Return a docstring's words as those of a reader who knows JSON and not Python."""
    words = re.sub(r"``\"?(.*?)\"?``|`(.*?)`", r"\1\2", " ".join(said.split()))
    return re.sub(r"\bNone\b", "null", words).replace("**", "^")


if __name__ == "__main__":
    main()
