"""Signals of a terminal, made readable like a file, and signals that end a program, once."""

from __future__ import annotations

import os
import signal
from typing import Any

#: What `Signals.read` tells: another size, Ctrl-Z, and that a stop from outside is over.
RESIZED, SUSPEND, CONTINUED = "resized", "suspend", "continued"


class Signals:
    """What `select` can wait for and `read` then names: RESIZED, SUSPEND and CONTINUED.

    Meanwhile SIGINT raises KeyboardInterrupt, and SIGTERM and SIGHUP raise SystemExit, so that what
    was changed is restored; only the first of them counts, so that none interrupts the restoring.
    Works in the main thread of a POSIX system.
    """

    def __enter__(self) -> Signals:
        self._ended = False
        self._names: dict[int, str] = {
            signal.SIGWINCH: RESIZED,
            signal.SIGTSTP: SUSPEND,
            signal.SIGCONT: CONTINUED,
        }
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)
        self._wakeup = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        self._before: dict[signal.Signals, Any] = {}
        for number in (signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT):
            self._take(number, _woken)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            self._take(number, self._end)
        return self

    def _take(self, number: signal.Signals, handler: Any) -> None:
        """Handle a signal, unless it is ignored or somebody else does."""
        before = signal.getsignal(number)
        if before in (signal.SIG_DFL, signal.default_int_handler):
            self._before[number] = before
            signal.signal(number, handler)

    def _end(self, number: int, _frame: object) -> None:
        if not self._ended:
            self._ended = True
            raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)

    def __exit__(self, *exception: Any) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        os.close(self._read)
        os.close(self._write)

    def fileno(self) -> int:
        """What `select` waits for."""
        return self._read

    def read(self) -> list[str]:
        """What happened to the terminal since the last call."""
        try:
            numbers = os.read(self._read, 1024)
        except BlockingIOError:
            return []
        return [self._names[number] for number in numbers if number in self._names]

    def stop(self) -> None:
        """Stop this process, as Ctrl-Z does where nobody minds; returns when it is continued."""
        ours = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, ours)
        self.read()  # that it was continued is no news


def _woken(_number: int, _frame: object) -> None:
    """Do nothing: the signal's number is in the pipe already."""
