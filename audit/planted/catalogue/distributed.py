"""Bugs in the protocol in which no one holds all the data."""

from __future__ import annotations

from functools import partial

from planted.mutant import Mutant

_distributed = partial(Mutant, family="distributed")

DISTRIBUTED = (
    _distributed(
        name="messages have more bits than words",
        file="distributed/protocol.py",
        old="MOST_BITS = 40",
        new="MOST_BITS = 44",
        among="distributed/test_protocol.py",
        notices="test_the_limits_keep_what_the_argument_asks_of_them",
    ),
    _distributed(
        name="a δ is asked for that tables of noise are too coarse for",
        file="distributed/protocol.py",
        old="LEAST_DELTA = 1e-15",
        new="LEAST_DELTA = 1e-20",
        among="distributed/test_protocol.py",
        notices="test_the_limits_keep_what_the_argument_asks_of_them",
    ),
    _distributed(
        name="tables of noise are longer than their rounding is paid for",
        file="distributed/protocol.py",
        old="MOST_ENTRIES = 2**22",
        new="MOST_ENTRIES = 2**30",
        among="distributed/test_protocol.py",
        notices="test_the_limits_keep_what_the_argument_asks_of_them",
    ),
    _distributed(
        name="sums are promised for an ε at which tables are too coarse",
        file="distributed/protocol.py",
        old="MOST_EPSILON = 30.0",
        new="MOST_EPSILON = 60.0",
        among="distributed/test_protocol.py",
        notices="test_the_limits_keep_what_the_argument_asks_of_them",
    ),
    _distributed(
        name="the levels of a protocol do not sum to ε",
        file="distributed/protocol.py",
        old="to_fraction(self.epsilon) * weight / sum(weights) for weight in weights",
        new="to_fraction(self.epsilon) * weight for weight in weights",
        among="distributed/test_protocol.py",
        notices="test_levels_share_epsilon_in_powers_of_the_decay",
    ),
    _distributed(
        name="those who do not follow the protocol are counted on for noise",
        file="distributed/protocol.py",
        old="get_noise_part(self.honest, rate, self._error)",
        new="get_noise_part(self.participants, rate, self._error)",
        among="distributed/test_shuffle.py",
        notices="test_noise_of_the_honest_alone_is_enough_and_others_only_add_to_it",
    ),
    _distributed(
        name="shares are as few as one sum needs",
        file="distributed/protocol.py",
        old="return (1 + math.exp(self.epsilon)) * self.touched * 1.000001",
        new="return (1 + math.exp(self.epsilon)) * 1.000001",
        among="distributed/test_protocol.py",
        notices="test_the_papers_example_has_its_squares_and_fits_its_ten_megabytes",
    ),
    _distributed(
        name="cells are rounded up one by one",
        file="distributed/client.py",
        old="""
    ends = (np.cumsum(weights) * scaling + offset) // whole
    return np.diff(ends, prepend=0)
""",
        new="""
    return -(-weights * scaling // whole)
""",
        among="distributed/test_client.py",
        notices=("test_rounding_keeps_every_run_to_less_than_a_step_and_never_exceeds_the_scaling"),
    ),
    _distributed(
        name="noise has one sign",
        file="distributed/client.py",
        old="""
                - part.draw(len(codes))
""",
        new="""
""",
        among="distributed/test_shuffle.py",
        notices="test_the_error_has_the_law_of_central_noise",
    ),
    _distributed(
        name="messages keep the order in which they came",
        file="distributed/shuffle.py",
        old="return Messages(words[draw_permutation(len(words))], private)",
        new="return Messages(words, private)",
        among="distributed/test_shuffle.py",
        notices="test_the_shuffler_keeps_every_message_and_forgets_who_sent_it",
    ),
    _distributed(
        name="messages of a few are passed on",
        file="distributed/shuffle.py",
        old="if [len(each) for each in sent] != expected:",
        new="if [len(each) for each in sent] != expected[: len(sent)]:",
        among="distributed/test_shuffle.py",
        notices="test_the_shuffler_passes_nothing_on_before_everyone_has_sent",
    ),
    _distributed(
        name="shares can be foretold",
        file="distributed/randomness.py",
        old="os.urandom(8 * count) if generator is None",
        new="np.random.default_rng(count).bytes(8 * count) if generator is None",
        among="distributed/test_randomness.py",
        notices="test_words_are_the_systems_unless_they_are_simulated",
    ),
)
