"""What stands out from the noise does; what does not is left in doubt."""

from __future__ import annotations

import numpy as np

from sfumato.postprocess.significance import LEVEL, compute_significance

SCALE = 6.0


def empty(rounds: int, scale: float = SCALE) -> list[np.ndarray]:
    generator = np.random.default_rng(11)
    return [np.rint(generator.normal(0, scale, (3, 16, 16))) for _ in range(rounds)]


def alarms(tables: list[np.ndarray]) -> float:
    return float(np.mean([(compute_significance(table, SCALE) > 1).any() for table in tables]))


def test_an_empty_table_is_left_in_doubt_nearly_always() -> None:
    assert alarms(empty(600)) <= 1 - LEVEL


def test_noise_wider_than_it_is_said_to_be_would_be_noticed() -> None:
    assert alarms(empty(200, scale=1.4 * SCALE)) > 2 * (1 - LEVEL)


def test_a_group_spread_thin_stands_out_together_though_no_cell_does_alone() -> None:
    noisy = empty(1)[0]
    noisy[1, 3:12, 3:12] += 2.5 * SCALE
    heard = compute_significance(noisy, SCALE)
    assert (heard[1, 5:10, 5:10] > 1).all()
    assert not (heard[[0, 2]] > 1).any()
    assert noisy[1].max() < 6.5 * SCALE


def test_a_full_cell_in_the_corner_stands_out() -> None:
    noisy = np.zeros((1, 8, 8))
    noisy[0, 0, 7] = 10 * SCALE
    heard = compute_significance(noisy, SCALE)
    assert heard[0, 0, 7] > 1 and heard[0, 7, 0] == 0


def test_where_there_are_no_groups_there_is_nothing_to_doubt() -> None:
    assert compute_significance(np.zeros((0, 4, 4)), SCALE).shape == (0, 4, 4)
