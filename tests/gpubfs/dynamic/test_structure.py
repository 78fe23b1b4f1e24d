"""Structures: how they are found, described and opened, and what is refused."""

from __future__ import annotations

import pytest

import gpubfs
from gpubfs import dynamic
from gpubfs.dynamic.structure import STRUCTURES, find


@pytest.mark.parametrize("name", dynamic.structures())
def test_every_structure_says_what_it_is(name: str) -> None:
    found = find(name)
    assert found.make.structure is found
    assert found.idea.endswith(".")
    assert found.paper
    assert found.path.is_file()
    assert all(option.meaning for option in found.options)


def test_a_structure_is_registered_once_and_with_a_kernel() -> None:
    make = find("aimgraph").make
    before = dict(STRUCTURES)
    with pytest.raises(gpubfs.UsageError, match='there is a structure "aimgraph" already'):
        dynamic.structure("aimgraph")(make)
    with pytest.raises(gpubfs.UsageError, match=r"the field kernel is 'none\.cu': no file"):
        dynamic.structure("mine", kernel="none.cu")(make)
    with pytest.raises(gpubfs.UsageError, match="there is no field kernels"):
        dynamic.structure("mine", kernels="none.cu")(make)  # type: ignore[call-arg]
    with pytest.raises(gpubfs.UsageError, match="used without parentheses"):
        dynamic.structure(make)  # type: ignore[arg-type]
    assert before == STRUCTURES


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (("aim", "toy"), {}, 'there is no structure "aim"'),
        (("aimgraph", "toy", "cpu"), {}, 'there is no machine "cpu"'),
        (("aimgraph", "toy"), {"mode": "bare"}, "mode=bare is not a choice"),
        (("aimgraph", "toy"), {"block_bytes": 32}, "block_bytes=32 is not a choice"),
        (("aimgraph", "toy"), {"blocks": 32}, "there is no option of aimgraph named"),
        (("aimgraph", "toy"), {"sanitize": "rice"}, "there is no sanitizer 'rice'"),
        (("aimgraph", "toy"), {"schedule": "any"}, "any"),
        (("aimgraph", "toy"), {"memory": 999}, "memory=999 is not enough for toy, which needs"),
    ],
)
def test_what_cannot_be_opened(arguments, options, words: str) -> None:
    with pytest.raises(gpubfs.UsageError, match=words), dynamic.graph(*arguments, **options):
        pass


#: Structures whose edges may have weights.
WEIGHTED = [
    name
    for name, structure in dynamic.structures().items()
    if any("weighted" in option.choices for option in structure.options)
]


@pytest.mark.parametrize("name", WEIGHTED)
def test_attributes_of_the_first_graph_are_kept(name: str) -> None:
    graph = gpubfs.graph("toy")
    given = {"weight": list(range(graph.edges))}
    with dynamic.graph(name, graph, mode="weighted", attributes=given, counters=False) as changing:
        assert changing.edges().attributes["weight"].tolist() == given["weight"]
    with (
        pytest.raises(gpubfs.UsageError, match="edges of mode=simple have no weight"),
        dynamic.graph(name, graph, attributes=given),
    ):
        pass


def test_the_average_degree_and_the_mode_choose_who_updates_and_how_large_blocks_are() -> None:
    chosen = {}
    for spec, mode in (
        ("toy", "simple"),
        ("toy", "semantic"),
        ("er:7,40", "simple"),
        ("er:7,9", "simple"),
    ):
        with dynamic.graph("aimgraph", spec, mode=mode, counters=False) as changing:
            chosen[spec, mode] = changing.options["update"], changing.options["block_bytes"]
    assert chosen == {
        ("toy", "simple"): ("thread", 64),
        ("toy", "semantic"): ("thread", 128),
        ("er:7,40", "simple"): ("warp", 128),
        ("er:7,9", "simple"): ("thread", 128),
    }
