"""Limits on what is handed in, and on the process that grades it: memory, who may look into it."""

from __future__ import annotations

import ctypes
import sys

#: The most bytes that are read of what is handed in.
MOST_BYTES = 1 << 20
#: MiB of address space that the simulator's arena takes, of which it touches little.
RESERVED = 2048
#: Linux: the number of the call that makes a process private, and of what it sets.
_SET_DUMPABLE = 4


def limit_memory(mebibytes: float) -> None:
    """Let the process take so much more memory than it has now, where the system can do that."""
    try:
        import resource
    except ImportError:  # Windows: whoever started it watches the clock only
        return
    most = _address_space() + int((RESERVED + mebibytes) * (1 << 20))
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (most if hard < 0 else min(most, hard), hard))


def _address_space() -> int:
    """Bytes of address space that the process has."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            import resource

            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 4 << 30


def keep_to_oneself() -> None:
    """Let no other process of the same user read this one's memory and environment, on Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)
