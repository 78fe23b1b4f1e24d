"""When a file has been saved: it is another one than before, and nobody is writing it any more."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

#: Seconds for which a file must have stayed as it is: editors write in pieces, and by renaming.
QUIET = 0.3

#: What tells one state of a file from another: when it was changed, its size, and which file it is.
State = tuple[int, int, int]


class Saves:
    """Tells of a file whenever it has been saved.

    It looks at the file's time, size and number, which works on all systems and for all editors. A
    file that is not there is none that was saved, and neither is an empty one: some editors empty
    it before they write.

    Parameters
    ----------
    path : Path
        The file.
    clock : callable, optional
        Says how late it is, in seconds.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self._clock = clock
        self._known = self._seen = _state(path)
        self._since = clock()

    def look(self) -> bool:
        """Return whether it has been saved since that was said last; to be called often."""
        now, state = self._clock(), _state(self.path)
        if state != self._seen:
            self._seen, self._since = state, now
        if state is None or state == self._known or now - self._since < QUIET:
            return False
        self._known = state
        return True


def _state(path: Path) -> State | None:
    """Return the state of a file; None if it is not there, or empty."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino) if found.st_size else None
