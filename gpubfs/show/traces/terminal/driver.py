"""Between Textual and the terminal: keys in, screens out, signals, and the terminal left as it was.

It is Textual's driver for Linux, changed in what `TerminalDriver` lists.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

#: Signals whose handlers Textual or this driver replaces.
TAKEN = (
    signal.SIGTSTP,
    signal.SIGCONT,
    signal.SIGWINCH,
    signal.SIGTTIN,
    signal.SIGTTOU,
    signal.SIGTERM,
    signal.SIGHUP,
)

#: Seconds between looks whether input is still wanted, and whether Escape was the whole key.
PAUSE = 0.05


@contextmanager
def handlers_kept() -> Iterator[None]:
    """Give back the handlers of all signals that are taken meanwhile.

    SIGINT ends quietly, as Ctrl-C does.
    """
    before = {number: signal.getsignal(number) for number in TAKEN}
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        for number, handler in before.items():
            if handler is not None:  # it is not Python's
                signal.signal(number, handler)


class TerminalDriver(LinuxDriver):
    """A terminal on standard input and output.

    What differs from Textual's own: it writes to standard output, not standard error; believes the
    terminal's size, not COLUMNS and LINES; ends in order at SIGTERM and SIGHUP and when the
    terminal is gone; takes the terminal again after a stop from outside, too; survives bytes that
    are no UTF-8, and characters that the terminal's encoding lacks.
    """

    def __init__(
        self,
        app: App[Any],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        self._out = sys.stdout.fileno()
        self._encoding = sys.stdout.encoding
        before = {number: signal.getsignal(number) for number in TAKEN}
        super().__init__(app, debug=debug, mouse=mouse, size=size or self._get_terminal_size())
        # By the loop, between two messages: a handler that writes could interrupt itself.
        acts: dict[signal.Signals, Callable[[], None]] = {
            signal.SIGTSTP: self._stop,
            signal.SIGCONT: self._take_again,
            signal.SIGTERM: partial(self._end, 128 + signal.SIGTERM),
            signal.SIGHUP: partial(self._end, 128 + signal.SIGHUP),
        }
        for number, act in acts.items():
            if before[number] is signal.SIG_DFL:
                self._loop.add_signal_handler(number, act)
            else:  # ignored, as nohup does, or somebody else's
                signal.signal(number, before[number])

    def _get_terminal_size(self) -> tuple[int, int]:
        """Columns and rows at this moment, whatever the environment says."""
        with suppress(OSError):  # the terminal may be gone
            columns, rows = os.get_terminal_size(self._out)
            if columns and rows:
                return columns, rows
        return super()._get_terminal_size()

    def write(self, data: str) -> None:
        """Write now, and not in a thread that ends, unseen, when the terminal does."""
        left = data.encode(self._encoding, "replace")
        with suppress(OSError):  # the terminal may be gone
            while left:
                left = left[os.write(self._out, left) :]

    def _end(self, code: int) -> None:
        """Leave; the first signal decides with which exit code, also where the terminal is gone."""
        if not self._app.return_code:
            self._app.exit(return_code=code)

    def _stop(self) -> None:
        """Give the terminal back and stop, as Ctrl-Z does; take it again when continued."""
        self._loop.remove_signal_handler(signal.SIGCONT)  # that it was continued is no news
        self.suspend_application_mode()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        self._loop.add_signal_handler(signal.SIGTSTP, self._stop)
        self._loop.add_signal_handler(signal.SIGCONT, self._take_again)
        self._resume()

    def _take_again(self) -> None:
        """Take the terminal after a stop from outside: whoever had it meanwhile has changed it."""
        self.suspend_application_mode()
        self._resume()

    def _resume(self) -> None:
        self._must_signal_resume = True
        self.resume_application_mode()

    def run_input_thread(self) -> None:
        """Hand on what is typed, until that is disabled or the terminal is gone."""
        parser, decoder = XTermParser(), getincrementaldecoder("utf-8")("replace")
        while not self.exit_event.is_set():
            if select.select([self.fileno], [], [], PAUSE)[0]:
                data = b""
                with suppress(OSError):
                    data = os.read(self.fileno, 4096)
                if not data:
                    self._loop.call_soon_threadsafe(self._end, 0)
                    return
                if text := decoder.decode(data):
                    for message in parser.feed(text):
                        self.process_message(message)
            for message in parser.tick():
                self.process_message(message)

    def stop_application_mode(self) -> None:
        """Leave the screen, and give the settings back."""
        with suppress(termios.error):
            super().stop_application_mode()
