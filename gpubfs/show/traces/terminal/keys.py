"""Single keys from a POSIX terminal, by name, together with what happens to the terminal."""

from __future__ import annotations

import codecs
import os
import re
import select
import sys
import threading
from collections import deque
from contextlib import ExitStack, suppress
from typing import Any

from gpubfs.show.traces.terminal.signals import Signals

try:
    import termios
except ImportError:  # Windows, browsers
    termios = None  # type: ignore[assignment]

#: Seconds after which an escape that nothing follows was the Escape key.
ESCAPE_WAIT = 0.1

UNKNOWN = "unknown"

_ENDINGS = {
    "A": "up",
    "B": "down",
    "C": "right",
    "D": "left",
    "H": "home",
    "F": "end",
    "1~": "home",
    "4~": "end",
    "5~": "page up",
    "6~": "page down",
    "7~": "home",
    "8~": "end",
}

_NAMES = {
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x1b": "escape",
    "\x03": "ctrl-c",
    "\x04": "ctrl-d",
    **{f"\x1b{lead}{ending}": name for lead in "[O" for ending, name in _ENDINGS.items()},
}

#: One key: the Linux console's F1 to F5, a control sequence, a keypad's, one with Alt, a character.
_KEY = re.compile(r"\x1b(?:\[\[.|\[(?!\[)[0-?]*[ -/]*[@-~]|O.|[^\x1b\[O])|[^\x1b]", re.DOTALL)

#: The beginning of a key that more than one character stands for.
_BEGINNING = re.compile(r"\x1b(?:\[\[|\[[0-?]*[ -/]*|O)?")


def can_read_keys() -> bool:
    """Whether single keys can be read from standard input.

    That takes a POSIX terminal, and the main thread, which alone is told of signals.
    """
    here = threading.current_thread() is threading.main_thread()
    try:
        return termios is not None and here and os.isatty(sys.stdin.fileno())
    except (AttributeError, OSError, ValueError):  # there is none, or it is not a file
        return False


class Decoder:
    r"""Names of keys from the bytes that a terminal sends, in whatever pieces they arrive.

    Examples
    --------
    >>> decoder = Decoder()
    >>> decoder.feed(b"n \x1b[")
    ['n', ' ']
    >>> decoder.pending, decoder.feed(b"5~"), decoder.pending
    (True, ['page up'], False)
    """

    def __init__(self) -> None:
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""

    @property
    def pending(self) -> bool:
        """Whether what came last may be the beginning of a key."""
        return bool(self._text)

    def feed(self, data: bytes) -> list[str]:
        """The keys that are whole with these bytes."""
        self._text += self._utf8.decode(data)
        keys = []
        while self._text and not _BEGINNING.fullmatch(self._text):
            key = _KEY.match(self._text)
            sent = key[0] if key else self._text[0]
            self._text = self._text[len(sent) :]
            keys.append(_name(sent))
        return keys

    def flush(self) -> list[str]:
        """What is pending, as the key that it is if nothing follows."""
        sent, self._text = self._text, ""
        return [_name(sent)] if sent else []


def _name(sent: str) -> str:
    return _NAMES.get(sent) or (sent if len(sent) == 1 and sent.isprintable() else UNKNOWN)


class Keys:
    """Keys of a terminal, one at a time, without echo; a context that gives its settings back.

    Parameters
    ----------
    fd : int
        The terminal's file descriptor.
    escape_wait : float
        Seconds in which the rest of a key must follow its first byte.
    """

    def __init__(self, fd: int, escape_wait: float = ESCAPE_WAIT) -> None:
        self._fd = fd
        self._escape_wait = escape_wait
        self._decoder = Decoder()
        self._ready: deque[str] = deque()
        self._signals = Signals()
        self._cleanup = ExitStack()

    def __enter__(self) -> Keys:
        self._settings = termios.tcgetattr(self._fd)
        with ExitStack() as stack:
            stack.enter_context(self._signals)
            stack.callback(self._give_back)
            self.take()
            self._cleanup = stack.pop_all()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._cleanup.close()

    def take(self) -> None:
        """Let keys come one at a time and unseen, now or again."""
        settings = termios.tcgetattr(self._fd)
        settings[3] &= ~(termios.ICANON | termios.ECHO)
        settings[3] |= termios.ISIG
        settings[6][termios.VMIN], settings[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self._fd, termios.TCSADRAIN, settings)

    def _give_back(self) -> None:
        with suppress(termios.error):  # the terminal may be gone
            # Keys that nobody read are not for the shell, which would type them.
            termios.tcsetattr(self._fd, termios.TCSAFLUSH, self._settings)

    def stop(self) -> None:
        """Give the terminal back and stop, as Ctrl-Z does; take it again when continued."""
        self._give_back()
        self._signals.stop()
        self.take()

    def waiting(self) -> bool:
        """Whether a key is there to be read at once."""
        if not self._ready:
            self._receive(0)
        return bool(self._ready)

    def read(self, timeout: float | None = None) -> str:
        """The next key: a printable character as it is, or a name such as ``page down``.

        Other events are RESIZED, SUSPEND (Ctrl-Z) and CONTINUED (after a stop from outside). A
        terminal that is gone gives ``ctrl-d``; `timeout` seconds without a key give "".
        """
        while not self._ready:
            pending = self._decoder.pending
            if self._receive(self._escape_wait if pending else timeout):
                continue
            if not pending:
                return ""
            self._ready.extend(self._decoder.flush())
        return self._ready.popleft()

    def _receive(self, timeout: float | None) -> bool:
        """Wait for bytes and signals; whether any came."""
        ready, _, _ = select.select([self._fd, self._signals.fileno()], [], [], timeout)
        if self._signals.fileno() in ready:
            self._ready.extend(self._signals.read())
        if self._fd in ready:
            data = b""
            with suppress(OSError):  # the terminal may be gone
                data = os.read(self._fd, 1024)
            self._ready.extend(self._decoder.feed(data) if data else ["ctrl-d"])
        return bool(ready)
