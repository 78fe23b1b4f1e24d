"""dynamic-parallelism: a child for each large adjacency, and no child that is lost unheard."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs import UsageError
from gpubfs.graphs import Graph
from gpubfs.graphs.build import count
from gpubfs.graphs.reference import reference_levels
from gpubfs.machines.gpu import GpuMachine
from gpubfs.machines.nvrtc import launch_options
from gpubfs.techniques.distribution.dynamic_parallelism import _check
from tests.sampling import examples, sampled

NAME = "dynamic-parallelism"
CHILD = "dynamic_parallelism_child"


def hubs(number: int, leaves: int = 2) -> Graph:
    """A source next to `number` hubs, each of them with leaves of its own."""
    of_hubs = np.arange(1, number + 1)
    of_leaves = np.arange(number + 1, number * (leaves + 1) + 1)
    tails = np.r_[np.zeros(number, int), np.repeat(of_hubs, leaves)]
    return Graph.from_edges(tails, np.r_[of_hubs, of_leaves], of_leaves[-1] + 1, name="hubs")


def children(done: gpubfs.Run) -> list[int]:
    """How many children each level has launched."""
    depths = [launch.depth for launch in done.per_launch if launch.kernel == CHILD]
    return np.bincount(depths, minlength=done.depth + 1).tolist()


def above(graph: Graph, levels: np.ndarray, threshold: int) -> list[int]:
    """How many vertices of each level have more edges than the threshold."""
    large = levels[(graph.degrees > threshold) & (levels >= 0)]
    return np.bincount(large, minlength=levels.max() + 1).tolist()


@pytest.mark.parametrize(
    ("spec", "threshold"),
    sampled(
        product(
            ["karate", "kron:8", "grid:12x9", "star:100", "powerlaw:300"], [0, 2, 8, 64, 10_000]
        ),
        3,
        each=0,
    ),
)
def test_each_frontier_vertex_above_the_threshold_launches_one_kernel(
    spec: str, threshold: int
) -> None:
    done = gpubfs.run(NAME, spec, threshold=threshold)
    expected = above(done.graph, done.levels, threshold)
    assert children(done) == expected
    assert done.counters["device_launches"] == sum(expected)
    assert done.launches == done.depth + 1


@examples(25, 6)
@given(st.data())
def test_a_child_has_a_thread_for_so_many_edges(data: st.DataObject) -> None:
    leaves = data.draw(st.integers(1, 700))
    threshold = data.draw(st.integers(0, 100))
    edges, block = data.draw(st.integers(1, 9)), 32 * data.draw(st.integers(1, 3))
    graph = gpubfs.graph(f"star:{leaves}")
    done = gpubfs.run(NAME, graph, 0, threshold=threshold, edges_per_thread=edges, block=block)
    found = [one for one in done.per_launch if one.kernel == CHILD and one.depth == 0]
    assert len(found) == (leaves > threshold)
    for child in found:
        assert (child.grid[0], child.block[0]) == (-(-leaves // (edges * block)), block)
        assert child.counters.work.maximum <= 5 * edges  # loads, a swap, a place, an entry


def test_fewer_children_leave_longer_walks() -> None:
    """Imbalance of the kernel that the host launches falls with the threshold."""
    graph = gpubfs.graph("star:4096")
    longest = []
    for threshold in (10_000, 100):
        done = gpubfs.run(NAME, graph, 0, threshold=threshold)
        longest.append(max(launch.counters.work.maximum for launch in done.per_launch))
    assert longest[0] > 4096
    assert longest[1] < longest[0] / 10


@pytest.mark.parametrize("vertices", [2049, 2100, pytest.param(4000, marks=pytest.mark.slow)])
def test_no_more_children_are_launched_than_the_pool_holds(machine: str, vertices: int) -> None:
    """On an H200 a grid of 4,000 fire-and-forget launches did not end where there was no room."""
    graph = hubs(vertices)
    with pytest.raises(UsageError) as caught:
        gpubfs.run(NAME, graph, 0, machine=machine, threshold=2, pool=2048, counters=False)
    left = count(vertices - 2048, "launch by the kernel", "launches by the kernel")
    assert caught.value.message.startswith(f"{left} had no room: a level has more than the 2,048")
    assert "larger pool" in caught.value.hint
    assert "threshold" in caught.value.hint


@pytest.mark.parametrize("pool", sampled([4096, "auto"], 2))
def test_a_larger_pool_loses_none(pool: Any) -> None:
    graph = hubs(2100)
    done = gpubfs.run(NAME, graph, 0, threshold=2, pool=pool, counters=pool == "auto")
    assert done.options["pool"] == 4096
    if pool == "auto":
        assert children(done) == [1, 2100, 0]
    np.testing.assert_array_equal(done.levels, reference_levels(graph, 0))


def test_another_error_of_a_launch_is_told_by_its_number() -> None:
    host: Any = SimpleNamespace(read=lambda failures: np.array([3, 701]))
    with pytest.raises(UsageError, match="3 launches by the kernel failed, with CUDA's error 701"):
        _check(host, None, 2048)


def test_the_pool_has_room_for_exactly_as_many() -> None:
    """2,048 children fit, as the source's own child has ended by then."""
    assert gpubfs.run(NAME, hubs(2048), 0, threshold=2, pool=2048, counters=False).verified


