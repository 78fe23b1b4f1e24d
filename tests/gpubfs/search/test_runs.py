import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpubfs
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph, GraphError
from gpubfs.graphs.reference import reference_levels
from gpubfs.search.catalogue import techniques
from gpubfs.search.verify import VerificationError
from tests.sampling import sampled

NAMES = list(techniques())
SPECS = ["toy", "karate", "kron:7", "er:6", "grid:9x7", "star:40", "path:30", "powerlaw:100"]

UNDIRECTED = [name for name in NAMES if not techniques()[name].directed]

DIRECTED = Graph.from_edges([0, 1, 2, 0, 4, 3], [1, 2, 0, 3, 0, 2], 6, directed=True)
LOOPS = Graph.from_edges(
    [0, 0, 0, 1, 1, 2], [0, 1, 1, 2, 2, 2], 4, loops=True, duplicates=True, name="loops"
)


EVERY_COUNTER = [
    "load_requests",
    "store_requests",
    "load_sectors",
    "store_sectors",
    "sectors_per_request",
    "load_efficiency",
    "atomic_requests",
    "atomic_sectors",
    "atomic_lanes",
    "same_address_max",
    "hottest_address",
    "hottest_ops",
    "cas_failed",
    "shared_requests",
    "bank_conflicts",
    "warp_steps",
    "thread_steps",
    "simt_efficiency",
    "branches",
    "divergent_branches",
    "work",
    "launches",
    "device_launches",
    "host_reads",
    "grid_syncs",
    "barriers",
    "bytes_allocated",
    "bytes_peak",
    "bytes_by_name",
]


@pytest.mark.parametrize(("name", "spec"), sampled(product(NAMES, SPECS), 8, each=0))
def test_levels_are_right(name: str, spec: str, machine: str) -> None:
    graph = gpubfs.graph(spec)
    done = gpubfs.run(name, graph, machine=machine)
    expected = reference_levels(graph, graph.hub)
    np.testing.assert_array_equal(done.levels, expected)
    assert done.levels.dtype == np.int32
    assert done.source == graph.hub
    assert done.depth == expected.max()
    assert done.reached == np.count_nonzero(expected >= 0)
    assert done.verified


@pytest.mark.parametrize(("name", "source"), sampled(product(NAMES, range(6)), 6, each=0))
def test_directions(name: str, source: int, machine: str) -> None:
    if name in UNDIRECTED:
        with pytest.raises(UsageError, match=f"{name} does not search directed graphs"):
            gpubfs.run(name, DIRECTED, source, machine)
        return
    done = gpubfs.run(name, DIRECTED, source, machine)
    np.testing.assert_array_equal(done.levels, reference_levels(DIRECTED, source))


@pytest.mark.parametrize(("name", "source"), sampled(product(NAMES, range(4)), 4, each=0))
def test_loops_and_repeated_edges(name: str, source: int, machine: str) -> None:
    done = gpubfs.run(name, LOOPS, source, machine)
    np.testing.assert_array_equal(done.levels, reference_levels(LOOPS, source))


def test_only_bottom_up_techniques_refuse_directed_graphs() -> None:
    passes = {name for name, one in gpubfs.techniques().items() if one.family == "direction"}
    scans = {"double-scan", "enterprise", "strided-scan", "no-queue"}
    assert len(passes) >= 7
    assert set(UNDIRECTED) == scans | passes


@pytest.mark.parametrize("name", sampled(NAMES, 5))
def test_64_bit_offsets_give_the_same_levels(name: str, machine: str) -> None:
    narrow = gpubfs.graph("kron:5")
    done = gpubfs.run(name, narrow.with_index64(), machine=machine)
    np.testing.assert_array_equal(done.levels, reference_levels(narrow, narrow.hub))
    assert done.counters["bytes_by_name"]["offsets"] == 8 * (narrow.vertices + 1)


