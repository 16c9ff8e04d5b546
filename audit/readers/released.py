"""Saved releases: any bytes as a file, read, drawn, and saved again."""

# What JSON holds has no type.
# pyright: basic

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any

from readers.converted import keeps
from readers.forging import forged
from readers.reader import BreachError, Mutate, Reader
from readers.trees import changed
from readers.watching import watched
from sfumato.addend import addend_weight
from sfumato.errors import ReleaseError
from sfumato.releases import document
from sfumato.releases.release import Release, plain_text

_LOOKS = {
    "histogram": 3, "boxplot": 3, "quantiles": 3, "distribution": 40, "means": 3, "heatmap": 60,
    "choropleth": 3, "regional_means": 3, "pairplot": 20, "pca": 4, "scoreplot": 20,
}  # fmt: skip
"""Of how many releases that are read one is described as a figure; maps have many points."""

_LATER: dict[str, tuple[tuple[str, str, Any], ...]] = {
    "release": (("guarantee", "size", None),),
    "boxplot": (("parameters", "bounds_found", True),),
    "quantiles": (
        ("parameters", "unit_step", 1.0), ("parameters", "bounds_found", True),
        ("values", "reliable", []), ("values", "measured", []), ("values", "beyond", None),
    ),
}  # fmt: skip
"""What the first releases left out, and what that means."""

LONGEST = 16_000
"""The most bytes of a release that is fuzzed: libFuzzer changes no longer ones."""

_PICTURES = 150
"""Of how many figures one becomes a picture, and one a page."""


class ReleaseReader(Reader):
    """Reads releases from memory, and a share of them from files."""

    longest = LONGEST
    modules = (
        "releases/document.py", "releases/forms.py", "releases/forms.py", "releases/spelling.py",
        "releases/axes.py", "releases/heatmap/leaves.py", "releases/pca/moments.py",
        "releases/histogram/__init__.py", "releases/boxplot/__init__.py",
        "releases/quantiles/__init__.py", "releases/distribution/__init__.py",
        "releases/means/__init__.py", "releases/heatmap/__init__.py",
        "releases/choropleth/__init__.py", "releases/choropleth/means.py",
        "releases/pairplot/__init__.py",
        "releases/pca/__init__.py", "releases/scoreplot/__init__.py",
    )  # fmt: skip

    aside = tuple(
        f"{kind}Release.{name}"
        for kind in ("Boxplot", "Quantiles", "Heatmap", "Pca", "Scoreplot")
        for name in (
            "boxes", "uncertainty", "mean", "size", "reliable", "to_array", "points", "centers",
            "to_geojson", "explained_variance", "total_variance", "variance_noise", "__hash__",
            "__eq__", "_place",
        )
    )  # fmt: skip

    def __init__(self, seeds: list[bytes]) -> None:
        super().__init__(seeds)
        self.place = Path(mkdtemp())
        self.said = _known_words()
        self._warm()

    def examine(self, data: bytes) -> None:
        """Read one release, and judge what it states."""
        try:
            release = self._from_file(data) if self.turn("files", 10) else _from_memory(data)
        except ReleaseError as error:
            self.done["refused"] += 1
            if error.__context__ is not None or str(error) not in self.said:
                raise BreachError("an error says what is in the file", str(error)) from error
            return
        self.done["accepted"] += 1
        self.done[f"accepted {release.kind}"] += 1
        _judge_statement(release, data)
        if self.turn(f"looks {release.kind}", _LOOKS[release.kind]):
            self._look(release)

    def mutate(self, data: bytes, size: int, seed: int, plainly: Mutate) -> bytes:
        """Change the tree of a release, or now and then its bytes."""
        dice = Random(seed)
        if dice.random() < 0.1:
            return forged(dice.choice(self.seeds), dice)
        source = data if dice.random() < 0.5 else dice.choice(self.seeds)
        found = changed(source, self.seeds, dice) if dice.random() < 0.95 else None
        return plainly(data, size) if found is None else found[:size]

    def _from_file(self, data: bytes) -> Release:
        path = self.place / "release.json"
        path.write_bytes(data)
        self.done["from files"] += 1
        try:
            with watched([f"open({str(path)!r}, 'r", f"open({path!r}, 'r"]):
                return document.load(path)
        finally:
            if path.read_bytes() != data or len(list(self.place.iterdir())) != 1:
                raise BreachError("reading changed a file")

    def _look(self, release: Release) -> None:
        """Describe a release in every cheap way, and save it; nothing may fail or warn."""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for describe in _DESCRIPTIONS:
                describe(release)
            again = document.read(json.loads(plain_text(release.to_dict(), indent=None)))
            if again != release:
                raise BreachError("a release that was saved and read is another")
            self.done["looked at"] += 1
            if self.turn("pictures", _PICTURES):
                path = self.place / "release.svg"
                release.save(path)
                path.unlink()
                release.to_html()
                self.done["drawn"] += 1

    def _warm(self) -> None:
        """Let every module that reading needs be imported before imports are watched."""
        releases = [document.read(json.loads(seed)) for seed in self.seeds]
        for release in {release.kind: release for release in releases}.values():
            for describe in _DESCRIPTIONS:
                describe(release)


