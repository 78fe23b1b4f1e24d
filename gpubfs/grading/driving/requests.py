"""What a driver asks of the host: looked at, counted, and only then done by the real one.

A driver leads a search, and kernels do it. So the host reads and writes a few numbers a level and
nothing of the graph, kernels get the graph's own arrays, and levels that the host wrote are none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.errors import UsageError
from gpubfs.host import DeviceArray, DeviceGraph, Host
from simulator.ir.types import Pointer

#: The characters of a name.
MAX_NAME = 80


class RefusedError(UsageError):
    """A request that is not done: what is wrong, and what to do instead."""


@dataclass
class HostArray:
    """An array that the driver has a number for.

    Attributes
    ----------
    name : str
        What it is called.
    array : device array
        The array.
    own : int64 array
        What the host wrote last into each element.
    graph : bool
        Whether it is one of the graph's.
    """

    name: str
    array: DeviceArray
    own: NDArray[np.int64]
    graph: bool = False


@dataclass(frozen=True)
class ArraySlice:
    """An array, or a slice of one."""

    held: HostArray
    start: int
    stop: int

    @property
    def whole(self) -> bool:
        """Whether it is no slice."""
        return self.stop - self.start == len(self.held.own)

    @property
    def array(self) -> DeviceArray:
        """The device array."""
        return self.held.array if self.whole else self.held.array[self.start : self.stop]


def number(value: object, what: str, least: int, most: int) -> int:
    """Return a whole number within limits, or a truth value where 0 and 1 are."""
    if isinstance(value, bool) and least <= 0 and most >= 1:
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        hint = "// divides whole numbers" if isinstance(value, float) else ""
        raise RefusedError(f"{what} is {shown(value)}, and must be a whole number", hint)
    if not least <= value <= most:
        raise RefusedError(f"{what} is {shown(value)}, and must be from {least:,} to {most:,}")
    return value


def shown(value: object) -> str:
    """Return a value in few words."""
    return "an array" if isinstance(value, dict) else f"{value!r:.60}"


def text(value: object, what: str) -> str:
    """Return a short text."""
    if not isinstance(value, str) or not 0 < len(value) <= MAX_NAME or not value.isprintable():
        raise RefusedError(f"{what} is {shown(value)}, and must be a short text")
    return value


def sizes(value: object, what: str) -> tuple[int, ...]:
    """Return blocks or threads along up to three dimensions."""
    given = value if isinstance(value, list) else [value]
    if not 1 <= len(given) <= 3:
        raise RefusedError(f"{what} has {len(given)} dimensions, and must have 1, 2 or 3")
    return tuple(number(size, what, 0, (1 << 31) - 1) for size in given)


def span(dtype: str) -> tuple[int, int]:
    """Return the least and the largest number of a type."""
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


#: How many launches, reads and writes there may be for each level, and besides.
A_LEVEL, BESIDES = 4, 8
#: How many requests of all kinds.
REQUESTS_A_LEVEL, REQUESTS_BESIDES = 32, 128
#: Elements that one read may bring.
MAX_READ = 4
#: Bytes of all arrays, and threads of a launch.
MAX_BYTES, MAX_THREADS = 32 << 20, 1 << 22
TYPES = ("int32", "uint32", "int64")
#: What an array of `own` values holds where the host wrote nothing.
_KERNELS = np.iinfo(np.int64).min


class HostService:
    """Does what a driver asks for.

    Parameters
    ----------
    host : Host
        Who does it, and counts.
    graph : DeviceGraph
        The graph.
    levels : int
        How many levels the search has.
    """

    def __init__(self, host: Host, graph: DeviceGraph, levels: int) -> None:
        self.host = host
        self.levels = levels
        self.vertices = graph.vertices
        self.made = 0
        self.bytes = 0
        self.arrays: dict[int, HostArray] = {}
        self.counts = dict.fromkeys(("launch", "read", "write"), 0)
        self.requests = 0
        self.graph = {
            name: self._keep(name, getattr(graph, name), graph=True)
            for name in ("offsets", "neighbours")
        }

    def respond(self, request: dict[str, Any]) -> object:
        """Return what comes of a request.

        Raises
        ------
        RefusedError
            If it must not be done, or is none.
        UsageError, SimulatorError
            If it goes wrong.
        """
        self.requests += 1
        if self.requests > REQUESTS_BESIDES + REQUESTS_A_LEVEL * self.levels:
            raise RefusedError(f"the host was called {self.requests:,} times", self._turns())
        calls: dict[str, Callable[..., object]] = {
            "empty": self._empty,
            "full": self._full,
            "levels": self._levels,
            "queue": self._queue,
            "free": self._free,
            "swap": self._swap,
            "write": self._write,
            "read": self._reading,
            "level": self._level,
            "launch": self._launch,
        }
        call, args = request.get("call"), request.get("args")
        if not isinstance(call, str) or call not in calls or not isinstance(args, list):
            raise RefusedError("the driver's process sent what is no request")
        try:
            return calls[call](*args)
        except TypeError as error:
            raise RefusedError(f"host.{call} was called with something else: {error}") from None

    def part(self, value: object, what: str) -> ArraySlice:
        """Return the array that a number stands for."""
        if not isinstance(value, dict):
            raise RefusedError(f"{what} is {value!r:.60}, and must be a device array")
        key, start, stop = (value.get(name) for name in ("array", "from", "to"))
        held = self.arrays.get(key) if isinstance(key, int) else None
        if held is None:
            raise RefusedError(f"{what} is no array, or was freed")
        if not isinstance(start, int) or not isinstance(stop, int):
            raise RefusedError(f"{what} is no slice of an array")
        if not 0 <= start <= stop <= held.array.size:
            raise RefusedError(f"{what} goes beyond the end of {held.name}")
        return ArraySlice(held, start, stop)

    def by_the_host(self, levels: HostArray, source: int) -> tuple[int, int] | None:
        """Return a vertex, not the source, whose level the host wrote itself, and that level."""
        found = levels.array.get()
        own = (levels.own == found) & (found >= 0)
        own[source] = False
        if not own.any():
            return None
        vertex = int(np.argmax(own))
        return vertex, int(found[vertex])

    def _keep(self, name: str, array: DeviceArray, graph: bool = False) -> dict[str, object]:
        self.made += 1
        own = np.full(array.size, _KERNELS, np.int64)
        self.arrays[self.made] = HostArray(name, array, own, graph)
        return {"array": self.made, "size": int(array.size), "dtype": array.dtype.name}

    def _new(self, name: object, shape: object, dtype: object) -> tuple[str, int, str]:
        called = text(name, "an array's name")
        size = number(shape, f"the size of {called}", 1, MAX_BYTES)
        if dtype not in TYPES:
            raise RefusedError(f"{called} cannot be of {dtype!r:.20}", f"known: {', '.join(TYPES)}")
        self.bytes += size * np.dtype(str(dtype)).itemsize
        if self.bytes > MAX_BYTES:
            words = f"{called} has {size:,} elements, which is too much for a graph of this size"
            raise RefusedError(words, f"arrays may have {MAX_BYTES >> 20} MiB in all")
        return called, size, str(dtype)

    def _empty(self, name: object, shape: object, dtype: object) -> object:
        new = self._new(name, shape, dtype)
        return self._keep(new[0], self.host.empty(*new))

    def _full(self, name: object, shape: object, value: object, dtype: object) -> object:
        called, size, kind = self._new(name, shape, dtype)
        filled = number(value, f"the value of {called}", *span(kind))
        made = self._keep(called, self.host.full(called, size, filled, kind))
        self.arrays[self.made].own[:] = filled
        return made

    def _levels(self, vertices: object, source: object) -> object:
        _, size, _ = self._new("level", vertices, "int32")
        start = number(source, "the source", 0, size - 1)
        self._count("write")
        made = self._keep("level", self.host.levels(size, start))
        self.arrays[self.made].own[:] = -1
        self.arrays[self.made].own[start] = 0
        return made

    def _queue(self, name: object, capacity: object, *vertices: object) -> object:
        called, size, _ = self._new(name, capacity, "int32")
        if len(vertices) > size:
            raise RefusedError(f"{called} has room for {size:,}, and {len(vertices):,} are given")
        begun = [number(v, f"a vertex of {called}", *span("int32")) for v in vertices]
        self._count("write", len(begun))
        made = self._keep(called, self.host.queue(called, size, *begun))
        self.arrays[self.made].own[: len(begun)] = begun
        return made

    def _free(self, value: object) -> object:
        held = self._whole(value, "what is freed")
        if held.graph:
            raise RefusedError(f"{held.name} is the graph's and cannot be freed")
        self.bytes -= held.array.nbytes
        self.host.free(held.array)
        self.arrays = {key: one for key, one in self.arrays.items() if one is not held}
        return None

    def _swap(self, first: object, second: object) -> object:
        one, other = (self._whole(value, "what is swapped") for value in (first, second))
        if one.graph or other.graph:
            raise RefusedError("the graph's arrays cannot be swapped")
        self.host.swap(one.array, other.array)
        one.name, other.name = other.name, one.name
        return None

    def _write(self, value: object, wanted: object) -> object:
        part = self.part(value, "what is written")
        if part.held.graph:
            raise RefusedError(f"{part.held.name} is the graph's: the host may not write it")
        limits = span(part.held.array.dtype.name)
        written = number(wanted, f"the value written to {part.held.name}", *limits)
        self._count("write")
        self.host.write(part.array, written)
        part.held.own[part.start : part.stop] = written
        return None

    def _reading(self, value: object) -> object:
        part = self.part(value, "what is read")
        name, size = part.held.name, part.stop - part.start
        if part.held.graph:
            words = f"the host may not read {name}: only kernels look at the graph"
            raise RefusedError(words, "read a number that a kernel has written")
        if not size:
            raise RefusedError(f"nothing is read: the slice of {name} has no elements")
        if size > MAX_READ:
            words = f"the host may read single numbers, not arrays: {name} has {size:,} elements"
            raise RefusedError(words, f"slice it, as {name}[i : i + 1], or let a kernel look at it")
        self._count("read")
        return self.host.read(part.array).tolist()

    def _level(self, depth: object, frontier: object) -> object:
        now = number(depth, "the level's depth", 0, 1 << 31)
        size = None if frontier is None else number(frontier, "the frontier's size", 0, 1 << 31)
        try:
            self.host.level(now, size)
        except UsageError as error:
            raise RefusedError(error.message, self._turns()) from None
        return None

    def _launch(
        self, kernel: object, grid: object, block: object, given: object, shared: object
    ) -> object:
        name = text(kernel, "a kernel's name")
        self._count("launch")
        blocks, threads = sizes(grid, f"{name}'s grid"), sizes(block, f"{name}'s block")
        all_threads = int(np.prod([*blocks, *threads], dtype=object))
        if all_threads > MAX_THREADS:
            words = f"{name} is launched with {all_threads:,} threads"
            raise RefusedError(words, f"the graph has {self.vertices:,} vertices")
        if not isinstance(given, list):
            raise RefusedError(f"the arguments of {name} are no tuple")
        args = [self._argument(name, at, value) for at, value in enumerate(given)]
        memory = number(shared, "shared_mem", 0, 1 << 20)
        self._check_pointers(name, args)
        values = [arg.array if isinstance(arg, ArraySlice) else arg for arg in args]
        self.host.launch(name, blocks, threads, values, shared_mem=memory)
        return None

    def _argument(self, kernel: str, at: int, value: object) -> ArraySlice | int:
        what = f"argument {at + 1} of {kernel}"
        if isinstance(value, dict):
            return self.part(value, what)
        return number(value, what, *span("int32"))

    def _check_pointers(self, kernel: str, args: Sequence[ArraySlice | int]) -> None:
        """Refuse a launch with a number for an array, or something else for the graph."""
        parameters = self.host.kernel(kernel).function.parameters
        names = [symbol.name for symbol in parameters]
        for symbol, arg in zip(parameters, args, strict=False):
            name = symbol.name
            if isinstance(symbol.type, Pointer) and not isinstance(arg, ArraySlice):
                words = f"the parameter {name} of {kernel} is given {arg}, and takes an array"
                raise RefusedError(words, f"the order is {', '.join(names)}")
            right = (
                isinstance(arg, ArraySlice)
                and arg.held.graph
                and arg.held.name == name
                and arg.whole
            )
            if name in self.graph and not right:
                got = arg.held.name if isinstance(arg, ArraySlice) else arg
                words = f"the parameter {name} of {kernel} is given {got}"
                raise RefusedError(words, f"it takes graph.{name}; the order is {', '.join(names)}")

    def _whole(self, value: object, what: str) -> HostArray:
        part = self.part(value, what)
        if not part.whole:
            raise RefusedError(f"{what} is a slice of {part.held.name}, and must be all of it")
        return part.held

    def _count(self, what: str, times: int = 1) -> None:
        self.counts[what] += times
        most = BESIDES + A_LEVEL * self.levels
        if self.counts[what] > most:
            many = {"launch": "launches", "read": "reads", "write": "writes"}[what]
            raise RefusedError(f"there are more than {most:,} {many} by the host", self._turns())

    def _turns(self) -> str:
        plural = "" if self.levels == 1 else "s"
        return f"the search has {self.levels:,} level{plural}: when does the loop end?"
