"""What measurements say of bottom-up passes whose vertices are dealt out before, or fetched.

Each verdict is of one thing that Gaihre et al. (XBFS, Sections 1.2, 5.1.2 and 6.3) say of threads
and warps that fetch vertices, or of lanes that help each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gpubfs.experiments.cells import (
    ALIKE,
    CLOSE,
    alike,
    gain,
    listed,
    mean,
    times,
    unanimous,
    untold,
)
from gpubfs.experiments.experiment import Verdict
from gpubfs.experiments.gaihre import DONATE, STATIC, THREAD, WARP

#: Lanes of a warp.
LANES = 32

#: The paper's speedups over its baseline, in Figure 14; what the dynamic ways gain over the static
#: one and what balancing gains in all, in Section 1.2; two bars of Figure 11; shares of bottom-up
#: levels in Figure 12 (b); and between which slowdowns donation is.
FIGURE_14 = {STATIC: 1.4, WARP: 1.6, THREAD: 1.6}
EXTRA, ANOTHER = 1.133, 1.59
BEFORE, AFTER = 2.3, 3.1
SHARE = 0.68
DONATED = (1.01, 1.05)


def whole_search(speedup: float, share: float) -> float:
    """Return by how much a search gains if a share of its time gains that much.

    Parameters
    ----------
    speedup : float
        Of a part.
    share : float
        The part's share of the time before.

    Examples
    --------
    >>> whole_search(2.0, 0.5)
    1.3333333333333333
    """
    return 1 / (1 - share + share / speedup)


def _each(ratios: Mapping[str, float], write: Callable[[float], str] = times) -> str:
    return listed(f"{write(ratio)} on {graph}" for graph, ratio in ratios.items())


#: What is said where no level is bottom-up.
NOTHING = "no level is bottom-up on any graph here"


def room(most: Mapping[str, float]) -> Verdict:
    """Whether dealing out leaves room for what fetching gains in the paper.

    Parameters
    ----------
    most : mapping
        What fetching can gain at most over dealing out, by graph.
    """
    if not most:
        return untold(NOTHING)
    theirs = FIGURE_14[WARP] / FIGURE_14[STATIC]
    text = (
        f"by the loads of warps of {STATIC}, fetching can gain at most {_each(most)}, if all "
        f"warps are equally fast; in the paper it gains {times(theirs)}"
    )
    return Verdict(unanimous([bound >= theirs for bound in most.values()]), text)


def fewer(ratios: Mapping[str, float]) -> Verdict:
    """Whether fetching by warps makes a warp's width fewer atomics, as the paper has it.

    Parameters
    ----------
    ratios : mapping
        Atomics of threads where threads fetch, to those where warps do, by graph.
    """
    if not ratios:
        return untold(f"no thread has to fetch: {NOTHING}, or the grid has room for all vertices")
    detail = listed(f"{ratio:.1f} on {graph}" for graph, ratio in ratios.items())
    near = [abs(ratio / LANES - 1) <= CLOSE for ratio in ratios.values()]
    text = (
        f"{THREAD} makes as many times the atomics of {WARP}: {detail}; in the paper {LANES} times"
    )
    return Verdict(unanimous(near), text)


def asking(ratios: Mapping[str, float]) -> Verdict:
    """Whether both ways ask memory as often, which is why the paper finds them equally fast.

    Parameters
    ----------
    ratios : mapping
        Requests of fetches where threads fetch, to those where warps do, by graph.
    """
    if not ratios:
        return untold(f"no thread has to fetch: {NOTHING}, or the grid has room for all vertices")
    text = (
        f"warps of {THREAD} ask for vertices as often as those of {WARP} {_each(ratios)}: lanes "
        "that look together for parents fetch together; by nvprof, which counts what warps "
        "execute, the paper finds atomics there as cheap as shuffles here"
    )
    return Verdict(unanimous([abs(ratio - 1) <= CLOSE for ratio in ratios.values()]), text)


def slightly(ratios: Mapping[str, float]) -> Verdict:
    """Whether warps that fetch execute slightly more than threads that do: up to a tenth.

    Parameters
    ----------
    ratios : mapping
        Statements of the one to those of the other, by graph.
    """
    if not ratios:
        return untold(NOTHING)
    text = f"{WARP} executes as many statements as {THREAD} {_each(ratios)}; the paper has "
    text += "slightly more, which is taken here for up to a tenth"
    return Verdict(unanimous([1 < ratio <= 1 + CLOSE for ratio in ratios.values()]), text)


def helped(steps: Mapping[str, float], looked: Mapping[str, float]) -> Verdict:
    """Say what donation takes; the paper's slowdown is a time.

    Parameters
    ----------
    steps, looked : mapping
        Statements and edges looked at, to those without donation, by graph.
    """
    if not steps:
        return untold(NOTHING)
    return untold(
        f"{DONATE} executes as many statements as {WARP} {_each(steps)}, and looks at as many "
        f"edges {_each(looked)}; in the paper it is slower by 1 to 5 %"
    )


def gained(speedups: Mapping[str, float], who: str) -> Verdict:
    """Whether fetching gains over dealing out what it does in the paper.

    Parameters
    ----------
    speedups : mapping
        By graph.
    who : str
        Which way fetches.
    """
    if not speedups:
        return untold(NOTHING)
    ours, theirs = mean(speedups.values()), FIGURE_14[who] / FIGURE_14[STATIC]
    text = (
        f"passes of {who} gain {gain(ours)} over {STATIC} on average: {_each(speedups)}; in the "
        f"paper {FIGURE_14[who]} to {FIGURE_14[STATIC]}, {gain(theirs)}, and {gain(EXTRA)} in 1.2"
    )
    return Verdict(alike(ours, theirs), text)


def equal(speedups: Mapping[str, float]) -> Verdict:
    """Whether fetching by warps and by threads are equally fast, give or take a tenth.

    Parameters
    ----------
    speedups : mapping
        Of warps over threads, by graph.
    """
    if not speedups:
        return untold(NOTHING)
    ours = mean(speedups.values())
    text = f"passes of {WARP} are {times(ours)} as fast as those of {THREAD} on average: "
    text += f"{_each(speedups)}; in the paper they are similar"
    return Verdict(abs(ours - 1) <= CLOSE, text)


def donated(slowdowns: Mapping[str, float]) -> Verdict:
    """Whether donation costs about what it does in the paper, 1 to 5 %.

    Parameters
    ----------
    slowdowns : mapping
        How many times as long passes take, by graph.
    """
    if not slowdowns:
        return untold(NOTHING)
    ours = mean(slowdowns.values())
    low, high = ((DONATED[0] - 1) / ALIKE, (DONATED[1] - 1) * ALIKE)
    text = (
        f"passes of {DONATE} take {times(ours)} as long as those of {WARP} on average: "
        f"{_each(slowdowns)}; in the paper 1 to 5 % longer"
    )
    return Verdict(low <= ours - 1 <= high, text)
