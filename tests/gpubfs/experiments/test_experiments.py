"""Every experiment, on tiny graphs: what it measures, and in what forms it comes out."""

import io
import json
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from rich.console import Console

import gpubfs
from gpubfs.errors import UsageError
from gpubfs.experiments import (
    balance,
    busato_balance,
    dfq_memory,
    level_costs,
    threads_launched,
    xbfs_enqueue,
)
from gpubfs.experiments.catalogue import find
from gpubfs.experiments.contention import IMBALANCE
from gpubfs.experiments.experiment import Report
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.toedling import start
from gpubfs.graphs import Graph
from gpubfs.graphs import graph as make_graph
from gpubfs.host import Launch
from gpubfs.machines import Machine, open_machine
from gpubfs.measure.bench import Timing
from gpubfs.search.catalogue import parse_call
from tests.gpubfs.render.readable import faults
from tests.sampling import sampled

TINY = {
    "aimgraph-delete": {"graphs": ["path:20", "star:20"], "updates": (20,), "rounds": 1},
    "aimgraph-init": {"graphs": ["path:20", "star:20"]},
    "aimgraph-insert": {"graphs": ["path:20", "star:20"], "updates": (20, 60), "rounds": 1},
    "aimgraph-memory": {"graphs": ["path:20", "star:20"]},
    "aimgraph-skew": {"graphs": ["path:20"], "updates": 40, "shares": (1.0, 0.0)},
    "best-steps": {"graphs": ["kron:7", "path:12"]},
    "best-sweep": {"graphs": ["toy", "path:9"]},
    "busato-bins": {"graphs": ["kron:8,16", "star:300"]},
    "busato-frontier-loads": {"graphs": ["kron:7", "grid:8x8"]},
    "busato-gathering": {"graphs": ["kron:7", "star:300"]},
    "busato-balance": {"graphs": ["grid:8x8", "kron:8"], "sources": 1},
    "classification": {"graphs": ["kron:7", "grid:6x6"]},
    "custinger-overallocation": {"graphs": ["path:20"], "updates": 20, "rounds": 2},
    "dfq-capacity": {"graphs": ["kron:12"], "capacities": (1024, 4096)},
    "dfq-memory": {"graphs": ["kron:6", "kron:8"]},
    "dfq-scaling": {"graphs": ["kron:12"], "blocks": (1, 2, 4)},
    "dfq-speedup": {"graphs": ["kron:8", "star:5000"]},
    "edges-per-thread": {"graphs": ["kron:7", "path:9"], "edges": (1, 4)},
    "incremental-bfs": {"graphs": ["kron:7", "grid:6x6"], "shares": (0.01, 0.1)},
    "faimgraph-overhead": {"graphs": ["kron:7", "grid:6x6"]},
    "loop-on-device": {"graphs": ["kron:7", "path:20"]},
    "queue-memory": {"graphs": ["grid:8x8", "kron:8"]},
    "threads-launched": {"graphs": ["kron:8", "path:20"]},
    "xbfs-ablation": {"graphs": ["kron:8", "powerlaw:300"]},
    "xbfs-balance": {"graphs": ["kron:8", "star:600"], "blocks": 1},
    "xbfs-devices": {"graphs": ["kron:8"]},
    "xbfs-early": {"graphs": ["powerlaw:300", "er:8,6"]},
    "xbfs-edge-checks": {"graphs": ["kron:8", "powerlaw:300"]},
    "xbfs-enqueue": {"sizes": (8, 10), "shares": (0.1, 0.5)},
    "xbfs-generation": {"graphs": ["kron:8", "path:60"]},
    "xbfs-others": {"graphs": ["kron:8", "grid:6x6"]},
    "xbfs-phases": {"graphs": ["kron:8", "powerlaw:300"]},
    "xbfs-workload": {"graphs": ["kron:8", "star:300"], "sources": 2},
}
#: Of those, what keeps batches and rounds small where the paper's are taken on a GPU.
FEW = {
    name: {key: value for key, value in tiny.items() if key in ("updates", "rounds", "shares")}
    for name, tiny in TINY.items()
}
SUB_QUEUES = 82 * 2048 * 4  # bytes on the paper's GPU


@cache
def report(name: str, machine: str = "sim") -> Report:
    return gpubfs.experiment(name, machine, **TINY[name])


def values(done: Report, series: str, name: str, graph: str = "") -> list:
    own = [p for p in done.points if p.series == series and p.graph.startswith(graph)]
    return [point.values[name] for point in own]


