"""Single keys from a terminal, which is left as it was whatever happens."""

from __future__ import annotations

import os
import re
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType

#: What is read when the terminal is gone, or sends an end of file.
GONE = "\x04"

#: What arrows, function keys and letters with Alt send.
SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?", re.DOTALL)


def can_read() -> bool:
    """Return whether somebody sits at a terminal here, whose keys can be read one by one."""
    try:
        return os.name == "posix" and sys.stdout.isatty() and os.isatty(sys.stdin.fileno())
    except (AttributeError, OSError, ValueError):
        return False


class Keys:
    """A context in which keys are read as they are pressed, and not shown.

    Ctrl-C and Ctrl-Z do what they always do. SIGHUP, which comes when the terminal is closed, ends
    the program in order.
    """

    def __init__(self) -> None:
        self._at = sys.stdin.fileno()
        self._typed: list[str] = []

    def __enter__(self) -> Keys:
        import termios

        self._before = termios.tcgetattr(self._at)
        self._handlers = {
            signal.SIGCONT: signal.signal(signal.SIGCONT, self._continued),
            signal.SIGHUP: signal.signal(signal.SIGHUP, _hung_up),
        }
        self._take()
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._give()

    def read(self, seconds: float) -> str:
        """Return the next key, or nothing if none is pressed in so many seconds.

        Arrows and other keys that send several characters count as none.
        """
        if not self._typed:
            self._typed = self._pressed(seconds)
        return self._typed.pop(0) if self._typed else ""

    def _pressed(self, seconds: float) -> list[str]:
        if not select.select([self._at], [], [], seconds)[0]:
            return []
        try:
            data = os.read(self._at, 1024)
        except OSError:  # the terminal is gone
            data = b""
        if not data:
            return [GONE]
        return list(SEQUENCE.sub("", data.decode("utf-8", "replace")))

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Give the terminal to another program meanwhile, and Ctrl-C with it."""
        before = signal.signal(signal.SIGINT, lambda number, frame: None)
        self._give()
        try:
            yield
        finally:
            self._take()
            signal.signal(signal.SIGINT, before)

    def _take(self) -> None:
        import termios

        mode: list[Any] = termios.tcgetattr(self._at)
        mode[3] &= ~(termios.ICANON | termios.ECHO)
        mode[6] = [*mode[6]]
        mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
        with suppress(termios.error):
            termios.tcsetattr(self._at, termios.TCSADRAIN, mode)

    def _give(self) -> None:
        import termios

        with suppress(termios.error):  # the terminal may be gone
            termios.tcsetattr(self._at, termios.TCSADRAIN, self._before)

    def _continued(self, number: int, frame: FrameType | None) -> None:
        """Take the terminal again: the shell had it while this was stopped."""
        if os.getpgrp() == os.tcgetpgrp(self._at):
            self._take()


def _hung_up(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
