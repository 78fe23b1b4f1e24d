"""What is said of the steps from scan-free to best: no paper has them, so nothing is judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from gpubfs.experiments.best_searches import FIRST, LAST, STEPS, Pairs
from gpubfs.experiments.cells import by_graph, listed, mean, quotients, ranged, times, untold
from gpubfs.experiments.experiment import Point, Verdict
from gpubfs.render.sheets import figure

#: What carries a search from level to level, and what is asked of global memory.
LEADING = ("launches", "grid_syncs", "cluster_syncs")
REQUESTS = ("load_requests", "atomic_requests")


def gained(step: str, speedups: Mapping[str, float]) -> Verdict:
    """Say how many times as fast a step is as the one before it.

    Parameters
    ----------
    step : str
        Its title.
    speedups : mapping
        For each graph how many times as fast it is.
    """
    if not speedups:
        return untold(f"{step} took no time that can be compared")
    slower = [graph for graph, ratio in speedups.items() if ratio < 1]
    where = f"slower on {listed(slower)}" if slower else "nowhere slower"
    return untold(f"{step}, to the step before: {_each(speedups)} as fast; {where}")


def arrived(speedups: Mapping[str, float]) -> Verdict:
    """Say how many times as fast the last step is as the first.

    Parameters
    ----------
    speedups : mapping
        For each graph how many times as fast it is.
    """
    if not speedups:
        return untold(f"{LAST} and {FIRST} did not both run on any graph")
    average = times(mean(speedups.values()))
    return untold(f"{LAST}, to {FIRST}: {_each(speedups)} as fast, {average} on average")


def _each(speedups: Mapping[str, float]) -> str:
    return listed(f"{times(ratio)} on {graph}" for graph, ratio in speedups.items())


def fastest(seconds: Mapping[str, Mapping[str, float]]) -> Verdict:
    """Say on how many graphs the step that chooses is the fastest, and which is on the others.

    Parameters
    ----------
    seconds : mapping
        For each step the time on each graph.
    """
    own = seconds[LAST]
    least = {graph: min(seconds, key=lambda step: _time(seconds, step, graph)) for graph in own}
    others = {
        graph: step for graph, step in least.items() if _time(seconds, step, graph) < own[graph]
    }
    text = f"{LAST} is the fastest step on {len(own) - len(others)} of {len(own)} graphs"
    if others:
        faster = (
            f"{step} on {graph} ({times(own[graph] / seconds[step][graph])})"
            for graph, step in others.items()
        )
        text += f"; faster is {listed(faster)}"
    return untold(f"{text}; no paper compares them")


def _time(seconds: Mapping[str, Mapping[str, float]], step: str, graph: str) -> float:
    return seconds[step].get(graph, float("inf"))


def led(points: Sequence[Point]) -> Verdict:
    """Say what carries the search of each step from level to level.

    Parameters
    ----------
    points : sequence of Point
        The measurements.
    """
    words = "; ".join(
        f"in {step.title} {taken}" for step in STEPS if (taken := _led(points, step.title))
    )
    return untold(f"the simulator cannot tell times; for each level there are {words or 'none'}")


def _led(points: Sequence[Point], step: str) -> str:
    levels = {graph: depth + 1 for graph, depth in by_graph(points, step, "depth").items()}
    found = {name: quotients(by_graph(points, step, name), levels) for name in LEADING}
    taken = [f"{_between(its.values())} {name}" for name, its in found.items() if any(its.values())]
    return listed(taken) if taken else ""


def _between(values: Iterable[float]) -> str:
    found = list(values)
    return " to ".join(dict.fromkeys((f"{min(found):.2f}", f"{max(found):.2f}")))


def changed(step: str, beside: Pairs) -> Verdict:
    """Say what a step changes in the requests for memory.

    Parameters
    ----------
    step : str
        Its title.
    beside : mapping
        For each graph the points of the step before and of its own.
    """
    words = [text for name in REQUESTS for text in _requests(name, beside)]
    return untold(f"{step}, to the step before: {listed(words or ['no requests in either'])}")


def _requests(name: str, beside: Pairs) -> Iterator[str]:
    """Yield how many times as many there are, and how many where there were none."""
    before, now = (
        {graph: pair[place].values[name] or 0 for graph, pair in beside.items()} for place in (0, 1)
    )
    ratios = quotients(now, before)
    if ratios:
        yield f"{ranged(ratios.values())} the {name}"
    new = [f"{figure(now[graph])} on {graph}" for graph in now if now[graph] and not before[graph]]
    if new:
        yield f"in place of none {name}: {listed(new)}"
