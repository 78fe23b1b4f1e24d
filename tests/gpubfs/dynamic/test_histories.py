"""All structures do to a graph what random histories do to a set, in every mode and order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import gpubfs
from gpubfs import dynamic
from gpubfs.dynamic import MODES, Batch
from gpubfs.dynamic.structure import find
from tests.conftest import why_no_gpu
from tests.gpubfs.dynamic.model import Model, drawn_history, replay
from tests.sampling import sampled

SCHEDULES = ("lockstep", "warp", "shuffled:1", "round-robin:2", "random:3", "random:4")

#: Graphs with vertices of one block, of several, and of none.
GRAPHS = ("toy", "star:40", "er:4,3")

#: Batches of a history; all histories of a structure together are more than 5,000.
LENGTH = 24


def every() -> Iterator[tuple[str, dict[str, Any], str]]:
    """Every structure with its modes, ways to update and sizes of blocks, in every order."""
    for name, structure in dynamic.structures().items():
        known = {option.name: option.choices for option in structure.options}
        wanted = ("mode", "update", "block_bytes")
        named = [(n, [c for c in known[n] if c != "auto"]) for n in wanted if n in known]
        for values in product(*(choices for _, choices in named), SCHEDULES):
            *chosen, schedule = values
            yield name, dict(zip((n for n, _ in named), chosen, strict=True)), schedule


#: A graph, and batches for it, by the machine: how many updates, and of which share of vertices.
LARGE = {
    "sim": ("kron:6", [(100, 0.001), (100, 1.0)]),
    "gpu": ("kron:14", [(2000, 0.0), (50_000, 0.01), (50_000, 1.0)] * 2),
}

CASES = list(every())
ONCE = [(name, options) for name, options, schedule in CASES if schedule == "lockstep"]


def try_histories(name: str, options: dict[str, Any], length: int, **where: Any) -> None:
    """Replay a history on each of the graphs."""
    for seed, spec in enumerate(GRAPHS):
        graph, mode = gpubfs.graph(spec), options.get("mode", "simple")
        twins = find(name).make.finds_twins
        history = drawn_history(seed, graph.vertices, mode, length, twins)
        with dynamic.graph(name, graph, counters=False, **options, **where) as changing:
            replay(changing, Model(graph, mode), history)


def test_the_modes_are_all_there() -> None:
    assert {options["mode"] for name, options, _ in CASES if name == "aimgraph"} == {*MODES}


@pytest.mark.parametrize(("name", "options", "schedule"), sampled(CASES, 73, each=0), ids=str)
def test_a_few_batches_are_clean_in_some_order(name, options, schedule) -> None:
    try_histories(name, options, 2, sanitize="all", schedule=schedule, device="toy8")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options", "schedule"), CASES, ids=str)
def test_many_batches_are_clean_in_every_order(name, options, schedule) -> None:
    try_histories(name, options, LENGTH, sanitize="all", schedule=schedule)


@pytest.mark.parametrize(("name", "options"), sampled(ONCE, 12, each=0), ids=str)
def test_large_batches_on_few_and_on_many_vertices(name, options, machine) -> None:
    """On a GPU so many that all multiprocessors work on the same vertices."""
    graph, batches = gpubfs.graph(LARGE[machine][0]), LARGE[machine][1]
    with dynamic.graph(name, graph, machine, counters=False, **options) as changing:
        keys = changing.edges().keys
        for seed, (size, favoured) in enumerate(batches):
            batch = dynamic.skewed(graph.vertices, size, seed, favoured=favoured)
            if not changing.finds_twins:
                batch = Batch(*np.divmod(np.unique(batch.keys), 2**32))
            new = np.setdiff1d(batch.keys, keys)
            assert changing.insert_edges(batch).effect.applied == len(new)
            changing.check()
            assert np.array_equal(changing.edges().keys, np.union1d(keys, new))
            gone = Batch(batch.sources[::2], batch.targets[::2])
            lost = np.unique(gone.keys)
            assert changing.delete_edges(gone).effect.applied == len(lost)
            changing.check()
            keys = np.setdiff1d(np.union1d(keys, new), lost)
            assert np.array_equal(changing.edges().keys, keys)


@pytest.mark.parametrize(("name", "options"), ONCE, ids=str)
@pytest.mark.gpu
def test_batches_on_a_gpu(name, options) -> None:
    if reason := why_no_gpu():
        pytest.skip(reason)
    try_histories(name, options, 12, machine="gpu")
