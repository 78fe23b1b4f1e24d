"""Classes of vertices: where they end, what launches they need, and what counters must show."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpubfs
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph
from gpubfs.graphs.reference import reference_levels
from gpubfs.host import Launch
from gpubfs.kernels import KERNELS
from gpubfs.machines import nvrtc
from gpubfs.search.classes import CLASSES, Classification
from tests.sampling import sampled

DEFERRED, IMMEDIATE = "classified-deferred", "classified-immediate"
BOTH = (DEFERRED, IMMEDIATE)
HUGE = CLASSES.index("huge")

#: Vertices that need 1, 32, 64 and more threads.
SMALL_CLASSES: dict[str, Any] = {"block": 64, "edges_per_thread": 1}


def hubs(*degrees: int) -> Graph:
    """Vertices of these degrees, all of them neighbours of vertex 0, with leaves of their own."""
    sources, targets, vertices = [], [], 1 + len(degrees)
    for number, degree in enumerate(degrees, 1):
        leaves = np.arange(vertices, vertices + degree - 1)
        sources += [np.full(degree, number)]
        targets += [np.append(leaves, 0)]
        vertices += degree - 1
    name = f"hubs:{'-'.join(map(str, degrees))}"
    return Graph.from_edges(np.concatenate(sources), np.concatenate(targets), vertices, name=name)


def downwards() -> Graph:
    """A directed graph whose vertices end in ones without edges."""
    ends = np.random.default_rng(5).integers(0, 90, (2, 120))
    return Graph.from_edges(*ends, 90, directed=True, name="downwards")


GRAPHS: dict[str, tuple[Any, int | None]] = {
    "kron:8": ("kron:8", None),
    "kron:8 from 0": ("kron:8", 0),
    "grid": ("grid:12x9", 0),
    "star from the hub": ("star:300", 0),
    "star from a leaf": ("star:300", 7),
    "hubs of all classes": (hubs(1, 3, 32, 33, 64, 65, 200), 0),
    "huge ones alone": (hubs(100, 400, 70), 0),
    "single vertex": (Graph.from_edges([], [], 1, name="single"), 0),
    "no neighbours": (Graph.from_edges([1], [2], 4, name="apart"), 0),
    "directed": (downwards(), 0),
    "loops": (Graph.from_edges([0, 0, 1], [0, 1, 1], 2, loops=True, name="loops"), 0),
}


@cache
def search(name: str, which: str, **options: Any) -> gpubfs.Run:
    graph, source = GRAPHS[which]
    return gpubfs.run(name, graph, source, **(SMALL_CLASSES | options))


def lanes(done: gpubfs.Run | Launch, kind: str, *arrays: str) -> int:
    return sum(site.lanes for site in done.sites if site.kind == kind and site.array in arrays)


def explored(done: gpubfs.Run) -> list[Launch]:
    return [launch for launch in done.per_launch if launch.kernel.startswith("explore_")]


def members(done: gpubfs.Run, edges_per_thread: int = 1, block: int = 64) -> list[list[list[int]]]:
    """The degrees of each level's vertices, class by class."""
    degrees = np.diff(done.graph.offsets)
    most = edges_per_thread * np.array([1, 32, block])
    kinds = np.searchsorted(most, degrees)
    return [
        [degrees[(done.levels == depth) & (kinds == kind)].tolist() for kind in range(len(CLASSES))]
        for depth in range(done.depth + 1)
    ]


def kernels_for(classes: list[list[int]]) -> list[str]:
    """What expands a level: a launch for each class, and one that finds the largest."""
    names = [f"explore_{name}" for name, own in zip(CLASSES, classes, strict=True) if own]
    return [*names[:-1], "largest_degree", names[-1]] if classes[HUGE] else names


@pytest.mark.parametrize("which", GRAPHS)
def test_a_level_is_expanded_by_a_launch_for_each_class_that_it_has(which: str) -> None:
    for name in BOTH:
        done = search(name, which)
        first = ["classify_raw"] if name == DEFERRED else []
        expected = [
            (kernel, depth)
            for depth, classes in enumerate(members(done))
            for kernel in [*first, *kernels_for(classes)]
        ]
        assert [(at.kernel, at.depth) for at in done.per_launch] == expected


