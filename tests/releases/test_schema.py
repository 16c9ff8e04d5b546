"""The published JSON Schema says of a release what the reader says, as far as a schema can."""

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from datetime import date
from importlib.resources import files
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import schema
import sfumato as sf
from readers import seeds
from readers.trees import changed
from releases.test_boxplot_release import SAMPLES as BOXPLOTS
from releases.test_heatmap_release import SAMPLES as HEATMAPS
from releases.test_histogram_release import SAMPLES as HISTOGRAMS
from releases.test_quantiles_release import SAMPLES as QUANTILES
from sfumato.errors import ReleaseError
from sfumato.postprocess.noise_law import KINDS
from sfumato.privacy.payment import Payment
from sfumato.releases import boxplot, document, heatmap, histogram, pca, quantiles, scoreplot
from sfumato.releases.signature import Signature

FOLDER = files("sfumato.releases") / "schema"
SCHEMA = json.loads((FOLDER / f"release-{document.VERSION}.json").read_text(encoding="utf-8"))
CHECK = Draft202012Validator(SCHEMA)

DAYS = (date(2000, 1, 1), date(2030, 1, 1))
BODY = {"heart_rate": (30, 220), "systolic": (60, 260), "moved_in": DAYS}
SOME = sf.Budget(epsilon=4, delta=1e-6)


def valid(plain: Any) -> bool:
    return CHECK.is_valid(plain)


def readable(plain: Any) -> bool:
    try:
        document.read(plain)
    except ReleaseError:
        return False
    return True


def more_charts() -> Iterator[sf.Release]:
    """What the seeds of the fuzzer leave out: numbers as categories, and rows beyond bounds."""
    people = sf.testing.city(people=200)
    yield sf.histplot(people, x="age", order=[30, 31.5], budget=1.0)
    yield sf.histplot(people, x="age", bounds=(0, 50), bins=2, outside="drop", budget=1.0)
    for scale in (sf.private(), dict.fromkeys(BODY, 9.0)):
        found = sf.pca(people, columns=list(BODY), bounds=BODY, scale=scale, budget=SOME)
        yield replace(found, view="loadings")


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> list[bytes]:
    """Releases of every kind, method and option, as they are saved."""
    folder = tmp_path_factory.mktemp("seeds")
    seeds.write(folder)
    kinds = SCHEMA["properties"]["kind"]["enum"]
    written = [path.read_bytes() for kind in kinds for path in sorted((folder / kind).iterdir())]
    samples = (BOXPLOTS, HEATMAPS, HISTOGRAMS, QUANTILES)
    made = [*more_charts(), *(sample for each in samples for sample in each.values())]
    return written + [json.dumps(release.to_dict()).encode() for release in made]


