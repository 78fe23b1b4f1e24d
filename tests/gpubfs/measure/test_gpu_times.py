"""Times of a GPU: what the tables say beside milliseconds, and searches from random sources.

The searches run on the simulator: what is computed from them does not ask where they ran.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs.cli.main import main
from gpubfs.errors import UsageError
from gpubfs.machines import open_machine
from gpubfs.measure import bench
from gpubfs.measure.roofline import bytes_to_move
from gpubfs.measure.teps import Teps, random_sources
from gpubfs.search import runs


def timed(spec: str, graph: str, starts: tuple[int, ...], random: bool = False) -> bench.Timing:
    made = bench.timed_searches(spec, gpubfs.graph(graph), "sim", starts, random, bandwidth=1e6)
    return replace(made, machine="gpu")


def row(timing: bench.Timing) -> dict[str, str]:
    sheet = bench.sheet([timing])
    return dict(zip((column.title for column in sheet.columns), sheet.rows[0], strict=True))


def number(cell: str) -> float:
    return float(cell.replace(",", ""))


def test_the_table_says_how_fast_and_how_levels_were_expanded() -> None:
    timing = timed("best", "path:40", (0, 0, 0))
    told = row(timing)
    assert told["levels"] == "byte map ×40"
    assert number(told["ms"]) == pytest.approx(1e3 * timing.seconds, abs=1e-3)
    assert number(told["µs/level"]) == pytest.approx(1e6 * timing.seconds / 40, abs=1e-2)
    # 78 entries, and an offset and a level for each of 40 vertices, at a million bytes a second.
    assert timing.roofline == pytest.approx((4 * 78 + 8 * 40) / 1e6 / timing.seconds)
    assert told["roofline"].endswith("%")


def test_a_technique_that_says_nothing_of_levels_has_their_number() -> None:
    assert row(timed("scan-free", "path:9", (0,)))["levels"] == "9"


def test_bytes_of_what_is_not_reached_need_not_move() -> None:
    two = gpubfs.graphs.Graph.from_edges([0, 2, 3], [1, 3, 4], 5)
    done = gpubfs.run("scan-free", two, 0, counters=False)
    assert bytes_to_move(done) == 4 * 2 + (two.offsets.itemsize + 4) * 2


def test_each_timed_search_follows_one_that_is_not_timed(monkeypatch) -> None:
    drives = []
    driven = runs.Search._driven

    def watched(search, machine, options, host, graph):
        drives.append(search.source)
        return driven(search, machine, options, host, graph)

    monkeypatch.setattr(runs.Search, "_driven", watched)
    search = runs.prepared(
        "scan-free", "toy", 0, open_machine("sim", counters=False), {}, record=False
    )
    found = list(search.from_each(open_machine("sim"), (3, 0), rehearsed=True))
    assert drives == [3, 3, 0, 0]
    assert [done.source for done in found] == [3, 0]


def test_a_wrong_search_from_a_random_source_is_no_time(monkeypatch) -> None:
    arrays = runs._arrays
    answers = iter([0, 0, 0, 1])

    def tampered(machine, answer):
        levels, parents = arrays(machine, answer)
        return levels + next(answers), parents

    monkeypatch.setattr(runs, "_arrays", tampered)
    with pytest.raises(gpubfs.VerificationError):
        bench.timed_searches("scan-free", gpubfs.graph("toy"), "sim", (0, 1))


def test_random_sources_have_neighbours_and_are_the_same_each_time() -> None:
    graph = gpubfs.graph("kron:8")
    drawn = random_sources(graph, 64)
    assert drawn == random_sources(graph, 64)
    assert len(set(drawn)) == 64
    assert (graph.degrees[list(drawn)] > 0).all()


def test_a_vertex_that_leads_only_to_itself_is_no_source() -> None:
    graph = gpubfs.graphs.Graph.from_edges([0, 1], [0, 2], 3, loops=True)
    assert set(random_sources(graph, 2)) == {1, 2}


def test_more_sources_than_there_are_is_an_error_that_says_how_many() -> None:
    with pytest.raises(UsageError, match="star:9 has 10 vertices with neighbours") as caught:
        random_sources(gpubfs.graph("star:9"), 11)
    assert caught.value.hint == "give --sources 10 at most, or a larger graph"


@given(st.lists(st.floats(1e3, 1e12), min_size=1, max_size=70))
def test_graph500s_statistics_are_those_of_the_times(speeds: list[float]) -> None:
    told = Teps.of(speeds)
    assert told.min_TEPS == pytest.approx(min(speeds))
    assert told.max_TEPS == pytest.approx(max(speeds))
    quartiles = told.firstquartile_TEPS, told.median_TEPS, told.thirdquartile_TEPS
    ordered = [told.min_TEPS, *quartiles, told.max_TEPS]
    assert all(a <= b * (1 + 1e-9) for a, b in pairwise(ordered))
    # As much work in each search: the mean speed is all work over all time.
    assert told.harmonic_mean_TEPS == pytest.approx(len(speeds) / sum(1 / s for s in speeds))
    assert told.harmonic_mean_TEPS <= np.mean(speeds) * (1 + 1e-9)


def test_searches_from_random_sources_have_a_table_of_their_own() -> None:
    graph = gpubfs.graph("kron:6")
    timing = timed("scan-free", "kron:6", random_sources(graph, 5), random=True)
    told = row(timing)
    assert told["sources"] == "5"
    assert {"min MTEPS", "median", "harmonic mean"} <= told.keys()
    assert "Graph500" in " ".join(bench.sheet([timing]).notes)
    assert bench.sheet([timing]).title == "machine gpu, medians of 5 random sources"
    page = bench.page([timing], 1, "gpubfs bench")
    assert "Medians of 5 searches from random sources" in page
    assert "hub" not in page
    data = json.loads(json.dumps(bench.as_dict([timing])))
    teps = data["timings"][0]["teps"]
    assert teps["min_TEPS"] <= teps["harmonic_mean_TEPS"] <= teps["max_TEPS"]


@pytest.mark.parametrize("arguments", [(), ("--machine", "gpu", "--against", __file__)])
def test_random_sources_are_for_times_of_a_gpu(capsys, arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["bench", "scan-free", "--sources", "4", *arguments])
    assert ended.value.code == 2
    assert "--sources is for times of a GPU" in capsys.readouterr().err


def test_random_sources_are_searched_once_each(capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["bench", "scan-free", "--machine", "gpu", "--sources", "4", "--repeat", "2"])
    assert ended.value.code == 2
    assert "leave out --repeat" in capsys.readouterr().err