@pytest.mark.parametrize("which", GRAPHS)
def test_immediate_makes_a_launch_a_level_and_a_read_a_vertex_less(which: str) -> None:
    deferred, immediate = (search(name, which) for name in BOTH)
    assert deferred.launches - immediate.launches == deferred.depth + 1
    reads = [lanes(done, "load", "raw", "frontier") for done in (deferred, immediate)]
    assert reads[0] - reads[1] == deferred.reached
    stores = [lanes(done, "store", "classes", "next") for done in (deferred, immediate)]
    assert stores == [2 * deferred.reached - 1, immediate.reached - 1]


@pytest.mark.parametrize("which", GRAPHS)
def test_immediate_loads_two_offsets_more_for_each_discovery(which: str) -> None:
    deferred, immediate = (search(name, which) for name in BOTH)
    own = [sum(lanes(at, "load", "offsets") for at in explored(d)) for d in (deferred, immediate)]
    assert own[1] - own[0] == 2 * (immediate.reached - 1)
    passes = [at for at in deferred.per_launch if at.kernel == "classify_raw"]
    assert sum(lanes(at, "load", "offsets") for at in passes) == 2 * deferred.reached


@pytest.mark.parametrize("which", GRAPHS)
@pytest.mark.parametrize("name", BOTH)
def test_every_edge_is_looked_at_once_and_only_by_a_swap(name: str, which: str) -> None:
    done = search(name, which)
    degrees = np.diff(done.graph.offsets)
    looks = int(degrees[done.levels >= 0].sum())
    assert lanes(done, "atomic", "level") == lanes(done, "load", "neighbours") == looks
    assert lanes(done, "load", "level") == 0


