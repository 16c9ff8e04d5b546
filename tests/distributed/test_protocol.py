"""Public parameters follow from each other as stated, and nonsense is refused."""

import math
from fractions import Fraction

import pytest

from distributed.people import plane, protocol
from sfumato.distributed import noise_part
from sfumato.distributed import protocol as checking
from sfumato.distributed import protocol as protocol_module
from sfumato.distributed.noise_part import bound_distance
from sfumato.errors import SfumatoError
from sfumato.grid import MOST_CELLS

PAPER = dict(
    plane=plane(320, 240),
    participants=50,
    honest=50,
    epsilon=5,
    delta=1e-5,
    scaling=256,
    coarsest=2,
)


def test_levels_share_epsilon_in_powers_of_the_decay():
    asked = protocol(**PAPER)
    assert asked.levels == (2, 3, 4, 5, 6, 7, 8, 9)
    assert sum(asked.epsilons) == Fraction(5)
    ratios = [float(b / a) for a, b in zip(asked.epsilons, asked.epsilons[1:], strict=False)]
    assert ratios == pytest.approx([2**-0.5] * 7)


def test_the_papers_example_has_its_squares_and_fits_its_ten_megabytes():
    asked = protocol(**PAPER)
    assert asked.coordinates == 102_406
    assert asked.messages_per_user == 102_406 * asked.shares
    assert 6e6 < asked.bytes_per_user < 10e6


@pytest.mark.parametrize("changed", [{}, PAPER, {"honest": 7}, {"epsilon": 0.5, "delta": 1e-9}])
def test_the_modulus_holds_all_sums_and_not_twice_as_many(changed):
    asked = protocol(**changed)
    floor = float(min(asked.epsilons))
    least = (
        2 * asked.scaling * (asked.participants + math.log(asked.coordinates / asked.wrong) / floor)
    )
    assert asked.modulus >= least
    copies = -(-asked.participants // asked.honest)
    noise = copies * math.log(2 * copies * asked.coordinates / asked.wrong) / floor
    assert asked.modulus <= 2 * 2.01 * asked.scaling * (asked.participants + noise)


@pytest.mark.parametrize("changed", [{}, PAPER, {"honest": 7}, {"epsilon": 9.0, "delta": 1e-9}])
def test_delta_pays_for_shares_and_sampling_and_one_share_fewer_is_too_few(changed):
    asked = protocol(**changed)
    touched = sum(min(len(codes), asked.scaling) for codes in asked.codes)
    factor = (1 + math.exp(asked.epsilon)) * touched
    sampled = 2 * asked.honest * 2.0 ** -max(part.error for part in asked.parts)

    def price(shares):
        return factor * (bound_distance(asked.honest, asked.modulus, shares) + sampled)

    assert price(asked.shares) <= asked.delta < price(asked.shares - 1)
    assert factor * sampled <= asked.delta / 1000


def test_finer_steps_fewer_honest_and_smaller_delta_cost_more_bytes():
    base = protocol(**PAPER).bytes_per_user
    for changed in ({"scaling": 1024}, {"honest": 30}, {"delta": 1e-9}):
        assert protocol(**{**PAPER, **changed}).bytes_per_user > base


REFUSED = [
    {"honest": 1},
    {"honest": 21},
    {"honest": 2.5},
    {"participants": 0, "honest": 0},
    {"participants": 2**25, "honest": 2**25},
    {"epsilon": 0.0},
    {"epsilon": -1.0},
    {"epsilon": math.nan},
    {"epsilon": math.inf},
    {"epsilon": 31.0},
    {"epsilon": 1e-6},
    {"delta": 0.0},
    {"delta": 1.0},
    {"delta": math.nan},
    {"wrong": 0.0},
    {"scaling": 0},
    {"scaling": 2**21},
    {"scaling": 8.0},
    {"coarsest": 4},
    {"coarsest": -1},
    {"decay": 0.0},
    {"decay": 1.5},
    {"decay": 1e-200},
    {"plane": plane(2**13, 2**13)},
    {"participants": 2**24, "honest": 2, "epsilon": 0.01},
]


@pytest.mark.parametrize("changed", REFUSED, ids=repr)
def test_what_cannot_work_is_refused_before_anything_is_sent(changed):
    with pytest.raises(SfumatoError) as refusal:
        protocol(**changed)
    assert str(refusal.value).count(". ") == 2
    assert str(refusal.value).endswith(".")


def test_what_is_promised_is_said():
    asked = protocol(honest=15)
    assert "ε = 2, δ = 1e-05" in asked.guarantee
    assert "15 of 20" in asked.guarantee


@pytest.mark.parametrize("numbers", [{"epsilon": 12.0}, {"delta": 0.01}])
def test_a_protocol_that_protects_little_takes_a_word_and_says_so(numbers):
    with pytest.raises(SfumatoError, match="protects little"):
        protocol(**numbers)
    assert ". Protects little: " in protocol(**numbers, weak=True).guarantee


def test_the_limits_keep_what_the_argument_asks_of_them():
    """Noise from a table, and messages of 64 bits: shuffle.md."""
    factor = (1 + math.exp(checking.MOST_EPSILON)) * MOST_CELLS * 1.000001
    allowed = float(protocol_module._SAMPLING) * checking.LEAST_DELTA
    allowed /= factor * 2 * checking.MOST_PARTICIPANTS
    most = math.ceil(-math.log2(allowed)) + 1
    assert most < 157
    # An entry is right to a factor of 2^-180, which follows from p >= e^-30 and steps of 2^-256.
    wrong = protocol_module.MOST_ENTRIES * 2.0 ** (76 - noise_part._BITS)
    assert wrong <= 2.0**-158 <= 2.0 ** (-most - 1)
    assert noise_part._CONTEXT.prec * math.log2(10) > noise_part._BITS + 64
    assert (MOST_CELLS - 1).bit_length() + checking.MOST_BITS <= 64
    # Shares are added in halves of 20 bits, as floats.
    assert checking.MOST_BITS <= 40
    assert checking.MOST_PARTICIPANTS * 512 * 2**20 <= 2**53
    assert checking.MOST_SCALING * checking.MOST_PARTICIPANTS < 2**62
