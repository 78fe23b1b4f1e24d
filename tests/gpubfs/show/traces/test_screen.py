"""Stepping through a trace on a terminal, as somebody at the terminal sees it."""

from __future__ import annotations

import signal

import pytest

pytest.importorskip("pty", reason="there are no pseudo-terminals")

from tests.gpubfs.show.traces.terminal import Terminal


@pytest.mark.slow
def test_a_walk_through_a_trace() -> None:
    with Terminal() as terminal:
        terminal.at(0)
        terminal.press("right")
        terminal.at(1)
        terminal.press("nn")
        terminal.at(3)
        terminal.press("page down")
        terminal.at(4)
        terminal.press("left")
        terminal.at(3)
        terminal.press("end")
        terminal.at(11)
        terminal.press("n")
        terminal.shows("no step comes after this one")
        terminal.press("w")
        terminal.shows("step 12 of 12", "following warp 1")
        terminal.press("z")
        terminal.shows("? lists the keys")
        terminal.press("q")
        assert terminal.ends() == 0
        assert terminal.is_restored
        assert b"afterwards" in terminal.raw


@pytest.mark.slow
def test_the_frame_has_all_lines_but_the_last_two() -> None:
    with Terminal() as terminal:
        terminal.at(0)
        terminal.shows("80x22", "q quit")
        terminal.until(lambda: terminal.lines[22] == "█" * 7 + "─" * 73)
        assert terminal.lines[21] == "80x22".rjust(80)
        assert terminal.lines[1] == "│" + "─" * 78 + "│"
        assert terminal.lines[23].startswith(" step 1 of 12  ←→ step  ↑↓ level")
        assert terminal.lines[23].endswith("q quit")
        assert terminal.screen.cursor.hidden


@pytest.mark.slow
def test_a_jump_to_a_line() -> None:
    with Terminal() as terminal:
        terminal.at(0)
        terminal.press("j", "8", "1")
        terminal.shows("next step at line: 81_")
        terminal.press("backspace", "enter")
        terminal.at(1)
        terminal.press(":", "9", "9", "enter")
        terminal.shows("no step is at line 99")
        terminal.press("j", "9")
        terminal.shows("line: 9_")
        terminal.press("escape")
        terminal.shows("q quit")
        terminal.at(1)


@pytest.mark.slow
def test_another_size_is_drawn_at_once() -> None:
    with Terminal() as terminal:
        terminal.at(0)
        terminal.resize(60, 15)
        terminal.shows("60x14", "step 1 of 12")
        assert terminal.lines[13] == "60x14".rjust(60)
        assert len("\n".join(terminal.lines).split("x14")) == 2
        terminal.resize(100, 30)
        terminal.shows("100x28", "step 1 of 12")
        assert "60x14" not in "\n".join(terminal.lines)


@pytest.mark.slow
def test_a_terminal_that_is_too_small_says_so() -> None:
    with Terminal(columns=20, rows=9) as terminal:
        terminal.shows("20 by 9", "takes 40 by", "q quits")
        terminal.resize(39, 9)
        terminal.shows("39 by 9", "q quits")
        terminal.until(lambda: terminal.lines[2:] == [""] * 7)
        terminal.resize(40, 10)
        terminal.at(0)
        terminal.resize(20, 3)
        terminal.shows("Too small")
        terminal.press("q")
        assert terminal.ends() == 0
        assert terminal.is_restored


@pytest.mark.slow
def test_playing_goes_on_by_itself_to_the_end() -> None:
    with Terminal() as terminal:
        terminal.at(0)
        terminal.press(*"++++")
        terminal.shows("20 steps a second")
        terminal.press("p")
        terminal.at(11)
        terminal.shows("no step comes after this one")
        assert all(f"step-{step} ".encode() in terminal.raw for step in range(12))


@pytest.mark.slow
def test_the_help_page_lists_keys_until_a_key() -> None:
    with Terminal() as terminal:
        terminal.at(0)
        terminal.press("?")
        terminal.shows("PageDown", "previous level", "Any key closes")
        terminal.press("q")
        terminal.at(0)
        terminal.press("q")
        assert terminal.ends() == 0


@pytest.mark.slow
@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["Ctrl-C", "Ctrl-D"])
def test_control_keys_quit_quietly(key: str) -> None:
    with Terminal() as terminal:
        terminal.at(0)
        terminal.press("j", "1")  # in the middle of something
        terminal.shows("line: 1_")
        terminal.press(key)
        assert terminal.ends() == 0
        assert terminal.is_restored
        assert b"afterwards" in terminal.raw
        assert b"Traceback" not in terminal.raw


@pytest.mark.slow
def test_a_frame_that_fails_leaves_the_screen_before_it_is_reported() -> None:
    with Terminal("broken") as terminal:
        terminal.at(0)
        terminal.press("n", "n")
        assert terminal.ends() == 1
        assert terminal.is_restored
        report = terminal.raw[terminal.raw.rfind(b"\x1b[?1049l") :]
        assert b"RuntimeError: no picture of step 2" in report


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_restores_the_terminal(number: signal.Signals) -> None:
    with Terminal() as terminal:
        terminal.at(0)
        terminal.process.send_signal(number)
        assert terminal.ends() == 128 + number
        assert terminal.is_restored


@pytest.mark.slow
def test_ctrl_z_gives_the_terminal_to_the_shell_and_comes_back() -> None:
    with Terminal("shell") as terminal:
        terminal.at(0)
        terminal.press("n")
        terminal.at(1)
        terminal.press("\x1a")
        terminal.until(lambda: b"stopped" in terminal.raw)
        assert terminal.is_restored
        terminal.screen.reset()
        terminal.press("enter")
        terminal.at(1)
        terminal.press("n")
        terminal.at(2)
        assert terminal.screen.cursor.hidden
        terminal.press("q")
        assert terminal.ends() == 0
        assert terminal.is_restored


@pytest.mark.slow
def test_after_a_stop_from_outside_the_terminal_is_taken_again() -> None:
    with Terminal() as terminal:
        terminal.at(0)
        terminal.stop()
        terminal.process.send_signal(signal.SIGCONT)
        terminal.until(terminal.is_raw)
        terminal.at(0)
        terminal.press("n")
        terminal.at(1)
        terminal.press("q")
        assert terminal.ends() == 0
        assert terminal.is_restored


@pytest.mark.slow
def test_no_color_and_terminals_without_arrows() -> None:
    with Terminal(NO_COLOR="1", PYTHONIOENCODING="ascii:replace") as terminal:
        terminal.at(0)
        terminal.shows("n/b step  N/B level")
        assert terminal.screen.buffer[0][0].fg == "default"
        assert terminal.screen.buffer[0][0].bold
    with Terminal() as terminal:
        terminal.at(0)
        assert terminal.screen.buffer[0][0].fg == "red"


@pytest.mark.slow
def test_a_terminal_that_can_only_print_gets_printed_frames() -> None:
    with Terminal(TERM="dumb") as terminal:
        assert terminal.ends() == 0
        assert b"step 12 of 12" in terminal.raw
        assert b"\x1b" not in terminal.raw
        assert terminal.settings == terminal.before
