"""What a driver's process may still do when it runs a submission: hardly anything.

On Linux (x86-64 and ARM) a filter leaves the process the system calls that reading and writing open
pipes, memory and the clock need; all others fail with "Operation not permitted". So it opens no
file, not even to read it, makes no process and no thread, looks into no other one, and reaches no
network, whoever runs it. Elsewhere, and where the system does not let itself be asked for filters,
there are only the limits on time, memory, files and processes that POSIX knows.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys
from collections.abc import Iterator
from functools import cache

if sys.platform != "win32":
    import resource  # now: later there is no way to it

#: System calls that are left, by name, with their numbers on x86-64 and on ARM.
CALLS = {
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "fstat": (5, 80),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "nanosleep": (35, 101),
    "getpid": (39, 172),
    "exit": (60, 93),
    "gettimeofday": (96, 169),
    "getrusage": (98, 165),
    "times": (100, 153),
    "sigaltstack": (131, 132),
    "gettid": (186, 178),
    "futex": (202, 98),
    "restart_syscall": (219, 128),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "exit_group": (231, 94),
    "getrandom": (318, 278),
}
#: What the kernel calls a machine, and which column of CALLS is its own.
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}

# Linux: options of prctl, and what a filter is made of (linux/prctl.h, seccomp.h, bpf_common.h).
_SET_DEATH_SIGNAL, _SET_DUMPABLE, _SET_SECCOMP, _SET_NO_NEW_PRIVILEGES = 1, 4, 22, 38
_FILTER = 2
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_NUMBER, _ARCHITECTURE = 0, 4
_KILL, _NOT_PERMITTED, _ALLOW = 0x80000000, 0x00050001, 0x7FFF0000


def confine(seconds: float, mebibytes: float) -> bool:
    """Limit this process for good; whether all but the listed system calls are out of reach."""
    _limit(seconds, mebibytes)
    if sys.platform != "linux":
        return False
    system = _system()
    system.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if system.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return False
    return _filtered(system)


@cache
def _system() -> ctypes.CDLL:
    """Return the functions of the C library, which takes longer than to call them."""
    return ctypes.CDLL(None)


def deny_inspection() -> None:
    """Let no other process of the same user look into this one or its copies, on Linux."""
    _system().prctl(_SET_DUMPABLE, 0, 0, 0, 0)


def die_with(parent: int) -> None:
    """Have this process, a copy of `parent`, end as soon as that has ended, on Linux."""
    _system().prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)  # it ended before


def _limit(seconds: float, mebibytes: float) -> None:
    if sys.platform == "win32":
        return
    most = {
        "RLIMIT_CPU": int(seconds) + 1,
        "RLIMIT_AS": int(mebibytes) << 20,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_CORE": 0,
        "RLIMIT_NPROC": 0,
    }
    for name, value in most.items():
        try:
            resource.setrlimit(getattr(resource, name), (value, value))
        except (AttributeError, OSError, ValueError):
            continue  # not known here, or below what the system allows: the others still hold


def _filtered(system: ctypes.CDLL) -> bool:
    machine = MACHINES.get(os.uname().machine)
    if machine is None:
        return False
    program = b"".join(_program(*machine))
    held = ctypes.create_string_buffer(program)

    class Filter(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("program", ctypes.c_void_p))

    made = Filter(len(program) // 8, ctypes.addressof(held))
    return not system.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(made), 0, 0)


def _program(architecture: int, column: int) -> Iterator[bytes]:
    """Yield the filter: for each system call that is left, a jump over the return behind it."""
    yield _step(_LOAD, _ARCHITECTURE)
    yield _step(_JUMP_IF_EQUAL, architecture, 1, 0)
    yield _step(_RETURN, _KILL)
    yield _step(_LOAD, _NUMBER)
    for numbers in CALLS.values():
        yield _step(_JUMP_IF_EQUAL, numbers[column], 0, 1)
        yield _step(_RETURN, _ALLOW)
    yield _step(_RETURN, _NOT_PERMITTED)


def _step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("HBBI", code, then, otherwise, value)
