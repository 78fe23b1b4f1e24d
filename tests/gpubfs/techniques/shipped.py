"""The techniques that come with the package, of which all is recorded; others may be added."""

from __future__ import annotations

from collections.abc import Collection

import pytest

SHIPPED = (
    "block-prefix-sum",
    "central-queue",
    "dfq-global",
    "dfq-shared",
    "double-scan",
    "edge-frontier",
    "hierarchical-queue",
    "no-queue",
    "scan-free",
    "single-scan",
    "status-array",
    "strided-scan",
)


def skip_added(name: str, known: Collection[str], what: str) -> None:
    """Skip a technique of somebody's own that has none of `what`; a shipped one must have it."""
    if name not in known and name not in SHIPPED:
        pytest.skip(f"{name} has no {what}; CONTRIBUTING.md says how to make it")
    assert name in known
