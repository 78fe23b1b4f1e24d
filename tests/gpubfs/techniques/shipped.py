"""The techniques that come with the package, of which all is recorded; others may be added."""

from __future__ import annotations

from collections.abc import Collection

import pytest

SHIPPED = (
    "best",
    "binary-search",
    "block-prefix-sum",
    "bottom-up",
    "bottom-up-async",
    "bottom-up-donate",
    "bottom-up-thread",
    "bottom-up-warp",
    "central-queue",
    "classified-deferred",
    "classified-immediate",
    "cta-warp-scan",
    "device-loop",
    "dfq-global",
    "dfq-shared",
    "direction-optimizing",
    "double-scan",
    "dynamic-parallelism",
    "edge-frontier",
    "enterprise",
    "hierarchical-kernels",
    "hierarchical-queue",
    "host-loop",
    "no-queue",
    "persistent",
    "scan-based",
    "scan-free",
    "single-scan",
    "status-array",
    "strided-scan",
    "supports",
    "thread-per-vertex",
    "virtual-split",
    "virtual-warp",
    "warp-shuffle",
    "xbfs",
)


def skip_added(name: str, known: Collection[str], what: str) -> None:
    """Skip a technique of somebody's own that has none of `what`; a shipped one must have it."""
    if name not in known and name not in SHIPPED:
        pytest.skip(f"{name} has no {what}; CONTRIBUTING.md says how to make it")
    assert name in known
