"""What measurements say of ways to share out edges: throughputs, requests, evenness, overhead.

Each verdict is of one comparison that Busato and Bombieri make, on all graphs, or on those of one
class: regular ones, whose vertices have about as many edges each, or irregular ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpubfs.experiments.cells import (
    CLOSE,
    listed,
    of_graphs,
    quotients,
    ranged,
    times,
    unanimous,
    untold,
)
from gpubfs.experiments.experiment import Point, Verdict

BINARY, ORDERED, BASIC = (f"binary-search{how}" for how in ("", ", ordered", ", basic form"))
SHUFFLE, SCAN = "warp-shuffle", "scan-based"
SUPPORTED = " with supports"
BASE = "thread-per-vertex"

IMBALANCE, STEPS, REQUESTS, MTEPS = "imbalance", "warp_steps", "load_requests", "mteps"

#: The Gini coefficient below which a graph's degrees are regular.
REGULAR = 0.3


def kind(point: Point) -> str:
    """Return the class of the point's graph: regular or irregular.

    Parameters
    ----------
    point : Point
        A measurement, which has the Gini coefficient.
    """
    return "regular" if point.values["gini"] < REGULAR else "irregular"


#: A value for each graph and series.
Found = Mapping[str, Mapping[str, float]]


def found(points: Sequence[Point], name: str, wanted: str = "") -> Found:
    """Return a value for each graph of a class and each series, as far as it was measured.

    Nothing is counted where a search launches nothing, as from a vertex without edges.

    Parameters
    ----------
    points : sequence of Point
        The measurements.
    name : str
        Which of their values.
    wanted : str
        The class; all by default.
    """
    chosen = of_graphs(point for point in points if wanted in ("", kind(point)))
    return {
        graph: {p.series: p.values[name] for p in own if p.values[name] is not None}
        for graph, own in chosen.items()
    }


def ratios(values: Found, above: str, below: str) -> dict[str, float]:
    """Return for each graph the one series' value over the other's, where both were measured.

    Examples
    --------
    >>> ratios({"a": {"x": 6, "y": 4}, "b": {"x": 1}}, "x", "y")
    {'a': 1.5}
    """
    upper, lower = (
        {graph: of[series] for graph, of in values.items() if series in of}
        for series in (above, below)
    )
    return quotients(upper, lower)


def missing(*series: str) -> Verdict:
    """Return the verdict where there is nothing to compare.

    Parameters
    ----------
    *series : str
        What would be compared.
    """
    return untold(f"nothing here to compare {listed(series)} on")


def faster(speeds: Found, old: str, new: str, span: tuple[float, float]) -> Verdict:
    """Whether what takes an original's place is faster on all graphs, but for the paper's least.

    Parameters
    ----------
    speeds : mapping
        Throughputs by graph and series.
    old, new : str
        The original, and what takes its place.
    span : (float, float)
        The least and the most that it gains in the paper.
    """
    gains = ratios(speeds, new, old)
    if not gains:
        return missing(new, old)
    detail = listed(f"{times(gain)} on {graph}" for graph, gain in gains.items())
    theirs = f"the paper has {ranged(span)}"
    return Verdict(min(gains.values()) >= span[0], f"{new} is as fast as {old} {detail}; {theirs}")


def mostly(speeds: Found, old: str, new: str) -> Verdict:
    """Whether what takes an original's place is faster without supports, on most graphs.

    Parameters
    ----------
    speeds : mapping
        Throughputs by graph and series.
    old, new : str
        The original, and what takes its place.
    """
    gains = ratios(speeds, new, old)
    if not gains:
        return missing(new, old)
    more = sum(gain > 1 for gain in gains.values())
    text = f"without supports {new} is faster than {old} on {more} of {len(gains)} graphs"
    detail = listed(f"{times(gain)} on {graph}" for graph, gain in gains.items())
    return Verdict(2 * more > len(gains), f"{text}: {detail}; in the paper on most")


def fewer(requests: Found, old: str, new: str) -> Verdict:
    """Whether what takes an original's place asks memory less often: everywhere, or nowhere.

    Parameters
    ----------
    requests : mapping
        Load requests by graph and series.
    old, new : str
        The original, and what takes its place.
    """
    shares = ratios(requests, new, old)
    if not shares:
        return missing(new, old)
    detail = listed(f"{times(share)} on {graph}" for graph, share in shares.items())
    text = f"{new} makes as many load requests as {old} {detail}"
    less = [share < 1 for share in shares.values()]
    agrees = None if any(less) and not all(less) else all(less)
    return Verdict(agrees, f"{text}; the paper explains what it gains by fewer of them")


def evener(imbalances: Found, plain: str, supported: str) -> Verdict:
    """Whether supports make work more even, on every irregular graph.

    Parameters
    ----------
    imbalances : mapping
        Imbalances by graph and series, of irregular graphs.
    plain, supported : str
        A technique without and with supports.
    """
    shares = ratios(imbalances, supported, plain)
    if not shares:
        return missing(supported, plain)
    detail = listed(
        f"{imbalances[graph][plain]:.1f} to {imbalances[graph][supported]:.1f} on {graph}"
        for graph in shares
    )
    text = f"on irregular graphs supports bring the imbalance of {plain} from {detail}"
    return Verdict(
        all(share < 1 for share in shares.values()),
        f"{text}; the paper has them where few vertices have many edges",
    )


def most_even(imbalances: Found) -> Verdict:
    """Whether the binary search has the most even work of all, on every irregular graph.

    It is the basic form of which the paper says so; its optimizations may have less even work.

    Parameters
    ----------
    imbalances : mapping
        Imbalances by graph and series, of irregular graphs.
    """
    detail, best = [], []
    for graph, of in imbalances.items():
        others = {name: its for name, its in of.items() if not name.startswith(BINARY)}
        if BINARY not in of or not others:
            continue
        least = min(others, key=others.__getitem__)
        forms = [form for form in (BASIC, BINARY) if form in of]
        ours = listed(f"{of[form]:.1f} of {form}" for form in forms)
        detail.append(f"{ours} on {graph}, where {least} has {others[least]:.1f}")
        best += [of[form] <= others[least] for form in forms]
    if not detail:
        return missing(BINARY, "others")
    text = f"the imbalance is {listed(detail)}"
    return Verdict(
        all(best), f"{text}; in the paper binary search is the most even for irregular graphs"
    )


def minimized(steps: Found, requests: Found) -> Verdict:
    """Whether the binary search executes less with the paper's optimizations than without them.

    Parameters
    ----------
    steps, requests : mapping
        Statements that warps execute, and their load requests, by graph and series.
    """
    shares, asked = (ratios(values, BINARY, BASIC) for values in (steps, requests))
    if not shares:
        return missing(BINARY, BASIC)
    detail = listed(f"{times(share)} on {graph}" for graph, share in shares.items())
    loads = listed(f"{times(share)} on {graph}" for graph, share in asked.items())
    text = f"{BINARY} executes as many statements as {BASIC} {detail}, for as many load requests "
    text += f"{loads}; the paper's optimizations are to minimize the overhead of computation"
    return Verdict(unanimous([share < 1 for share in shares.values()]), text)


def minimal(shares: Mapping[str, float], old: str, new: str) -> Verdict:
    """Whether shuffles cost next to nothing in statements, as the paper says of them.

    Parameters
    ----------
    shares : mapping
        By graph or level, how many times the statements of the old mapping the new one executes.
    old, new : str
        The mapping in groups, and the one by shuffles.
    """
    if not shares:
        return missing(new, old)
    detail = listed(f"{times(share)} on {where}" for where, share in shares.items())
    text = f"{new} executes as many statements as {old} {detail}; in the paper shuffles are a "
    text += "minimum overhead, which is taken here for a tenth"
    return Verdict(unanimous([share <= 1 + CLOSE for share in shares.values()]), text)


def spread(imbalances: Found, old: str, new: str) -> Verdict:
    """Say how even two mappings are where degrees are: the paper has no figure of that.

    Parameters
    ----------
    imbalances : mapping
        Imbalances by graph and series, of regular graphs.
    old, new : str
        The original, and what takes its place.
    """
    shares = ratios(imbalances, new, old)
    if not shares:
        return missing(new, old)
    detail = listed(
        f"{imbalances[graph][new]:.1f} and {imbalances[graph][old]:.1f} on {graph}"
        for graph in shares
    )
    text = f"on regular graphs the imbalance is {detail}, for {new} and {old}"
    return untold(f"{text}: few vertices fill few warps; the paper says nothing of that")


def overhead(steps: Found) -> Verdict:
    """Whether the binary search executes more than the plainest mapping, on every regular graph.

    Parameters
    ----------
    steps : mapping
        Statements that warps execute, by graph and series, of regular graphs.
    """
    shares = ratios(steps, BINARY, BASE)
    if not shares:
        return missing(BINARY, BASE)
    detail = listed(f"{times(share)} on {graph}" for graph, share in shares.items())
    text = f"on regular graphs {BINARY} executes as many statements as {BASE} {detail}"
    return Verdict(
        all(share > 1 for share in shares.values()),
        f"{text}; the paper calls it not suitable there, for its computation",
    )


def suited(irregular: Found, regular: Found) -> Verdict:
    """Whether the binary search outdoes the plainest mapping where degrees differ, and only there.

    Parameters
    ----------
    irregular, regular : mapping
        Throughputs by graph and series.
    """
    gains, losses = (ratios(speeds, BINARY, BASE) for speeds in (irregular, regular))
    if not gains or not losses:
        return untold("it takes graphs of both classes to tell for which the binary search is")
    detail = listed(f"{times(gain)} on {graph}" for graph, gain in (gains | losses).items())
    text = f"{BINARY} is as fast as {BASE} {detail}"
    agrees = min(gains.values()) > 1 > max(losses.values())
    return Verdict(agrees, f"{text}; the paper has it for irregular graphs, not for regular ones")