def printed(thing: object, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(thing)
    return console.file.getvalue()


@pytest.mark.parametrize("name", gpubfs.experiments())
def test_every_experiment_has_tiny_settings(name: str) -> None:
    if name not in TINY:  # somebody's own
        pytest.skip(f"{name} has no tiny settings here")
    assert TINY[name]


def test_tiny_settings_are_of_experiments_that_are_there() -> None:
    assert set(TINY) <= set(gpubfs.experiments())


@pytest.mark.parametrize("name", sampled(TINY, 4))
def test_experiments_say_what_they_measured_and_what_the_paper_has(name: str, machine: str) -> None:
    done = report(name, machine)
    assert done.machine == machine
    assert done.verdicts
    data = json.loads(json.dumps(done.as_dict()))
    assert data["name"] == name
    assert data["published"]
    assert len(data["points"]) == len(done.points) > 1
    assert [verdict["sentence"] for verdict in data["verdicts"]]


@pytest.mark.parametrize(("name", "width"), sampled(product(TINY, [40, 100]), 15))
def test_tables_fit_the_terminal_and_the_notebook(name: str, width: int) -> None:
    done = report(name)
    text = printed(done, width)
    assert max(map(len, text.splitlines())) <= width
    assert done.sheet.title.split()[0] in text
    assert str(done.verdicts[0])[:30] in text
    assert done._repr_html_().count("<table>") == len(done.sheets) + 1


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled([*TINY][1:], 6))
def test_pictures_have_axes_with_names_and_texts_that_are_read(name: str) -> None:
    picture = report(name).plot()
    axes = picture.axes
    assert axes
    assert faults(picture) == []
    assert all(one.get_xlabel() and one.get_ylabel() for one in axes)


def test_a_decentralized_queue_takes_the_same_memory_for_every_graph() -> None:
    done = report("dfq-memory")
    assert values(done, "dfq-global", "bytes") == [SUB_QUEUES, SUB_QUEUES]
    assert values(done, "central-queue", "bytes") == [4 << 6, 4 << 8]
    assert [verdict.agrees for verdict in done.verdicts] == [True, True, None]


def test_a_kron_graph_has_vertices_without_edges() -> None:
    graph = make_graph("kron:8")
    connected = len(np.unique(graph.neighbours))
    found = values(report("dfq-memory"), "central-queue", "connected", "kron:8")
    assert found == [connected]
    assert connected < graph.vertices


def test_more_blocks_scatter_atomics_only_where_each_has_a_queue() -> None:
    done = report("dfq-scaling")
    base = values(done, "central-queue", "hottest_ops")
    ours = values(done, "dfq-global", "hottest_ops")
    assert set(base) == {ours[0]} == set(values(done, "central-queue", "reached"))
    assert ours == sorted(ours, reverse=True)
    assert ours[-1] * 3 < ours[0]
    assert [verdict.agrees for verdict in done.verdicts] == [True, None, None]


@pytest.mark.slow
def test_a_graph_like_appu_leaves_blocks_without_work_where_each_has_a_queue() -> None:
    """The imbalance of work of the specification's run: 4.73 of dfq-global, 1.38 of the other."""
    done = gpubfs.experiment("dfq-scaling", graphs=["er:14,66"], blocks=(1, 82))
    found = values(done, "dfq-global", IMBALANCE), values(done, "central-queue", IMBALANCE)
    assert [own[0] for own in found] == [1, 1]
    assert found[0][1] > 3 * found[1][1]
    assert "66 of 82 blocks own no vertex" in done.verdicts[1].sentence
    assert done.verdicts[1].agrees


def test_a_gpus_resident_blocks_are_the_most_that_are_tried() -> None:
    """The RTX 3090's profile holds 82 blocks of 1,024 threads, and so has 82 sub-queues."""
    done = gpubfs.experiment("dfq-scaling", graphs=["toy"])
    assert max(point.at for point in done.points) == 82


def test_a_queue_that_overflows_is_a_cell_with_a_note() -> None:
    done = report("dfq-speedup")
    (sheet,) = done.sheets
    rows = [row for row in sheet.rows if row[0] == "star:5000"]
    assert [row[2] for row in rows] == ["overflow"] * len(rows)
    note = next(note for note in sheet.notes if "star:5000" in note)
    assert "level 1" in note
    assert "vertex" in note
    assert "overflows on star:5000 (largest degree 5,000)" in done.verdicts[-1].sentence
    assert done.verdicts[-1].agrees


