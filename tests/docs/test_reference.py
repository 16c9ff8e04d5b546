"""Every name that users can reach is in the reference, with all that can be called on it."""

import inspect
import re
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import sfumato as sf
from sfumato.releases import document

DOCS = Path(__file__).parents[2] / "docs"
OVERVIEW = (DOCS / "reference.md").read_text(encoding="utf-8")
SHOWN = re.compile(r"^::: (\S+)\n(?:    options:\n((?:      .*\n)+))?", re.MULTILINE)
ERRORS = {name for name in sf.__all__ if name.endswith("Error")}


def asked_for() -> dict[str, set[str] | None]:
    """What the pages ask to be shown: full names, and which inherited members with them."""
    pages = [path.read_text(encoding="utf-8") for path in (DOCS / "reference").glob("*.md")]
    found = [match for page in pages for match in SHOWN.finditer(page)]
    assert len({match[1] for match in found}) == len(found)
    return {match[1]: inherited(match[2] or "") for match in found}


def inherited(options: str) -> set[str] | None:
    """The inherited members that are shown too; None for all of them."""
    if "inherited_members: true" in options:
        return None
    (listed,) = re.findall(r"inherited_members: \[(.*)\]", options) or [""]
    return {*re.findall(r"\w+", listed)}


PLACES = asked_for()


def named(place: str) -> Any:
    module, _, name = place.rpartition(".")
    try:
        return import_module(place)
    except ModuleNotFoundError:
        return getattr(import_module(module), name)


def members(kind: type) -> dict[str, type]:
    """The public members that sfumato gives a class, and the class that each is written in."""
    found: dict[str, type] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("sfumato"):
            public = {name: each for name, each in vars(base).items() if not name.startswith("_")}
            found |= {name: base for name in public if callable_or_computed(public[name])}
    return found


def callable_or_computed(member: object) -> bool:
    return inspect.isroutine(member) or isinstance(member, property | cached_property)


def missing(kind: type, places: dict[Any, set[str] | None]) -> set[str]:
    """The members of a class that stand on no page, neither with it nor where they are written."""
    more = places[kind]
    hidden = {name for name, home in members(kind).items() if home not in places}
    return set() if more is None else hidden - more


def test_every_public_name_is_in_the_overview():
    for name in sf.__all__:
        assert f"[`sf.{name}`]" in OVERVIEW, name
    assert {*re.findall(r"\[`sf\.(\w+)`\]", OVERVIEW)} == {*sf.__all__}


def test_the_overview_links_to_what_is_shown():
    targets = re.findall(r"\[`sf\.(\w+)`\]\[([\w.]+)\]", OVERVIEW)
    assert {name for name, _ in targets} == {*sf.__all__} - ERRORS
    for name, place in targets:
        assert place in PLACES
        assert named(place) is getattr(sf, name)


@pytest.mark.parametrize("place", PLACES)
def test_all_that_can_be_called_is_shown(place):
    places = {named(other): more for other, more in PLACES.items()}
    if isinstance(named(place), type):
        assert missing(named(place), places) == set()


def test_every_kind_of_release_is_shown():
    places = {named(place) for place in PLACES}
    assert {*document.kinds().values()} <= places


def test_a_member_that_is_written_elsewhere_is_missed():
    class Hidden(sf.Release):
        def save(self, path: object, *, loudly: bool = False) -> None: ...

    Hidden.__module__ = "sfumato.hidden"
    seen = type("Seen", (Hidden,), {"__module__": "sfumato.seen"})
    assert missing(seen, {seen: set(), sf.Release: set()}) == {"save"}
    assert missing(seen, {seen: {"save"}, sf.Release: set()}) == set()
