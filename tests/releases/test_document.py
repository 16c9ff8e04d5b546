import json
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sfumato as sf
from releases.analysed import analysed, cloud
from releases.scored import scored
from releases.test_heatmap_release import release as heatmap
from releases.test_histogram_release import release as histogram
from sfumato.errors import ReleaseError
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.releases import document

ROWS = PrivacyUnit.rows()


def changed(path: str, value: Any, made: sf.Release | None = None) -> dict[str, Any]:
    """The document of a release with one thing in it changed, or added."""
    plain = json.loads(json.dumps((made or histogram()).to_dict()))
    *parents, name = path.split(".")
    place = plain
    for parent in parents:
        place = place[parent]
    place[name] = value
    return plain


def refused(plain: dict[str, Any]) -> str:
    with pytest.raises(ReleaseError) as problem:
        document.read(plain)
    assert problem.value.__context__ is None
    return str(problem.value)


MISSPELT = [
    ("version", True),
    ("version", 1.0),
    ("version", 0),
    ("label", ["histogram of age"]),
    ("label", None),
    ("private", 1),
    ("private", "true"),
    ("guarantee.epsilon", "0.5"),
    ("guarantee.epsilon", True),
    ("guarantee.delta", False),
    ("guarantee.unit.max_rows", -1),
    ("guarantee.unit.note", "all of them"),
    ("guarantee.size", True),
    ("guarantee.size", 10**400),
    ("guarantee.neighbours", "replace one row"),
    ("guarantee.replace_one", [0.5, 0.0]),
    ("cost.epsilon", "2/4"),
    ("cost.epsilon", "1e-9"),
    ("cost.epsilon", 0.5),
    ("parameters.x.bins", "3"),
    ("parameters.x.bins", 3.5),
    ("parameters.x.bounds.lower", "0"),
    ("parameters.x.bounds.time", 0),
    ("parameters.step", True),
    ("parameters.found", [["age"]]),
    ("parameters.noise.scale", 2.0**56),
    ("values.more", []),
    ("more", None),
]


@pytest.mark.parametrize(("path", "value"), MISSPELT)
def test_a_document_is_read_to_the_letter(path, value):
    document.read(changed("label", "another"))
    assert "changed by hand" in refused(changed(path, value))


@pytest.mark.parametrize("kind", [[], {}, None, 1, "pie"])
def test_a_kind_is_one_of_those_known(kind):
    assert "newer sfumato" in refused(changed("kind", kind))


def test_a_whole_number_is_as_good_as_its_decimals():
    """Other tools write 1 for 1.0."""
    assert document.read(changed("parameters.noise.scale", 2)) == histogram()


TOO_GOOD = {
    "less than it cost": replace(histogram(), guarantee=Guarantee(0.4, 0.0, ROWS)),
    "less δ than its threshold": replace(
        histogram(), cost=Cost.pure(Fraction(1, 2), delta=Fraction(1, 10**6))
    ),
    "Gaussian noise without δ": replace(
        histogram(), cost=Cost.gaussian(Fraction(1, 8)), noise=NoiseLaw("gaussian", 2.0)
    ),
    "more than ρ converts to": replace(
        histogram(),
        guarantee=Guarantee(1.0, 1e-6, ROWS),
        cost=Cost.gaussian(Fraction(1, 8)),
        noise=NoiseLaw("gaussian", 2.0),
    ),
    "no ε at all": replace(histogram(), guarantee=Guarantee(0.0, 0.0, ROWS), cost=Cost.nothing()),
    "an ε beyond all": replace(histogram(), guarantee=Guarantee(1e300, 0.0, ROWS)),
    "noise too small for rows": replace(histogram(), noise=NoiseLaw("laplace", 1.99)),
    "noise too small for users": replace(
        histogram(), guarantee=Guarantee(0.5, 0.0, PrivacyUnit.users("person", max_rows=2))
    ),
    "noise too small for people": replace(
        histogram(), guarantee=Guarantee(0.5, 0.0, PrivacyUnit.users("person"))
    ),
    "a map with too little noise": heatmap(scale=(2.0**30 * 0.99,) * 7),
    "components with too little noise": analysed(
        cloud(np.random.default_rng(1), 400, 3), np.random.default_rng(2), noise=10.0
    ),
    "scores with too little noise": scored(noise=NoiseLaw("gaussian", 4.9)),
    "scores that cost less than their directions": scored(cost=Cost.gaussian(Fraction(1, 300))),
}  # fmt: skip


@pytest.mark.parametrize("made", TOO_GOOD.values(), ids=TOO_GOOD)
def test_a_promise_is_no_better_than_its_price_and_its_noise(made):
    plain = json.loads(json.dumps(made.to_dict()))
    assert "changed by hand" in refused(plain)


@pytest.mark.parametrize(
    "spell",
    [
        lambda text: text.replace('"private": true', '"private": false, "private": true'),
        lambda text: text.replace('"epsilon": 0.5', '"epsilon": 5, "epsilon": 0.5'),
        lambda text: text.replace("histogram of", "\\ud800"),
        lambda text: text.replace("33", "1e999"),
        lambda text: text.replace("33", "1" * 5000),
        lambda text: text.replace('"histogram of age"', "[" * 900 + "]" * 900),
        lambda text: text.replace('["age"]', "[" * 900 + "]" * 900),
    ],
)  # fmt: skip
def test_text_that_others_could_read_otherwise_is_refused(spell: Callable[[str], str], tmp_path):
    text = json.dumps(histogram(found=("age",)).to_dict())
    path = tmp_path / "release.json"
    path.write_text(text)
    sf.load(path)
    path.write_text(spell(text))
    assert path.read_text() != text
    with pytest.raises(ReleaseError, match="changed by hand") as problem:
        sf.load(path)
    assert problem.value.__context__ is None


def test_letters_may_be_spelled_by_their_numbers(tmp_path):
    path = tmp_path / "release.json"
    path.write_text(json.dumps(histogram(label="Größe 😀").to_dict(), ensure_ascii=True))
    assert sf.load(path).label == "Größe 😀"


def test_scores_within_scores_within_scores_are_refused():
    plain = scored().to_dict()
    for _ in range(400):
        plain = {**plain, "values": {**plain["values"], "pca": plain}}
    assert "changed by hand" in refused(plain)


def test_what_noise_costs_is_what_was_paid_for_it():
    people = sf.testing.city(people=50)
    made = sf.histplot(people, x="age", bounds=(0, 100), bins=2, budget=sf.Budget(1, 1e-6))
    assert made.least_cost.rho <= made.cost.rho < made.least_cost.rho * (1 + Fraction(1, 2**40))
    assert math.isclose(made.noise.scale**-2 / 2, made.cost.rho)