@pytest.mark.parametrize("name", NAMES)
def test_a_lonely_vertex_reaches_itself(name: str, machine: str) -> None:
    done = gpubfs.run(name, Graph.from_edges([], [], 5), 3, machine)
    assert done.levels.tolist() == [-1, -1, -1, 0, -1]
    assert done.depth == 0
    assert done.traversed_edges == 0


@pytest.mark.parametrize("name", sampled(NAMES, 4))
@settings(max_examples=3)
@given(data=st.data())
def test_some_graphs_any_source(name: str, data: st.DataObject) -> None:
    search_any(name, data)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_any_graph_any_source(name: str, data: st.DataObject) -> None:
    search_any(name, data)


def search_any(name: str, data: st.DataObject) -> None:
    """A search of a graph of at most 40 vertices."""
    vertices = data.draw(st.integers(1, 40))
    vertex = st.integers(0, vertices - 1)
    ends = data.draw(st.lists(st.tuples(vertex, vertex), max_size=120))
    sources, targets = ([end[i] for end in ends] for i in (0, 1))
    directed = name not in UNDIRECTED and data.draw(st.booleans())
    graph = Graph.from_edges(sources, targets, vertices, directed=directed)
    source = data.draw(vertex)
    block = data.draw(st.sampled_from([32, 64, 256]))
    done = gpubfs.run(name, graph, source, block=block)
    np.testing.assert_array_equal(done.levels, reference_levels(graph, source))


@pytest.mark.parametrize(("name", "device"), sampled(product(NAMES, ["toy2", "toy4", "gtx780"]), 7))
def test_profiles_with_other_warps(name: str, device: str) -> None:
    graph = gpubfs.graph("kron:6")
    block = 8 if device.startswith("toy") else 64
    done = gpubfs.run(name, graph, device=device, block=block)
    np.testing.assert_array_equal(done.levels, reference_levels(graph, graph.hub))
    assert done.device == device


@pytest.mark.parametrize("edges_per_thread", [1, 3, 32])
def test_registers_of_a_thread_queue(edges_per_thread: int, machine: str) -> None:
    graph = gpubfs.graph("kron:7")
    done = gpubfs.run("block-prefix-sum", graph, machine=machine, edges_per_thread=edges_per_thread)
    np.testing.assert_array_equal(done.levels, reference_levels(graph, graph.hub))
    assert done.options["edges_per_thread"] == edges_per_thread


def test_speed_counts_each_undirected_edge_of_the_reached_part_once() -> None:
    two_parts = Graph.from_edges([0, 1, 3], [1, 2, 4], 5)
    done = gpubfs.run("scan-free", two_parts, 0)
    assert done.traversed_edges == 2
    assert done.mteps == pytest.approx(2 / done.seconds / 1e6)
    assert gpubfs.run("scan-free", DIRECTED, 4).traversed_edges == 6


@pytest.mark.parametrize("name", sampled(NAMES, 4))
def test_json_has_what_programs_expect(name: str, machine: str) -> None:
    done = gpubfs.run(name, "karate", 0, machine)
    data = json.loads(json.dumps(done.as_dict(), allow_nan=False))
    assert list(data)[:4] == ["technique", "graph", "source", "machine"]
    assert data["graph"] == {"spec": "karate", "vertices": 34, "edges": 156, "directed": False}
    assert data["verified"] is True
    assert data["launches"] == data["counters"]["launches"] == done.launches
    assert data["depth"] == 3
    assert {"options", "reached", "seconds", "mteps", "sites"} <= set(data)
    by_kernels = data["counters"]["device_launches"] or 0
    assert len(data["per_launch"]) == done.launches + by_kernels
    if machine == "sim":
        site = data["sites"][0]
        names = ("line", "column", "text", "array", "kind", "requests", "sectors", "lanes")
        assert set(names) <= set(site)
        assert "/" not in site["file"]
    else:
        assert data["sites"] is None
        assert data["counters"]["load_requests"] is None


