"""The process of a driver that was submitted, as the grading process sees it: lines of JSON."""

from __future__ import annotations

import errno
import json
import os
import select
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from gpubfs.grading.driving.starting import start
from gpubfs.grading.outcome import Failure

#: The most that is read of one line, and in all, in bytes.
MAX_LINE, MAX_READ = 1 << 16, 1 << 22
#: The characters of what a driver printed that are kept.
MAX_PRINTED = 1000
#: Seconds in which a process whose time is up may say where it is.
LAST_WORD = 0.3
#: MiB of address space that the process may have.
DRIVER_MEMORY = 512


class DriverError(Exception):
    """The driver cannot go on, or must not.

    Parameters
    ----------
    failure : Failure
        Why.
    line : object
        The line of the driver that was being run, if the driver's process says so.
    """

    def __init__(self, failure: Failure, line: object = None) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.line = line


class DriverProcess:
    """A process that runs a driver, and the two pipes that lead to it.

    Nothing that it says is believed: a line is an object of JSON, and what it asks for is looked at
    by whoever does it.

    Parameters
    ----------
    seconds : float
        What it may take from now on, until its last word.
    allowed : float
        What to call that in messages.

    Attributes
    ----------
    printed : str
        What the driver printed, from its beginning.
    """

    def __init__(self, seconds: float, allowed: float) -> None:
        self.printed = ""
        self._end = time.monotonic() + seconds
        self._allowed = allowed
        self._held = b""
        self._read = 0
        self._process = start(seconds)
        self._to, self._of = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._to, False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, traceback: TracebackType | None
    ) -> None:
        self._process.end()

    def send(self, message: Mapping[str, object]) -> None:
        """Send a line.

        Raises
        ------
        DriverError
            If the process does not read it.
        """
        left = json.dumps(message).encode() + b"\n"
        while left:
            self._wait((), (self._to,))
            try:
                left = left[os.write(self._to, left) :]
            except BrokenPipeError:
                raise DriverError(self._death()) from None

    def receive(self) -> dict[str, Any]:
        """Return the next line that is not something printed.

        Raises
        ------
        DriverError
            If there is none: time is up, the process has ended, or it sent something else.
        """
        while True:
            message = self._message()
            if set(message) != {"printed"}:
                return message
            room = MAX_PRINTED - len(self.printed)
            self.printed += str(message["printed"])[:room]

    def _message(self) -> dict[str, Any]:
        try:
            message = json.loads(self._line())
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            words = "the driver's process wrote what is no request: leave its pipes to the host"
            raise DriverError(Failure("driver", words))
        return message

    def _line(self) -> bytes:
        while b"\n" not in self._held:
            if len(self._held) > MAX_LINE or self._read > MAX_READ:
                words = "the driver asked or printed more than it may: look for what never ends"
                raise DriverError(Failure("driver", words))
            self._wait((self._of,), ())
            part = os.read(self._of, MAX_LINE)
            if not part:
                raise DriverError(self._death())
            self._read += len(part)
            self._held += part
        line, _, self._held = self._held.partition(b"\n")
        return line

    def _wait(self, readers: tuple[int, ...], writers: tuple[int, ...]) -> None:
        left = self._end - time.monotonic()
        if left <= 0 or not any(select.select(readers, writers, (), left)):
            raise DriverError(self._late(), self._line_now())

    def _late(self) -> Failure:
        words = f"the driver was not done within {self._allowed:g} seconds"
        return Failure("time", words)

    def _line_now(self) -> object:
        """Return the line that is being run, if the process says so in a last word."""
        heard, end = self._held, time.monotonic() + LAST_WORD
        with suppress(OSError):
            self._process.interrupt()
            while not heard.endswith(b"}\n") and (left := end - time.monotonic()) > 0:
                if not select.select((self._of,), (), (), left)[0]:
                    break
                part = os.read(self._of, MAX_LINE)
                heard = (heard + part)[-MAX_LINE:]
                if not part:
                    break
        last = heard.split(b"\n")[-2:]
        with suppress(ValueError, RecursionError, AttributeError):
            return json.loads(last[0]).get("at")
        return None

    def _death(self) -> Failure:
        """Return why the process ended, which has closed its pipe."""
        code = self._process.wait(max(0.0, min(1.0, self._end - time.monotonic())))
        if code is None:
            return Failure("crash", "the driver closed its process's pipes")
        if code == -signal.SIGKILL:  # which no driver can do to itself
            raise ChildProcessError(errno.ECHILD, "the driver's process was killed from outside")
        if code == -signal.SIGXCPU:
            return self._late()
        return Failure("crash", f"the driver's process ended before search returned (code {code})")
