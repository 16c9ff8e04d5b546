"""The readers of files that somebody wrote, fuzzed for a few seconds, and broken ones found."""

import subprocess
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from readers import caught_twin
from readers.broken import TWINS
from readers.converted import epsilon_at_least, keeps
from readers.jobs import fuzz, missing
from readers.pages import bitten, rewritten
from readers.reader import BreachError
from readers.trees import changed
from readers.watching import watched
from sfumato.privacy.budget import Cost, epsilon_of, prove_epsilon

fuzzed = pytest.mark.skipif(bool(missing()), reason=missing() or "it can be fuzzed")


@pytest.fixture(scope="session")
def seeds(tmp_path_factory) -> Path:
    from readers import seeds

    folder = tmp_path_factory.mktemp("seeds")
    seeds.write(folder)
    return folder


@fuzzed
@pytest.mark.parametrize(
    ("reader", "runs"), [("release", 400), ("ledger", 400), ("shuffle", 500), ("words", 300)]
)
def test_any_bytes_are_read_or_refused_and_nothing_else_happens(reader, runs, seeds, tmp_path):
    found = fuzz(reader, seeds, tmp_path / "out", runs)
    assert found.breaches == ()
    assert found.executions >= runs
    assert found.done["accepted"] > 0 and found.done["refused"] > 0


@fuzzed
@pytest.mark.parametrize("name", TWINS)
def test_a_reader_that_was_broken_is_found(name, seeds, tmp_path):
    assert caught_twin(name, seeds, tmp_path / "out")


@pytest.mark.parametrize(
    "act",
    [
        lambda: eval("1 + 1"),
        lambda: Path(__file__).open().close(),
        lambda: subprocess.run(["true"], check=True),
        lambda: __import__("this"),
        lambda: Path(__file__).with_name("nothing").unlink(missing_ok=True),
    ],
)
def test_whatever_is_done_while_reading_is_heard(act):
    with pytest.raises(BreachError, match="reading did something"), watched():
        act()


def test_what_is_allowed_is_not_held_against_a_reader():
    with watched([f"open({__file__!r}, 'r'"]):
        Path(__file__).open().close()


@pytest.mark.parametrize("rho", [1e-4, 0.02, 1.0, 40.0])
def test_both_conversions_agree(rho):
    ours = float(epsilon_of(Fraction(rho), Fraction(1, 10**6)))
    assert epsilon_at_least(rho, 1e-6) == pytest.approx(ours, rel=1e-6)
    spent = (None, Fraction(rho), Fraction(0))
    assert keeps(Fraction(ours * 1.001), Fraction(1, 10**6), spent)
    assert not keeps(Fraction(ours * 0.999), Fraction(1, 10**6), spent)


LOSSES = [
    Cost.pure(Fraction("0.3")),
    Cost.laplace(Fraction("0.3"), 2**30) + Cost.gaussian(Fraction(1, 100)),
    Cost.laplace(Fraction(2), 3),
    Cost.exponential(Fraction("0.4")) + Cost.exponential(Fraction("0.4")),
    Cost.exponential(Fraction(5)) + Cost.gaussian(Fraction(1)),
]


@pytest.mark.parametrize("cost", LOSSES, ids=str)
def test_both_conversions_agree_on_what_noise_diverges_by(cost):
    cost += Cost.gaussian(Fraction(1, 1000))
    ours = float(prove_epsilon(cost, Fraction(1, 10**6)))
    losses = [{**vars(loss), "epsilon": str(loss.epsilon)} for loss in cost.losses]
    assert epsilon_at_least(float(cost.rho), 1e-6, losses) == pytest.approx(ours, rel=1e-6)
    assert epsilon_at_least(float(cost.rho), 1e-6) > 1.01 * ours, "by ρ alone it is more"


def test_inputs_are_changed_and_mostly_keep_their_shape(seeds):
    release = (seeds / "histogram" / "00").read_bytes()
    ledger = (seeds / "ledger" / "02").read_bytes()
    made = {changed(release, [release], Random(seed)) for seed in range(50)}
    assert len(made - {release, None}) > 40
    tampered = {rewritten(ledger, Random(seed)) for seed in range(50)}
    assert len(tampered - {ledger, None}) > 20
    assert len({bitten(ledger, Random(seed)) for seed in range(50)} - {ledger}) > 40
