"""What a driver sees in its own process: the names of `gpubfs.host`, behind which are requests.

Arrays are handles: what they hold is in device memory, which another process has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import eq, ge, gt, le, lt, ne
from typing import Any, NoReturn

#: Sends a request, and gives what comes back.
Ask = Callable[..., Any]
#: Compares two numbers.
Compare = Callable[[Any, Any], Any]


def _comparison(compare: Compare) -> Any:
    """Return the method that compares each element with a number, or with the one in its place."""

    def method(self: Values, other: object) -> Any:
        if isinstance(other, list | tuple) and len(other) == len(self):
            return Values(map(compare, self, list(other)))
        if isinstance(other, int | float):
            return Values(compare(one, other) for one in self)
        return NotImplemented

    return method


class Values(list[Any]):
    """Some elements of device memory: a list that behaves as the NumPy array of a real host.

    A driver's process has no NumPy. A list of one 0 would be true and unlike 0, and a loop that
    asks it whether to go on would go on for ever.

    Of one element, the truth value and the whole number are the element's own; a comparison with a
    number is one of each element.

    Examples
    --------
    >>> none = Values([0])
    >>> bool(none), bool(none == 0), int(none), none.item(), none.any()
    (False, True, 0, 0, False)
    >>> Values([1, 2, 0]) > 0
    [True, True, False]
    """

    @property
    def size(self) -> int:
        """How many elements there are."""
        return len(self)

    @property
    def shape(self) -> tuple[int]:
        """Their number, as NumPy says it."""
        return (len(self),)

    @property
    def flat(self) -> Values:
        """The elements."""
        return self

    def item(self, index: int | None = None) -> Any:
        """Return the only element, or that at an index."""
        return self._only("item") if index is None else self[index]

    def tolist(self) -> list[Any]:
        """Return the elements in a plain list."""
        return list(self)

    def any(self) -> bool:
        """Return whether any element is not 0."""
        return any(self)

    def all(self) -> bool:
        """Return whether no element is 0."""
        return all(self)

    def sum(self) -> Any:
        """Return what the elements add up to."""
        return sum(self)

    def max(self) -> Any:
        """Return the largest element."""
        return max(self)

    def min(self) -> Any:
        """Return the smallest element."""
        return min(self)

    def _only(self, what: str) -> Any:
        if len(self) != 1:
            raise ValueError(f"{what} of {len(self)} elements is not one: say which one, as [0]")
        return self[0]

    def __bool__(self) -> bool:
        return bool(self._only("the truth value"))

    def __int__(self) -> int:
        return int(self._only("the number"))

    __index__ = __int__

    def __float__(self) -> float:
        return float(self._only("the number"))

    __eq__ = _comparison(eq)
    __ne__ = _comparison(ne)
    __lt__ = _comparison(lt)
    __le__ = _comparison(le)
    __gt__ = _comparison(gt)
    __ge__ = _comparison(ge)


class Array:
    """An array in device memory, or a slice of one."""

    def __init__(self, made: dict[str, Any], name: str) -> None:
        self.name = name
        self.dtype: str = made["dtype"]
        self._number: int = made["array"]
        self._from, self._to = 0, int(made["size"])

    @property
    def size(self) -> int:
        """How many elements it has."""
        return self._to - self._from

    @property
    def shape(self) -> tuple[int]:
        """Its size, as NumPy says it."""
        return (self.size,)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, key: object) -> Array:
        if not isinstance(key, slice):
            raise TypeError(
                f"{self.name} is in device memory: host.read_int({self.name}[i : i + 1]) reads "
                "element i"
            )
        start, stop, step = key.indices(self.size)
        if step != 1:
            raise ValueError("slices of device arrays have a step of 1")
        part = object.__new__(Array)
        part.name, part.dtype, part._number = self.name, self.dtype, self._number
        part._from, part._to = self._from + start, self._from + max(start, stop)
        return part

    def __setitem__(self, key: object, value: object) -> NoReturn:
        raise TypeError(
            f"{self.name} is in device memory: host.write({self.name}[i : i + 1], value) writes "
            "element i"
        )

    def __iter__(self) -> NoReturn:
        raise TypeError(f"{self.name} is in device memory: the host cannot go through it")

    def __bool__(self) -> NoReturn:
        raise TypeError(f"{self.name} is in device memory: host.read_int({self.name}) reads it")

    __int__ = __index__ = __bool__

    def __repr__(self) -> str:
        return f"<device array {self.name}, {self.size} × {self.dtype}>"


class DeviceGraph:
    """A graph in device memory: its arrays, and how large it is."""

    def __init__(self, offsets: Array, neighbours: Array, vertices: int, edges: int) -> None:
        self.offsets, self.neighbours = offsets, neighbours
        self.vertices, self.edges = vertices, edges


class SearchResult:
    """What a driver returns."""

    def __init__(self, levels: Array, parents: Array | None = None) -> None:
        self.levels, self.parents = levels, parents


class Host:
    """The host side of a run: whatever it needs, it asks for."""

    def __init__(self, ask: Ask, warp_size: int, multiprocessors: int) -> None:
        self._ask = ask
        self.warp_size, self.multiprocessors = warp_size, multiprocessors

    def array(self, name: str, values: object) -> NoReturn:
        """Not here: values come from kernels."""
        raise TypeError(
            "host.array is not there for this exercise: host.full and host.empty make arrays, and "
            "kernels fill them"
        )

    def empty(self, name: str, shape: int, dtype: str = "int32") -> Array:
        """Return a device array that nothing has written yet."""
        return Array(self._ask("empty", name, shape, dtype), name)

    def full(self, name: str, shape: int, value: int, dtype: str = "int32") -> Array:
        """Return a device array, all of whose elements are `value`."""
        return Array(self._ask("full", name, shape, value, dtype), name)

    def levels(self, vertices: int, source: int) -> Array:
        """Return the array `level`: -1 everywhere, 0 at the source."""
        return Array(self._ask("levels", vertices, source), "level")

    def queue(self, name: str, capacity: int, *vertices: int) -> Array:
        """Return a queue that begins with `vertices`."""
        return Array(self._ask("queue", name, capacity, *vertices), name)

    def free(self, array: Array) -> None:
        """Give an array back."""
        self._ask("free", array)

    def swap(self, first: Array, second: Array) -> tuple[Array, Array]:
        """Return the two arrays in the other order and under each other's name."""
        self._ask("swap", first, second)
        first.name, second.name = second.name, first.name
        return second, first

    def write(self, array: Array, value: int) -> None:
        """Set every element of an array, or of a slice of one."""
        self._ask("write", array, value)

    def read(self, array: Array) -> Values:
        """Return a few elements on the host, which waits for them."""
        return Values(self._ask("read", array))

    def read_int(self, array: Array) -> int:
        """Return the first element, which the host waits for."""
        value: int = self.read(array)[0]
        return value

    def blocks(self, threads: int, block: int) -> int:
        """Return how many blocks of `block` threads give at least `threads` threads."""
        return -(-threads // block)

    def level(self, depth: int, frontier: int | None = None) -> None:
        """Say that the launches from here on expand level `depth`."""
        self._ask("level", depth, frontier)

    def launch(
        self, kernel: str, grid: object, block: object, args: Iterable[Any], *, shared_mem: int = 0
    ) -> None:
        """Launch a kernel."""
        self._ask("launch", kernel, grid, block, tuple(args), shared_mem)


def sent(value: object) -> object:
    """Return the value as JSON can have it: arrays by their numbers."""
    if isinstance(value, Array):
        return {"array": value._number, "from": value._from, "to": value._to}
    if isinstance(value, list | tuple):
        return [sent(part) for part in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"a {type(value).__name__} cannot be handed to the host: {value!r:.60}")
