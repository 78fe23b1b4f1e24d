"""What each key does in a trace, and what is shown of it, without a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpubfs.show.traces.terminal.app import picture
from gpubfs.show.traces.terminal.status import status_line
from gpubfs.show.traces.terminal.stepping import KEYS, SPEEDS, Stepper
from tests.gpubfs.show.traces.toy import STEPS, Toy

LEADS = {
    6: ["right", "n", " ", "enter"],
    4: ["left", "b", "backspace", "up", "B", "pageup"],
    8: ["down", "N", "pagedown"],
    0: ["home", "g"],
    11: ["end", "G"],
}


def pressed(*keys: str, at: int = 5) -> Stepper:
    stepper = Stepper(Toy())
    stepper.at = at
    for key in keys:
        stepper.press(key)
    return stepper


def status(stepper: Stepper, width: int = 80) -> str:
    return status_line(stepper, width).plain


@pytest.mark.parametrize(("to", "key"), [(to, key) for to, keys in LEADS.items() for key in keys])
def test_where_a_key_leads(to: int, key: str) -> None:
    assert pressed(key).at == to


@pytest.mark.parametrize(("at", "keys"), [(0, ["b", "B", "g"]), (11, ["n", "N", "G", "p"])])
def test_a_key_that_cannot_move_says_why(at: int, keys: list[str]) -> None:
    where = "after" if at else "before"
    for key in keys:
        stepper = pressed(key, at=at)
        assert (stepper.at, stepper.message) == (at, f"no step comes {where} this one")
        assert not stepper.playing


@pytest.mark.parametrize("lead", ["j", ":"])
def test_a_line_is_looked_for_onward_and_then_from_the_beginning(lead: str) -> None:
    assert pressed(lead, "9", "enter", at=5).at == 6
    assert pressed(lead, "7", "enter", at=9).at == 0
    assert pressed(lead, "1", "2", "backspace", "backspace", "8", "enter", at=0).at == 1


def test_a_line_without_a_step() -> None:
    stepper = pressed("j", "9", "9", "enter")
    assert (stepper.at, stepper.message) == (5, "no step is at line 99")
    stepper.press("n")
    assert not stepper.message


def test_steps_are_numbered_from_one() -> None:
    assert pressed("#", "1", "enter").at == 0
    assert pressed("#", "1", "2", "enter").at == 11
    for number in ("0", "13"):
        stepper = pressed("#", *number, "enter")
        assert (stepper.at, stepper.message) == (5, f"there is no step {number}")


@pytest.mark.parametrize("lead", ["j", "#"])
def test_a_number_can_be_given_up(lead: str) -> None:
    for stepper in (pressed(lead, "1", "escape"), pressed(lead, "enter")):
        assert (stepper.at, stepper.prompt, stepper.message) == (5, None, "")


def test_other_keys_wait_until_a_number_is_typed() -> None:
    stepper = pressed("j", "q", "n", "7")
    assert "line: 7_" in status(stepper)
    assert not stepper.over


def test_playing_passes_every_step_to_the_last() -> None:
    stepper = pressed("p", at=0)
    passed = []
    while stepper.delay:
        stepper.tick()
        passed.append(stepper.at)
    assert passed == list(range(1, STEPS))


@pytest.mark.parametrize("key", ["p", "n", "x", "j", "?", "escape"])
def test_any_key_stops_playing_and_does_no_more(key: str) -> None:
    stepper = pressed("p", key)
    assert (stepper.at, stepper.playing, stepper.prompt, stepper.helping) == (5, False, None, False)
    stepper.tick()
    assert stepper.at == 5


def test_the_speed_changes_while_it_plays() -> None:
    stepper = pressed("p")
    delays = [stepper.delay]
    for key in "+-":
        stepper.press(key)
        delays.append(stepper.delay)
    assert delays == [1 / 2, 1 / 5, 1 / 2]
    assert pressed("p", *"+" * 9).delay == 1 / SPEEDS[-1]
    assert pressed("p", *"-" * 9).delay == 1 / SPEEDS[0]


@pytest.mark.parametrize("before", [[], ["p"], ["?"], ["j", "1"]])
def test_ctrl_c_quits_whatever_is_going_on(before: list[str]) -> None:
    assert pressed(*before, "ctrl+c").over
    assert pressed(*before, "ctrl+d").over


def test_q_quits_while_it_plays() -> None:
    assert pressed("p", "q").over


@pytest.mark.parametrize("before", ["p", "?", "j", "z"])
def test_a_step_that_is_pointed_at_ends_what_is_going_on(before: str) -> None:
    stepper = pressed(before)
    stepper.go_to(9)
    assert (stepper.at, stepper.message, stepper.prompt) == (9, "", None)
    assert (stepper.playing, stepper.helping, stepper.over) == (False, False, False)


@given(st.lists(st.sampled_from([*KEYS, *"0179x", "escape", "unknown", "tick"]), max_size=60))
def test_no_keys_lead_out_of_the_trace(keys: list[str]) -> None:
    stepper = Stepper(Toy())
    for key in keys:
        if key == "tick":
            stepper.tick()
        else:
            stepper.press(key)
        assert 0 <= stepper.at < STEPS
        assert len(picture(stepper, 50, 11, 50, 12)) == 11


@given(st.integers(1, 300), st.lists(st.sampled_from([*"pj?w+z#1", "end", "n"]), max_size=5))
def test_the_status_line_is_as_wide_as_the_terminal(width: int, keys: list[str]) -> None:
    line = status_line(pressed(*keys), width)
    assert line.cell_len == width
    assert status_line(pressed(*keys), width, ascii_only=True).plain.isascii()


def test_the_status_line_has_the_hints_that_fit() -> None:
    hints = "←→ step  ↑↓ level  j line  w warp  p play  ? keys  q quit"
    assert status(pressed(), 80).rstrip() == f" step 6 of 12  {hints}"
    assert status(pressed(), 40).rstrip() == " step 6 of 12  ←→ step  ? keys  q quit"
    assert status(pressed(), 24).rstrip() == " step 6 of 12  ? keys"


def test_a_message_that_is_too_long_ends_in_dots() -> None:
    assert status(pressed("j", "9", "9", "enter"), 30) == " step 6 of 12  no step is at …"


@pytest.mark.parametrize("height", [10, 15, 24, 50])
def test_the_help_page_fits(height: int) -> None:
    lines = [line.plain for line in picture(pressed("?"), 40, height - 1, 40, height)]
    assert len(lines) < height
    assert max(map(len, lines)) <= 40
    assert any("Right n Space Enter" in line for line in lines)
    assert ("A taller terminal shows more keys." in lines) == (height < 20)


@given(st.integers(1, 100), st.integers(1, 9))
def test_too_small_is_said_within_the_terminal(width: int, height: int) -> None:
    lines = picture(pressed(), width, height, width, height)
    assert len(lines) <= height
    assert all(line.cell_len <= width for line in lines)
    assert lines[0].plain.startswith("Too small"[: min(width, 3)])
