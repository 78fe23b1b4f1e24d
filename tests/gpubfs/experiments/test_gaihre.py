"""XBFS's figures on bottom-up passes, other systems and other GPUs: measurements and verdicts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs.experiments import (
    fetching,
    gaihre,
    pass_loads,
    work_by_degree,
    xbfs_balance,
    xbfs_devices,
    xbfs_others,
    xbfs_workload,
)
from gpubfs.experiments.experiment import Point, Verdict
from simulator import PROFILES
from tests.gpubfs.experiments.test_experiments import on_fake_gpu, report, values
from tests.gpubfs.techniques import bottom_up_passes
from tests.sampling import examples, sampled

SPECS = ["karate", "kron:9", "star:70", "powerlaw:400", "er:7"]


def sums(vertices: int, small: int, edges: int = 90, looked: int = 9) -> dict[str, int]:
    """What a class of vertices does."""
    known = {"vertices": vertices, "small": small, "edges": edges, "looked_at": looked}
    return known | {"exhausted": 0}


def by_systems(**taken: float) -> dict[str, dict[str, float]]:
    """One value of each system on one graph."""
    return {name: {"g": value} for name, value in taken.items()}


def by_profiles(**sectors: int) -> list[Point]:
    """Points of profiles that differ in sectors."""
    same = {"warp_steps": 5, "busiest": 5}
    names = {name.replace("_", "-"): value for name, value in sectors.items()}
    return [Point("g", name, None, {"sectors": its} | same) for name, its in names.items()]


@pytest.mark.parametrize(
    ("verdict", "agrees"),
    [
        (fetching.room({"a": 1.2, "b": 2.0}), True),
        (fetching.room({"a": 1.1}), False),
        (fetching.room({"a": 1.1, "b": 2.0}), None),
        (fetching.room({}), None),
        (fetching.fewer({"a": 31.0, "b": 32.0}), True),
        (fetching.fewer({"a": 4.0}), False),
        (fetching.fewer({"a": 4.0, "b": 32.0}), None),
        (fetching.fewer({}), None),
        (fetching.asking({"a": 1.0}), True),
        (fetching.asking({"a": 32.0}), False),
        (fetching.asking({}), None),
        (fetching.slightly({"a": 1.02, "b": 1.1}), True),
        (fetching.slightly({"a": 1.02, "b": 1.2}), None),
        (fetching.slightly({"a": 0.9}), False),
        (fetching.slightly({}), None),
        (fetching.helped({"a": 1.2}, {"a": 1.0}), None),
        (fetching.helped({}, {}), None),
        (fetching.gained({"a": 1.1, "b": 1.2}, gaihre.WARP), True),
        (fetching.gained({"a": 1.0, "b": 1.02}, gaihre.WARP), False),
        (fetching.gained({"a": 1.9}, gaihre.THREAD), False),
        (fetching.gained({}, gaihre.THREAD), None),
        (fetching.equal({"a": 1.05}), True),
        (fetching.equal({"a": 1.3}), False),
        (fetching.equal({}), None),
        (fetching.donated({"a": 1.03}), True),
        (fetching.donated({"a": 1.2}), False),
        (fetching.donated({"a": 0.98}), False),
        (fetching.donated({}), None),
        (xbfs_workload.as_drawn({3: 1, 4: 2, 8: 1}), True),
        (xbfs_workload.as_drawn({3: 3, 4: 2, 8: 1}), False),
        (xbfs_workload.tied({"a": 0.2}, {"a": sums(9, 9)}), True),
        (xbfs_workload.tied({"a": 0.95}, {"a": sums(9, 9)}), False),
        (xbfs_workload.tied({"a": 0.2, "b": 1.0}, {"a": sums(9, 9), "b": sums(9, 9)}), None),
        (xbfs_workload.tied({}, {}), None),
        (xbfs_workload.mostly_small({"a": sums(9, 5)}), True),
        (xbfs_workload.mostly_small({"a": sums(9, 4)}), False),
        (xbfs_workload.mostly_small({"a": sums(9, 5), "b": sums(9, 1)}), None),
        (xbfs_workload.mostly_small({}), None),
        (
            xbfs_workload.sometimes_large({"a": sums(9, 9), "b": sums(9, 8)}, {"a": 9, "b": 60}),
            True,
        ),
        (xbfs_workload.sometimes_large({"a": sums(9, 9)}, {"a": 9}), None),
        (xbfs_workload.sometimes_large({}, {}), None),
        (xbfs_others.fastest({"Tigr": {"a": 1.2}, "Ligra": {"a": 1.0}}), True),
        (xbfs_others.fastest({"Tigr": {"a": 1.2}, "Ligra": {"a": 0.9}}), False),
        (xbfs_others.fastest({"Tigr": {}}), None),
        (xbfs_others.gained({"a": 3.0, "b": 4.0}, "Enterprise"), True),
        (xbfs_others.gained({"a": 1.5}, "Enterprise"), False),
        (xbfs_others.gained({}, "Tigr"), None),
        (xbfs_others.gained({"a": 6.1}, "Ligra"), None),  # of another machine
        (xbfs_others.roomiest(by_systems(XBFS=1, Tigr=2, Gunrock=3)), True),
        (xbfs_others.roomiest(by_systems(XBFS=1, Tigr=4, Gunrock=3)), False),
        (xbfs_others.roomiest(by_systems(XBFS=1, Tigr=4)), None),
        (xbfs_others.told("Tigr", {"launches": {"a": 0.5}}), None),
        (xbfs_others.told("Tigr", {"launches": {}}), None),
        (xbfs_devices.worked({"sectors": {"v100": {"a": 1.0}}}), None),
        (xbfs_devices.grids({"v100": {"a": 1.0}}), None),
        (xbfs_devices.alike(by_profiles(p6000=9, titan_xp=9)), None),
    ],
)
def test_verdicts_come_out_either_way(verdict: Verdict, agrees: bool | None) -> None:
    assert verdict.agrees is agrees
    assert verdict.sentence


# How many edges vertices look at.


@examples(40, 8)
@given(graph=bottom_up_passes.graphs(), data=st.data())
def test_a_vertex_looks_as_far_as_its_first_parent(graph: Any, data: st.DataObject) -> None:
    source = data.draw(st.integers(0, graph.vertices - 1))
    levels = gpubfs.graphs.reference.reference_levels(graph, source)
    for depth in range(1, int(levels.max()) + 2):
        found = gaihre.looks(graph, levels, depth)
        expected = bottom_up_passes.looks(graph, levels, depth)
        visited = (levels >= 0) & (levels < depth)
        assert (found == np.where(visited, -1, expected)).all()


@pytest.mark.parametrize("spec", SPECS)
def test_what_vertices_look_at_is_what_passes_load(spec: str) -> None:
    done = gpubfs.experiment("xbfs-workload", graphs=[spec])
    looked: dict[str, int] = {}
    for point in done.points:
        kind, _, where = point.series.partition(" of ")
        if kind == xbfs_workload.VERTICES:
            looked[where] = looked.get(where, 0) + point.values["looked_at"]
    loads = {
        point.series.partition(" of ")[2]: point.values["loads"]
        for point in done.points
        if point.series.startswith(xbfs_workload.THREADS)
    }
    assert loads == looked != {}


@examples(60, 10)
@given(data=st.data())
def test_classes_of_degrees_lose_nobody(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 50))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    degrees = rng.integers(0, 300, size)
    work = np.where(rng.random(size) < 0.3, -1, rng.integers(0, degrees + 1))
    found = work_by_degree.classes(degrees, work)
    own = degrees[work >= 0]
    assert sum(its["vertices"] for its in found.values()) == own.size
    assert sum(its["edges"] for its in found.values()) == own.sum()
    assert sum(its["looked_at"] for its in found.values()) == work[work >= 0].sum()
    for low, its in found.items():
        assert low * its["vertices"] <= its["edges"] <= max(2 * low - 1, 0) * its["vertices"]
        assert its["small"] == np.count_nonzero(inside(degrees, work, low) < work_by_degree.HIGH)


def inside(degrees: np.ndarray, work: np.ndarray, low: int) -> np.ndarray:
    """The work of the vertices of one class."""
    return work[(work >= 0) & (degrees >= low) & (degrees < max(2 * low, 1))]


def test_the_papers_example_is_measured() -> None:
    done = report("xbfs-workload")
    assert values(done, xbfs_workload.DRAWN, "looked_at", "toy") == [1, 2, 1]
    assert values(done, xbfs_workload.DRAWN, "edges", "toy") == [3, 2, 2]
    assert done.verdicts[0].agrees


def test_a_hub_that_nobody_has_visited_looks_at_all_of_its_edges() -> None:
    """A star whose leaves hang on paths: its hub has no parent in the first pass."""
    leaves = np.arange(1, 101)
    graph = gpubfs.graphs.Graph.from_edges(
        np.r_[np.zeros(100, int), 1, 101], np.r_[leaves, 101, 102], 103, name="late hub"
    )
    work = gaihre.looks(graph, gpubfs.graphs.reference.reference_levels(graph, 102), 1)
    assert work[0] == graph.degrees[0] == 100
    largest = work_by_degree.classes(graph.degrees, work)[64]
    assert (largest["most"], largest["small"], largest["exhausted"]) == (100, 0, 1)


# Balancing.


def test_the_papers_gains_fit_if_they_are_of_bottom_up_levels() -> None:
    of_all = fetching.whole_search(fetching.FIGURE_14[gaihre.WARP], fetching.SHARE)
    printed = fetching.AFTER / fetching.BEFORE
    assert of_all == pytest.approx(printed, abs=0.02)
    assert abs(fetching.ANOTHER - printed) > 0.2


@pytest.mark.slow
@pytest.mark.parametrize("spec", sampled(["kron:10", "powerlaw:2000", "er:10"], 3))
def test_threads_fetch_one_by_one_and_warps_for_all_lanes(spec: str) -> None:
    done = gpubfs.experiment("xbfs-balance", graphs=[spec], blocks=1)
    run = gpubfs.run(gaihre.STATIC, spec, alpha=gaihre.ALPHA)
    queues = [np.count_nonzero(work >= 0) for work in passes_of(run)]
    large = [size for size in queues if size > 256]
    beyond = [-(-(size - 256) // 32) * 32 for size in large]
    fetches = {series: values(done, series, "fetches") for series in xbfs_balance.SERIES}
    assert fetches[gaihre.STATIC] == [0]
    assert fetches[gaihre.THREAD] == [sum(large)]
    assert fetches[gaihre.WARP] == fetches[gaihre.DONATE]
    assert fetches[gaihre.WARP] == [sum(size // 32 + 8 for size in beyond)]
    assert values(done, gaihre.STATIC, "vertices") == [sum(queues)]


def passes_of(run: gpubfs.Run) -> list[np.ndarray]:
    """What each pass of a search looks at."""
    return [gaihre.looks(run.graph, run.levels, at.depth + 1) for at in gaihre.passes(run)]


@pytest.mark.parametrize("spec", sampled(["powerlaw:2000", "kron:10", "star:700"], 3))
def test_warps_load_as_often_as_their_lane_that_looks_longest(spec: str) -> None:
    options = {"alpha": gaihre.ALPHA, "block": 64, "blocks": 3}
    run = gpubfs.run(gaihre.STATIC, spec, **options)
    for at in gaihre.passes(run):
        own = sum(site.requests for site in at.sites or () if site.kind == "load")
        loads, longest = pass_loads.dealt(run.graph, run, at)
        assert loads.sum() == own
        assert 0 < longest <= loads.max()


def test_where_every_thread_has_one_vertex_nothing_can_be_fetched() -> None:
    run = gpubfs.run(gaihre.STATIC, "powerlaw:500", alpha=gaihre.ALPHA, block=64)
    deals = [pass_loads.dealt(run.graph, run, at) for at in gaihre.passes(run)]
    assert max(loads.max() for loads, _ in deals) > min(loads.min() for loads, _ in deals)
    assert pass_loads.bound(deals) == 1


@examples(40, 10)
@given(data=st.data())
def test_no_order_of_rounds_beats_the_bound(data: st.DataObject) -> None:
    """Rounds that idle warps take in turn: never faster than the mean, or the longest of all."""
    count = data.draw(st.integers(1, 5))
    rounds = data.draw(st.lists(st.lists(st.integers(1, 50), min_size=count, max_size=count)))
    table = np.array(rounds or [[1] * count])
    ends = np.zeros(count, np.int64)
    for load in table.ravel():  # as warps fetch: who is done first takes the next
        ends[ends.argmin()] += load
    deal = table.sum(axis=0), int(table.max())
    assert deal[0].max() / ends.max() <= pass_loads.bound([deal]) + 1e-9


@pytest.mark.slow
def test_edges_are_the_same_whoever_fetches_and_donation_looks_at_more() -> None:
    done = report("xbfs-balance")
    for graph in {point.graph for point in done.points}:
        looked = {
            series: values(done, series, "looked_at", graph)[0] for series in xbfs_balance.SERIES
        }
        assert looked[gaihre.STATIC] == looked[gaihre.THREAD] == looked[gaihre.WARP]
        assert looked[gaihre.DONATE] >= looked[gaihre.WARP]


@pytest.mark.slow
def test_a_graph_without_bottom_up_levels_is_said_to_have_none() -> None:
    done = gpubfs.experiment("xbfs-balance", graphs=["path:23"])
    assert {point.values["passes"] for point in done.points} == {0}
    assert "path:23: no level is bottom-up" in done.sheets[0].notes
    assert [verdict.agrees for verdict in done.verdicts] == [None] * len(done.verdicts)
    timed, _ = on_fake_gpu("xbfs-balance", "path:23")
    assert [verdict.agrees for verdict in timed.verdicts] == [None] * len(timed.verdicts)


@pytest.mark.slow
def test_passes_are_timed_by_themselves() -> None:
    done, _ = on_fake_gpu("xbfs-balance", "karate")
    assert {point.values["pass_seconds"] > 0 for point in done.points} == {True}
    assert [verdict.agrees for verdict in done.verdicts[1:]] == [False, False, True, False]


# Other systems.


def test_every_system_is_stood_for_by_a_technique() -> None:
    assert {technique for technique, _ in xbfs_others.SERIES.values()} <= set(gpubfs.techniques())
    assert xbfs_others.SERIES[xbfs_others.OURS][0] == gaihre.SYSTEM


def test_the_papers_table_has_one_average_that_its_entries_do_not_give() -> None:
    assert [one.split(" is ")[0] for one in xbfs_others.misprints(xbfs_others.PRINTED)] == [
        "the average over Ligra"
    ]


def test_the_papers_extremes_are_those_of_its_table() -> None:
    """Section 6.1 gives the least and the most of each system's ten speedups."""
    extremes = {"Enterprise": (2.1, 5.0), "Tigr": (1.5, 17.2), "Ligra": (2.5, 12.1)}
    for name, (least, most) in extremes.items():
        found = xbfs_others.table_speedups(name).values()
        assert (min(found), max(found)) == pytest.approx((least, most), abs=0.05)
    assert max(xbfs_others.table_speedups("Gunrock").values()) == pytest.approx(54.3, abs=0.2)


