"""Parts are worked on side by side, and none outlives the others' failure."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from sfumato.engines.table import run_in_parallel, wait_for_end


def nothing(fraction):
    pass


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_results_come_in_the_order_of_the_parts(parts):
    def work(part, report):
        time.sleep(0.01 * (parts - part))
        return part

    assert run_in_parallel(work, range(parts), nothing) == list(range(parts))


def test_parts_run_at_the_same_time():
    meeting = threading.Barrier(3, timeout=20)
    run_in_parallel(lambda part, report: meeting.wait(), range(3), nothing)


def test_progress_is_that_of_all_parts_together():
    told = []
    half = threading.Barrier(2, timeout=20)

    def work(part, report):
        report(0.5 + part / 2)
        half.wait()
        time.sleep(0.3)

    run_in_parallel(work, range(2), told.append)
    assert told[0] == 0.75
    assert told[-1] == 1.0


@pytest.mark.parametrize("failing", [0, 1])
def test_a_part_that_fails_stops_the_others_and_is_the_one_heard(failing):
    def work(part, report):
        if part == failing:
            raise ZeroDivisionError
        while True:  # for ever, if nobody stopped it
            report(0.0)
            time.sleep(0.001)

    with pytest.raises(ZeroDivisionError):
        run_in_parallel(work, range(2), nothing)


def test_an_interruption_stops_all_parts():
    def work(part, report):
        while True:
            report(0.0)
            time.sleep(0.001)

    def interrupt(fraction):
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        run_in_parallel(work, range(3), interrupt)
    assert threading.active_count() == before


def test_work_is_outlasted_and_whoever_pressed_control_c_is_heard_afterwards():
    answers = [False, KeyboardInterrupt, False, KeyboardInterrupt, True]

    def ended():
        answer = answers.pop(0)
        if answer is KeyboardInterrupt:
            raise answer
        return answer

    with pytest.raises(KeyboardInterrupt):
        wait_for_end(ended)
    assert answers == []
    wait_for_end(lambda: True)


@pytest.mark.parametrize("threads", [0, 1, 2])
def test_parts_that_get_no_thread_are_done_by_those_that_have_one(threads, monkeypatch):
    run_in_parallel(lambda part, report: part, [0], nothing)
    submit, left = ThreadPoolExecutor.submit, [None] * threads

    def scarce(pool, run):
        if not left:
            raise RuntimeError("can't start new thread")
        left.pop()
        return submit(pool, run)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", scarce)
    assert run_in_parallel(lambda part, report: part**2, range(5), nothing) == [0, 1, 4, 9, 16]
