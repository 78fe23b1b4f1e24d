"""Barriers in memory: the functions of `cuda_awbarrier_primitives.h`, and what libcu++'s are of."""

from __future__ import annotations

from dataclasses import replace

from simulator.builtins.lowerings import MemoryBarrier
from simulator.builtins.row import Row

HEADER = "cuda_awbarrier_primitives.h"

_INIT = MemoryBarrier("init_shared", "store")
_SCOPED_INIT = MemoryBarrier("init", "store", scoped=True)
_ARRIVE = MemoryBarrier("arrive", "atomic", phases=True)
_DROP = MemoryBarrier("drop", "atomic", phases=True)
_TEST = MemoryBarrier("passed", "load", tests=True)
_TEST_PARITY = MemoryBarrier("passed_parity", "load", tests=True)
_TOKEN = "const unsigned long *barrier, unsigned long token"
_PARITY = "const unsigned long *barrier, bool parity"

#: The functions of the header, of which a barrier is `unsigned long`, then those of libcu++'s own.
ROWS = tuple(
    Row(signature, how, header=HEADER)
    for signature, how in (
        ("void __mbarrier_init(unsigned long *barrier, unsigned expected)", _INIT),
        (
            "void __mbarrier_inval(unsigned long *barrier)",
            MemoryBarrier("invalidate", "store"),
        ),
        ("unsigned long __mbarrier_arrive(unsigned long *barrier)", _ARRIVE),
        ("unsigned long __mbarrier_arrive_and_drop(unsigned long *barrier)", _DROP),
        (f"bool __mbarrier_test_wait({_TOKEN})", _TEST),
        (f"bool __mbarrier_try_wait({_TOKEN}, unsigned nanoseconds = 0)", _TEST),
        (f"bool __mbarrier_test_wait_parity({_PARITY})", _TEST_PARITY),
        (f"bool __mbarrier_try_wait_parity({_PARITY}, unsigned nanoseconds = 0)", _TEST_PARITY),
        ("void __mbarrier_make(unsigned long *barrier, long expected, int scope)", _SCOPED_INIT),
        (
            "unsigned long __mbarrier_arrive_times(unsigned long *barrier, long update, int scope)",
            replace(_ARRIVE, scoped=True),
        ),
        (
            "unsigned long __mbarrier_drop(unsigned long *barrier, int scope)",
            replace(_DROP, scoped=True),
        ),
        (
            "void __mbarrier_take_copies(unsigned long *barrier, int scope)",
            MemoryBarrier("take_copies", "load", scoped=True),
        ),
        (
            f"void __mbarrier_wait({_TOKEN}, int scope)",
            MemoryBarrier("wait", "load", blocks=True, scoped=True),
        ),
        (
            f"void __mbarrier_wait_parity({_PARITY}, int scope)",
            MemoryBarrier("wait_parity", "load", blocks=True, scoped=True),
        ),
    )
)
