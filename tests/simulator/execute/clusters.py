"""Kernels with thread-block clusters, and launches of them under every schedule."""

from __future__ import annotations

from tests.simulator.launching import source

SCHEDULES = ("lockstep", "warp", "shuffled:1", "round-robin:2", "random:3", "random:4")
HEAD = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"


def clustered(parameters: str, body: str, dims: str = "4", functions: str = "") -> str:
    """A kernel `k` with clusters of `dims` blocks (none if that is empty); `c` is its cluster."""
    text = source(parameters, f"cg::cluster_group c = cg::this_cluster();\n{body}", functions)
    attribute = f"void __cluster_dims__({dims}) k" if dims else "void k"
    return HEAD + text.replace("void k", attribute)
