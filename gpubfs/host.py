"""What a driver sees of the machine it runs on: arrays, launches, reads, all of them counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.errors import UsageError
from gpubfs.graphs import Graph
from gpubfs.graphs.build import count
from gpubfs.kernels import KERNELS
from gpubfs.machines import Machine, Stopwatch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.observe.counters import Counters, Site

DeviceArray = Any
Size = int | tuple[int, ...]
Progress = Callable[[int, int | None, int | None], None]

#: What a driver says of a level beyond its size, such as the way in which it is expanded.
Fact = int | float | str | None
Facts = Mapping[int, Mapping[str, Fact]]

#: CUDA's name for each type that positions in `neighbours` may have.
OFFSET_TYPES = {"int32": "int", "int64": "long long"}

#: What to look at where a search does not end.
ENDLESS_LEVELS = (
    "the kernel keeps reporting a next frontier: look at when it reports one, and at how it claims "
    "vertices"
)


@dataclass(frozen=True)
class DeviceGraph:
    """A graph in device memory: CSR arrays as `csr.cuh` describes them.

    `directed` says whether an edge may be stored without its reverse.
    """

    offsets: DeviceArray
    neighbours: DeviceArray
    vertices: int
    edges: int
    directed: bool = False

    def positions(self, host: Host, vertex: int) -> int:
        """Read over how many positions threads are spread that share a vertex: its edges.

        Parameters
        ----------
        host : Host
            Which waits for it.
        vertex : int
            The vertex.

        Returns
        -------
        int
            As `EDGES_LENGTH` in `csr.cuh`.
        """
        begin, end = host.read(self.offsets[vertex : vertex + 2]).tolist()
        return int(end - begin)


@dataclass(frozen=True)
class SearchResult:
    """What a driver returns: device arrays of V int32 each, -1 where not reached."""

    levels: DeviceArray
    parents: DeviceArray | None = None


@dataclass(frozen=True)
class Launch:
    """One launch: where in the search it happened and what it cost.

    Attributes
    ----------
    kernel : str
        The kernel's name.
    depth : int
        The level that was being expanded, 0 for the source's own.
    frontier : int or None
        How many vertices that level had, where the driver knows it.
    grid, block : tuple of int
        Blocks and threads per block.
    seconds : float or None
        Its time; None if launches were not recorded.
    counters, sites
        The simulator's counters, in total and per line of the source; None where not counted.
    """

    kernel: str
    depth: int
    frontier: int | None
    grid: tuple[int, ...]
    block: tuple[int, ...]
    seconds: float | None
    counters: Counters | None = None
    sites: list[Site] | None = None


class Host:
    """The host side of one run: it allocates, launches and reads on some machine.

    Parameters
    ----------
    machine : Machine
        The machine, already entered.
    kernel : Path
        The CUDA file.
    defines : mapping
        Macros for it.
    cooperative : bool
        Whether its kernels are launched cooperatively, so that a whole grid can wait.
    record : bool
        Whether to time every launch by itself, which costs a little time.
    progress : callable, optional
        Called as ``progress(depth, frontier, vertices)`` at each level.
    headers : Path or tuple of Path
        Where headers are, besides the file's own folder.

    Attributes
    ----------
    host_reads : int
        How often the host waited for a value from the device.
    allocations : int
        How often device memory was allocated.
    host_writes : int
        How often values were copied to the device.
    bytes_by_name : dict of str to int
        Device memory allocated under each name.
    bytes_peak : int
        The most that was allocated at one time.
    facts : dict of int to mapping
        What the driver said of each level, where it said something.
    """

    def __init__(
        self,
        machine: Machine,
        kernel: Path,
        defines: Mapping[str, str],
        *,
        cooperative: bool = False,
        record: bool = True,
        progress: Progress | None = None,
        headers: Path | tuple[Path, ...] = KERNELS,
    ) -> None:
        self.host_reads = 0
        self.host_writes = 0
        self.allocations = 0
        self.launches = 0
        self.bytes_by_name: dict[str, int] = {}
        self.bytes_peak = 0
        self.facts: dict[int, Mapping[str, Fact]] = {}
        self._told: list[Callable[[], Facts]] = []
        self._closed: tuple[str, str] | None = None
        self._open_machine = machine
        others = (headers,) if isinstance(headers, Path) else headers
        folders = dict.fromkeys((kernel.parent, *others))
        options = [f"-I{folder}" for folder in folders]
        options += [f"-D{name}={value}" for name, value in defines.items()]
        self._module = machine.module(kernel, tuple(options), cooperative)
        self._kernels: dict[str, Any] = {}
        self._shared: dict[str, int] = {}
        self._names: dict[int, tuple[str, DeviceArray]] = {}
        self._bytes_now = 0
        self._record = record
        self._progress = progress
        self._clock: Stopwatch | None = None
        self._before: Stopwatch | None = None
        self._depth = 0
        self._deepest: int | None = None
        self._frontier: int | None = None
        self._recorded: list[tuple[Launch, Stopwatch | None]] = []

    @property
    def machine(self) -> Machine:
        """The machine, for what is no launch, such as another host beside this one."""
        return self._machine

    @property
    def _machine(self) -> Machine:
        self.check_open()
        return self._open_machine

    def close(self, message: str, hint: str) -> None:
        """Refuse from now on whatever needs the machine.

        Parameters
        ----------
        message, hint : str
            Why, and what to do instead; if it is closed already, the first ones stay.
        """
        self._closed = self._closed or (message, hint)

    def check_open(self) -> None:
        """Raise UsageError if it was closed."""
        if self._closed:
            raise UsageError(*self._closed)

    @property
    def warp_size(self) -> int:
        """Lanes of a warp."""
        return self._machine.warp_size

    @property
    def uncounted(self) -> frozenset[str]:
        """The counters that the machine does not count although it counts others."""
        return self._machine.uncounted

    @property
    def multiprocessors(self) -> int:
        """Streaming multiprocessors of the GPU."""
        return self._machine.multiprocessors

    @property
    def resident_threads(self) -> int:
        """Threads that the whole GPU holds at one time, at full occupancy."""
        return self._machine.resident_threads

    @property
    def block_shared(self) -> int:
        """Bytes of shared memory that a block may have."""
        return self._machine.block_shared

    @property
    def cluster_blocks(self) -> int:
        """Blocks of a cluster at most; 0 if there are no clusters."""
        return self._machine.cluster_blocks

    def resident_blocks(self, block: int, *kernels: str, shared_mem: int = 0) -> int:
        """Return how many blocks of each of these kernels run at the same time.

        Multiprocessors times occupancy: a cooperative launch cannot have more.

        Parameters
        ----------
        block : int
            Threads per block.
        *kernels : str
            Kernels of the technique's file; of several, the least number counts.
        shared_mem : int
            Bytes of dynamic shared memory.

        Returns
        -------
        int
            Blocks of the whole GPU.
        """
        size = block, shared_mem
        return min(self._machine.resident_blocks(self._module, name, *size) for name in kernels)

    def waiting_blocks(self, blocks: int, block: int, *kernels: str, shared_mem: int = 0) -> int:
        """Return how many blocks to launch of kernels whose blocks wait for each other.

        Parameters
        ----------
        blocks : int
            As many as were chosen; 0 is all that run at the same time.
        block : int
            Threads per block.
        *kernels : str
            Kernels of the technique's file.
        shared_mem : int
            Bytes of dynamic shared memory.

        Returns
        -------
        int
            Blocks of the whole GPU.

        Raises
        ------
        UsageError
            If they do not run at the same time, so that they would wait for ever.
        """
        resident = self.resident_blocks(block, *kernels, shared_mem=shared_mem)
        if blocks > resident:
            raise UsageError(
                f"{blocks:,} blocks of {block:,} threads do not run at the same time here, and "
                "wait for each other",
                f"give blocks={resident} or less, or smaller blocks",
            )
        return blocks or resident

    def array(self, name: str, values: NDArray[Any]) -> DeviceArray:
        """Copy host values to the device.

        Parameters
        ----------
        name : str
            What it is called in counters, traces and messages.
        values : array
            Host values of any shape and dtype.

        Returns
        -------
        device array
            Of the same shape and dtype.
        """
        self.host_writes += 1
        return self._named(name, self._machine.asarray(values))

    def allocate(self, name: str, sizes: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Allocate memory of each size by itself, as cudaMalloc does, until there is none left.

        Parameters
        ----------
        name : str
            What each of them is called in counters and messages.
        sizes : int64 array
            Bytes, each at least 1.

        Returns
        -------
        uint64 array
            Addresses, of no more than `sizes`; kernels get them in arrays.
        """
        addresses = self._machine.allocate(sizes.tolist(), name)
        self.allocations += len(addresses)
        self._grown(name, int(sizes[: len(addresses)].sum()))
        return np.array(addresses, np.uint64)

    def release(self, addresses: NDArray[np.uint64], nbytes: int) -> None:
        """Give memory back that `allocate` gave.

        Parameters
        ----------
        addresses : uint64 array
            Where it is.
        nbytes : int
            How much it is together.
        """
        self._machine.release(addresses.tolist())
        self._bytes_now -= nbytes

    def empty(self, name: str, shape: int, dtype: str = "int32") -> DeviceArray:
        """Allocate a device array of `shape` elements that nothing has written yet.

        Parameters
        ----------
        name : str
            What it is called in counters, traces and messages.
        shape : int
            Elements.
        dtype : str
            NumPy's name of their type.

        Returns
        -------
        device array
            Of shape (shape,).
        """
        return self._named(name, self._machine.empty(shape, dtype))

    def full(self, name: str, shape: int, value: int, dtype: str = "int32") -> DeviceArray:
        """Allocate a device array of `shape` elements, all of them `value`.

        Parameters
        ----------
        name : str
            What it is called in counters, traces and messages.
        shape : int
            Elements.
        value : int
            What each of them is.
        dtype : str
            NumPy's name of their type.

        Returns
        -------
        device array
            Of shape (shape,).
        """
        return self._named(name, self._machine.full(shape, value, dtype))

    def levels(self, vertices: int, source: int) -> DeviceArray:
        """Allocate the array `level`: -1 everywhere, 0 at the source.

        Parameters
        ----------
        vertices : int
            V, the vertices of the graph.
        source : int
            Where the search begins.

        Returns
        -------
        int32 device array of shape (V,)
            Distances.
        """
        level = self.full("level", vertices, -1)
        self.write(level[source : source + 1], 0)
        return level

    def queue(self, name: str, capacity: int, *vertices: int) -> DeviceArray:
        """Allocate a queue of `capacity` vertices that begins with `vertices`.

        Parameters
        ----------
        name : str
            What it is called in counters, traces and messages.
        capacity : int
            The most vertices that it holds.
        *vertices : int
            Those that are in it at once.

        Returns
        -------
        int32 device array of shape (capacity,)
            The queue; how many are in it, the driver keeps.
        """
        queue = self.empty(name, capacity)
        for position, vertex in enumerate(vertices):
            self.write(queue[position : position + 1], vertex)
        return queue

    def upload(self, graph: Graph) -> DeviceGraph:
        """Copy the graph to the device, under the names `offsets` and `neighbours`.

        Parameters
        ----------
        graph : Graph
            With V vertices and E stored edges.

        Returns
        -------
        DeviceGraph
            Its two arrays, of V + 1 and of E elements.
        """
        offsets = self.array("offsets", graph.offsets)
        neighbours = self.array("neighbours", graph.neighbours)
        arrays = offsets, neighbours
        return self.adopt(DeviceGraph(*arrays, graph.vertices, graph.edges, graph.directed))

    def adopt(self, graph: DeviceGraph) -> DeviceGraph:
        """Take a graph that is in device memory already as the one that is searched.

        Parameters
        ----------
        graph : DeviceGraph
            Its arrays may be other ones than those of CSR, as kernels expect them.

        Returns
        -------
        DeviceGraph
            The same.
        """
        self._deepest = graph.vertices
        self._before = self._open_machine.stopwatch()
        self._before.start()
        return graph

    def free(self, array: DeviceArray) -> None:
        """Count an array as given back; the driver must drop it too.

        Parameters
        ----------
        array : device array
            One that this host has made.
        """
        del self._names[id(array)]
        self._bytes_now -= array.nbytes

    def swap(self, first: DeviceArray, second: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
        """Exchange two arrays and their names: names follow roles.

        Parameters
        ----------
        first, second : device array
            As `expand` has filled them: this level's frontier, and the next.

        Returns
        -------
        tuple of device array
            The second and the first, each under the other's name.
        """
        names = self._names[id(first)][0], self._names[id(second)][0]
        self._name(names[1], first)
        self._name(names[0], second)
        return second, first

    def write(self, array: DeviceArray, value: int) -> None:
        """Set every element of a device array or of a slice of one.

        Parameters
        ----------
        array : device array
            The array, or a slice of it.
        value : int
            What each element becomes.
        """
        self.check_open()
        array.fill(value)

    def copy_to(self, array: DeviceArray, values: NDArray[Any]) -> None:
        """Copy host values into a device array or a slice of one.

        Parameters
        ----------
        array : device array
            The array, or a slice of it.
        values : array
            As many, of the same dtype.
        """
        self.check_open()
        self.host_writes += 1
        array.set(values)

    def read(self, array: DeviceArray) -> NDArray[Any]:
        """Copy a device array to the host, which waits for it.

        Parameters
        ----------
        array : device array
            The array, or a slice of it.

        Returns
        -------
        array
            Of the same shape and dtype.
        """
        self.host_reads += 1
        return self._machine.asnumpy(array)

    def read_int(self, array: DeviceArray) -> int:
        """Read the first element of a device array, which the host waits for.

        Parameters
        ----------
        array : device array
            The array, or a slice of it.

        Returns
        -------
        int
            The element.
        """
        return int(self.read(array).flat[0])

    def blocks(self, threads: int, block: int) -> int:
        """Return how many blocks of `block` threads give at least `threads` threads.

        Parameters
        ----------
        threads : int
            Threads that are wanted.
        block : int
            Threads per block.

        Returns
        -------
        int
            Blocks of the grid.
        """
        return -(-threads // block)

    def level(
        self,
        depth: int,
        frontier: int | None = None,
        facts: Mapping[str, Fact] = MappingProxyType({}),
    ) -> None:
        """Say that the launches from here on expand level `depth`, which has `frontier` vertices.

        Parameters
        ----------
        depth : int
            The level, 0 for the source's own.
        frontier : int, optional
            How many vertices it has, where the driver knows it.
        facts : mapping, optional
            What else there is to say of the level, by names that are the titles of columns.

        Raises
        ------
        UsageError
            If no graph of this size can have such a level: the kernel never stops finding vertices.
        """
        if self._deepest is not None and depth >= self._deepest:
            raise UsageError(
                f"level {depth} is expanded, but no search of a graph of "
                f"{count(self._deepest, 'vertex', 'vertices')} goes beyond level "
                f"{self._deepest - 1}",
                ENDLESS_LEVELS,
            )
        self._depth, self._frontier = depth, frontier
        if facts:
            self.facts[depth] = facts
        if self._progress is not None:
            self._progress(depth, frontier, self._deepest)

    def tell_levels(self, facts: Callable[[], Facts]) -> None:
        """Say more of levels once the clock has stopped: what is read only to be told is not timed.

        Parameters
        ----------
        facts : callable
            Returns for each level what there is to say of it; it may read what kernels noted.
        """
        self._told.append(facts)

    def launch(
        self, kernel: str, grid: Size, block: Size, args: Iterable[Any], *, shared_mem: int = 0
    ) -> None:
        """Launch a kernel of the technique's file.

        Parameters
        ----------
        kernel : str
            Its name.
        grid, block : int or tuple of int
            Blocks and threads per block, in up to three dimensions.
        args : iterable
            Device arrays and NumPy scalars; a Python int is passed as a 32-bit int.
        shared_mem : int
            Bytes of dynamic shared memory.

        Raises
        ------
        LaunchError
            If a size is 0; it is the simulator's, on a GPU, too.
        """
        machine, function = self._machine, self.kernel(kernel)
        machine.check_current()
        if shared_mem > self._shared.get(kernel, 0):
            machine.allow_shared(function, shared_mem)
            self._shared[kernel] = shared_mem
        sizes = _dimensions(grid), _dimensions(block)
        _check_sizes(kernel, *sizes)
        values = tuple(map(_argument, args))
        if self._clock is None:
            if self._before:
                self._before.stop()
            self._clock = machine.stopwatch()
            self._clock.start()
        watch = machine.stopwatch() if self._record else None
        if watch:
            watch.start()
        try:
            function(*sizes, values, shared_mem=shared_mem)
        except Exception as error:
            refused = machine.refusal(kernel, error)
            if refused is error:
                raise
            raise refused from None
        if watch:
            watch.stop()
        self.launches += 1
        self._note(kernel, *sizes, watch)

    @property
    def initialising(self) -> float:
        """Seconds from when the graph was in device memory until the first launch."""
        return self._before.seconds if self._before and self._clock else 0.0

    def allow_pending_launches(self, count: int) -> None:
        """Let `count` launches by kernels be pending at one time, instead of CUDA's 2,048.

        Parameters
        ----------
        count : int
            Launches that have been made and whose grids have not ended.
        """
        self._machine.allow_pending_launches(count)

    def finish(self) -> tuple[float, tuple[Launch, ...]]:
        """Return the seconds from the first launch to now, and every launch; then ask for facts.

        Returns
        -------
        seconds : float
            Device time on gpu, wall time on sim.
        launches : tuple of Launch
            In the order in which they were launched.
        """
        ended = self._ended()
        for facts in self._told:
            self.facts.update(facts())
        return ended

    def lap(self) -> tuple[float, tuple[Launch, ...]]:
        """Return the seconds and launches since the last lap, or since the beginning: as `finish`.

        For what does one thing after another on its machine: the next launch starts the clock anew.

        Returns
        -------
        seconds : float
            From the first launch of the lap to now.
        launches : tuple of Launch
            In the order in which they were launched.
        """
        ended = self._ended()
        self._clock = None
        self._recorded = []
        return ended

    def _ended(self) -> tuple[float, tuple[Launch, ...]]:
        """Stop the clock; return its seconds, and every launch with its own."""
        seconds = 0.0
        if self._clock is not None:
            self._clock.stop()
            seconds = self._clock.seconds
        return seconds, tuple(
            replace(launch, seconds=watch.seconds if watch else None)
            for launch, watch in self._recorded
        )

    def _note(self, kernel: str, grid: Any, block: Any, watch: Stopwatch | None) -> None:
        counted = self._machine.counted()
        if not counted:
            self._remember(kernel, grid, block, watch)
        for number, launch in enumerate(counted):
            own = watch if number == 0 else None  # the others were launched by the device
            counts = launch.counters, launch.sites
            self._remember(launch.kernel, launch.grid, launch.block, own, *counts)

    def _remember(
        self, kernel: str, grid: Any, block: Any, watch: Stopwatch | None, *counts: Any
    ) -> None:
        here = Launch(kernel, self._depth, self._frontier, grid, block, None, *counts)
        self._recorded.append((here, watch))

    def kernel(self, name: str) -> Any:
        """Return a kernel of the technique's file, as the machine knows it.

        Parameters
        ----------
        name : str
            As the file has it.

        Returns
        -------
        RawKernel
            CuPy's, or the simulator's.
        """
        if name not in self._kernels:
            self._kernels[name] = self._module.get_function(name)
        return self._kernels[name]

    def _named(self, name: str, array: DeviceArray) -> DeviceArray:
        self.allocations += 1
        self._grown(name, array.nbytes)
        self._name(name, array)
        return array

    def _grown(self, name: str, nbytes: int) -> None:
        """Count memory that was allocated."""
        self.bytes_by_name[name] = self.bytes_by_name.get(name, 0) + nbytes
        self._bytes_now += nbytes
        self.bytes_peak = max(self.bytes_peak, self._bytes_now)

    def _name(self, name: str, array: DeviceArray) -> None:
        self._names[id(array)] = (name, array)
        self._machine.label(array, name)


def _dimensions(size: Size) -> tuple[int, ...]:
    given = (size,) if isinstance(size, int | np.integer) else tuple(size)
    return given + (1,) * (3 - len(given))


def _check_sizes(kernel: str, grid: tuple[int, ...], block: tuple[int, ...]) -> None:
    """Refuse a launch without blocks or threads, of which CuPy would make one."""
    for what, size in (("grid", grid), ("block", block)):
        for axis, extent in zip("xyz", size, strict=False):
            if isinstance(extent, int | np.integer) and extent == 0:
                from simulator import LaunchError  # not needed by searches on a GPU

                message = f"{kernel} launched with {what}.{axis} = 0"
                raise LaunchError(f"{message}; launch one block of one thread at least")


def _argument(value: Any) -> Any:
    return np.int32(value) if isinstance(value, int) else value