_DESCRIPTIONS: tuple[Callable[[Release], object], ...] = (
    str,
    lambda release: release.guarantee.replace_one,
    lambda release: release.caption(),
    lambda release: release.records(),
    lambda release: plain_text(release.to_vega(), indent=None),
)


def _from_memory(data: bytes) -> Release:
    with watched():
        return document.read(document.parsed(data))


def _known_words() -> set[str]:
    """Return what the reader says of files that hold nothing to quote."""
    said: set[str] = set()
    newer = {"format": document.FORMAT, "version": document.VERSION + 1}
    for content in (b"", json.dumps(newer).encode()):
        try:
            document.read(document.parsed(content))
        except ReleaseError as error:
            said.add(str(error))
    return said


def _judge_statement(release: Release, data: bytes) -> None:
    """Compare what a release states with its file, and its promise with its price."""
    plain = json.loads(data, object_pairs_hook=_once)
    for part, name, value in (*_LATER["release"], *_LATER.get(release.kind, ())):
        plain[part].setdefault(name, value)
    for part, name, value in _LATER["release"] if "pca" in plain["values"] else ():
        plain["values"]["pca"][part].setdefault(name, value)
    if not _alike(plain, release.to_dict()):
        raise BreachError("a release states something else than its file")
    if release.private is not (plain["private"] is True):
        raise BreachError("a release is private by its own account alone")
    promise, cost = plain["guarantee"], plain["cost"]
    epsilon, delta = (Fraction(repr(float(promise[name]))) for name in ("epsilon", "delta"))
    pure = None if cost["epsilon"] is None else Fraction(cost["epsilon"])
    if not (epsilon > 0 and 0 <= delta < 1):
        raise BreachError("a promise is no promise")
    spent = (pure, Fraction(cost["rho"]), Fraction(cost["delta"]))
    if not keeps(epsilon, delta, spent, losses=cost.get("losses", ())):
        raise BreachError("a release promises more than its price buys")
    if not _paid_for(release, plain):
        raise BreachError("a release promises more than its noise buys")


def _paid_for(release: Release, plain: dict[str, Any]) -> bool:
    """Compare the noise of a release with its price, where one weight moves one number most."""
    noise, weight = plain["parameters"].get("noise"), _weight(release, plain["parameters"])
    if not noise:
        return True
    if release.kind == "distribution":
        groups = [
            [each["scale"] for each in group["rounds"]] for group in plain["values"]["measured"]
        ]
    else:
        groups, noise = [[noise["scale"]]], noise["kind"]
    parts = [[weight / Fraction(scale) for scale in scales] for scales in groups]
    cost = plain["cost"]
    if noise == "gaussian":
        return all(sum(part**2 for part in each) / 2 <= Fraction(cost["rho"]) for each in parts)
    return cost["epsilon"] is not None and all(
        sum(each) <= Fraction(cost["epsilon"]) for each in parts
    )


def _weight(release: Release, parameters: dict[str, Any]) -> int:
    """Return how many steps one unit weighs: sums of a person's rows have coarser ones."""
    unit = release.guarantee.unit
    means = release.kind in ("means", "regional_means")
    summed = means and parameters["estimator"] in ("mean", "sum", "proportion")
    return addend_weight(unit) if summed else unit.weight


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise BreachError("a key that is said twice was read")
    return dict(pairs)


def _alike(one: Any, other: Any) -> bool:
    match one, other:
        case dict(), dict():
            return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
        case list(), list():
            return len(one) == len(other) and all(map(_alike, one, other))
        case (bool(), _) | (_, bool()):
            return one is other
        case ((int() | float()), (int() | float())):
            return one == other and math.isfinite(one)
        case _:
            return type(one) is type(other) and one == other
