"""All answers that code can give, with their chances: whatever chance decides is tried out."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations_with_replacement

import numpy as np

from sfumato.mechanisms.chance import Chance
from sfumato.mechanisms.noise import add_noise
from sfumato.mechanisms.survey import survey
from sfumato.privacy.budget import Cost
from sfumato.testing import ample_meter


def coins():
    """Coins that nothing is paid for."""
    return Chance(ample_meter().__enter__().pay(Cost.nothing()))


def open_survey(*details):
    """A survey that may cost what it likes."""
    return survey(ample_meter().__enter__(), *details)


def free_noise(meter, values, family, scale):
    """Noise that nothing is paid for."""
    return add_noise(meter.pay(Cost.nothing()), values, family, scale)


class Told(Chance):
    """Answers what it is told to."""

    def __init__(self, below):
        self.below = below


class Fork(Exception):
    """A choice that the script does not hold."""

    def __init__(self, chances):
        self.chances = chances


class Rejected(Exception):
    """All is drawn anew from here, as it was before."""


class Script:
    """Stands in for `Chance`: makes the choices it was told, and stops at the first new one."""

    def __init__(self, choices):
        self._choices = choices
        self._made = 0
        self._seen = []

    def choose(self, chances):
        if self._made == len(self._choices):
            raise Fork(chances)
        self._made += 1
        return self._choices[self._made - 1]

    def pick(self, sums):
        if any(sums is seen for seen in self._seen):
            raise Rejected
        self._seen.append(sums)
        return self.choose(sums[0] / sums[0].sum())

    def draw_bernoulli_exp(self, exponent):
        alive = math.exp(-max(0.0, exponent))
        return self.choose(np.array([1 - alive, alive])) == 1

    def below(self, limit):
        assert limit == 2**64  # all other numbers come from `rising`
        return 1


def rising(limit, number, chance):
    """Stands in for `wanted.rising`, which draws again and again."""
    every = list(combinations_with_replacement(range(limit), number))
    return list(every[chance.choose(np.full(len(every), 1 / len(every)))])


def answers(run, script=Script, never=1e-20):
    """The chances of all answers of ``run(chance)``, given that one is accepted.

    What is less likely than `never` is not followed further.
    """
    found = defaultdict(float)
    open_ = [((), 1.0)]
    while open_:
        choices, weight = open_.pop()
        try:
            found[run(script(choices))] += weight
        except Fork as fork:
            open_ += [
                ((*choices, choice), weight * chance)
                for choice, chance in enumerate(fork.chances.tolist())
                if weight * chance > never
            ]
        except Rejected:
            pass
    whole = math.fsum(found.values())
    return {answer: weight / whole for answer, weight in found.items()}
