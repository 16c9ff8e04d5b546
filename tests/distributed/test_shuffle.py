"""From points to noisy sums: the analyser's error is that of a trusted collector's noise."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from distributed.people import counted, crowd, discrete_laplace, plane, protocol
from sfumato.distributed import client as client_module
from sfumato.distributed.noise_part import NoisePart
from sfumato.distributed.protocol import Protocol
from sfumato.distributed.shuffle import Analyser, Client, Messages, Shuffler
from sfumato.errors import SfumatoError
from sfumato.exact import Exact
from sfumato.mechanisms.laplace import laplace
from sfumato.testing import metered, seeded

RARE = 1e-6
MANY = dict(plane=plane(48, 40), participants=20, honest=20, epsilon=4.0, scaling=16, coarsest=5)
POINTS = np.array([[0.5, 0.5], [0.6, 0.4], [30.5, 20.5]])


def run(asked, points=None):
    return Analyser(asked).decode(Shuffler(asked).permute(crowd(asked, points)))


def errors(asked, measured):
    """Return the noise in the sums of people who were nowhere, by level."""
    return dict(zip(asked.levels, measured.steps, strict=True))


def rates(asked):
    return {
        level: float(epsilon / asked.scaling)
        for level, epsilon in zip(asked.levels, asked.epsilons, strict=True)
    }


def fit(seen, rate, reach=60):
    law = discrete_laplace(rate, reach)
    starts = cells(law, len(seen))
    table = counted(seen, reach)
    return stats.chisquare(
        np.add.reduceat(table, starts), np.add.reduceat(law, starts) * len(seen)
    ).pvalue


def cells(law, size, least=30):
    """Cut a law where at least so many are expected: of fewer, one too many looks impossible."""
    starts, expected = [0], 0.0
    for place, chance in enumerate(law):
        if expected >= least and law[place:].sum() * size >= least:
            starts, expected = [*starts, place], 0.0
        expected += chance * size
    return starts


def test_true_noise_is_rejected_no_more_often_than_is_said():
    """With cells in which hardly anybody is expected, it was in one of a thousand runs."""
    rate, size, runs = rates(protocol(**MANY))[5], 1920, 20_000
    law = discrete_laplace(rate, 60)
    starts = cells(law, size)
    chances = np.add.reduceat(law, starts)
    drawn = np.random.default_rng(1).multinomial(size, chances, size=runs)
    found = stats.chisquare(drawn, chances * size, axis=1).pvalue
    assert (found < 1e-3).sum() < 2 * 1e-3 * runs
    few = np.add.reduceat(law, range(0, 120, 4))
    drawn = np.random.default_rng(1).multinomial(size, few, size=runs)
    assert (stats.chisquare(drawn, few * size, axis=1).pvalue < 1e-3).sum() > 5 * 1e-3 * runs


def test_without_noise_everybody_is_counted_exactly(monkeypatch):
    monkeypatch.setattr(NoisePart, "draw", lambda self, count: np.zeros(count, dtype=np.int64))
    asked = protocol()
    measured = run(asked, np.array([[0.5, 0.5], [3.5, 2.5]]))
    for level in asked.levels:
        masses = measured.masses(level)
        assert masses.sum() == pytest.approx(asked.participants)
    finest = dict(zip(asked.codes[-1].tolist(), measured.steps[-1].tolist(), strict=True))
    assert finest[0] == 20 * 4
    assert sum(value != 0 for value in finest.values()) == 2


def test_the_error_has_the_law_of_central_noise():
    asked = protocol(**MANY)
    found = [errors(asked, run(asked)) for _ in range(4)]
    for level, rate in rates(asked).items():
        seen = np.concatenate([each[level] for each in found])
        assert fit(seen, rate) > RARE
        zeros = Exact(1, 1, 1.0, np.zeros_like(seen))
        central = metered(laplace, zeros, scale=1 / rate).values
        assert stats.ks_2samp(seen, central).pvalue > RARE


def test_one_polya_number_and_unscaled_noise_are_rejected(monkeypatch):
    asked = protocol(**MANY)
    level, rate = asked.levels[-1], rates(asked)[asked.levels[-1]]
    both = NoisePart.draw
    calls = itertools.count()

    def once(self, count):
        drawn = both(self, count)
        return drawn if next(calls) % 2 == 0 else np.zeros_like(drawn)

    with monkeypatch.context() as patch:
        patch.setattr(NoisePart, "draw", once)
        assert fit(errors(asked, run(asked))[level], rate) < RARE
    unscaled = tuple(NoisePart(asked.honest, epsilon, 60) for epsilon in asked.epsilons)
    with monkeypatch.context() as patch:
        patch.setattr(Protocol, "parts", unscaled)
        asked = protocol(**MANY)
        assert fit(errors(asked, run(asked))[level], rate) < RARE


def test_noise_of_the_honest_alone_is_enough_and_others_only_add_to_it():
    asked = protocol(**{**MANY, "honest": 10})
    rate = rates(asked)[asked.levels[-1]]
    shares = asked.parts[-1]
    honest = sum(shares.draw(20_000) - shares.draw(20_000) for _ in range(10))
    assert fit(honest, rate) > RARE
    everyone = errors(asked, run(asked))[asked.levels[-1]]
    expected = 2 * 2 * math.exp(-rate) / math.expm1(-rate) ** 2
    assert everyone.var() == pytest.approx(expected, rel=0.25)


def test_no_sum_wraps_and_the_papers_modulus_wraps_for_half_of_all_squares(monkeypatch):
    asked = protocol(**MANY)
    wide = asked.scaling * (
        asked.participants + math.log(asked.coordinates / asked.wrong) / float(min(asked.epsilons))
    )
    measured = run(asked, POINTS)
    assert all(np.abs(steps).max() < wide for steps in measured.steps)
    assert measured.masses(asked.levels[-1]).sum() == pytest.approx(20, abs=400)

    bits = (asked.scaling * asked.participants).bit_length()
    monkeypatch.setattr(Protocol, "modulus_bits", bits)
    narrow = errors(asked, run(asked))[asked.levels[-1]]
    half = 2 ** (bits - 1)
    # Read as remainders from 0 up, as printed, every negative sum becomes a large one.
    printed = narrow % (2 * half)
    assert 0.4 < (printed > half).mean() < 0.6


def test_the_log_ratio_of_noisy_sums_is_at_most_epsilon_on_a_tiny_universe():
    asked = protocol(plane=plane(2, 2), coarsest=0, scaling=3, epsilon=1.5)
    rate = [epsilon / asked.scaling for epsilon in asked.epsilons]
    worst = Fraction(0)
    for leaves in itertools.product(range(4), repeat=4):
        if sum(leaves) > asked.scaling:
            continue
        coarse = [sum(leaves)]
        # The log-ratio of discrete Laplace noise is largest beyond both values: rate * |z|.
        loss = sum(z * rate[0] for z in coarse) + sum(z * rate[1] for z in leaves)
        worst = max(worst, loss)
        for z, each in zip((coarse[0], max(leaves)), rate, strict=True):
            law = discrete_laplace(float(each), 80)[1:-1]
            shifted = np.log(law[z:] / law[: len(law) - z])
            assert np.abs(shifted).max() <= float(each) * z + 1e-9
    assert worst == Fraction(3, 2)
    # With noise for one step instead of B, the promise would be broken.
    assert worst * asked.scaling > Fraction(3, 2)


def test_whatever_a_client_rounds_costs_at_most_epsilon(monkeypatch):
    asked = protocol()
    seen = []
    monkeypatch.setattr(
        client_module,
        "split_into_shares",
        lambda noisy, given: seen.append(noisy) or np.empty(0, np.uint64),
    )
    monkeypatch.setattr(NoisePart, "draw", lambda self, count: np.zeros(count, dtype=np.int64))
    generator = np.random.default_rng(5)
    for size in (0, 1, 2, 3, 7, 50):
        for _ in range(20):
            Client(asked).encode(generator.uniform(-1, 7, (size, 2)))
    ends = np.cumsum([len(codes) for codes in asked.codes])[:-1]
    losses = [
        sum(
            Fraction(int(np.abs(part).sum())) * epsilon / asked.scaling
            for part, epsilon in zip(np.split(noisy, ends), asked.epsilons, strict=True)
        )
        for noisy in seen
    ]
    assert max(losses) == Fraction(2)


def test_the_shuffler_keeps_every_message_and_forgets_who_sent_it():
    asked = protocol()
    sent = crowd(asked)
    words = np.concatenate([each.words for each in sent])
    mixed = Shuffler(asked).permute(iter(sent))
    assert np.array_equal(np.sort(mixed.words), np.sort(words))
    assert not np.array_equal(mixed.words, words)
    assert mixed.private
    assert not Shuffler(asked).permute([replace(sent[0], private=False), *sent[1:]]).private
    with seeded(1):
        assert not Shuffler(asked).permute(sent).private


def test_the_shuffler_passes_nothing_on_before_everyone_has_sent():
    asked = protocol()
    sent = crowd(asked)
    cut = replace(sent[-1], words=sent[-1].words[:-1])
    for few in (sent[:1], sent[:-1], [*sent, sent[0]], [*sent[:-1], cut], []):
        with pytest.raises(SfumatoError, match="Wait for all"):
            Shuffler(asked).permute(few)


def test_a_simulation_says_that_it_is_not_private():
    asked = protocol()
    with seeded(2):
        one = run(asked, POINTS[:1])
    with seeded(2):
        two = run(asked, POINTS[:1])
    assert not one.private
    assert all(map(np.array_equal, one.steps, two.steps))
    assert run(asked).private


def test_messages_that_are_missing_or_foreign_are_refused():
    asked = protocol()
    mixed = Shuffler(asked).permute(crowd(asked))
    analyser = Analyser(asked)
    foreign = mixed.words.copy()
    foreign[0] = np.uint64(asked.coordinates) << np.uint64(asked.modulus_bits)
    swapped = mixed.words.copy()
    swapped[0] ^= np.uint64(1) << np.uint64(asked.modulus_bits)
    for words in (mixed.words[:-1], foreign, swapped, mixed.words[:0]):
        with pytest.raises(SfumatoError) as refusal:
            analyser.decode(Messages(words, private=True))
        assert str(refusal.value).count(". ") == 2


@pytest.mark.parametrize("decoder", ["lp", "bayes"])
def test_a_picture_shows_where_people_were_and_nothing_beyond_the_window(decoder):
    asked = protocol(
        plane=plane(12, 9), epsilon=20.0, weak=True, participants=40, honest=40, scaling=32
    )
    with seeded(6):
        measured = run(asked, np.array([[2.5, 6.5], [9.5, 1.5]]))
    picture = measured.picture(width=8, decoder=decoder)
    assert picture.shape == (9, 12)
    assert picture.min() >= 0
    assert picture.sum() == pytest.approx(40, abs=6)
    assert picture[6, 2] == pytest.approx(20, abs=4)
    assert picture[1, 9] == pytest.approx(20, abs=4)
    leaves = measured.leaves(width=8, decoder=decoder)
    beyond = (leaves.column >= 12) | (leaves.row >= 9)
    assert leaves.mass[beyond].sum() < 1
