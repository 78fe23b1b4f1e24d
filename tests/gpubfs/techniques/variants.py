"""Techniques with options that make them small, and graphs of every shape to search with them."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpubfs
from gpubfs.graphs import Graph
from gpubfs.search.catalogue import techniques
from gpubfs.search.supports import COMBINATIONS, QUEUES

SMALL_GRID = {"block": 64, "blocks": 3}
CLUSTER = {"stages": "cluster+grid"}
EVERY_SUPPORT = {"supports": "warp+block+queues", "queue_threshold": 90}


def supporting(supports: str, queue_threshold: int) -> dict[str, Any]:
    """Options of supports, with the threshold where they have supplementary queues."""
    chosen: dict[str, Any] = {"supports": supports}
    return chosen | ({"queue_threshold": queue_threshold} if QUEUES in supports else {})


#: Options besides the defaults, so that small graphs fill blocks, waves and queues.
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "best": [
        SMALL_GRID,
        {**SMALL_GRID, "stages": "grid"},
        {**SMALL_GRID, "stages": "grid", "alpha": 0},
        {**SMALL_GRID, "stages": "bytemap", "lanes": 4, "filter": True},
        {"block": 64, "stages": "block-bytemap", "filter": False},
        {**SMALL_GRID, **CLUSTER, "ranks": 1, "row": 4, "words": 1, "few": 8},
        {**SMALL_GRID, **CLUSTER, "ranks": 2, "row": 8, "words": 4, "few": 16},
        {"block": 32, "blocks": 2, **CLUSTER, "ranks": 2, "row": 8, "words": 1, "few": 128},
    ],
    "binary-search": [
        {"block": 64, "shared_items": 96},
        {"block": 32, "shared_items": 40, "chunk": "shared", "leaves": "keep"},
        {"block": 32, "prefix": "ordered"},
    ],
    "block-prefix-sum": [{"block": 32, "edges_per_thread": 3}],
    "bottom-up": [SMALL_GRID, {**SMALL_GRID, "alpha": 0.3}],
    "bottom-up-async": [
        SMALL_GRID,
        {**SMALL_GRID, "alpha": 0.2, "back": "double-scan"},
        {**SMALL_GRID, "store": "behind"},
    ],
    "bottom-up-donate": [SMALL_GRID, {**SMALL_GRID, "alpha": 0.3}],
    "bottom-up-thread": [SMALL_GRID, {**SMALL_GRID, "alpha": 0.3}],
    "bottom-up-warp": [SMALL_GRID, {**SMALL_GRID, "alpha": 0.3}],
    "central-queue": [
        SMALL_GRID,
        {**SMALL_GRID, "enqueue": "prefix-sum", "width": 4},
        {**SMALL_GRID, "loop": "persistent"},
        {**SMALL_GRID, "loop": "persistent", "enqueue": "prefix-sum"},
    ],
    "classified-deferred": [{"block": 64}, {"block": 64, "edges_per_thread": 1}],
    "classified-immediate": [{"block": 64}, {"block": 64, "edges_per_thread": 1}],
    "direction-optimizing": [
        SMALL_GRID,
        {**SMALL_GRID, "rule": "beamer", "width": 4},
        {**SMALL_GRID, "rule": "ligra", "back": "double-scan"},
    ],
    "double-scan": [{"block": 64}, {"block": 64, "alpha": 0}],
    "device-loop": [
        {"block": 64, "expansion": expansion}
        for expansion in ("host-loop", "status-array", "block-prefix-sum")
    ],
    "dfq-global": [SMALL_GRID, {**SMALL_GRID, "capacity": 64}],
    "dfq-shared": [SMALL_GRID, {**SMALL_GRID, "capacity": 32}],
    "dynamic-parallelism": [
        {"block": 32, "threshold": 3, "edges_per_thread": 1},
        {"block": 64, "threshold": 0, "edges_per_thread": 2},
        {"threshold": 16},
    ],
    "enterprise": [
        {"block": 64, "grid_degree": 80},
        {"block": 64, "grid_degree": 80, "alpha": 0, "hubs": 16},
        {"block": 32, "grid_degree": 40, "alpha": 2, "hubs": 0},
    ],
    "cta-warp-scan": [{"block": 32}, {"block": 64}],
    "edge-frontier": [
        {"block": 64},
        {"block": 32, "enqueue": "atomic"},
        {"block": 64, "fused": 0},
        {"block": 32, "enqueue": "atomic", "fused": 40},
    ],
    "hierarchical-kernels": [
        {"block": 64},
        {"block": 32, "blocks": 2, "width": 1, "capacity": 7},
        {"block": 32, "blocks": 1, "width": 8, "capacity": 3},
    ],
    "hierarchical-queue": [{}, {"block": 64, "width": 1}, {"capacity": 4, "spill": True}],
    "host-loop": [{}, {"block": 64, "width": 1}],
    "no-queue": [{"block": 64}, {"block": 64, "alpha": 0}, {"block": 64, "alpha": 0.4}],
    "persistent": [SMALL_GRID, {**SMALL_GRID, "width": 1}],
    "scan-based": [{"block": 64}, {"block": 32, "items": 2, **EVERY_SUPPORT}],
    "scan-free": [{}, {"block": 64, "width": 8}],
    "single-scan": [{}, {"block": 64, "enqueue": "prefix-sum"}, {"width": 1}],
    "status-array": [{}],
    "thread-per-vertex": [{"block": 32}],
    "supports": [
        {"block": 64, "basic": basic, **supporting(combination, 70)}
        for basic in ("warp-shuffle", "scan-based")
        for combination in COMBINATIONS
    ],
    "virtual-split": [{"block": 32}, {"block": 64, "degree_bound": 3, "coalesced": False}],
    "virtual-warp": [{"block": 64}, {"block": 32, "width": 4}],
    "warp-shuffle": [{"block": 64, "width": 4}, {"block": 32, "width": 2, **EVERY_SUPPORT}],
    "strided-scan": [{"block": 64}, {"block": 64, "alpha": 0}],
    "xbfs": [
        {**SMALL_GRID, "grid_degree": 90},
        {**SMALL_GRID, "balance": "thread", "alpha": 0.02},
        {**SMALL_GRID, "balance": "donate", "alpha": 0.3, "grid_degree": 40},
        {"block": 32, "blocks": 2, "balance": "static", "asynchronous": False, "scan_blocks": 2},
        {**SMALL_GRID, "phases": "scan-free+single-scan+single-scan+bottom-up+bottom-up+no-queue"},
    ],
}

VARIANTS = [(name, options) for name in techniques() for options in OPTIONS.get(name, [{}])]


def label(value: Any) -> str | None:
    """What a test with this parameter is called."""
    if isinstance(value, dict):
        return ",".join(f"{key}={given}" for key, given in value.items()) or "defaults"
    return None


def _directed() -> Graph:
    ends = np.random.default_rng(3).integers(0, 60, (2, 200))
    return Graph.from_edges(*ends, 60, directed=True, name="directed")


GRAPHS: dict[str, Graph] = {
    "toy": gpubfs.graph("toy"),
    "path": gpubfs.graph("path:24"),
    "star": gpubfs.graph("star:200"),
    "grid": gpubfs.graph("grid:12x9"),
    "kron:10": gpubfs.graph("kron:10"),
    "road": gpubfs.graph("road:150"),
    "disconnected": Graph.from_edges(
        [0, 1, 2, 5, 6, 8, 9], [1, 2, 3, 6, 7, 9, 10], 12, name="disconnected"
    ),
    "loops and multi-edges": Graph.from_edges(
        [0, 0, 0, 1, 1, 2, 2, 3, 3, 3],
        [0, 1, 1, 2, 2, 2, 3, 3, 4, 4],
        5,
        loops=True,
        duplicates=True,
        name="loops",
    ),
    "single vertex": Graph.from_edges([], [], 1, name="single"),
    "directed": _directed(),
}

SCHEDULES = [
    *("lockstep", "warp", "shuffled:0", "shuffled:1", "round-robin:0", "round-robin:1"),
    *(f"random:{seed}" for seed in range(10)),
]


#: Every variant with every graph that it searches: bottom-up techniques refuse directed ones.
CASES = [
    (name, options, spec)
    for name, options in VARIANTS
    for spec, graph in GRAPHS.items()
    if techniques()[name].directed or not graph.directed
]
