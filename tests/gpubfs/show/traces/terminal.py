"""A terminal for tests: a child on a pseudo-terminal, what it shows, and keys for it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyte

#: Seconds after which a test gives up; nothing takes that long unless it never happens.
PATIENCE = 30

CHILD = Path(__file__).with_name("child.py")
ROOT = CHILD.parents[4]

#: What the keys of an xterm send.
SENT = {
    "right": "\x1b[C",
    "left": "\x1b[D",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "home": "\x1b[H",
    "end": "\x1bOF",
    "page up": "\x1b[5~",
    "page down": "\x1b[6~",
    "enter": "\r",
    "backspace": "\x7f",
    "escape": "\x1b",
}


class Terminal:
    """A context in which a case of child.py runs on a terminal of its own."""

    def __init__(self, case: str = "plain", columns: int = 80, rows: int = 24, **variables: str):
        self.screen = pyte.Screen(columns, rows)
        self.raw = b""
        self._stream = pyte.ByteStream(self.screen)
        self._master, self.tty = pty.openpty()
        self._set_size(columns, rows)
        self.before = termios.tcgetattr(self.tty)
        self.process = self._start(case, variables)

    def _start(self, case: str, variables: dict[str, str]) -> subprocess.Popen[bytes]:
        unset = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "COLORTERM")
        given = {name: value for name, value in os.environ.items() if name not in unset}
        fixed = {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
        return subprocess.Popen(
            [sys.executable, str(CHILD), case],
            stdin=self.tty,
            stdout=self.tty,
            stderr=self.tty if case != "logged" else subprocess.DEVNULL,
            env={**given, **fixed, **variables},
            start_new_session=True,
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *exception: Any) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for end in {self._master, self.tty}:
            os.close(end)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.send(SENT.get(key, key).encode())

    def send(self, data: bytes) -> None:
        os.write(self._master, data)

    def hang_up(self) -> None:
        """Close the terminal, which nobody can look at then."""
        os.close(self.tty)
        os.close(self._master)
        self._master = self.tty = os.open(os.devnull, os.O_RDWR)

    def resize(self, columns: int, rows: int) -> None:
        """Change the size, of which the kernel tells the child by a signal."""
        self.screen.resize(rows, columns)
        self._set_size(columns, rows)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.tty, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display]

    def stop(self) -> None:
        """Stop the child, and treat the terminal as whoever has it then."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOWAIT)
        termios.tcsetattr(self.tty, termios.TCSADRAIN, self.before)
        self.screen.reset()

    def is_raw(self) -> bool:
        """Whether the child gets each key at once; what was typed before it does is dropped."""
        return not termios.tcgetattr(self.tty)[3] & termios.ICANON

    def until(self, condition: Callable[[], bool]) -> None:
        """Take what the child writes until a condition holds."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "\n".join(["waited in vain, and saw", *self.lines])
            self._take(0.05)

    def shows(self, *words: str) -> None:
        """Wait for words to be on the screen, all at the same time."""
        self.until(lambda: all(word in "\n".join(self.lines) for word in words))

    def at(self, step: int) -> None:
        """Wait for the picture of a step and its number on the status line."""
        self.shows(f"step-{step} ", f"step {step + 1} of 12")

    def ends(self) -> int:
        """Wait for the child to end; its exit code."""
        self.until(lambda: self.process.poll() is not None)
        while self._take(0):
            pass
        return self.process.wait()

    def _take(self, patience: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], patience)
        if ready:
            data = os.read(self._master, 65536)
            self.raw += data
            self._stream.feed(data)
        return bool(ready)

    @property
    def is_restored(self) -> bool:
        """Whether the screen has been left, the cursor shown and the settings given back."""
        left = self.raw.rfind(b"\x1b[?1049l") > self.raw.rfind(b"\x1b[?1049h")
        return left and not self.screen.cursor.hidden and self.settings == self.before

    @property
    def settings(self) -> list[Any]:
        return termios.tcgetattr(self.tty)
