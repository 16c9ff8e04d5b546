"""The case study divides its budget as the paper does, and reads the paper's table."""

from __future__ import annotations

import pytest

import case_study
from boxplots.distributions import prices_path


def test_each_inquiry_divides_its_epsilon_by_the_number_of_boxes() -> None:
    first, second = case_study.INQUIRIES.values()
    assert [chart.boxes for chart in first] == [5, 3, 15]
    assert [chart.boxes for chart in second] == [2, 6]
    assert case_study.shares(first) == pytest.approx([5 / 23, 3 / 23, 15 / 23], abs=1e-6)
    assert sum(case_study.shares(first)) <= 1


def test_the_listings_are_those_of_the_paper() -> None:
    path = prices_path()
    if path is None:
        pytest.skip("SFUMATO_DATA names no folder with the listings")
    assert len(case_study.listings(path)) == 40_738