def test_shared_memory_takes_the_atomics_of_sub_queues() -> None:
    done = report("dfq-speedup")
    assert values(done, "dfq-shared", "atomic_lanes") == [0, 0]
    ours, other = (values(done, name, "hottest_ops") for name in ("dfq-shared", "dfq-global"))
    assert ours == other


def test_larger_sub_queues_are_drained_less_often() -> None:
    done = report("dfq-capacity")
    fewer, most = reversed(values(done, "dfq-global", "barriers"))
    assert fewer < most
    assert len(set(values(done, "dfq-global", "grid_syncs"))) == 1


def test_prefix_sums_add_once_a_block() -> None:
    done = report("xbfs-enqueue")
    frontiers = values(done, "atomic", "frontier")
    assert values(done, "atomic", "atomic_lanes") == frontiers
    blocks = [-(-entries // xbfs_enqueue.BLOCK) for entries in values(done, "atomic", "entries")]
    assert values(done, "hybrid", "atomic_lanes") == blocks
    assert min(values(done, "hybrid", "barriers")) > 0


def test_two_passes_scan_twice_and_make_no_atomics() -> None:
    done = report("xbfs-enqueue")
    assert set(values(done, "two-pass", "atomic_lanes")) == {0}
    once, twice = (values(done, name, "load_sectors") for name in ("atomic", "two-pass"))
    assert all(2 * one < two < 2 * one + 100 for one, two in zip(once, twice, strict=True))


@pytest.mark.slow
def test_shares_of_what_is_saved_add_up() -> None:
    done = report("xbfs-generation")
    for graph in ("kron:8", "path:60"):
        shares = level_costs.contributions(done.points, graph, level_costs.COALESCED)
        assert shares
        assert sum(shares.values()) == pytest.approx(1)
    assert shares["scan-free"] == 1  # a path is never searched bottom-up


@pytest.mark.slow
def test_every_level_has_a_cost_for_its_method() -> None:
    done = report("xbfs-generation")
    strided, double = (values(done, name, "cost") for name in ("strided-scan", "double-scan"))
    assert all(more > less for more, less in zip(strided, double, strict=True))
    costs = {(p.graph, p.series, p.at): p.values["cost"] for p in done.points}
    assert all(costs[p.graph, p.values["method"], p.at] > 0 for p in done.points)


@pytest.mark.slow
def test_top_down_a_coalesced_baseline_costs_less_than_a_strided_one() -> None:
    """Bottom-up both are strided, so that there they are the same."""
    points = report("xbfs-generation").points
    for graph in level_costs.graphs_of(points):
        for level, costs in level_costs.levels_of(points, graph):
            coalesced, strided = (costs[base] for base in level_costs.BASELINES)
            if level.values["method"] == level_costs.DOUBLE:
                assert coalesced == strided
            else:
                assert coalesced < strided


@pytest.mark.slow
def test_the_hierarchy_is_timed_against_a_loop_like_its_own() -> None:
    done, _ = on_fake_gpu("dfq-speedup", "toy")
    assert values(done, "central-queue by host", "seconds") == [3]
    said = done.verdicts[3].sentence
    assert "as fast as central-queue by host, which launches for each level as it does" in said
    assert "as fast as the persistent central-queue, whose loop is another one" in said


def test_queues_are_counted_as_the_paper_counts_them() -> None:
    done = report("queue-memory")
    queues = {point.series: point.values["queues"] for point in done.points}
    assert queues["status-array"] == 0
    assert queues["scan-free"] == queues["block-prefix-sum"] == queues["dynamic-parallelism"] == 2
    assert queues["central-queue"] == 1
    assert queues["edge-frontier"] == 3
    assert queues["classified-deferred"] == 5
    assert queues["classified-immediate"] == 8
    assert [verdict.agrees for verdict in done.verdicts[:4]] == [True] * 4
    assert values(done, "scan-free", "per_vertex", "kron") == [pytest.approx(12, abs=0.1)]
    assert values(done, "classified-immediate", "per_vertex", "kron") == [36 + 20 / 256]
    assert values(done, "classified-deferred", "per_vertex", "kron") == [24 + 24 / 256]


@pytest.mark.parametrize("spec", ["path:1", "path:2", "star:3", "grid:2x3"])
def test_a_few_words_are_no_queue_on_a_tiny_graph(spec: str) -> None:
    """Counters of four classes are as many as the vertices of a star with three leaves."""
    done = gpubfs.experiment("queue-memory", graphs=[spec])
    assert [verdict.agrees for verdict in done.verdicts[:4]] == [True] * 4
    assert values(done, "edge-frontier", "queues") == [3]
    said = [verdict.sentence for verdict in done.verdicts]
    assert any(
        "dynamic parallelism version has 2" in one and "dynamic-parallelism too" in one
        for one in said
    )


@pytest.mark.slow
def test_immediate_classification_spares_a_launch_a_level() -> None:
    done = report("classification")
    deferred, immediate = (
        values(done, name, "launches") for name in ("classified-deferred", "classified-immediate")
    )
    levels = [depth + 1 for depth in values(done, "classified-immediate", "depth")]
    assert [more - less for more, less in zip(deferred, immediate, strict=True)] == levels
    assert done.verdicts[0].agrees


@pytest.mark.slow
def test_gpmas_search_looks_at_the_same_edges_and_at_gaps_besides() -> None:
    done = report("classification")
    for graph in ("kron:7", "grid:6x6"):
        made = make_graph(graph)
        levels = gpubfs.run("scan-free", made, start(made)).levels
        looked_at = int(made.degrees[levels >= 0].sum())
        assert values(done, "gpma", "looked_at", graph) == [looked_at]
        (gaps,) = values(done, "gpma", "gaps_traversed", graph)
        assert 0.2 < gaps / looked_at < 3
        depths = [values(done, name, "depth", graph) for name in ("gpma", "cta-warp-scan")]
        assert depths == [[levels.max()]] * 2


@pytest.mark.slow
def test_a_loop_on_the_device_spares_reads_and_takes_launches() -> None:
    done = report("loop-on-device")
    levels = [depth + 1 for depth in values(done, "host-loop", "depth")]
    for name in ("status-array on the device", "block-prefix-sum on the device", "device-loop"):
        assert values(done, name, "host_reads") == [0, 0]
        assert values(done, name, "device_launches") == [2 * n for n in levels]
    assert values(done, "host-loop", "host_reads") == levels
    assert values(done, "persistent", "grid_syncs") == levels
    assert [verdict.agrees for verdict in done.verdicts] == [True, None]


@pytest.mark.slow
def test_pages_cost_links_where_a_vertex_has_several() -> None:
    done = report("faimgraph-overhead")
    for technique in ("status-array", "classified-deferred", "classified-immediate"):
        shapes = [(technique, 0, 0)] + [
            (f"{technique} on pages of {n} bytes", n, 0) for n in (64, 128)
        ]
        rows, small, large = (values(done, name, "link_loads") for name, *_ in shapes)
        assert rows == [0, 0]
        assert small[0] > large[0] > 0  # kron:7
        assert small[1] == large[1] == 0  # grid:6x6, whose vertices have a page each
        depths = [values(done, name, "depth") for name, *_ in shapes]
        assert depths[0] == depths[1] == depths[2]
        for leader, n in ((small, 64), (large, 128)) if technique != "status-array" else ():
            lanes = values(done, f"{technique} on pages of {n} bytes, by lanes", "link_loads")
            assert 0 < lanes[0] <= leader[0]
            assert lanes[1] == 0
    assert [verdict.agrees for verdict in done.verdicts] == [None] * 4 + [True, None]


@pytest.mark.slow
def test_pages_are_timed_against_compressed_rows() -> None:
    done, _ = on_fake_gpu("faimgraph-overhead", "toy")
    assert len(done.verdicts) == 4
    for verdict in done.verdicts:
        assert isinstance(verdict.agrees, bool)
        assert "in the paper around 10 % on average" in verdict.sentence
    assert len(values(done, "classified-immediate on pages of 64 bytes", "seconds")) == 1


def test_searches_like_the_papers_begin_at_vertex_0_or_the_first_with_neighbours() -> None:
    assert start(make_graph("star:9")) == 0
    assert start(Graph.from_edges([2], [3], 5)) == 2
    assert start(Graph.from_edges([], [], 5)) == 0
    depths = values(report("edges-per-thread"), "classified-immediate", "depth", "path")
    assert set(depths) == {8}  # from an end, not from the hub, which lies further in


def test_threads_are_those_of_grids_and_of_the_vertices_of_a_class() -> None:
    done = report("threads-launched")
    launched = gpubfs.run("classified-deferred", "kron:8", start(make_graph("kron:8"))).per_launch
    threads = [int(np.prod(one.grid) * np.prod(one.block)) for one in launched]
    own = [point for point in done.points if point.graph == "kron:8"]
    assert [point.values["threads"] for point in own] == threads
    for level in range(max(point.at for point in own) + 1):
        sizes = {p.series: p.values["vertices"] for p in own if p.at == level}
        classified = sizes.pop("classification")
        assert classified == sum(size for name, size in sizes.items() if name != "maximum")
    assert {p.values["vertices"] for p in done.points if p.graph == "path:20"} == {1}


def test_huge_vertices_take_turns_on_a_gpu_without_room_for_all() -> None:
    """The threads that they would have at once are told beside those that were launched."""
    joined = Graph.from_edges([0] * 300 + [1] * 300, [*range(2, 302)] * 2, 302)
    tiny = {"edges_per_thread": 1, "block": 8, "device": "toy8"}  # 64 threads run at one time
    done = gpubfs.run("classified-deferred", joined, 2, **tiny)
    huge = next(one for one in done.per_launch if one.kernel == "explore_huge")
    counted = threads_launched.threads_of(huge, 2)
    assert counted == {"threads": 304, "unbounded": 2 * 304}  # 300 edges in blocks of 8
    medium = next(one for one in done.per_launch if one.kernel == "explore_medium")
    both = threads_launched.threads_of(medium, 300)
    assert both["threads"] == both["unbounded"]


def fake_gpu(*specs: str, repeats: int = 2) -> tuple[Lab, list[str]]:
    """A lab that takes its times from a list, of which the first of each series is too long."""
    ran: list[str] = []

    def run(technique, graph, *, machine, device, counters, **options):
        assert (machine, device) == ("gpu", None)
        ran.append(technique)
        done = gpubfs.run(technique, graph, **options)
        turn = (len(ran) - 1) % (repeats + 1)
        seconds = (100, 2, 4)[turn] / max(options.get("blocks", 1), 1)
        launches = tuple(timed(launch, seconds) for launch in done.per_launch)
        return replace(done, seconds=seconds, per_launch=launches)

    def timed(launch: Launch, seconds: float) -> Launch:
        return replace(launch, seconds=seconds, counters=None, sites=None)

    def opener(name: str, *, device: str | None, counters: bool) -> Machine:
        # Timed with the build that counts, two scans take 50 times as long, most of it the host's.
        assert (name, device, counters) == ("gpu", None, False)
        return open_machine("sim", counters=False)

    def timer(call: str, graph: gpubfs.Graph, machine: str, starts: tuple[int, ...]) -> Timing:
        assert machine == "gpu"
        technique, options = parse_call(call)
        done = gpubfs.run(technique, graph, counters=False, **options)
        ran.extend([technique] * len(starts))
        seconds = 1e-6 * (len(call) + done.depth)
        return Timing(call, graph.spec, machine, len(starts), seconds, 0, 0, 0, 0, ways="block")

    graphs = tuple(make_graph(spec) for spec in specs)
    lab = Lab("gpu", "fake", 4, graphs, repeats=repeats, run=run, opener=opener, timer=timer)
    return lab, ran


def on_fake_gpu(name: str, *specs: str, **settings: object) -> tuple[Report, list[str]]:
    lab, ran = fake_gpu(*specs)
    points = tuple(find(name).measure(lab, **settings))
    return Report(find(name), "gpu", "fake", points), ran


def test_times_are_medians_without_the_first_run() -> None:
    done, ran = on_fake_gpu("dfq-scaling", "toy", blocks=(1, 2, 4))
    assert len(ran) == 3 * len(done.points)
    assert values(done, "dfq-global", "seconds") == [3, 1.5, 0.75]
    assert "×4.00" in printed(done.sheets[0])


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled((n for n in TINY if n != "xbfs-enqueue"), 12))
def test_times_make_tables_verdicts_and_pictures(name: str) -> None:
    few = {"blocks": (1, 2)} if name == "dfq-scaling" else FEW.get(name, {})
    done, _ = on_fake_gpu(name, "toy", **few)
    assert "machine gpu (fake)" in printed(done)
    assert done.verdicts
    assert faults(done.plot()) == []


def test_enqueueing_is_timed_by_launches() -> None:
    done, _ = on_fake_gpu("xbfs-enqueue", sizes=(8,), shares=(0.5,))
    assert all(point.values["seconds"] > 0 for point in done.points)
    assert "speedup" in printed(done.sheets[0])
    assert [one.get_xlabel() for one in done.plot().axes] == ["entries of the status array"]
    assert len(done.verdicts) == 2


@pytest.mark.slow
def test_costs_of_levels_are_seconds_on_a_gpu() -> None:
    done, _ = on_fake_gpu("xbfs-generation", "karate")
    queued = [cost for cost in values(done, "scan-free", "cost") if cost is not None]
    assert set(queued) == {3}
    assert "microseconds" in done.sheets[0].title


def test_paper_figures_are_of_kron_graphs() -> None:
    assert dfq_memory.published("kron:18") == 0.69
    assert not dfq_memory.published("er:18")


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("dfq-memori", {}, "did you mean dfq-memory"),
        ("dfq-memory", {"machine": "gpus"}, "did you mean gpu"),
        ("dfq-memory", {"graphs": []}, "leave the graphs out for kron:12"),
        ("dfq-memory", {"graphs": ["toy", "toy"]}, "given twice"),
        ("dfq-memory", {"repeats": 0}, "whole number from 1"),
        ("dfq-scaling", {"block": (1, 2)}, "did you mean blocks"),
        ("dfq-capacity", {"capacities": (1024,), "graphs": ["toy"]}, "at least two"),
        ("xbfs-enqueue", {"graphs": ["toy"]}, "leave out the graphs"),
    ],
)
def test_mistakes_are_told_before_anything_is_measured(name, arguments, words) -> None:
    with pytest.raises(UsageError, match=words):
        gpubfs.experiment(name, **arguments)


