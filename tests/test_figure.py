"""A figure is plain data: it can be compared, copied and printed, and cannot be changed."""

from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError, asdict

import pytest

from render.samples import SAMPLES, panels, two_dimensional


@pytest.mark.parametrize("name", SAMPLES)
def test_a_figure_is_plain_json_and_survives_a_copy(name: str) -> None:
    figure = SAMPLES[name]
    assert json.loads(json.dumps(asdict(figure)))["title"] == figure.title
    assert pickle.loads(pickle.dumps(figure)) == figure
    assert hash(figure) == hash(pickle.loads(pickle.dumps(figure)))


def test_a_figure_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        two_dimensional().title = "another"  # type: ignore[misc]


def test_two_figures_with_other_panels_differ() -> None:
    assert panels(2) != panels(3)
