"""Whether a ledger paid for a release: every way to cheat is noticed."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, product
from pathlib import Path

import pytest

import sfumato as sf
from privacy.forging import lay_version_1, reseal, rewrite
from sfumato.catalogue import CITY, Request, citizens, requests
from sfumato.errors import LedgerError
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy import verification
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import Guarantee
from sfumato.privacy.payment import Payment
from sfumato.releases import document
from sfumato.releases.histogram import HistogramRelease

PEOPLE = sf.testing.city(people=300)
BODY = ["heart_rate", "systolic", "bmi"]
DOMAIN = sf.Domain(age=(0, 100), income=(0, 90_000), heart_rate=(30, 220), systolic=(60, 260),
                   bmi=(10, 60))  # fmt: skip
TOTAL = sf.Budget(epsilon=8, delta=1e-6)


def session(path: Path) -> sf.Session:
    return sf.Session(PEOPLE, domain=DOMAIN, budget=TOTAL, ledger=path, name="people")


@dataclass(frozen=True)
class Scene:
    """A ledger, copies of it from earlier, and what was released on the way."""

    path: Path
    early: Path
    empty: Path
    ages: HistogramRelease
    others: tuple[sf.Release, ...]

    @property
    def releases(self) -> tuple[sf.Release, ...]:
        return (self.ages, *self.others)

    @property
    def ledger(self) -> sf.Ledger:
        return sf.Ledger.open(self.path)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """What happened, once for all tests."""
    folder = tmp_path_factory.mktemp("first")
    path, early, empty = (folder / f"{name}.ledger" for name in ("people", "early", "empty"))
    s = session(path)
    shutil.copy(path, empty)
    some = sf.Budget(epsilon=2, delta=1e-7)
    ages = s.histplot(x="age", bins=4, budget=0.2)
    twins = s.histplot(x="age", bins=4, budget=0.2, fresh=True)
    shutil.copy(path, early)
    pca = s.pca(columns=BODY, budget=some)
    scores = s.scoreplot(pca, bins=4, budget=some)
    income = s.boxplot(y="income", budget=0.2)
    return Scene(path, early, empty, ages, (twins, pca, scores, income))


@pytest.fixture
def scene(first: Scene, tmp_path: Path) -> Scene:
    """The same with ledgers of its own, which may be forged."""
    folder = shutil.copytree(first.path.parent, tmp_path / "ledgers")
    places = (folder / place.name for place in (first.path, first.early, first.empty))
    return replace(first, **dict(zip(("path", "early", "empty"), places, strict=True)))


def test_a_release_names_the_entry_that_paid_for_it(scene: Scene) -> None:
    entries = scene.ledger.entries
    for release, entry in zip(scene.releases, entries, strict=True):
        assert release.paid == (Payment(scene.ledger.identity, entry.number, entry.seal or ""),)
        assert (release.label, release.cost) == (entry.label, entry.cost)
    assert [entry.number for entry in entries] == [1, 2, 3, 4, 5]


def test_what_was_paid_for_passes_before_and_after_it_is_saved(scene, tmp_path):
    loaded = [
        sf.load(release.save(tmp_path / f"{number}.json"))
        for number, release in enumerate(scene.releases)
    ]
    for releases in (scene.releases, loaded, [], loaded[:2]):
        found = scene.ledger.verify(*releases)
        assert found.passed, str(found)
    everything = scene.ledger.verify(*loaded)
    # The score plot shows components, which are looked at too.
    assert [each.entries for each in everything.findings] == [(1,), (2,), (3,), (4,), (3,), (5,)]
    assert [each.part for each in everything.findings] == [False] * 4 + [True, False]
    assert everything.others == () and scene.ledger.verify(loaded[0]).others == (2, 3, 4, 5)


def unpaid(asked: Iterable[Request], folder: Path) -> list[str]:
    """The requests whose release its own ledger did not pay for, and what it says about them."""
    found: list[str] = []
    for number, each in enumerate(asked):
        if each.size is None:  # or its session keeps no file
            s = each.session(citizens(60), CITY.domain, folder / f"{number}.ledger", name="people")
            made = each.release(s, each.budget(4.0))
            verified = s.ledger.verify(sf.load(made.save(folder / f"{number}.json")))
            found += [] if verified.passed else [f"{each.name}: {verified}"]
    return found


@pytest.mark.parametrize("all_of_them", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_every_request_was_paid_for(all_of_them, tmp_path):
    """Every day one of each chart, and whatever searches for something and pays in parts."""
    asked = requests(CITY) if all_of_them else [
        each
        for each in requests(CITY)
        if each.typical or each.name.endswith(("-search", "-bounds", "-window", "-mean"))
    ]  # fmt: skip
    assert unpaid(asked, tmp_path) == []


def test_copies_of_a_release_are_one_release(scene, tmp_path):
    sf.create_key(tmp_path / "key.pem", tmp_path / "public.pem")
    again = document.read(json.loads(json.dumps(scene.ages.to_dict())))
    assert scene.ledger.verify(scene.ages, again, again.sign(tmp_path / "key.pem")).passed


def test_what_was_combined_of_two_measurements_was_paid_for_by_two_entries(scene):
    twin = scene.others[0]
    both = replace(scene.ages, paid=scene.ages.paid + twin.paid, cost=scene.ages.cost + twin.cost)
    found = scene.ledger.verify(both, scene.ages, twin)
    assert found.passed and found.findings[0].entries == (1, 2), str(found)
    cheap = replace(both, cost=scene.ages.cost)
    assert "says that it cost ε = 0.2" in str(scene.ledger.verify(cheap))


def test_nobody_else_names_a_payment(tmp_path):
    s = sf.Session(PEOPLE, domain=DOMAIN, budget=1.0)
    assert s.histplot(x="age", bins=2, budget=0.5).paid == ()
    assert sf.histplot(PEOPLE, x="age", bounds=(0, 100), budget=0.5).paid == ()
    with sf.testing.seeded(1):
        assert s.histplot(x="age", bins=2, budget=0.25).paid == ()
    old = sf.Ledger.open(lay_version_1(tmp_path / "old.ledger"))
    unit = old.protects.removeprefix("user ") if old.protects != "row" else None
    domain = sf.Domain(age=(0, 100))
    people = PEOPLE.rename_columns({"person_id": unit}) if unit else PEOPLE
    earlier = sf.Session(people, unit=unit, domain=domain, ledger=old, name=old.table)
    assert earlier.histplot(x="age", bins=2, budget=0.01).paid == ()


Given = tuple[sf.Ledger, tuple[sf.Release, ...]]


def forged(scene: Scene, **changes: object) -> Given:
    return scene.ledger, (replace(scene.ages, **changes),)


def rewritten(scene: Scene, *changes: str, values: tuple[object, ...] = ()) -> Given:
    """The same releases, and a ledger that was changed and sealed anew."""
    rewrite(scene.path, *changes, values=values)
    reseal(scene.path)
    return scene.ledger, scene.releases


def less_noise(scene: Scene) -> Given:
    return forged(scene, noise=replace(scene.ages.noise, scale=scene.ages.noise.scale / 2))


def lower_cost(scene: Scene) -> Given:
    half = scene.ages.cost.epsilon / 2
    wide = NoiseLaw("laplace", scene.ages.noise.scale * 2)
    return forged(scene, cost=Cost.pure(half), noise=wide)


def higher_cost(scene: Scene) -> Given:
    return forged(scene, cost=scene.ages.cost + Cost.pure(Fraction(1, 10)))


def other_label(scene: Scene) -> Given:
    return forged(scene, label="histogram of income")


def another_unit(scene: Scene) -> Given:
    unit = sf.PrivacyUnit.users("person_id", max_rows=1)
    return forged(scene, guarantee=replace(scene.ages.guarantee, unit=unit))


def another_neighbour(scene: Scene) -> Given:
    made = scene.ages.guarantee
    return forged(scene, guarantee=Guarantee(made.epsilon, made.delta, made.unit, size=300))


def simulated_noise(scene: Scene) -> Given:
    return forged(scene, private=False)


def no_payment(scene: Scene) -> Given:
    return forged(scene, paid=())


def another_ledger(scene: Scene) -> Given:
    other = session(scene.path.with_name("other.ledger"))
    return scene.ledger, (other.histplot(x="age", bins=4, budget=0.2),)


def another_entry(scene: Scene) -> Given:
    return forged(scene, paid=(replace(scene.ages.paid[0], number=5),))


def no_entry(scene: Scene) -> Given:
    return forged(scene, paid=(replace(scene.ages.paid[0], number=10**9),))


def one_entry_twice(scene: Scene) -> Given:
    return forged(scene, paid=scene.ages.paid * 2, cost=scene.ages.cost + scene.ages.cost)


def two_releases_for_one_entry(scene: Scene) -> Given:
    # Both were asked for with the same words and at the same price.
    second = replace(scene.others[0], paid=scene.ages.paid)
    return scene.ledger, (scene.ages, second)


def hidden_within_a_plot(scene: Scene) -> Given:
    scores = scene.others[2]
    return scene.ledger, (replace(scores, pca=replace(scores.pca, paid=())),)


def older_copy(scene: Scene) -> Given:
    return sf.Ledger.open(scene.early), scene.releases


def older_copy_charged_again(scene: Scene) -> Given:
    session(scene.empty).histplot(x="age", bins=4, budget=0.2)
    return sf.Ledger.open(scene.empty), (scene.ages,)


def cheaper_entry(scene: Scene) -> Given:
    cheap = "UPDATE entry SET body = replace(body, '\"1/5\"', '\"1/50\"') WHERE number = 1"
    return rewritten(scene, cheap)


def other_words_in_an_entry(scene: Scene) -> Given:
    return rewritten(scene, "UPDATE entry SET body = replace(body, 'income', 'wages')")


def first_entry_removed(scene: Scene) -> Given:
    return rewritten(
        scene, "DELETE FROM entry WHERE number = 1", "UPDATE entry SET number = number - 1"
    )


def last_entry_removed(scene: Scene) -> Given:
    return rewritten(scene, "DELETE FROM entry WHERE number = 5")


def entries_exchanged(scene: Scene) -> Given:
    moves = ((1, -1), (2, 1), (-1, 2))
    return rewritten(
        scene, *(f"UPDATE entry SET number = {new} WHERE number = {old}" for old, new in moves)
    )


def larger_budget(scene: Scene) -> Given:
    return rewritten(scene, "UPDATE meta SET value = '80/1' WHERE name = 'epsilon'")


CHEATS: dict[Callable[[Scene], Given], str] = {
    less_noise: "has noise that costs ε = 0.4",
    lower_cost: "says that it cost ε = 0.1",
    higher_cost: "says that it cost ε = 0.3",
    other_label: "entry 1 paid for 'histogram of age'",
    another_unit: "protects each person_id",
    another_neighbour: "protects rows that are replaced",
    simulated_noise: "has simulated noise",
    no_payment: "does not say what paid for it",
    another_ledger: "was paid for by another ledger",
    another_entry: "names another entry 5 than there is",
    no_entry: "names entry 1000000000, and the ledger ends with 5: this is an older copy",
    one_entry_twice: "names an entry twice",
    two_releases_for_one_entry: "shares its entry with another release",
    hidden_within_a_plot: "does not say what paid for it",
    older_copy: "names entry 3, and the ledger ends with 2: this is an older copy",
    older_copy_charged_again: "names another entry 1 than there is",
    cheaper_entry: "names another entry 1 than there is: the ledger was rewritten",
    other_words_in_an_entry: "names another entry 5 than there is: the ledger was rewritten",
    first_entry_removed: "names another entry 1 than there is: the ledger was rewritten",
    last_entry_removed: "names entry 5, and the ledger ends with 4",
    entries_exchanged: "names another entry 1 than there is: the ledger was rewritten",
    larger_budget: "names another entry 1 than there is: the ledger was rewritten",
}


@pytest.mark.parametrize(("cheat", "words"), CHEATS.items(), ids=[each.__name__ for each in CHEATS])
def test_whoever_cheats_is_found_out(cheat, words, scene):
    ledger, releases = cheat(scene)
    found = ledger.verify(*releases)
    assert not found.passed
    assert words in str(found)


REWRITTEN = (cheaper_entry, other_words_in_an_entry, first_entry_removed, last_entry_removed,
             entries_exchanged, larger_budget)  # fmt: skip


@pytest.mark.parametrize("cheat", REWRITTEN, ids=lambda each: each.__name__)
def test_a_chain_that_was_sealed_anew_is_whole_and_only_a_release_notices(cheat, scene):
    ledger, _ = cheat(scene)
    assert ledger.verify().passed
    assert not ledger.verify(*scene.releases).passed


@pytest.mark.parametrize("cheat", REWRITTEN[:-1], ids=lambda each: each.__name__)
def test_a_chain_that_was_not_sealed_anew_is_noticed_by_itself(cheat, scene, monkeypatch):
    monkeypatch.setitem(globals(), "reseal", lambda path: None)
    if cheat is last_entry_removed:  # which leaves a chain that once was whole
        assert cheat(scene)[0].verify().passed
    else:
        with pytest.raises(LedgerError, match=r"seal|missing"):
            cheat(scene)


def test_a_ledger_that_spent_more_than_it_may_is_noticed(scene):
    dear = 'UPDATE entry SET body = replace(body, \'"rho":"\', \'"rho":"99\') WHERE number = 1'
    ledger, _ = rewritten(scene, dear)
    assert ledger.verify().ledger == ("was charged more than its budget",)


def test_a_ledger_without_seals_says_so(tmp_path):
    found = sf.Ledger.open(lay_version_1(tmp_path / "old.ledger")).verify()
    assert not found.passed and "has no seals" in str(found)


CHECKS: dict[str, Callable[..., object]] = {
    "_find_stranger": lambda *_: "",
    "_compare_entries": lambda *_: iter(()),
    "_compare_promises": lambda *_: iter(()),
    "_find_shared": lambda releases: {release.paid: 1 for release in releases},
    "_all_in": lambda release: iter((release,)),
}
"""Every check, and what it would say if it were left out."""


def unnoticed(scene: Scene, folder: Path) -> Iterator[str]:
    for cheat in CHEATS:
        place = shutil.copytree(scene.path.parent, folder / cheat.__name__)
        places = {name: place / getattr(scene, name).name for name in ("path", "early", "empty")}
        ledger, releases = cheat(replace(scene, **places))
        if ledger.verify(*releases).passed:
            yield cheat.__name__


LEFT_OUT = {
    "_find_stranger": {"another_ledger", "older_copy_charged_again", "entries_exchanged"},
    "_compare_entries": {"less_noise", "lower_cost", "higher_cost", "other_label"},
    "_compare_promises": {"another_unit", "another_neighbour", "simulated_noise"},
    "_find_shared": {"two_releases_for_one_entry"},
    "_all_in": {"hidden_within_a_plot"},
}
"""What nobody would notice without each check, at least."""


def test_nothing_goes_unnoticed(scene, tmp_path):
    assert set(unnoticed(scene, tmp_path / "all")) == set()


@pytest.mark.parametrize("check", CHECKS)
def test_without_a_check_some_cheat_goes_unnoticed(check, scene, tmp_path, monkeypatch):
    monkeypatch.setattr(verification, check, CHECKS[check])
    assert set(unnoticed(scene, tmp_path / "all")) >= LEFT_OUT[check]


def test_a_release_passes_where_its_entry_and_all_before_it_are_and_nowhere_else(scene, tmp_path):
    """Every ledger of up to three charges of two sorts, and every release of each."""
    labels, price = ("histogram of age", "histogram of bmi"), scene.ages.cost
    known: dict[str, Path] = {"": scene.empty}
    made: dict[str, sf.Release] = {}
    for history in list(map("".join, chain(*(product("ab", repeat=n) for n in (1, 2, 3))))):
        path = Path(shutil.copy(known[history[:-1]], tmp_path / f"{history}.ledger"))
        label = labels["ab".index(history[-1])]
        ledger = sf.Ledger.open(path)
        entry = ledger.charge(label, price)
        paid = (Payment(ledger.identity, entry.number, entry.seal or ""),)
        known[history], made[history] = path, replace(scene.ages, label=label, paid=paid)
    assert (len(known), len(made)) == (15, 14)
    for state, path in known.items():
        ledger = sf.Ledger.open(path)
        passed = {history for history, release in made.items() if ledger.verify(release).passed}
        assert passed == {state[:length] for length in range(1, len(state) + 1)}


def test_what_is_found_is_said_in_words_and_steers_no_terminal(scene):
    found = scene.ledger.verify(scene.ages, replace(scene.ages, label="pie\x1b[2J", paid=()))
    assert str(found).splitlines() == [
        "The ledger: whole, and within its budget.",
        "histogram of age: paid for, and its noise costs no more than that.",
        "pie [2J: does not say what paid for it.",
    ]


def test_a_seal_says_nothing_that_could_be_guessed(tmp_path):
    """Entries that are alike in all that a reader could know have seals that differ."""
    path = tmp_path / "people.ledger"
    ledger = sf.Ledger.create(path, budget=1, table="people")
    shutil.copy(path, tmp_path / "copy.ledger")
    entry = ledger.charge("histogram of age", Cost.pure(Fraction(1, 10)), who="analyst-1")
    assert entry.salt is not None and len(entry.salt) == 32 and entry.salt not in repr(entry)
    other = sf.Ledger.open(tmp_path / "copy.ledger")
    again = other.charge("histogram of age", Cost.pure(Fraction(1, 10)), who="analyst-1")
    assert again.salt != entry.salt
    rewrite(other.path, "UPDATE entry SET body = ?", values=(body(path),))
    reseal(other.path)
    assert sf.Ledger.open(other.path).entries[0].seal == entry.seal
    salted = body(path).replace(entry.salt, again.salt or "")
    rewrite(other.path, "UPDATE entry SET body = ?", values=(salted,))
    reseal(other.path)
    assert sf.Ledger.open(other.path).entries[0].seal != entry.seal


def body(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT body FROM entry").fetchone()[0]
