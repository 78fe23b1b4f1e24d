"""A clock for what runs in this process: it rings, again if need be, and leaves nothing behind."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from gpubfs.grading.processes.clock import TimeUpError, limited


def busy(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def test_time_is_up_in_what_takes_longer() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(TimeUpError), limited(0.05):
        busy(5)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_what_takes_less_is_let_alone() -> None:
    with limited(0.05):
        pass
    busy(0.1)


def test_without_seconds_there_is_no_clock() -> None:
    with limited(None):
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_other_threads_have_no_clock() -> None:
    done = []

    def work() -> None:
        with limited(0.01):
            busy(0.05)
        done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]


class Deaf:
    def __del__(self) -> None:
        busy(0.1)  # Python prints what is raised here, and goes on


def deaf_and_busy() -> None:
    Deaf()
    busy(5)


def test_it_rings_again_where_python_ignores_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpubfs.grading.processes.clock.AGAIN", 0.05)
    told = []
    monkeypatch.setattr("sys.unraisablehook", lambda unraisable: told.append(unraisable.exc_type))
    with pytest.raises(TimeUpError), limited(0.02):
        deaf_and_busy()
    assert told == []


def briefly_limited_and_busy() -> None:
    with limited(5.0):
        pass
    busy(5)


def test_a_clock_in_a_clock_leaves_the_outer_one_its_time() -> None:
    with pytest.raises(TimeUpError), limited(0.3):
        briefly_limited_and_busy()
