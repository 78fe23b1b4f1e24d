"""Keys read from a terminal, and what becomes of the terminal."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpubfs.show.traces.terminal.keys import Decoder, Keys, can_read_keys

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals")
termios = pytest.importorskip("termios", reason="there are no POSIX terminals")

#: Seconds that a read waits for what is certain to come.
LONG = 30

Terminal = tuple[int, int]


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    """The two ends of a pseudo-terminal: the one that types, and the one that reads."""
    ends = pty.openpty()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:  # closed by the test
            continue


def decoded(*pieces: bytes) -> list[str]:
    decoder = Decoder()
    keys = [key for piece in pieces for key in decoder.feed(piece)]
    return [*keys, *decoder.flush()]


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        (b"nB?:#5+ ", ["n", "B", "?", ":", "#", "5", "+", " "]),
        (b"\r\n\x7f\x08", ["enter", "enter", "backspace", "backspace"]),
        (b"\x1b[A\x1b[B\x1b[C\x1b[D", ["up", "down", "right", "left"]),
        (b"\x1bOA\x1bOB\x1bOC\x1bOD", ["up", "down", "right", "left"]),
        (b"\x1b[H\x1bOH\x1b[1~\x1b[7~", ["home"] * 4),
        (b"\x1b[F\x1bOF\x1b[4~\x1b[8~", ["end"] * 4),
        (b"\x1b[5~\x1b[6~", ["page up", "page down"]),
        (b"\x03\x04", ["ctrl-c", "ctrl-d"]),
        (b"\x1b", ["escape"]),
        (b"\x1b\x1b[C", ["escape", "right"]),
        ("é→".encode(), ["é", "→"]),
    ],
)
def test_what_terminals_send(sent: bytes, keys: list[str]) -> None:
    assert decoded(sent) == keys


@pytest.mark.parametrize(
    "sent",
    [b"\x1b[15~", b"\x1b[[A", b"\x1bOP", b"\x1b[1;5C", b"\x1b[?1;2c", b"\x1bq", b"\x01", b"\x1b[2"],
)
def test_other_keys_are_one_unknown_key_and_no_letters(sent: bytes) -> None:
    assert decoded(sent) == ["unknown"]


@given(
    st.lists(st.sampled_from([b"\x1b", b"[", b"O", b"5", b"~", b"A", b"q", b";", b"\xe2", b"\x86"]))
)
def test_pieces_mean_what_the_whole_means(pieces: list[bytes]) -> None:
    assert decoded(*pieces) == decoded(b"".join(pieces))


def test_keys_come_one_at_a_time_unseen(terminal: Terminal) -> None:
    types, reads = terminal
    with Keys(reads) as keys:
        os.write(types, b"n\x1b[6~j")
        assert [keys.read(LONG) for _ in range(3)] == ["n", "page down", "j"]
        assert keys.read(0) == ""
        os.set_blocking(types, False)
        with pytest.raises(BlockingIOError):
            os.read(types, 10)


def test_a_key_in_pieces(terminal: Terminal) -> None:
    types, reads = terminal
    with Keys(reads, escape_wait=LONG) as keys:
        os.write(types, b"\x1b")
        assert not keys.waiting()
        os.write(types, b"[5")
        assert not keys.waiting()
        os.write(types, b"~")
        assert keys.read(LONG) == "page up"


def test_escape_alone(terminal: Terminal) -> None:
    types, reads = terminal
    with Keys(reads, escape_wait=0.01) as keys:
        os.write(types, b"\x1b")
        assert keys.read(LONG) == "escape"


def test_a_terminal_that_is_gone_quits(terminal: Terminal) -> None:
    types, reads = terminal
    with Keys(reads) as keys:
        os.close(types)
        assert keys.read(LONG) == "ctrl-d"


def test_settings_and_handlers_are_given_back(terminal: Terminal) -> None:
    _, reads = terminal
    numbers = signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT, signal.SIGTERM, signal.SIGINT
    before = termios.tcgetattr(reads), [signal.getsignal(number) for number in numbers]

    def fail() -> None:
        with Keys(reads):
            assert termios.tcgetattr(reads) != before[0]
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert before == (termios.tcgetattr(reads), [signal.getsignal(number) for number in numbers])


def test_a_new_size_is_an_event(terminal: Terminal) -> None:
    with Keys(terminal[1]) as keys:
        os.kill(os.getpid(), signal.SIGWINCH)
        assert keys.read(LONG) == "resized"


def test_only_the_first_signal_to_end_counts(terminal: Terminal) -> None:
    restored = []

    def ended() -> None:
        with Keys(terminal[1]):
            try:
                os.kill(os.getpid(), signal.SIGTERM)
            finally:
                os.kill(os.getpid(), signal.SIGINT)
                restored.append(True)

    with pytest.raises(SystemExit) as end:
        ended()
    assert (end.value.code, restored) == (128 + signal.SIGTERM, [True])


def test_a_signal_that_is_ignored_stays_so(terminal: Terminal) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Keys(terminal[1]) as keys:
            os.kill(os.getpid(), signal.SIGHUP)
            assert keys.read(0) == ""
    finally:
        signal.signal(signal.SIGHUP, before)


def test_where_keys_can_be_read(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[bool] = []
    with os.fdopen(terminal[1], closefd=False) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert can_read_keys()
        thread = threading.Thread(target=lambda: answers.append(can_read_keys()))
        thread.start()
        thread.join()
        with monkeypatch.context() as windows:
            windows.setattr("gpubfs.show.traces.terminal.keys.termios", None)
            answers.append(can_read_keys())
    for no_terminal in (None, io.StringIO()):
        monkeypatch.setattr(sys, "stdin", no_terminal)
        answers.append(can_read_keys())
    assert answers == [False] * 4
