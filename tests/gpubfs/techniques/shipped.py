"""The techniques that come with the package, of which all is recorded; others may be added."""

from __future__ import annotations

from collections.abc import Collection

import pytest

SHIPPED = (
    "binary-search",
    "block-prefix-sum",
    "central-queue",
    "classified-deferred",
    "classified-immediate",
    "cta-warp-scan",
    "dfq-global",
    "dfq-shared",
    "double-scan",
    "dynamic-parallelism",
    "edge-frontier",
    "enterprise",
    "hierarchical-queue",
    "no-queue",
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
)


def skip_added(name: str, known: Collection[str], what: str) -> None:
    """Skip a technique of somebody's own that has none of `what`; a shipped one must have it."""
    if name not in known and name not in SHIPPED:
        pytest.skip(f"{name} has no {what}; CONTRIBUTING.md says how to make it")
    assert name in known
