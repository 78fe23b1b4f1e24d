"""Experiments on graphs without edges, where some searches launch nothing: reports all the same."""

from __future__ import annotations

import json

import pytest

import gpubfs
from gpubfs.experiments.experiment import Report
from tests.gpubfs.experiments.test_experiments import TINY, on_fake_gpu, printed
from tests.sampling import sampled

#: The experiments that search graphs, with what makes them short.
SEARCHING = {
    name: {key: value for key, value in given.items() if key != "graphs"}
    for name, given in TINY.items()
    if "graphs" in given
}

#: Those that insert edges, which need two vertices.
UPDATING = ("aimgraph-delete", "aimgraph-insert", "aimgraph-skew", "custinger-overallocation")

CHOSEN = sampled((name for name in SEARCHING if name not in UPDATING), 6)


def laid_out(done: Report) -> str:
    """Make everything of a report that people and programs see; its verdicts."""
    json.dumps(done.as_dict(), allow_nan=False)
    assert printed(done)
    assert len(done.plot().axes) >= 1
    return " ".join(map(str, done.verdicts))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", CHOSEN)
def test_a_vertex_alone_is_measured(name: str) -> None:
    assert laid_out(gpubfs.experiment(name, graphs=["path:1"], **SEARCHING[name]))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", CHOSEN)
def test_a_vertex_alone_is_timed(name: str) -> None:
    assert laid_out(on_fake_gpu(name, "path:1", **SEARCHING[name])[0])


@pytest.mark.parametrize("name", UPDATING)
def test_a_vertex_alone_cannot_be_updated(name: str) -> None:
    with pytest.raises(gpubfs.UsageError, match="no edge can be inserted in path:1") as caught:
        gpubfs.experiment(name, graphs=["path:1"], **SEARCHING[name])
    assert "two vertices" in str(caught.value.hint)


def test_what_launches_nothing_is_compared_with_nothing() -> None:
    said = laid_out(gpubfs.experiment("busato-balance", graphs=["path:1"]))
    assert "nothing here to compare binary-search and thread-per-vertex on" in said
