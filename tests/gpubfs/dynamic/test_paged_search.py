"""Searches over pages: the levels of compressed rows, and links that are counted."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import gpubfs
from gpubfs import dynamic, machines
from gpubfs.dynamic import Batch
from gpubfs.dynamic.faimgraph.paged_search import OWN_KERNELS, TECHNIQUES, WALKS, link_loads
from gpubfs.dynamic.structure import FOLDER
from gpubfs.dynamic.structure import find as structure_named
from gpubfs.graphs import Graph
from gpubfs.kernels import KERNELS
from gpubfs.machines import nvrtc
from gpubfs.search import runs
from gpubfs.search.catalogue import find
from tests.gpubfs.machines.instrumenting import EXACT, InstrumentedSim
from tests.sampling import sampled

#: Vertices of all classes, with pages that are just full, and one edge more: by words of 64 bytes.
DEGREES = (0, 1, 4, 5, 14, 15, 16, 30, 31, 32, 45, 60, 61, 62, 63, 93, 120, 124, 125, 128, 300)
FAN = Graph.from_edges(
    np.repeat(np.arange(len(DEGREES)), DEGREES),
    np.concatenate([np.arange(degree) for degree in DEGREES]) + len(DEGREES),
    len(DEGREES) + max(DEGREES),
)
SCHEDULES = ("lockstep", "warp", "shuffled:1", "round-robin:2", "random:3")
DEVICES = ("toy2", "toy4", "toy8", "h200")
#: What makes classes of small graphs.
OPTIONS = {
    "status-array": {"block": 64},
    "dynamic-parallelism": {"block": 64, "threshold": 3, "edges_per_thread": 2},
    "classified-deferred": {"block": 64, "edges_per_thread": 2},
    "classified-immediate": {"block": 64, "edges_per_thread": 2},
}


@pytest.mark.slow
@pytest.mark.parametrize("size", [64, 128])
@pytest.mark.parametrize("technique", TECHNIQUES)
def test_pages_are_searched_as_compressed_rows_are(technique, size) -> None:
    for graph in (FAN, gpubfs.graph("toy")):
        with dynamic.graph("faimgraph", graph, block_bytes=size, counters=False) as changing:
            for options in ({}, OPTIONS[technique]):
                rows = gpubfs.run(technique, graph, counters=False, **options)
                paged = changing.search(technique, **options)
                assert np.array_equal(paged.levels, rows.levels)
                assert paged.launches == rows.launches or "classified" in technique


@pytest.mark.parametrize("size", [64, 128])
def test_pages_are_searched_after_updates_on_both_machines(size, machine) -> None:
    """What was freed is used again, so that the pages of a vertex lie apart from each other."""
    graph, updates = (
        (gpubfs.graph("kron:6"), 200) if machine == "sim" else (gpubfs.graph("kron:16"), 200_000)
    )
    where = {"block_bytes": size, "counters": False}
    with dynamic.graph("faimgraph", graph, machine, **where) as changing:
        for seed in range(2):
            changing.insert_edges(dynamic.skewed(graph.vertices, updates, seed, favoured=0.02))
            changing.delete_edges(dynamic.skewed(graph.vertices, updates, seed + 1, favoured=0.02))
        changing.check()
        for technique in TECHNIQUES:
            assert changing.search(technique).reached > 1  # and it is verified


@pytest.mark.parametrize("edges", [1, 3, 16])
@pytest.mark.parametrize("technique", TECHNIQUES[2:])
def test_a_thread_looks_at_so_many_words_of_a_vertex_whatever_its_degree(technique, edges) -> None:
    with dynamic.graph("faimgraph", FAN, block_bytes=64, counters=False) as changing:
        for block in (32, 64):
            changing.search(technique, block=block, edges_per_thread=edges)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("technique", "schedule", "device", "size"),
    sampled(itertools.product(TECHNIQUES, SCHEDULES, DEVICES, (64, 128)), 29),
)
def test_searches_are_clean_under_every_schedule(technique, schedule, device, size) -> None:
    where = {"schedule": schedule, "device": device, "sanitize": "all", "counters": False}
    graph = gpubfs.graph("star:70")
    with dynamic.graph("faimgraph", graph, block_bytes=size, **where) as changing:
        options = OPTIONS[technique]
        for source in (0, 1):
            changing.search(technique, source, **options)


@pytest.mark.slow
def test_a_search_finds_what_updates_have_made_of_the_graph() -> None:
    ring = Batch(range(10), [*range(1, 10), 0]).both_ways()
    with dynamic.graph(
        "faimgraph", Graph([0] * 11, [], directed=False), counters=False
    ) as changing:
        changing.insert_edges(ring)
        changing.delete_edges(Batch([3], [4]).both_ways())
        assert changing.search("classified-immediate", 3).levels.tolist() == [
            *(3, 2, 1, 0, 9, 8, 7, 6, 5, 4)
        ]
        changing.delete_vertices([0])
        changing.insert_vertices([20])
        changing.insert_edges(Batch([2, 20], [20, 9]).both_ways())
        found = changing.search("status-array", 20)
        assert found.levels[[0, 1, 2, 3, 4, 9, 15, 20]].tolist() == [-1, 2, 1, 2, 6, 1, -1, 0]
        with pytest.raises(gpubfs.UsageError, match="the source 0 was deleted"):
            changing.search("status-array", 0)


#: Techniques whose warps walk.
WALKING = [name for name in TECHNIQUES if name != "status-array"]


@pytest.mark.parametrize(
    ("technique", "device", "size", "schedule"),
    sampled(itertools.product(WALKING, DEVICES, (64, 128), SCHEDULES[::2]), 13),
)
def test_lanes_walk_to_the_pages_that_a_leader_walks_to(technique, device, size, schedule) -> None:
    """Chains of pages that lie side by side, and of pages that other vertices gave back."""
    where = {"device": device, "schedule": schedule, "sanitize": "all", "counters": False}
    graph = Graph.from_edges([0] * 199, range(1, 200), 200)
    with dynamic.graph("faimgraph", graph, block_bytes=size, **where) as changing:
        for seed in range(2):
            found = [
                changing.search(technique, 0, walk=walk, **OPTIONS[technique]).levels
                for walk in WALKS
            ]
            assert np.array_equal(*found)
            torn = dynamic.skewed(200, 60, seed, favoured=0.0).both_ways()
            changing.insert_edges(torn)
            changing.delete_edges(dynamic.skewed(200, 90, seed + 1, favoured=0.01).both_ways())
        changing.check()


def test_lanes_follow_the_links_of_pages_side_by_side_in_one_load() -> None:
    """960 edges are on 64 pages of 64 bytes, a warp's on two: 32 links at a time, then one."""
    fan = Graph.from_edges([0] * 960, range(1, 961), 961, directed=True)
    options = {"block": 1024, "edges_per_thread": 1}
    with dynamic.graph("faimgraph", fan, block_bytes=64) as changing:
        runs = [changing.search("classified-immediate", 0, walk=w, **options) for w in WALKS]
    # Warp w walks over 2w links, and its second half to one more page.
    walked = [2 * w for w in range(32)]
    loads = sum(walked), sum(-(-links // 32) for links in walked)
    assert [link_loads(run) for run in runs] == [one + 32 for one in loads]
    assert [
        sum(s.lanes for s in run.sites if s.text == "page_words(pages, page)[LINK]") for run in runs
    ] == [sum(walked) + 32 * 15] * 2


@pytest.mark.slow
def test_guesses_stay_below_the_pages_that_were_taken() -> None:
    """The second page of vertex 0 is the last that was taken, the third and fourth are older."""
    given = dynamic.graph("faimgraph", "path:60", block_bytes=64, device="toy4", sanitize="all")
    with given as changing:
        others = Batch(np.full(44, 5), np.arange(10, 54))
        changing.insert_edges(others)
        changing.insert_edges(Batch(np.zeros(20, int), np.arange(20)))
        changing.delete_edges(others)
        changing.insert_edges(Batch(np.zeros(40, int), np.arange(20, 60)))
        chain = [0]
        image = changing.image()
        while (link := image.pages[chain[-1]][-1]) >= 0:
            chain.append(int(link))
        last = changing.allocation.state["next_page"] - 1
        assert chain[1] == last
        assert len(chain) == 4
        for technique in WALKING:
            changing.search(technique, 0, walk="lanes", **OPTIONS[technique])


def test_what_does_not_go_over_pages_is_refused_by_name() -> None:
    with dynamic.graph("faimgraph", "toy", counters=False) as changing:
        with pytest.raises(gpubfs.UsageError, match="scan-free does not search graphs on pages"):
            changing.search("scan-free")
        with pytest.raises(gpubfs.GraphError, match="source"):
            changing.search("status-array", 99)
        with pytest.raises(gpubfs.UsageError, match='no walk "lane"'):
            changing.search("status-array", walk="lane")
    opened = dynamic.graph("faimgraph", "toy", mode="weighted", counters=False)
    with opened as changing, pytest.raises(gpubfs.UsageError, match="the mode is weighted"):
        changing.search("status-array")


def test_links_are_loaded_by_the_first_lane_of_each_warp_on_its_way() -> None:
    """100 edges are on 4 pages of 128 bytes: a warp reads them all, and follows 3 links."""
    fan = Graph.from_edges([0] * 100, range(1, 101), 101, directed=True)
    with dynamic.graph("faimgraph", fan, block_bytes=128) as changing:
        found = changing.search("classified-immediate", 0)
        assert link_loads(found) == 3
        links = [site for site in found.sites if site.text == "page_words(pages, page)[LINK]"]
        assert sum(site.lanes for site in links) == 3
        # A thread alone comes to each link, too; a block's four warps walk 0, 1, 2 and 3 pages.
        assert link_loads(changing.search("status-array", 0)) == 3
        shared = changing.search("classified-immediate", 0, edges_per_thread=1, block=128)
        assert link_loads(shared) == 0 + 1 + 2 + 3


@pytest.mark.parametrize(
    "technique", sampled(("status-array", "classified-deferred", "classified-immediate"), 3)
)
def test_the_build_that_counts_counts_searches_beside_updates(monkeypatch, technique) -> None:
    """Structure and search have kernels of their own on one machine.

    A thread alone has constants where threads together have variables; conditions on constants are
    branches of the rewritten text, and none of what the simulator compiles.
    """
    same_everywhere = [name for name in EXACT if name != "branches"]
    monkeypatch.setitem(machines.MACHINES, "instrumented", InstrumentedSim)
    everywhere = ("sim", "gpu", "instrumented")
    structure = replace(structure_named("faimgraph"), machines=everywhere)
    monkeypatch.setattr(runs, "find", lambda name: replace(find(name), machines=everywhere))
    counted = []
    for machine in ("sim", "instrumented"):
        with dynamic.graph(structure, "kron:5", machine, counters=True) as changing:
            found = changing.search(technique, 0)
            inserted = changing.insert_edges(Batch([0, 1], [2, 3]))
            counted.append((found.counters, inserted.counters, link_loads(found)))
    (ours, updates, links), (theirs, rewritten, same) = counted
    assert links == same
    assert {k: ours[k] for k in same_everywhere} == {k: theirs[k] for k in same_everywhere}
    assert {k: updates[k] for k in EXACT} == {k: rewritten[k] for k in EXACT}


FILES = [
    FOLDER / OWN_KERNELS[name] if name in OWN_KERNELS else KERNELS / find(name).kernel
    for name in TECHNIQUES
]
DEFINES = ((), ("WALK_BY_LANES=1", "PAGES_AT=5000000000LL"))
BUILDS = itertools.product(("sm_75", "sm_80", "sm_90"), (16, 32), FILES, (1, 4, 16), DEFINES)


@pytest.mark.parametrize(("architecture", "words", "file", "edges", "walk"), sampled(BUILDS, 17))
def test_kernels_compile_for_pages_without_a_word(architecture, words, file, edges, walk) -> None:
    defines = (f"PAGE_WORDS={words}", f"EDGES_PER_THREAD={edges}", *walk)
    module, reason = nvrtc.load()
    if module is None:
        pytest.skip(reason)
    assert nvrtc.compile_file(file, architecture, defines) == ""
