from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import gpubfs
from gpubfs import machines
from gpubfs.errors import UsageError
from gpubfs.host import Host
from gpubfs.kernels import KERNELS
from gpubfs.machines.sim import WallClock
from simulator import LaunchError


class FakeMachine:
    """NumPy arrays for device arrays; its kernels only note how they were launched."""

    warp_size = 32
    uncounted = frozenset()

    def __init__(self) -> None:
        self.options = ()
        self.calls = []
        self.labels = {}
        self.waiting = []
        self.allowed = []

    def module(self, path, options, cooperative):
        self.options = options
        return SimpleNamespace(get_function=lambda name: self._kernel(name))

    def _kernel(self, name):
        def launch(grid, block, args, *, shared_mem):
            if grid == (99, 1, 1):
                raise OverflowError("too many")
            self.calls.append((name, grid, block, args, shared_mem))

        return launch

    def refusal(self, kernel, error):
        return UsageError(f"{kernel}: {error}") if isinstance(error, OverflowError) else error

    def allow_shared(self, kernel, size):
        self.allowed.append(size)

    def allow_pending_launches(self, count):
        self.pending = count

    def asarray(self, values):
        return np.array(values)

    def asnumpy(self, array):
        return np.array(array)

    def empty(self, shape, dtype):
        return np.empty(shape, dtype)

    def full(self, shape, value, dtype):
        return np.full(shape, value, dtype)

    def allocate(self, sizes, name):
        return [4096 * (at + 1) for at in range(min(self.pieces, len(sizes)))]

    def release(self, addresses):
        self.released = addresses

    def label(self, array, name):
        self.labels[id(array)] = name

    def counted(self):
        counted, self.waiting = self.waiting, []
        return counted

    def check_current(self) -> None:
        pass

    def stopwatch(self):
        return WallClock()


class DeviceNumbers:
    """A device array over host values."""

    def __init__(self, values) -> None:
        self.values = values

    def set(self, values) -> None:
        self.values[:] = values


@pytest.fixture
def fake() -> FakeMachine:
    return FakeMachine()


@pytest.fixture
def host(fake) -> Host:
    return Host(fake, Path("folder/k.cu"), {"EDGES": "4"})


def test_the_kernel_is_compiled_with_its_macros_and_both_header_folders(host, fake) -> None:
    assert fake.options[0] == "-Ifolder"
    assert fake.options[1].endswith("kernels")
    assert fake.options[2] == "-DEDGES=4"


def test_memory_is_counted_by_name(host) -> None:
    host.array("a", np.zeros(10, np.int64))
    first = host.full("b", 5, 7)
    host.empty("b", 5)
    assert host.bytes_by_name == {"a": 80, "b": 40}
    host.free(first)
    host.empty("c", 2)
    assert host.bytes_peak == 120
    assert sum(host.bytes_by_name.values()) == 128


def test_memory_is_allocated_piece_by_piece_until_there_is_none_left(host, fake) -> None:
    fake.pieces = 2
    addresses = host.allocate("piece", np.array([100, 60, 40]))
    assert (addresses.dtype, addresses.tolist()) == (np.uint64, [4096, 8192])
    assert (host.allocations, host.bytes_by_name) == (2, {"piece": 160})
    host.release(addresses[:1], 100)
    assert fake.released == [4096]
    host.full("a", 25, 0)
    assert (host.allocations, host.bytes_peak) == (3, 160)


def test_allocations_and_copies_to_the_device_are_counted(host) -> None:
    array = host.array("a", np.zeros(4, np.int32))
    host.write(host.empty("b", 4), 0)
    host.copy_to(DeviceNumbers(array), np.ones(4, np.int32))
    assert (host.allocations, host.host_writes) == (2, 2)
    assert array.tolist() == [1] * 4


def test_levels_and_queues_begin_at_the_source(host) -> None:
    assert host.levels(4, 2).tolist() == [-1, -1, 0, -1]
    assert host.queue("frontier", 9, 5, 6)[:2].tolist() == [5, 6]


def test_reads_are_counted_and_writes_are_not(host) -> None:
    array = host.full("a", 3, 1)
    host.write(array, 4)
    assert host.read_int(array) == 4
    assert host.read(array).tolist() == [4, 4, 4]
    assert host.host_reads == 2


def test_launches_get_three_dimensions_and_32_bit_numbers(host, fake) -> None:
    host.launch("k", 3, (8, 4), (5, np.int64(6)), shared_mem=16)
    ((name, grid, block, args, shared),) = fake.calls
    assert (name, grid, block, shared) == ("k", (3, 1, 1), (8, 4, 1), 16)
    assert [type(value) for value in args] == [np.int32, np.int64]
    assert host.launches == 1


