"""Pages of 100,000 steps: how large they are, how soon they open, and how fast they step."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpubfs
from gpubfs.show.traces.trace import LaunchTrace
from tests.gpubfs.show.traces.shown import Reader

if TYPE_CHECKING:
    from simulator.observe.trace import TracedLaunch

STEPS = 100_000
#: Bytes of a page, milliseconds until it shows its first step and from each step to another.
SIZE, OPENING, STEPPING = 10_000_000, 2000, 33

#: Milliseconds of steps one after another, and of jumps to and fro, each with its layout: the least
#: of three times that each is taken, for the machine has other things to do.
TIMES = """() => {
  const time = (to) => {
    const begun = performance.now();
    viewer.show(to);
    document.body.offsetHeight;
    return performance.now() - begun;
  };
  const steps = Array.from({ length: 200 }, (_, at) => 50_000 + at);
  const jumps = Array.from({ length: 60 }, (_, at) => (at * 7919 * 13) % viewer.count);
  return [steps, jumps].map((course) => {
    const times = [1, 2, 3].map(() => course.map(time));
    const least = course.map((_, at) => Math.min(...times.map((each) => each[at])));
    return least.sort((one, other) => one - other);
  });
}"""


def long() -> LaunchTrace:
    """Searches of one graph from one vertex after another, as many as it takes."""
    graph = gpubfs.graph("kron:8")
    launches: list[TracedLaunch] = []
    depths: list[int] = []
    sources = iter(np.flatnonzero(graph.degrees).tolist())
    while sum(len(launch.steps) for launch in launches) < STEPS:
        found = gpubfs.trace("scan-free", graph, next(sources))
        begin = depths[-1] + 1 if depths else 0
        launches += found.launches
        depths += [begin + depth for depth in found.depths]
    return LaunchTrace(launches, "searches from all vertices", depths, graph)


@pytest.mark.slow
def test_a_long_page_is_small_and_fast(pages: Reader | str, tmp_path: Path) -> None:
    if isinstance(pages, str):
        pytest.skip(pages)
    file, trace = tmp_path / "long.html", long()
    assert len(trace) >= STEPS
    begun = time.perf_counter()
    trace.write(file)
    written = time.perf_counter() - begun
    assert file.stat().st_size < SIZE
    page = pages.context.new_page()
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    opened: float = page.evaluate("opened")
    found: Any = page.evaluate(TIMES)
    # Of each kind all but one in twenty: some show much that is new.
    steps, jumps = (times[len(times) * 19 // 20] for times in found)
    size = file.stat().st_size / 1e6
    print(
        f"{len(trace):,} steps: {size:.1f} MB, written in {written:.0f} s, open in {opened:.0f} ms,"
        f" steps {steps:.1f} ms, jumps {jumps:.1f} ms"
    )
    assert opened < OPENING
    assert steps < STEPPING
    assert jumps < STEPPING
    page.close()