def test_systems_that_go_bottom_up_look_at_fewer_edges() -> None:
    done = gpubfs.experiment("xbfs-others", graphs=["kron:10"])
    looked = {point.series: point.values["looked_at"] for point in done.points}
    edges = gpubfs.graph("kron:10").edges
    assert looked["Tigr"] == looked["Gunrock"] == edges
    assert max(looked["XBFS"], looked["Enterprise"], looked["Ligra"]) < edges
    taken = {point.series: point.values["bytes"] for point in done.points}
    assert taken["Gunrock"] > 4 * edges


# Other GPUs.


def test_titan_xp_and_p6000_count_the_same() -> None:
    done = report("xbfs-devices")
    for name in ("sectors", "warp_steps", "busiest"):
        assert values(done, "titan-xp", name) == values(done, "p6000", name)
    assert "the same to the digit" in done.verdicts[1].sentence
    assert "not the same" in xbfs_devices.alike(by_profiles(p6000=9, titan_xp=8)).sentence


def test_gpus_are_profiles_with_what_the_paper_says_of_each() -> None:
    assert set(xbfs_devices.PUBLISHED) == set(xbfs_devices.BANDWIDTH) <= set(PROFILES)
    assert list(xbfs_devices.PUBLISHED.values()) == sorted(xbfs_devices.PUBLISHED.values())


@pytest.mark.slow
def test_passes_on_a_real_gpu_have_each_grid_in_turn() -> None:
    done, _ = on_fake_gpu("xbfs-devices", "karate")
    assert [point.series for point in done.points] == [*xbfs_devices.PUBLISHED, xbfs_devices.WHOLE]
    assert xbfs_devices.grid_sizes()["v100"] == 80 * 2048 // 256


CLAIMS = {"xbfs-balance": 1, "xbfs-others": 4, "xbfs-devices": 1}


@pytest.mark.parametrize(("name", "untold"), CLAIMS.items())
def test_no_sentence_on_the_simulator_claims_times(name: str, untold: int) -> None:
    """Speed is spoken of only as the paper's, behind the words that it cannot be told."""
    said = report(name).verdicts
    told = [one for one in said if "cannot tell times" in one.sentence]
    assert [one.agrees for one in told] == [None] * untold
    assert not [one for one in said if one not in told and "as fast" in one.sentence]
