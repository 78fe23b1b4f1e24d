"""ligra: a search on the CPU beside the techniques, and another way to verify them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs.graphs import Graph
from gpubfs.search.comparators import COMPARATORS
from gpubfs.search.verify import VerificationError, verify
from tests.gpubfs.techniques.bottom_up_passes import checked, graphs


def test_it_is_listed_as_what_it_is_and_is_no_technique(gpubfs_output: str) -> None:
    techniques, _, others = gpubfs_output.partition("on the CPU, to compare with")
    assert "ligra" not in {line.split(" ")[0] for line in techniques.splitlines()}
    assert "ligra" in others
    assert "NumPy" in others
    assert "ligra" not in gpubfs.techniques()


@pytest.fixture
def gpubfs_output() -> str:
    from click.testing import CliRunner

    from gpubfs.cli.listing import list_

    return CliRunner().invoke(list_, []).output


@given(data=st.data())
def test_it_finds_what_has_the_properties(data: st.DataObject) -> None:
    graph = data.draw(graphs())
    source = data.draw(st.integers(0, graph.vertices - 1))
    done = gpubfs.ligra(graph, source)
    verify(graph, source, done.levels, done.parents)
    verify(graph, source, done.levels, by="ligra")


@given(data=st.data())
def test_both_ways_to_verify_say_the_same(data: st.DataObject) -> None:
    graph = data.draw(graphs(12))
    levels = gpubfs.ligra(graph, 0).levels.copy()
    wrong = data.draw(st.integers(0, graph.vertices - 1))
    levels[wrong] += data.draw(st.sampled_from([-1, 0, 1]))
    verdicts = []
    for by in ("properties", *COMPARATORS):
        try:
            verify(graph, 0, levels, by=by)
        except VerificationError:
            verdicts.append(False)
        else:
            verdicts.append(True)
    assert len(set(verdicts)) == 1


def test_it_names_a_vertex_and_both_levels() -> None:
    path = gpubfs.graph("path:4")
    with pytest.raises(VerificationError, match="vertex 3 has level 2, but ligra finds 3"):
        verify(path, 0, np.array([0, 1, 2, 2], np.int32), by="ligra")
    with pytest.raises(gpubfs.UsageError, match='no way to verify "beamer"'):
        verify(path, 0, np.arange(4, dtype=np.int32), by="beamer")


def test_it_starts_where_techniques_do_and_takes_directed_graphs() -> None:
    done = gpubfs.ligra("star:5")
    assert done.levels.tolist() == gpubfs.run("scan-free", "star:5").levels.tolist()
    directed = Graph.from_edges([0, 1], [1, 2], 3, directed=True)
    assert gpubfs.ligra(directed, 0).levels.tolist() == [0, 1, 2]


def test_its_rule_is_that_of_direction_optimizing() -> None:
    """The same levels bottom-up, and a search bottom-up looks at as many edges on both."""
    graph = gpubfs.graph("kron:10")
    done = gpubfs.run("direction-optimizing", graph, rule="ligra", block=64)
    ours = ["bottom-up" if known["phase"] == "bottom-up" else "" for known in done.facts.values()]
    steps = gpubfs.ligra(graph).steps
    assert [step.direction if "up" in step.direction else "" for step in steps] == ours
    assert checked(done) == sum(step.edges_checked for step in steps)