@pytest.mark.parametrize(("edges_per_thread", "name"), sampled(product([1, 2, 5], BOTH), 2, each=0))
def test_grids_give_each_vertex_the_threads_of_its_class(name: str, edges_per_thread: int) -> None:
    done = search(name, "hubs of all classes", edges_per_thread=edges_per_thread)
    found = {(at.kernel, at.depth): at.grid[0] for at in explored(done)}
    expected = {}
    for depth, classes in enumerate(members(done, edges_per_thread)):
        sizes = [len(own) for own in classes]
        largest = max(classes[HUGE], default=0)
        warps = 64 // 32
        blocks = [-(-sizes[0] // 64), -(-sizes[1] // warps), sizes[2]]
        blocks.append(-(-largest // (64 * edges_per_thread)))
        named = zip(CLASSES, blocks, strict=True)
        expected |= {(f"explore_{kind}", depth): n for kind, n in named if n}
    assert found == expected


@pytest.mark.parametrize("name", BOTH)
def test_one_launch_has_all_huge_vertices_of_a_level(name: str) -> None:
    done = search(name, "huge ones alone")
    huge = [at for at in done.per_launch if at.kernel == "explore_huge"]
    assert [(at.depth, at.grid[0], lanes(at, "atomic", "level")) for at in huge] == [(1, 7, 570)]
    # Each thread of the grid reads all three, and has an edge of the largest at most.
    assert lanes(huge[0], "load", "frontier") == 3 * 7 * 64


@pytest.mark.parametrize(("edges", "name"), sampled(product([1, 2, 4], BOTH), 2, each=0))
def test_huge_vertices_take_turns_where_a_gpu_has_no_room_for_all(name: str, edges: int) -> None:
    """Toy GPUs run eight blocks of four threads at a time."""
    most = [20, *range(20, 60), 60, 21]
    done = gpubfs.run(name, hubs(*most), 0, device="toy4", block=4, edges_per_thread=edges)
    level = [at for at in done.per_launch if at.depth == 1]
    reduction, expansion = (
        next(at for at in level if at.kernel == kernel)
        for kernel in ("largest_degree", "explore_huge")
    )
    # The reduction goes over the queue in strides.
    assert reduction.grid[0] == 8
    assert len(most) == lanes(reduction, "load", "frontier") > 8 * 4
    assert lanes(reduction, "atomic", "largest") == 8
    across, rows, _ = expansion.grid
    assert across == -(-60 // (4 * edges))
    assert rows == max(1, 8 // across) < len(most)
    assert lanes(expansion, "atomic", "level") == sum(most)


def test_blocks_without_an_edge_pass_a_huge_vertex_over() -> None:
    """Seven blocks have an edge of the largest, and two of each other one, and these meet."""
    huge = next(at for at in explored(search(DEFERRED, "huge ones alone")) if at.depth == 1)
    assert huge.grid[0] == 7
    assert huge.counters.barriers == 3 * (2 + 7 + 2)


@pytest.mark.parametrize("which", ["star from a leaf", "hubs of all classes", "directed"])
@pytest.mark.parametrize("name", BOTH)
def test_sources_of_every_class_are_watched(name: str, which: str) -> None:
    done = search(name, which, schedule="random:5", sanitize="all")
    np.testing.assert_array_equal(done.levels, reference_levels(done.graph, done.source))
    assert {finding.verdict for finding in done.findings} <= {"declared", "harmless"}


@pytest.mark.parametrize("name", BOTH)
def test_graphs_with_64_bit_offsets(name: str) -> None:
    """As those of 2^31 edges have: degrees, and the largest one, are of the same type."""
    graph = gpubfs.graph("kron:8")
    wide = replace(graph, offsets=graph.offsets.astype(np.int64))
    done = gpubfs.run(name, wide, **SMALL_CLASSES)
    assert done.counters["bytes_by_name"]["largest"] == 8
    beside = {DEFERRED: 4 * graph.vertices * 6 + 28, IMMEDIATE: 4 * graph.vertices * 9 + 24}
    sizes = done.counters["bytes_by_name"]
    assert sum(sizes.values()) - wide.offsets.nbytes - wide.neighbours.nbytes == beside[name]


@pytest.mark.parametrize(("lanes_of_warp", "name"), sampled(product((2, 4, 8), BOTH), 2, each=0))
def test_toy_gpus_of_every_warp_size(lanes_of_warp: int, name: str) -> None:
    settings = {"device": f"toy{lanes_of_warp}", "block": lanes_of_warp, "edges_per_thread": 2}
    assert gpubfs.run(name, "kron:6", schedule="random:3", sanitize="all", **settings).verified


def test_flags_spare_the_prefix_sums_of_classes_that_a_block_has_not_found() -> None:
    """A block meets three times for its flags, and three times for each queue it appends to."""
    # From a leaf: one hub that is huge; then leaves, which are small; then nothing.
    done = search(IMMEDIATE, "star from a leaf")
    blocks = [at.grid[0] for at in explored(done)]
    barriers = [at.counters.barriers for at in explored(done)]
    assert blocks == [1, 5, 5]
    assert barriers == [1 * (3 + 3), 5 * (3 + 3), 5 * 3]
    # Vertex 0's neighbours are of all four classes.
    done = search(IMMEDIATE, "hubs of all classes")
    assert explored(done)[0].counters.barriers == 3 + 4 * 3


@pytest.mark.parametrize("which", GRAPHS)
def test_a_block_adds_once_to_the_tail_of_a_queue(which: str) -> None:
    deferred, immediate = (search(name, which) for name in BOTH)
    for done, queues in ((deferred, 1), (immediate, len(CLASSES))):
        for at in explored(done):
            # A huge vertex after the other, each a round of its own.
            rounds = at.grid[0] * (
                len(members(done)[at.depth][HUGE]) if at.kernel == "explore_huge" else 1
            )
            assert lanes(at, "atomic", "tails") <= rounds * queues
            assert lanes(at, "atomic", "tails") <= lanes(at, "store", "next")
    for at in deferred.per_launch:
        if at.kernel == "classify_raw":
            assert lanes(at, "atomic", "sizes") <= at.grid[0] * len(CLASSES)


@pytest.mark.parametrize("which", GRAPHS)
def test_queues_take_five_and_eight_times_the_vertices(which: str) -> None:
    for name, queues, words in ((DEFERRED, 5, 6), (IMMEDIATE, 8, 5)):
        done = search(name, which)
        sizes = done.counters["bytes_by_name"]
        own = sum(size for array, size in sizes.items() if array not in ("offsets", "neighbours"))
        assert own == 4 * done.graph.vertices * (1 + queues) + 4 * words
        formula = gpubfs.techniques()[name].memory
        assert f"{'five' if queues == 5 else 'eight'} queues + {4 * words} bytes" in formula


@pytest.mark.parametrize("which", GRAPHS)
def test_the_host_reads_once_a_level_or_twice_and_once_more_for_huge_vertices(which: str) -> None:
    for name, once, each in ((DEFERRED, 0, 2), (IMMEDIATE, 1, 1)):
        done = search(name, which)
        huge = sum(bool(classes[HUGE]) for classes in members(done))
        assert done.counters["host_reads"] == once + each * (done.depth + 1) + huge


@pytest.mark.parametrize("name", BOTH)
def test_more_edges_need_more_registers_than_blocks_of_1024_have(name: str) -> None:
    with pytest.raises(UsageError, match="edges_per_thread=17 is out of range"):
        gpubfs.run(name, "toy", edges_per_thread=17)


@given(
    degree=st.integers(0, 2**33),
    edges=st.integers(1, 16),
    warps=st.integers(1, 32),
    warp_size=st.sampled_from((2, 4, 8, 32)),
)
def test_a_class_has_threads_for_all_edges_and_the_one_below_has_not(
    degree: int, edges: int, warps: int, warp_size: int
) -> None:
    block = warps * warp_size
    classification = Classification(edges, warp_size, block)
    kind = classification.of(degree)
    threads = [1, warp_size, block, classification.blocks(HUGE, 1, degree) * block]
    assert edges * threads[kind] >= degree
    assert kind == 0 or edges * threads[kind - 1] < degree
    assert kind < HUGE or edges * (threads[HUGE] - block) < degree


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    vertices=st.integers(1, 40),
    edges=st.integers(0, 160),
    edges_per_thread=st.integers(1, 3),
    block=st.sampled_from((4, 8)),
    directed=st.booleans(),
    start=st.integers(0, 39),
    order=st.sampled_from(("lockstep", "warp", "shuffled:1", "round-robin:2", "random:3")),
)
def test_both_differ_by_a_launch_a_level_and_a_read_a_vertex_on_any_graph(
    seed: int,
    vertices: int,
    edges: int,
    edges_per_thread: int,
    block: int,
    directed: bool,
    start: int,
    order: str,
) -> None:
    """From any vertex, and whatever comes first in either."""
    # Squares crowd the ends, so that degrees differ.
    ends = (np.random.default_rng(seed).random((2, edges)) ** 2 * vertices).astype(int)
    graph = Graph.from_edges(*ends, vertices, directed=directed, name="any")
    settings = {"device": "toy4", "block": block, "edges_per_thread": edges_per_thread}
    deferred = gpubfs.run(DEFERRED, graph, start % vertices, **settings)
    immediate = gpubfs.run(IMMEDIATE, graph, start % vertices, schedule=order, **settings)
    np.testing.assert_array_equal(deferred.levels, immediate.levels)
    assert deferred.launches - immediate.launches == deferred.depth + 1
    reads = [lanes(done, "load", "raw", "frontier") for done in (deferred, immediate)]
    assert reads[0] - reads[1] == deferred.reached


REPORTED = re.compile(
    r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads.*?Used (\d+) reg",
    re.DOTALL,
)


def reported(file: str, text: str = "", **macros: object) -> list[tuple[int, ...]]:
    """Bytes of stack, of spills twice, and registers, as the compiler reports them by kernel."""
    module, reason = nvrtc.load()
    if module is None:
        pytest.skip(reason)
    source = text or (KERNELS / file).read_text(encoding="utf-8")
    architecture = str(macros.pop("architecture"))
    defines = tuple(f"{name}={value}" for name, value in macros.items())
    flags = ("--ptxas-options=-v",)
    log = nvrtc.compile_text(source, file, KERNELS, architecture, defines, flags)
    return [tuple(map(int, found)) for found in REPORTED.findall(log)]


@pytest.mark.parametrize(("architecture", "offset"), [("sm_75", "int"), ("sm_90", "long long")])
@pytest.mark.parametrize(("file", "kernels"), [("deferred", 6), ("immediate", 5)])
def test_thread_queues_stay_in_registers(
    file: str, kernels: int, architecture: str, offset: str
) -> None:
    """No stack, no spills; and a block of 1,024 threads finds 64 registers for each."""
    for edges in (4, 16):
        macros = {"EDGES_PER_THREAD": edges, "OFFSET": offset, "architecture": architecture}
        found = reported(f"classified_{file}.cu", **macros)
        assert len(found) == kernels
        for *local, registers in found:
            assert local == [0, 0, 0]
            assert registers <= 64


def test_a_queue_that_grows_by_a_counter_would_not() -> None:
    """What the kernels do without: an index that is not known when they are compiled."""
    growing = """
    extern "C" __global__ void grow(const int *from, int *to) {
      int queue[16];
      int size = 0;
      #pragma unroll
      for (int k = 0; k < 16; k++) {
        int v = from[k * blockDim.x + threadIdx.x];
        if (v >= 0) queue[size++] = v;
      }
      #pragma unroll 1
      for (int k = 0; k < size; k++) to[k * blockDim.x + threadIdx.x] = queue[k];
    }"""
    ((stack, *_),) = reported("grow.cu", growing, architecture="sm_90")
    assert stack >= 4 * 16