def test_a_name_may_be_written_with_underscores() -> None:
    assert find("dfq_memory") is gpubfs.experiments()["dfq-memory"]


def test_a_specification_alone_is_one_graph() -> None:
    assert len(gpubfs.experiment("queue-memory", graphs="toy").points) == 9


def test_functions_keep_their_names_beside_the_modules() -> None:
    import gpubfs.experiments.report

    assert callable(gpubfs.experiment)
    assert callable(gpubfs.experiments)


@pytest.mark.slow
def test_ways_to_share_out_edges_are_judged_on_graphs_of_their_class() -> None:
    done = report("busato-balance")
    assert {balance.kind(point) for point in done.points if point.graph == "grid:8x8"} == {
        "regular"
    }
    assert {balance.kind(point) for point in done.points if point.graph == "kron:8"} == {
        "irregular"
    }
    assert set(balance.found(done.points, "launches", "irregular")) == {"kron:8"}
    assert set(balance.found(done.points, "launches")) == {"grid:8x8", "kron:8"}


@pytest.mark.slow
def test_every_way_to_share_out_edges_begins_at_the_same_random_vertex() -> None:
    graph = make_graph("kron:8")
    start = busato_balance.beginnings(graph, 1)[0]
    assert graph.degrees[start] > 0
    done = gpubfs.run("thread-per-vertex", graph, start)
    (launches,) = values(report("busato-balance"), "thread-per-vertex", "launches", "kron:8")
    (even,) = values(report("busato-balance"), "thread-per-vertex", "imbalance", "kron:8")
    assert launches == done.launches
    works = [launch.counters.work for launch in done.per_launch]
    assert even == sum(work.maximum for work in works) / sum(work.mean for work in works)


def test_busatos_table_1_has_nothing_between_regular_and_irregular() -> None:
    """Gini coefficients of the paper's 19 graphs."""
    without_hubs = (0.08, 0.09, 0.21, 0, 0.14, 0.12, 0.01, 0.13, 0.02, 0.23, 0.17, 0.12)
    with_hubs = (0.52, 0.35, 0.74, 0.72, 0.62, 0.73, 0.92)
    assert len(without_hubs) + len(with_hubs) == 19
    assert max(without_hubs) < balance.REGULAR < min(with_hubs)


def test_throughput_is_all_edges_over_the_mean_time() -> None:
    runs = [gpubfs.run("thread-per-vertex", "star:9", counters=False) for _ in range(2)]
    timed = [replace(done, seconds=seconds) for done, seconds in zip(runs, (1.0, 3.0), strict=True)]
    assert busato_balance.throughput(timed) == {"mteps": 18 / 2 / 1e6}
