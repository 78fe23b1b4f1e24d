"""What a machine is asked to do: a CUDA source, its launches, and arrays with their first values.

A job can be written as one .cu file, whose first line holds everything but the source.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Memory = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Array:
    """A global array; `start` chooses its first values.

    0 means zeros, odd numbers all bits, negative ones small numbers of both signs.
    """

    name: str
    dtype: str
    length: int
    start: int = 0

    def values(self) -> NDArray[Any]:
        """The first values, the same everywhere; of floats, whole numbers up to 1023."""
        if not self.start:
            return np.zeros(self.length, self.dtype)
        mixed = (np.arange(self.length, dtype=np.uint64) + np.uint64(abs(self.start) * 7919)) * _ODD
        mixed = (mixed ^ (mixed >> np.uint64(29))) * _ODD
        mixed ^= mixed >> np.uint64(32)
        if self.start < 0:
            return np.array((0, 1, 2, 5, 100, 1000, -1, -7))[mixed % np.uint64(8)].astype(
                self.dtype
            )
        kind = np.dtype(self.dtype).kind
        if kind == "f" or self.start % 2 == 0:
            mixed &= np.uint64(1023 if kind == "f" else 15)
        return mixed.astype(self.dtype)


_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Launch:
    """One launch; an argument is an array's name or a pair of NumPy's type and a number."""

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    arguments: tuple[Any, ...]
    shared: int = 0


@dataclass(frozen=True)
class Job:
    text: str
    arrays: tuple[Array, ...]
    launches: tuple[Launch, ...]

    def file(self, memory: str = "") -> str:
        """The job as a .cu file, with the digest of the memory that it must leave."""
        rest: dict[str, Any] = {"memory": memory, "arrays": [asdict(a) for a in self.arrays]}
        rest["launches"] = [asdict(one) for one in self.launches]
        return f"// {json.dumps(rest)}\n{self.text}"

    @classmethod
    def of_file(cls, file: str) -> tuple[Job, str]:
        """The job that `file` was written for, and the digest."""
        head, text = file.split("\n", 1)
        rest = json.loads(head.removeprefix("// "))
        launches = [{k: _tuples(v) for k, v in one.items()} for one in rest["launches"]]
        arrays = tuple(Array(**a) for a in rest["arrays"])
        return cls(text, arrays, tuple(Launch(**one) for one in launches)), rest["memory"]

    @property
    def digest(self) -> str:
        """A name for what is to be done."""
        return hashlib.sha256(self.file().encode()).hexdigest()[:16]


def _tuples(value: Any) -> Any:
    return tuple(_tuples(v) for v in value) if isinstance(value, list) else value


def digest(memory: Memory) -> str:
    """A name for the contents of all arrays."""
    mill = hashlib.sha256()
    for name in sorted(memory):
        mill.update(name.encode())
        mill.update(np.ascontiguousarray(memory[name]).tobytes())
    return mill.hexdigest()[:16]


def difference(one: Memory, other: Memory) -> str:
    """Where two memories differ first; empty if nowhere."""
    for name, values in one.items():
        alike = (values == other[name]) | ((values != values) & (other[name] != other[name]))
        unequal = (~alike).nonzero()[0]
        if unequal.size:
            at = int(unequal[0])
            return f"{name}[{at}] is {other[name][at]}, not {values[at]}"
    return ""