def words(schema: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The words that each name may have."""
    if isinstance(schema, dict):
        for word in schema.get("enum", ()):
            yield name, word
        for inner, part in schema.items():
            yield from words(part, name if inner in ("oneOf", "allOf", "$ref") else inner)
    elif isinstance(schema, list):
        for part in schema:
            yield from words(part, name)


def said(plain: Any) -> Iterator[tuple[str, Any]]:
    for name, value in plain.items():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, dict):
                yield from said(part)
        if isinstance(value, str | int | float):
            yield name, value


def test_it_is_a_schema_of_the_version_that_is_written():
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["version"]["const"] == document.VERSION
    assert SCHEMA["properties"]["format"]["const"] == document.FORMAT
    assert SCHEMA["$id"] == f"urn:sfumato:release:{document.VERSION}"
    names = sorted(each.name for each in FOLDER.iterdir())
    assert names == [f"release-{version}.json" for version in range(1, document.VERSION + 1)]


def test_every_release_is_as_the_schema_says(saved):
    problems = [error for each in saved for error in CHECK.iter_errors(json.loads(each))]
    assert problems == []


def test_every_word_of_the_schema_is_written_by_some_release(saved):
    written = {pair for each in saved for pair in said(json.loads(each))}
    missing = {pair for pair in words(SCHEMA) if pair not in written}
    assert missing == set()


def test_the_words_of_the_schema_are_those_of_the_code():
    parts = SCHEMA["$defs"]

    def known(kind: str, name: str) -> list[str]:
        return parts[kind]["properties"]["parameters"]["properties"][name]["enum"]

    assert SCHEMA["properties"]["kind"]["enum"] == list(document.kinds())
    assert known("histogram", "stat") == list(histogram.STATS)
    assert known("boxplot", "method") == list(boxplot.METHODS)
    assert known("quantiles", "method") == list(quantiles.METHODS)
    assert known("heatmap", "method") == list(heatmap.METHODS)
    assert known("heatmap", "decoder") == list(heatmap.DECODERS)
    assert known("pca", "scaled") == list(pca.SCALED)
    assert known("scoreplot", "method") == list(scoreplot.METHODS)
    assert parts["noise"]["properties"]["kind"]["enum"] == list(KINDS)


def test_the_schema_is_the_one_that_the_types_make():
    file = FOLDER / f"release-{document.VERSION}.json"
    assert file.read_text(encoding="utf-8") == schema.text(), "python tools/schema.py"


def test_another_type_makes_another_schema(monkeypatch):
    words = {**histogram.HistogramRelease.__annotations__, "step": "Parameter[int]"}
    monkeypatch.setattr(histogram.HistogramRelease, "__annotations__", words)
    document.part.cache_clear()
    try:
        assert schema.schema() != SCHEMA
    finally:
        monkeypatch.undo()
        document.part.cache_clear()
    assert schema.schema() == SCHEMA


def undescribed(part: Any, path: str = "") -> Iterator[str]:
    """The fields that nothing is said of."""
    for name, field in part.get("properties", {}).items():
        if "description" not in field and "properties" not in field and "const" not in field:
            yield f"{path}.{name}"
        yield from undescribed(field, f"{path}.{name}")


def test_something_is_said_of_every_field():
    parts = {"": SCHEMA, **SCHEMA["$defs"]}
    assert [lost for name, part in parts.items() for lost in undescribed(part, name)] == []
    assert list(undescribed({"properties": {"x": {"type": "number"}}}, "pie")) == ["pie.x"]


def places(plain: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a document; of a list, the first item stands for all."""
    inside = (
        list(plain) if isinstance(plain, dict) else [0] if plain and type(plain) is list else []
    )
    for name in inside:
        yield (*path, name)
        yield from places(plain[name], (*path, name))


def broken(plain: Any) -> Iterator[tuple[str, Any]]:
    """The document with one thing missing, too much, or of another type, and where."""
    for *parents, name in places(plain):
        for change in ("missing", "more", "another type"):
            copy = deepcopy(plain)
            parent = copy
            for step in parents:
                parent = parent[step]
            match change:
                case "missing" if isinstance(parent, dict):
                    del parent[name]
                case "more" if isinstance(parent[name], dict):
                    parent[name]["stranger"] = 1
                case "another type":
                    parent[name] = {} if isinstance(parent[name], list) else [parent[name]]
                case _:
                    continue
            yield f"{change}: {'.'.join(map(str, [*parents, name]))}", copy


def test_what_lacks_a_field_or_has_a_strange_one_is_refused_by_both(saved):
    # Of every kind, and with every sort of cells along x.
    documents = {
        (plain["kind"], *(plain["parameters"].get("x") or ())): plain
        for plain in map(json.loads, saved)
    }
    cases = [case for plain in documents.values() for case in broken(plain)]
    accepted = {where for where, plain in cases if valid(plain) or readable(plain)}
    # The first releases did not say it; values may lie anywhere, and have a type; quantiles had
    # no intervals, and costs no losses.
    intervals = {"parameters.unit_step", "parameters.bounds_found", "values.reliable",
                 "values.measured", "values.beyond"}  # fmt: skip
    types = {"parameters.x.bounds.step", "parameters.x.bounds.parsed", "parameters.x.drop",
             "parameters.x.part", "parameters.y.part"}  # fmt: skip
    views = {"parameters.view", "parameters.levels"}
    views |= {"parameters.beyond", "values.pca.parameters.beyond"}
    views |= {"values.ladder", "values.ladder_steps", "values.ladder_seen"}
    views |= {"parameters.ladder_noise"}
    sizes = {"guarantee.size", "values.pca.guarantee.size"}
    losses = {"cost.losses", "values.pca.cost.losses"}
    assert accepted == {f"missing: {name}" for name in intervals | types | views | sizes | losses}
    assert len(cases) > 500


def test_only_the_whole_of_a_payment_or_a_signature_may_be_missing():
    paid, by = (Payment("0f" * 16, 7, "a1" * 32),), Signature("b2" * 32, "c3" * 64)
    cases = list(broken(replace(HISTOGRAMS["plain"], paid=paid, signature=by).to_dict()))
    accepted = {where for where, plain in cases if valid(plain) or readable(plain)}
    assert {"missing: paid", "missing: signature"} <= accepted
    # A field of the first payment has the path paid.0.seal.
    assert {where for where in accepted if "paid." in where or "signature." in where} == set()
    assert {"missing: paid.0.seal", "more: paid.0", "missing: signature.key"} <= {*dict(cases)}


def test_a_document_has_the_parts_of_its_own_kind(saved):
    documents = {plain["kind"]: plain for plain in map(json.loads, saved)}
    assert documents.keys() == document.kinds().keys()
    for kind, plain in documents.items():
        for other in {*documents, "pie", ""} - {kind}:
            assert not valid(plain | {"kind": other}) and not readable(plain | {"kind": other})


@pytest.mark.parametrize("part", range(4))
def test_whatever_the_schema_refuses_the_reader_refuses(saved, part):
    dice = Random(part)
    believed = 0
    for _ in range(500):
        content = changed(dice.choice(saved), saved, dice)
        try:
            plain = document.parsed(content or b"")
            document.read(plain)
        except ReleaseError:
            continue
        believed += 1
        assert valid(plain), json.dumps(plain)
    assert believed > 30


def test_the_schema_cannot_see_that_a_promise_is_too_good():
    """What a page of the documentation says: only the reader compares numbers with each other."""
    plain = HISTOGRAMS["plain"].to_dict()
    plain["guarantee"] |= {"epsilon": 0.25, "replace_one": [0.5, 0.0]}
    assert valid(plain) and not readable(plain)
