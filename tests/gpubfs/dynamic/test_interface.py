"""What all structures refuse alike: no batch, a second graph, use after the end or an interrupt."""

from __future__ import annotations

import numpy as np
import pytest

import gpubfs
from gpubfs import dynamic
from gpubfs.dynamic import Batch, DynamicGraph
from gpubfs.dynamic.rounds import rounds
from gpubfs.host import Host

NAMES = tuple(sorted(dynamic.structures()))
ONE = Batch([0], [9])


def uses(changing: DynamicGraph) -> dict:
    """Everything that users may do with a structure."""
    found = {
        "insert_edges": lambda: changing.insert_edges(ONE),
        "delete_edges": lambda: changing.delete_edges(ONE),
        "arrays": lambda: changing.arrays,
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
        "temporary": lambda: changing.temporary("a", 64).__enter__(),
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
def test_of_two_structures_the_last_one_entered_is_used(name: str) -> None:
    with dynamic.graph(name, "toy", counters=False) as outer:
        with dynamic.graph("aimgraph", "toy", counters=False) as inner:
            search = getattr(outer, "search", lambda technique: outer.insert_edges(ONE))
            technique = "cta-warp-scan" if name == "gpma" else "status-array"
            for do in (
                lambda: outer.insert_edges(ONE),
                lambda: outer.delete_edges(ONE),
                lambda: search(technique),
            ):
                with pytest.raises(gpubfs.UsageError, match="another simulated device"):
                    do()
            assert inner.insert_edges(ONE).effect.applied == 1
        outer.check()
        assert outer.insert_edges(ONE).effect.applied == 1
        outer.check()


@pytest.mark.parametrize("name", ["aimgraph", "faimgraph", "gpma"])
def test_what_changes_nothing_may_be_interrupted(name: str) -> None:
    with dynamic.graph(name, "toy", counters=False) as changing:
        does = {
            "aimgraph": lambda: changing.triangles(),
            "faimgraph": lambda: changing.search("status-array"),
            "gpma": lambda: changing.search(),
        }
        launch = Host.launch

        def interrupted(*args, **words):
            launch(*args, **words)
            raise KeyboardInterrupt

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Host, "launch", interrupted)
            with pytest.raises(KeyboardInterrupt):
                does[name]()
        changing.check()
        does[name]()
        assert changing.insert_edges(ONE).effect.applied == 1


def test_an_interrupt_while_there_are_temporaries_is_not_hidden() -> None:
    with dynamic.graph("aimgraph", "toy", counters=False) as changing:
        made = changing.temporary("a", 64)
        made.__enter__()
        changing.host.close("insert_edges ended in the middle", "open it anew")
        assert not made.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
        with pytest.raises(gpubfs.UsageError, match="ended in the middle"):
            changing.check()


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
    with pytest.raises(gpubfs.UsageError, match="is no mapping"):
        rounds("aimgraph", "toy", options=options)


def test_names_of_options_and_functions_of_rounds_are_checked() -> None:
    with pytest.raises(gpubfs.UsageError, match='no option of aimgraph named "3"'):
        rounds("aimgraph", "toy", options={3: 3})
    for name in ("progress", "watched"):
        with pytest.raises(gpubfs.UsageError, match=f"{name}=3 cannot be called"):
            rounds("aimgraph", "toy", **{name: 3})
