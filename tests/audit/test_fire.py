"""The fast form of `audit/fire`: ledgers under fire, and broken ones that must fall."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fire import stood
from fire.again import spent_again
from fire.disk import SECTOR, Disk, Write
from fire.events import EVENTS, TWINS, Event
from fire.stage import PRICE, raised
from fire.tally import LOOKED, REFUSED, Tally, judged
from fire.witness import Found
from sfumato.privacy.ledger import Ledger


def tried(event: Event) -> Tally:
    tally = event.tried("fast")
    if tally is None:
        pytest.skip(f"{event.need} cannot be had here")
    return tally


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.place)
def test_nothing_is_overspent_lost_or_torn(event: Event) -> None:
    tally = tried(event)
    assert tally.stood, tally


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.place)
def test_a_ledger_broken_on_purpose_falls(twin: Event) -> None:
    tally = tried(twin)
    assert tally.fell, tally


def test_nothing_stands_that_was_not_tried_and_no_crash_is_a_fall() -> None:
    sound, fallen, crashed = Tally(tried=3), Tally(tried=3, lost=1), Tally(tried=3, rough=3)
    assert stood([sound], [fallen])
    assert not stood([], []) and not stood([sound], []) and not stood([Tally()], [fallen])
    assert not stood([sound], [crashed]) and not stood([fallen], [fallen])


def test_a_copied_ledger_is_spent_again_and_nobody_can_prevent_it() -> None:
    with raised("fast") as stage:
        assert set(spent_again(stage).values()) == {2.0}


def test_the_witness_finds_what_was_charged_and_what_was_broken() -> None:
    with raised("fast") as stage:
        scene = stage.scene()
        Ledger.open(scene.path).charge("seen", PRICE)
        scene.look("seen")
        scene.look("unpaid")
        assert scene.judge(fill=False) == Tally(tried=1, lost=1)
        whole = scene.path.read_bytes()
        scene.path.write_bytes(whole[:4096] + bytes(len(whole) - 4096))
        assert scene.judge().torn == 1


def entries(*labels: str, epsilon: str = "1/4") -> Found:
    rows = tuple((n, "now", label, epsilon, "0/1", "0/1") for n, label in enumerate(labels, 1))
    return Found((("epsilon", "1/1"),), rows, content="".join(labels))


@pytest.mark.parametrize(
    ("after", "status", "verdict"),
    [
        (entries("a", "b"), LOOKED, Tally(tried=1, wasted=1)),
        (entries("a"), REFUSED, Tally(tried=1, refused=1)),
        (entries("b"), LOOKED, Tally(tried=1, torn=1)),
        (entries(), LOOKED, Tally(tried=1, torn=1)),
        (entries("a", epsilon="1/8"), LOOKED, Tally(tried=1, torn=1)),
        (entries("a", "b", epsilon="1/"), LOOKED, Tally(tried=1, torn=1, wasted=1)),
        (entries("a", "b", "c", "d", "e"), LOOKED, Tally(tried=1, overspent=1, wasted=4)),
        (entries("a", "b"), 70, Tally(tried=1, rough=1, wasted=1)),
    ],
)
def test_every_kind_of_damage_is_told_from_the_others(
    after: Found, status: int, verdict: Tally
) -> None:
    assert judged(entries("a"), after, Found().labels, status) == verdict


def test_after_a_power_cut_only_what_was_synced_is_sure() -> None:
    folder, dice = Path("/there"), random.Random(1)
    disk = Disk()
    disk.hold(folder / "kept", bytes(2 * SECTOR))
    disk.pending.append(Write(0, SECTOR - 1, b"xy"))
    assert len({bytes(state.files[0]) for state in disk.states(dice, most=64)}) == 4
    disk.sync(folder / "kept")
    disk.renamed.append((folder / "kept", None))
    assert [len(state.names) for state in disk.states(dice, most=64)] == [1, 0]
    disk.sync(folder)
    (only,) = disk.states(dice, most=64)
    assert only.files[0][SECTOR - 1 : SECTOR + 1] == b"xy"
    assert not only.names
