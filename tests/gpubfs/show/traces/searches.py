"""Traces that tests of panes look at, each recorded once."""

from __future__ import annotations

from functools import cache

import gpubfs
import simulator
from gpubfs.show.traces import LaunchTrace, Pair, Trace, of_launches
from gpubfs.show.traces.remark import Remark

#: A kernel without a graph, in which lanes part.
ODD = """
extern "C" __global__ void odd(int *level) {
  int i = threadIdx.x;
  if (i % 2) level[i] = 10 * level[i];
}
"""


@cache
def scan_free() -> Trace:
    """A search of XBFS's graph, with warps of two lanes."""
    return gpubfs.trace("scan-free", "toy", 0, device="toy2", block=2)


@cache
def queues() -> Trace:
    """A search of a lattice with queues in shared memory, and warps of 32 lanes."""
    return gpubfs.trace("hierarchical-queue", "grid:5x5", 0)


@cache
def karate() -> Trace:
    """A search of a graph that is hard to draw."""
    return gpubfs.trace("scan-free", "karate", 0)


@cache
def long_names() -> Trace:
    """A search with scans, of which arrays have long names."""
    return gpubfs.trace("double-scan", "toy", 0, device="toy2", block=2, blocks=1, alpha=0.26)


@cache
def launches() -> LaunchTrace:
    """A launch that searches nothing."""
    with simulator.Device("toy4"), simulator.tracing() as found:
        kernel = simulator.RawKernel(ODD, "odd")
        kernel((1,), (4,), (simulator.arange(4, dtype="int32"),))
    return of_launches(found.launches, "odd elements")


@cache
def remarked() -> LaunchTrace:
    """The same with what is to be said of it, of a step and of the whole."""
    said = (
        Remark("lanes part at `i % 2`", 1, 0),
        Remark("level[3] is 30 instead of 3, and more words than a narrow line has room for"),
        *(Remark(f"and so on, {n} times", 0) for n in range(9)),
    )
    return LaunchTrace(launches().launches, "odd elements", remarks=said)


@cache
def pair() -> Pair:
    """Two searches beside each other."""
    return Pair(scan_free(), gpubfs.trace("status-array", "toy", 0, device="toy2", block=2))


ALL = (scan_free, queues, karate, long_names, launches, remarked, pair)