def test_sizes_may_be_what_was_read(host, fake) -> None:
    host.launch("k", np.int64(3), np.int32(32), ())
    ((_, grid, block, *_),) = fake.calls
    assert (grid, block) == ((3, 1, 1), (32, 1, 1))


def test_a_number_that_32_bits_cannot_hold_is_refused(host) -> None:
    with pytest.raises(OverflowError):
        host.launch("k", 1, 1, (2**31,))


def test_launches_know_their_level_and_time(host, fake) -> None:
    host.level(0, 1)
    host.launch("a", 1, 32, ())
    host.level(1, 17)
    fake.waiting = [
        SimpleNamespace(kernel="b", grid=(1, 1, 1), block=(32, 1, 1), counters="own", sites=[]),
        SimpleNamespace(kernel="child", grid=(2, 1, 1), block=(1, 1, 1), counters="its", sites=[]),
    ]
    host.launch("b", 1, 32, ())
    seconds, launches = host.finish()
    assert [(x.kernel, x.depth, x.frontier, x.counters) for x in launches] == [
        ("a", 0, 1, None),
        ("b", 1, 17, "own"),
        ("child", 1, 17, "its"),
    ]
    assert launches[2].seconds is None
    assert seconds >= launches[0].seconds + launches[1].seconds > 0
    assert host.launches == 2


def test_nothing_is_timed_by_itself_if_not_recorded(fake) -> None:
    host = Host(fake, Path("k.cu"), {}, record=False)
    host.launch("a", 1, 32, ())
    seconds, (launch,) = host.finish()
    assert launch.seconds is None
    assert seconds > 0


def test_a_run_without_launches_takes_no_time(host) -> None:
    assert host.finish() == (0.0, ())


def test_swap_exchanges_roles_and_names(host, fake) -> None:
    frontier, following = host.empty("frontier", 4), host.empty("next", 4)
    first, second = host.swap(frontier, following)
    assert first is following
    assert second is frontier
    assert fake.labels[id(first)] == "frontier"
    assert fake.labels[id(second)] == "next"


def test_progress_is_told_of_each_level(fake) -> None:
    told = []
    host = Host(fake, Path("k.cu"), {}, progress=lambda *level: told.append(level))
    host.level(0, 1)
    host.upload(gpubfs.graph("path:3"))
    host.level(1)
    assert told == [(0, 1, None), (1, None, 3)]


def test_a_search_that_never_ends_is_stopped(host) -> None:
    graph = host.upload(gpubfs.graph("path:3"))
    assert (graph.vertices, graph.edges) == (3, 4)
    host.level(2)
    with pytest.raises(UsageError, match="of 3 vertices goes beyond level 2"):
        host.level(3)


@pytest.mark.parametrize(("threads", "blocks"), [(1, 1), (256, 1), (257, 2), (1024, 4)])
def test_blocks_cover_all_threads(host, threads, blocks) -> None:
    assert host.blocks(threads, 256) == blocks


def test_dynamic_shared_memory_is_allowed_before_it_is_used(host, fake) -> None:
    for size in (0, 64, 64, 50_000, 100):
        host.launch("k", 1, 32, (), shared_mem=size)
    assert fake.allowed == [64, 50_000]


@pytest.mark.parametrize(("grid", "block"), [(0, 32), (1, 0), ((1, 0), 32), (np.int64(0), 1)])
def test_launches_of_nothing_are_refused(host, grid, block) -> None:
    with pytest.raises(LaunchError, match="= 0"):
        host.launch("scan_free", grid, block, ())


def test_a_refused_launch_is_told_in_the_machines_words(host) -> None:
    with pytest.raises(UsageError, match="k: too many"):
        host.launch("k", 99, 32, ())


def test_laps_have_the_launches_since_the_last_one(host) -> None:
    assert host.lap() == (0.0, ())
    host.launch("first", 1, 32, ())
    host.launch("second", 1, 32, ())
    seconds, launches = host.lap()
    assert seconds > 0
    assert [launch.kernel for launch in launches] == ["first", "second"]
    assert host.lap() == (0.0, ())
    host.launch("third", 1, 32, ())
    assert [launch.kernel for launch in host.finish()[1]] == ["third"]
    assert host.launches == 3


def test_headers_may_lie_in_several_folders(fake) -> None:
    Host(fake, Path("folder/k.cu"), {}, headers=(Path("one"), Path("folder"), Path("two")))
    assert fake.options == ("-Ifolder", "-Ione", "-Itwo")


def test_values_are_copied_into_a_part_of_an_array() -> None:
    with machines.open_machine("sim") as machine:
        host = Host(machine, KERNELS / "scan_free.cu", {})
        array = host.full("a", 6, 9)
        host.copy_to(array[2:4], np.array([1, 2], np.int32))
        assert host.read(array).tolist() == [9, 9, 1, 2, 9, 9]
