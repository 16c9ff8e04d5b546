import math
from datetime import date

import pytest

from sfumato.domain import Bounds
from sfumato.errors import DomainError
from sfumato.private_search import LIMIT, Private, private


def refused(attempt) -> str:
    """Return the words of a refusal, which must be of three sentences: what, why, what to type."""
    with pytest.raises(DomainError) as refusal:
        attempt()
    assert refusal.value.__context__ is None
    words = str(refusal.value)
    assert words.endswith(".")
    assert words.count(". ") >= 2
    return words


def test_a_private_request_is_a_share_a_delta_and_a_limit():
    assert private() == Private(None, None, None)
    assert (private().usual_share, private().bounds_share) == (0.1, 0.25)
    assert private(share=0.3).usual_share == private(share=0.3).bounds_share == 0.3
    assert private(share=0.2, delta=1e-6, within=(0, 9)) == Private(0.2, 1e-6, (0.0, 9.0))


def test_a_private_request_is_shown_in_words_that_make_it_again():
    for request in (private(), private(delta=1e-6), private(share=0.2, within=(-1, 5))):
        assert eval(repr(request)) == request


@pytest.mark.parametrize("share", [0, 1, -0.1, math.nan, "half"])
def test_the_share_of_a_search_lies_between_nothing_and_all(share):
    assert "share" in refused(lambda: private(share=share))


@pytest.mark.parametrize("delta", [0, 1, -1e-6, math.nan, "small"])
def test_the_delta_of_a_search_lies_between_nothing_and_all(delta):
    assert "delta" in refused(lambda: private(delta=delta))


def test_bounds_are_searched_for_within_a_public_limit():
    assert private().limits == Bounds(-LIMIT, LIMIT)
    assert private(within=(0, 1e6)).limits == Bounds(0, 1e6)
    assert private(within=[-3, -2]).within == (-3.0, -2.0)


@pytest.mark.parametrize(
    "within",
    [
        (1, 0), (1, 1), (0, 0), (0,), (0, 1, 2), 5, "09", {0, 1},
        (0, math.inf), (math.nan, 1), ("0", "1"), (None, 1),
        (0, 1e101), (0, 1e-101), (1e9, 1e9 + 1),
        Bounds(-8e307, 8e307), Bounds(0, 1e-317), Bounds(1, 1 + 1e-9),
    ],
)  # fmt: skip
def test_a_limit_that_cannot_be_divided_is_refused(within):
    assert "within" in refused(lambda: private(within=within))


def test_bounds_of_dates_are_searched_for_within_public_dates():
    begin, end = date(2020, 1, 1), date(2030, 1, 1)
    assert private(within=(begin, end)).limits == Bounds.of((begin, end))
    assert private(within=(begin, end)).limits.time


@pytest.mark.parametrize(
    "within", [(date(2030, 1, 1), date(2020, 1, 1)), (date(2020, 1, 1), 5), (date(2020, 1, 1),)]
)
def test_dates_that_are_no_range_are_refused(within):
    refused(lambda: private(within=within))
