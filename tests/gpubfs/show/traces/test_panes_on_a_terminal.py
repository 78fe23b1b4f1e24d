"""Panes of a search as somebody at a terminal sees them."""

from __future__ import annotations

import pytest

pytest.importorskip("pty", reason="there are no pseudo-terminals")

from tests.gpubfs.show.traces.terminal import Terminal


def test_a_walk_through_panes() -> None:
    with Terminal("traced") as terminal:
        terminal.shows("step 61 of 122", "▶  26", "load level", "q quit")
        terminal.press("\t")
        terminal.shows("[7:2]", "6 of 10 vertices visited", "↑0")
        terminal.resize(120, 35)
        terminal.shows("▶  26", "[7:2]", "── timeline", "load requests", "step 61 of 122")
        terminal.press("n")
        terminal.shows("step 62 of 122")
        terminal.press("/", *"atomicCAS", "enter")
        terminal.shows("▶  29", "atomic level")
        terminal.press("q")
        assert terminal.ends() == 0
        assert terminal.is_restored


@pytest.mark.slow
def test_the_mouse_leads_along_lines_and_the_timeline() -> None:
    with Terminal("traced", columns=120, rows=35) as terminal:
        terminal.shows("step 61 of 122")
        terminal.until(lambda: "━" in terminal.lines[33])  # which comes at last
        row = next(n for n, line in enumerate(terminal.lines) if "int v = neighbours[e]" in line)
        terminal.send(f"\x1b[<0;20;{row + 1}M\x1b[<0;20;{row + 1}m".encode())
        terminal.shows("▶  24", "looked along:")
        row = next(n for n, line in enumerate(terminal.lines) if "── timeline" in line)
        terminal.send(f"\x1b[<0;120;{row + 2}M\x1b[<0;120;{row + 2}m".encode())
        terminal.shows("step 121 of 122")
        terminal.send(b"\x1b[<64;10;5M")  # the wheel, upward
        terminal.shows("step 120 of 122")


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 35), (200, 50), (40, 10)])
def test_a_terminal_that_has_only_ascii_gets_no_other_characters(columns: int, rows: int) -> None:
    with Terminal("traced", columns, rows, PYTHONIOENCODING="ascii") as terminal:
        terminal.shows("step 61 of 122", ">  26")
        assert "\n".join(terminal.lines).isascii()
        assert "?" not in "\n".join(terminal.lines[: rows - 1])


@pytest.mark.slow
def test_without_colours_the_signs_are_enough() -> None:
    with Terminal("traced", 120, 35, NO_COLOR="1") as terminal:
        terminal.shows("step 61 of 122", "▶  26", "[7:2]", "›1:1")
        colours = {cell.fg for row in terminal.screen.buffer.values() for cell in row.values()}
        assert all(grey(colour) for colour in colours - {"default"}), colours


def grey(colour: str) -> bool:
    return colour[:2] == colour[2:4] == colour[4:]


@pytest.mark.slow
def test_two_traces_open_where_they_differ_and_say_so() -> None:
    with Terminal("two", 120, 35) as terminal:
        terminal.shows("scan_free.cu", "status_array.cu", "Home leads to the first step")
        terminal.press("home")
        terminal.shows("step 1 of")


@pytest.mark.slow
@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["Ctrl-C", "Ctrl-D"])
def test_control_keys_leave_a_search_in_the_middle_of_something(key: str) -> None:
    with Terminal("traced") as terminal:
        terminal.shows("step 61 of 122")
        terminal.press("/", "a")
        terminal.shows("find text or line: a_")
        terminal.press(key)
        assert terminal.ends() == 0
        assert terminal.is_restored