def test_auto_has_room_for_all_vertices_above_the_threshold() -> None:
    technique, machine = gpubfs.techniques()[NAME], SimpleNamespace(warp_size=32)
    given = technique.complete({"threshold": 1})
    sizes = {3: 2048, 2050: 2048, 2051: 4096, 2**20 + 3: 2**20}
    for vertices, pool in sizes.items():  # all but the two ends of a path have two edges
        graph = gpubfs.graph(f"path:{vertices}")
        assert technique.settled(given, graph, machine)["pool"] == pool


class Runtime:
    """What CuPy's runtime is asked for limits, with a GPU that has memory for so many places."""

    cudaLimitDevRuntimePendingLaunchCount = 4  # noqa: N815

    class CUDARuntimeError(RuntimeError):
        pass

    def __init__(self, most: int, clamps: bool = False) -> None:
        self.most, self.clamps, self.value = most, clamps, 2048

    def deviceGetLimit(self, limit: int) -> int:  # noqa: N802
        assert limit == 4
        return self.value

    def deviceSetLimit(self, limit: int, value: int) -> None:  # noqa: N802
        assert limit == 4
        if value > self.most and not self.clamps:
            raise self.CUDARuntimeError("cudaErrorMemoryAllocation: out of memory")
        self.value = min(value, self.most)


def machine_with(runtime: Runtime) -> GpuMachine:
    machine = GpuMachine.__new__(GpuMachine)
    machine.device, machine._pending_before, machine._allocated = "a GPU", None, set()
    runtime.free = None  # nothing is allocated
    pool = SimpleNamespace(free_all_blocks=lambda: None)
    machine._cupy = SimpleNamespace(
        cuda=SimpleNamespace(runtime=runtime), get_default_memory_pool=lambda: pool
    )
    return machine


def test_a_gpu_gets_the_limit_and_then_its_own_again() -> None:
    runtime = Runtime(10**6)
    machine = machine_with(runtime)
    machine.allow_pending_launches(4096)
    machine.allow_pending_launches(32768)
    assert runtime.value == 32768
    machine.__exit__()
    assert runtime.value == 2048


@pytest.mark.parametrize("clamps", [False, True])
def test_a_gpu_without_room_says_so(clamps: bool) -> None:
    machine = machine_with(Runtime(5000, clamps))
    with pytest.raises(UsageError, match="no room for 8,192 pending launches"):
        machine.allow_pending_launches(8192)


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("c<<<1, 2>>>(a);", True),
        ("c <<< 1, 2, 0, cudaStreamTailLaunch >>> (a);", True),
        ("a[0] = 1 << 2;", False),
        ("// c<<<1, 2>>>(a);\na[0] = 1;", False),
        ("/* c<<<1, 2>>>(a);\n*/ a[0] = 1;", False),
        ('printf("<<<%d>>>", a[0]);', False),
        ('printf("\\"//"); c<<<1, 2>>>(a);', True),
    ],
)
def test_launches_by_kernels_ask_for_separate_compilation(text: str, needed: bool) -> None:
    assert launch_options(text) == (("-dc",) if needed else ())
