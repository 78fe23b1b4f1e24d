"""What becomes of the terminal and of the program, whatever happens to either."""

from __future__ import annotations

import signal
import time

import pytest

pytest.importorskip("pty", reason="there are no pseudo-terminals")

from tests.gpubfs.show.traces.terminal import Terminal

pytestmark = pytest.mark.slow


def test_an_interrupt_from_outside_quits_as_ctrl_c_does() -> None:
    with Terminal() as terminal:
        terminal.at(0)
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.ends() == 0
        assert terminal.is_restored
        assert b"afterwards" in terminal.raw
        assert b"Traceback" not in terminal.raw


def test_a_second_signal_does_not_interrupt_what_the_first_began() -> None:
    with Terminal() as terminal:
        terminal.at(0)
        terminal.process.send_signal(signal.SIGTERM)
        terminal.process.send_signal(signal.SIGHUP)
        # Two that come at once are told in the order of their numbers.
        assert terminal.ends() in (128 + signal.SIGTERM, 128 + signal.SIGHUP)
        assert terminal.is_restored
        assert b"Traceback" not in terminal.raw


def test_a_stop_that_left_the_terminal_alone_is_survived_too() -> None:
    with Terminal() as terminal:
        terminal.at(0)
        for _ in range(3):
            terminal.process.send_signal(signal.SIGSTOP)
            terminal.process.send_signal(signal.SIGCONT)
        terminal.press("n")
        terminal.at(1)
        terminal.press("q")
        assert terminal.ends() == 0
        assert terminal.is_restored


def test_what_is_ignored_stays_so() -> None:
    with Terminal("deaf") as terminal:
        terminal.at(0)
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGTSTP):
            terminal.process.send_signal(number)
        terminal.press("\x1a", "n")
        terminal.at(1)
        terminal.press("q")
        assert terminal.ends() == 0


def test_ctrl_z_where_nobody_could_continue_it_changes_nothing() -> None:
    with Terminal() as terminal:  # of a session of its own, without a shell
        terminal.at(0)
        terminal.press("\x1a")
        terminal.press("n")
        terminal.at(1)
        terminal.press("q")
        assert terminal.ends() == 0
        assert terminal.is_restored


def test_continued_in_the_background_it_stops_again_and_leaves_the_terminal_alone() -> None:
    with Terminal("shell") as terminal:
        terminal.at(0)
        terminal.press("\x1a")
        for times in range(1, 5):
            terminal.until(lambda times=times: terminal.raw.count(b"stopped") == times)
            assert terminal.is_restored
            if times < 4:
                terminal.press("b", "g", "enter")
        terminal.press("enter")
        terminal.at(0)
        terminal.press("n")
        terminal.at(1)
        terminal.press("q")
        assert terminal.ends() == 0
        assert terminal.is_restored


@pytest.mark.parametrize(("case", "code"), [("plain", 128 + signal.SIGHUP), ("deaf", 0)])
def test_a_terminal_that_is_gone_ends_it(case: str, code: int) -> None:
    with Terminal(case) as terminal:
        terminal.at(0)
        terminal.press("p")
        terminal.hang_up()
        assert terminal.process.wait(20) == code


def test_handlers_of_signals_are_given_back() -> None:
    with Terminal("handlers") as terminal:
        terminal.at(0)
        terminal.press("q")
        assert terminal.ends() == 0
        assert b"given back: True" in terminal.raw


def test_errors_in_a_file_leave_the_picture_on_the_terminal() -> None:
    with Terminal("logged") as terminal:
        terminal.at(0)
        terminal.press("q")
        assert terminal.ends() == 0
        assert terminal.is_restored


def test_the_terminals_size_counts_and_not_what_the_environment_says() -> None:
    with Terminal(COLUMNS="200", LINES="9") as terminal:
        terminal.at(0)
        terminal.shows("80x22")
        terminal.resize(60, 15)
        terminal.shows("60x14")


def test_bytes_that_are_no_utf_8_are_no_key() -> None:
    with Terminal() as terminal:
        terminal.at(0)
        terminal.send(b"\xe9\xff")
        terminal.shows("? lists the keys")
        terminal.press("n")
        terminal.at(1)


def test_a_key_in_pieces_is_one_key() -> None:
    with Terminal() as terminal:
        terminal.at(0)
        for piece in (b"\x1b", b"[", b"6", b"~"):
            terminal.send(piece)
            time.sleep(0.02)
        terminal.at(4)


def test_the_mouse_works_on_a_terminal() -> None:
    with Terminal() as terminal:
        terminal.at(0)
        terminal.shows("80x22")
        terminal.send(b"\x1b[<65;10;5M")  # the wheel, downward
        terminal.at(1)
        terminal.send(b"\x1b[<0;80;23M\x1b[<0;80;23m")  # the end of the line of progress
        terminal.at(11)
