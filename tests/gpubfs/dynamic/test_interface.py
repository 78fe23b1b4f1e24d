"""What all structures refuse alike: no batch, a second graph, use after the end or an interrupt."""

from __future__ import annotations

import numpy as np
import pytest

import gpubfs
from gpubfs import dynamic
from gpubfs.dynamic import Batch, DynamicGraph

NAMES = tuple(sorted(dynamic.structures()))
ONE = Batch([0], [9])


def uses(changing: DynamicGraph) -> dict:
    """Everything that users may do with a structure."""
    found = {
        "insert_edges": lambda: changing.insert_edges(ONE),
        "delete_edges": lambda: changing.delete_edges(ONE),
        "empty": lambda: changing.insert_edges(Batch([], [])),
        "stats": changing.stats,
        "check": changing.check,
        "edges": changing.edges,
        "to_csr": changing.to_csr,
    }
    technique = "cta-warp-scan" if changing.structure.name == "gpma" else "status-array"
    more = {
        "search": lambda: changing.search(technique),
        "insert_vertices": lambda: changing.insert_vertices([99]),
        "delete_vertices": lambda: changing.delete_vertices([0]),
        "triangles": lambda: changing.triangles(),
        "twins": lambda: changing.twins(),
        "image": lambda: changing.image(),
    }
    return found | {name: do for name, do in more.items() if hasattr(changing, name)}


@pytest.mark.parametrize("name", NAMES)
def test_nothing_can_be_done_once_the_context_has_ended(name: str) -> None:
    with dynamic.graph(name, "toy", counters=False) as changing:
        pass
    for do in uses(changing).values():
        with pytest.raises(gpubfs.UsageError, match="the context of the structure has ended"):
            do()
    assert len(changing.operations) == 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("operation", ["insert_edges", "delete_edges"])
def test_nothing_can_be_done_once_an_operation_was_interrupted(name: str, operation: str) -> None:
    with dynamic.graph(name, "toy", counters=False) as changing:
        launch = changing.host.launch

        def interrupted(*args, **words):
            launch(*args, **words)
            raise KeyboardInterrupt

        changing.host.launch = interrupted
        with pytest.raises(KeyboardInterrupt):
            getattr(changing, operation)(ONE)
        changing.host.launch = launch
        for do in uses(changing).values():
            with pytest.raises(gpubfs.UsageError, match=f"{operation} ended in the middle"):
                do()


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_batch_changes_nothing(name: str) -> None:
    with dynamic.graph(name, "toy", counters=False) as changing:
        for given in (None, [], ([0], [1]), {"sources": [0]}, "x"):
            for operation in (changing.insert_edges, changing.delete_edges):
                with pytest.raises(gpubfs.UsageError, match="is no batch"):
                    operation(given)
        changing.check()
        assert changing.insert_edges(ONE).effect.applied == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_structure_takes_one_graph(name: str) -> None:
    with dynamic.graph(name, "toy", counters=False) as changing:
        with pytest.raises(gpubfs.UsageError, match="holds a graph already"):
            changing.from_csr(gpubfs.graph("grid:4x4"))
        changing.check()
        assert changing.to_csr() == gpubfs.graph("toy")


@pytest.mark.parametrize("name", NAMES)
def test_attributes_do_not_count_where_edges_are_deleted(name: str) -> None:
    with dynamic.graph(name, "toy", counters=False) as changing:
        changing.insert_edges(ONE)
        assert changing.delete_edges(Batch([0], [9], {"weight": [3]})).effect.applied == 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ([1], "is no mapping"),
        ({"targets": np.zeros(26, int)}, 'no attribute of edges "targets"'),
        ({"wieght": np.zeros(26, int)}, "did you mean weight"),
    ],
)
def test_attributes_that_edges_have_not(name: str, attributes, words: str) -> None:
    with (
        pytest.raises(gpubfs.UsageError, match=words),
        dynamic.graph(name, "toy", mode="weighted", attributes=attributes),
    ):
        pass


@pytest.mark.parametrize("options", [None, [1], "mode=simple"])
def test_options_are_a_mapping(options) -> None:
    from gpubfs.dynamic.rounds import rounds

    with pytest.raises(gpubfs.UsageError, match="is no mapping"):
        rounds("aimgraph", "toy", options=options)