def test_every_counter_of_the_table_is_in_the_json() -> None:
    counters = gpubfs.run("scan-free", "toy").as_dict()["counters"]
    missing = set(EVERY_COUNTER) - set(counters)
    assert not missing
    assert None not in [counters[name] for name in EVERY_COUNTER]
    assert {"maximum", "mean", "imbalance", "gini", "histogram"} <= set(counters["work"])


def test_counting_can_be_switched_off() -> None:
    done = gpubfs.run("scan-free", "toy", counters=False)
    assert done.sites is None
    assert done.counters["load_requests"] is None
    assert done.counters["launches"] == done.launches == 4
    assert done.not_counted == "counting was switched off"


def test_the_host_counts_what_it_does(machine: str) -> None:
    graph = gpubfs.graph("grid:6x6")
    done = gpubfs.run("scan-free", graph, 0, machine)
    assert done.launches == done.counters["host_reads"] == done.depth + 1
    sizes = done.counters["bytes_by_name"]
    assert sizes["level"] == sizes["frontier"] == sizes["next"] == 4 * graph.vertices
    assert done.counters["bytes_allocated"] == sum(sizes.values()) == done.counters["bytes_peak"]
    assert [launch.frontier for launch in done.per_launch] == [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]
    assert [launch.depth for launch in done.per_launch] == list(range(11))


def test_a_wrong_kernel_is_found_out(tmp_path) -> None:
    from dataclasses import replace

    good = gpubfs.techniques()["scan-free"]
    bad = tmp_path / "bad.cu"
    bad.write_text(good.source.replace("-1, next_depth)", "-1, next_depth + next_depth % 2)"))
    with pytest.raises(VerificationError, match="vertex 1 has level 2"):
        gpubfs.run(replace(good, kernel=str(bad)), "path:3", 0)


@pytest.mark.parametrize(
    ("arguments", "settings", "words"),
    [
        (("scan", "toy"), {}, "no technique"),
        (("scan-free", "toy", 10), {}, "source 10"),
        (("scan-free", "toy", -1), {}, "source -1"),
        (("scan-free", "toy", True), {}, "source True is not a whole number"),
        (("scan-free", "toy", 1.0), {}, "source 1.0 is not a whole number"),
        ((5, "toy"), {}, "no technique"),
        (("scan-free", 5), {}, "something of type int is not a graph"),
        (("scan-free", "toy"), {"device": ""}, "no device profile"),
        (("scan-free", "toy"), {"device": 5}, "no device profile"),
        (("scan-free", "toy", 0, "tpu"), {}, 'no machine "tpu"'),
        (("scan-free", "toy"), {"block": 0}, "block=0"),
        (("scan-free", "toy"), {"length": 4}, "option of scan-free"),
        (("scan-free", "nowhere:3"), {}, "nowhere"),
        (("scan-free", "toy"), {"device": "h2000"}, "h2000"),
        (("scan-free", "toy"), {"schedule": "fair"}, "fair"),
    ],
)
def test_mistakes_are_named(arguments, settings, words) -> None:
    with pytest.raises((UsageError, GraphError), match=words):
        gpubfs.run(*arguments, **settings)


def test_a_technique_for_one_machine_is_refused_on_the_other() -> None:
    from dataclasses import replace

    only = replace(gpubfs.techniques()["scan-free"], machines=("gpu",))
    with pytest.raises(UsageError, match="does not run on sim"):
        gpubfs.run(only, "toy")


def test_a_numpy_integer_is_a_source() -> None:
    done = gpubfs.run("scan-free", "toy", np.int64(3))
    assert (done.source, type(done.source)) == (3, int)


def test_a_run_is_one_line_in_a_plain_prompt() -> None:
    text = repr(gpubfs.run("scan-free", "path:3", 0))
    assert text.startswith("<scan-free on path:3 from 0, machine sim (h200): depth 2, verified;")
    assert "rich.print" in text
