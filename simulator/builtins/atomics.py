"""Atomics, each for all threads, for those of a block, and for those of the whole system."""

from __future__ import annotations

from dataclasses import replace

from simulator.builtins.lowerings import REDUCTION, SUM, Atomic
from simulator.builtins.overloads import ReadModifyWrite
from simulator.ir.types import DOUBLE, FLOAT, HALF, INT, LLONG, UINT, ULLONG, Scalar

_BITS = (INT, UINT, LLONG, ULLONG)


def _atomic(operation: str, on: tuple[Scalar, ...], how: Atomic) -> list[ReadModifyWrite]:
    """Return the rows of an operation: one for each scope."""
    values = "T compare, T value" if how.swaps else "T value"
    return [
        ReadModifyWrite(f"T atomic{operation}{suffix}(T *address, {values})", scoped, on)
        for suffix in ("", "_block", "_system")
        for scoped in [replace(how, scope="block" if suffix == "_block" else "")]
    ]


ROWS = (
    *_atomic(
        "Add",
        (INT, UINT, ULLONG, FLOAT, DOUBLE, HALF),
        Atomic("atomic_add", merges=SUM, neutral_zero=True, draws=True),
    ),
    *_atomic("Sub", (INT, UINT), Atomic("atomic_sub", merges=SUM, neutral_zero=True, draws=True)),
    *_atomic("Exch", (INT, UINT, ULLONG, FLOAT), Atomic("atomic_exch", replaces=True)),
    *_atomic("CAS", (INT, UINT, ULLONG), Atomic("atomic_cas", replaces=True, swaps=True)),
    *_atomic("Min", _BITS, Atomic("atomic_min", merges=REDUCTION)),
    *_atomic("Max", _BITS, Atomic("atomic_max", merges=REDUCTION)),
    *_atomic("And", _BITS, Atomic("atomic_and", merges=REDUCTION)),
    *_atomic("Or", _BITS, Atomic("atomic_or", merges=REDUCTION, neutral_zero=True)),
    *_atomic("Xor", _BITS, Atomic("atomic_xor", merges=REDUCTION, neutral_zero=True)),
    *_atomic("Inc", (UINT,), Atomic("atomic_inc", draws=True)),
    *_atomic("Dec", (UINT,), Atomic("atomic_dec", draws=True)),
)
