"""Techniques of all families but the first on large graphs of every shape, on a GPU."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

import gpubfs
from gpubfs.graphs import Graph
from gpubfs.search.catalogue import FAMILIES, techniques
from gpubfs.search.supports import COMBINATIONS
from tests.conftest import why_no_gpu
from tests.gpubfs.techniques.variants import label, supporting

ROADS = Path(__file__).parents[4] / "shared" / "graphs" / "luxembourg_osm.txt"

#: A power law, a random graph, a grid of many levels, roads, and one vertex of a million edges.
GRAPHS = ("kron:20", "er:20", "grid:1024x1024", "roads", "star:1100000")

#: Options besides the defaults, for what large graphs may reach and small ones do not.
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "binary-search": [{"prefix": "ordered"}, {"chunk": "shared", "leaves": "keep"}],
    "bottom-up": [{"alpha": 0.1}],
    "bottom-up-async": [{"alpha": 0.1, "back": "double-scan"}, {"store": "behind"}],
    "bottom-up-donate": [{"alpha": 0.1}],
    "bottom-up-thread": [{"alpha": 0.1}],
    "bottom-up-warp": [{"alpha": 0.1}],
    "classified-deferred": [{"edges_per_thread": 1}, {"block": 1024, "edges_per_thread": 16}],
    "classified-immediate": [{"edges_per_thread": 1}, {"block": 1024, "edges_per_thread": 16}],
    "cta-warp-scan": [{"block": 32}, {"block": 1024}],
    "device-loop": [{"expansion": "status-array"}, {"expansion": "block-prefix-sum"}],
    "direction-optimizing": [{"rule": "beamer"}, {"rule": "ligra", "back": "double-scan"}],
    "dynamic-parallelism": [{"threshold": 256}, {"threshold": 5000}],
    "enterprise": [{"alpha": 0}, {"alpha": 2}, {"hubs": 0}],
    "hierarchical-kernels": [{"block": 256}, {"capacity": 64}, {"width": 1, "blocks": 16}],
    "host-loop": [{"width": 1}],
    "persistent": [{"blocks": 16}, {"width": 1}],
    "scan-based": [{"items": 16}, {"block": 1024, "items": 2}],
    "supports": [
        {"basic": basic, **supporting(combination, 1000)}
        for basic in ("warp-shuffle", "scan-based")
        for combination in COMBINATIONS
    ],
    "virtual-split": [{"degree_bound": 1}, {"coalesced": False}],
    "virtual-warp": [{"width": width} for width in (1, 8, 32)],
    "warp-shuffle": [{"width": width} for width in (1, 8, 32)],
    "xbfs": [
        {"balance": "static", "asynchronous": False},
        {"balance": "thread", "alpha": 0.02},
        {"balance": "donate", "alpha": 0.3, "grid_degree": 90},
        {"alpha": 0, "phases": "scan-free+single-scan+single-scan+bottom-up+bottom-up+no-queue"},
    ],
}

CASES = [
    (name, options)
    for name, one in techniques().items()
    if one.family in FAMILIES[1:]
    for options in ({}, *OPTIONS.get(name, []))
]

SEARCHES = 3


@lru_cache(maxsize=1)
def large(spec: str) -> Graph:
    if spec != "roads":
        return gpubfs.graph(spec)
    if not ROADS.exists():
        pytest.skip("the roads of Luxembourg are not here")
    return gpubfs.graph(f"file:{ROADS}")


@pytest.mark.gpu
@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), CASES, ids=label)
@pytest.mark.parametrize(
    "spec", [pytest.param(spec, marks=pytest.mark.xdist_group(spec)) for spec in GRAPHS]
)
def test_search_is_right_every_time(spec: str, name: str, options: dict[str, Any]) -> None:
    """Each run is verified by itself; nobody searches a graph twice for the same levels."""
    if reason := why_no_gpu():
        pytest.skip(reason)
    graph = large(spec)
    depths = {
        gpubfs.run(name, graph, machine="gpu", counters=False, **options).depth
        for _ in range(SEARCHES)
    }
    assert len(depths) == 1
