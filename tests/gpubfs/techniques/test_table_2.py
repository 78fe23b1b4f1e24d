"""Table 2's rule on generated graphs in the place of those of Busato's and Bombieri's Table 1."""

from __future__ import annotations

import pytest

import gpubfs
from gpubfs.graphs.paper_tables import BUSATO
from gpubfs.machines import open_machine
from tests.sampling import sampled

#: What the rule takes on the paper's GPU, a GeForce GTX 980, with blocks of 256 threads.
TAKEN = {
    "none": "asia_osm europa_osm USA-road-d.USA hugebubbles-00020 delaunay_n24 "
    "channel-500x100x100 nlpkkt160",
    "warp": "rgg_n_2_23_s0 ldoor cage15 er-fact1.5-scale23",
    "warp+block": "audikw_1 indochina-2004 hollywood-2009",
    "warp+block+queues": "circuit5M FullChip soc-LiveJournal1 soc-pokec-relationships "
    "kron_g500-logn21",
}
SUPPORTS = {name: supports for supports, names in TAKEN.items() for name in names.split()}
GPU = "gtx980"

#: Graphs whose stand-ins have the table's maximum degree only at their default size: hubs of
#: networks join a third of the vertices at most, and hubs of circuits the table's share, so that
#: 2,000 vertices cannot tell whether half of the threads, 16,384, are fewer or more.
SIZE = 2000
LARGE = [row.name for row in BUSATO.rows if (row.max_degree or 0) > SIZE // 3]
SMALL = [name for name in SUPPORTS if name not in LARGE]


def test_every_graph_of_the_table_is_here() -> None:
    assert sorted(SUPPORTS) == sorted(row.name for row in BUSATO.rows)
    assert (len(SMALL), len(LARGE)) == (12, 7)


@pytest.mark.parametrize("name", sampled(SMALL, 4))
def test_small_standins_are_searched_with_the_papers_supports(name: str) -> None:
    done = gpubfs.run("supports", f"standin:{name},{SIZE}", device=GPU, counters=False)
    assert done.options["supports"] == SUPPORTS[name]


@pytest.mark.parametrize(
    "name", sampled([n for n in LARGE if "kron" not in n] + [n for n in LARGE if "kron" in n], 99)
)
def test_standins_with_hubs_get_the_papers_supports_and_smaller_ones_no_queues(name: str) -> None:
    """What is chosen before a search, of which the simulator need not do any."""
    technique, machine = gpubfs.techniques()["supports"], open_machine("sim", device=GPU)
    chosen = []
    for size in ("", f",{SIZE}"):
        graph = gpubfs.graph(f"standin:{name}{size}")
        with machine:
            options = technique.settled(technique.complete({}, machine.warp_size), graph, machine)
        chosen.append(options["supports"])
        half = machine.resident_threads // 2
        assert (graph.degrees.max() > half) == ("queues" in chosen[-1])
    assert chosen == [SUPPORTS[name], "warp+block"]


@pytest.mark.slow
@pytest.mark.parametrize("name", SUPPORTS)
def test_at_the_default_size_searches_take_what_the_supports_are_for(name: str) -> None:
    """A launch for a bin if there are queues, and barriers if blocks gather."""
    done = gpubfs.run("supports", f"standin:{name}", device=GPU)
    assert done.options["supports"] == SUPPORTS[name]
    kernels = {launch.kernel for launch in done.per_launch}
    assert ("expand_bin" in kernels) == ("queues" in SUPPORTS[name])
    assert (done.counters["barriers"] > 0) == ("block" in SUPPORTS[name])
