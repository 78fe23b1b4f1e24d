"""What a driver asks of the host: looked at, counted, and only then done by the real one.

A driver leads a search, and kernels do it. So the host reads and writes a few numbers a level and
nothing of the graph, kernels get the graph's own arrays, and levels that the host wrote are none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpubfs.errors import UsageError
from gpubfs.grading.driving.requests import Held, Part, RefusedError, number, sizes, span, text
from gpubfs.host import DeviceArray, DeviceGraph, Host
from simulator.ir.types import Pointer

#: How many launches, reads and writes there may be for each level, and besides.
A_LEVEL, BESIDES = 4, 8
#: How many requests of all kinds.
REQUESTS_A_LEVEL, REQUESTS_BESIDES = 32, 128
#: Elements that one read may bring.
MOST_READ = 4
#: Bytes of all arrays, and threads of a launch.
MOST_BYTES, MOST_THREADS = 32 << 20, 1 << 22
TYPES = ("int32", "uint32", "int64")
#: What an array of `own` values holds where the host wrote nothing.
_KERNELS = np.iinfo(np.int64).min


class Served:
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
        self.arrays: dict[int, Held] = {}
        self.counts = dict.fromkeys(("launch", "read", "write"), 0)
        self.requests = 0
        self.graph = {
            name: self._keep(name, getattr(graph, name), graph=True)
            for name in ("offsets", "neighbours")
        }

    def answer(self, request: dict[str, Any]) -> object:
        """What comes of a request.

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

    def part(self, value: object, what: str) -> Part:
        """The array that a number stands for."""
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
        return Part(held, start, stop)

    def by_the_host(self, levels: Held, source: int) -> tuple[int, int] | None:
        """A vertex other than the source whose level the host wrote itself, and that level."""
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
        self.arrays[self.made] = Held(name, array, own, graph)
        return {"array": self.made, "size": int(array.size), "dtype": array.dtype.name}

    def _new(self, name: object, shape: object, dtype: object) -> tuple[str, int, str]:
        called = text(name, "an array's name")
        size = number(shape, f"the size of {called}", 1, MOST_BYTES)
        if dtype not in TYPES:
            raise RefusedError(f"{called} cannot be of {dtype!r:.20}", f"known: {', '.join(TYPES)}")
        self.bytes += size * np.dtype(str(dtype)).itemsize
        if self.bytes > MOST_BYTES:
            words = f"{called} has {size:,} elements, which is too much for a graph of this size"
            raise RefusedError(words, f"arrays may have {MOST_BYTES >> 20} MiB in all")
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
        if size > MOST_READ:
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
        if all_threads > MOST_THREADS:
            words = f"{name} is launched with {all_threads:,} threads"
            raise RefusedError(words, f"the graph has {self.vertices:,} vertices")
        if not isinstance(given, list):
            raise RefusedError(f"the arguments of {name} are no tuple")
        args = [self._argument(name, at, value) for at, value in enumerate(given)]
        memory = number(shared, "shared_mem", 0, 1 << 20)
        self._check_pointers(name, args)
        values = [arg.array if isinstance(arg, Part) else arg for arg in args]
        self.host.launch(name, blocks, threads, values, shared_mem=memory)
        return None

    def _argument(self, kernel: str, at: int, value: object) -> Part | int:
        what = f"argument {at + 1} of {kernel}"
        if isinstance(value, dict):
            return self.part(value, what)
        return number(value, what, *span("int32"))

    def _check_pointers(self, kernel: str, args: Sequence[Part | int]) -> None:
        """Refuse a launch with a number for an array, or something else for the graph."""
        parameters = self.host.kernel(kernel).function.parameters
        names = [symbol.name for symbol in parameters]
        for symbol, arg in zip(parameters, args, strict=False):
            name = symbol.name
            if isinstance(symbol.type, Pointer) and not isinstance(arg, Part):
                words = f"the parameter {name} of {kernel} is given {arg}, and takes an array"
                raise RefusedError(words, f"the order is {', '.join(names)}")
            right = isinstance(arg, Part) and arg.held.graph and arg.held.name == name and arg.whole
            if name in self.graph and not right:
                got = arg.held.name if isinstance(arg, Part) else arg
                words = f"the parameter {name} of {kernel} is given {got}"
                raise RefusedError(words, f"it takes graph.{name}; the order is {', '.join(names)}")

    def _whole(self, value: object, what: str) -> Held:
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
