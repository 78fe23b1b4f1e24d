"""Each level in the way that suits it, decided while the search runs: XBFS, the whole system.

Gaihre et al. (XBFS, Sections 4.3 and 5; Figure 7). A level is expanded in one of four phases, by
the edges of its frontier, edgeCheck, and by lambda, what these have grown by since the level
before: *bottom-up* if edgeCheck / |E| is at least `alpha`; after it *no-queue*, which goes through
the bottom-up level's queue; *single-scan* if edgeCheck lambda / |E| is at least `alpha`, so that
the next level is expected to be bottom-up; else *scan-free*. At the first level there is no lambda,
and it is scan-free unless it is bottom-up. Nothing but what the kernels have counted decides. Each
level says its phase, edgeCheck, lambda, its `ratio` edgeCheck / |E|, the `predicted` one of the
next level, and how many of its vertices were found early (`--levels`, traces, JSON). `phases`
forces the phases of the first levels, joined by "+":
phases=scan-free+single-scan+bottom-up+no-queue.

Top-down levels are expanded by classes of degree, as in Enterprise, which XBFS extends (Section 6):
a thread, a warp, or a block for a vertex; and the whole grid from `grid_degree` edges on, a class
that Tödling et al. tell of Enterprise, and XBFS does not have. The classes end below the lanes of a
warp and the threads of a block. They are not sorted into queues: lanes and warps of a block give
away the vertices that are not for one thread. Bottom-up passes are those of bottom-up,
bottom-up-thread, bottom-up-warp and bottom-up-donate (`balance`) on one fixed grid, and of
bottom-up-async unless `asynchronous` is false; their docstrings say what is mended of Algorithms 1
to 3 and of Lemma 3. The paper does not say which of its ways to balance the times of Table 2 have;
by default warps fetch.

What differs, and where the paper is silent. Single-scan's scan is made only if the next level is
top-down, else the two of double-scan would come upon it; the paper scans at once. But to know what
the next level is, its edges must be added up, and nobody knows the marked vertices before a scan:
so the first of double-scan's scans does that, too, and single-scan's own comes behind it where the
prediction fails. Elsewhere expansion adds up the edges of what it claims; the published code lets
the host do it. On the way back vertices are kept that asynchronous passes have found early: the
published code loses them (bottom-up-async says where they are). Its loop ends with the levels of a
search on the CPU; here a search ends when a level is empty. |E| counts both directions of an edge.

By the paper's own numbers no share leads to the phases of its Figure 2: with 0.1, {1, 5} has 6 of
24 edges and is bottom-up already, and {2, 6, 7}, which is bottom-up there, has as many edges as {3,
4, 8}, which is not. Its levels have other numbers in Section 2.2, where {0} is level 1. Section 1.2
says that balancing gains another 59 %, 1.4 times by the static solution and 13.3 % more by the
dynamic ones; Figure 11's 3.1 over 2.3 are 35 %.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.bottom_up import DIRECTION, EARLY_BENIGN, PASS_ARRAYS, PASS_BLOCKS, SCAN, TAKEN
from gpubfs.search.class_expansion import ClassExpansion, ClassSingleScan
from gpubfs.search.description import technique
from gpubfs.search.directions import ALPHA, DIRECTION_SHARED, SCAN_BLOCKS
from gpubfs.search.loops import MARKED_TWICE
from gpubfs.search.option import Option
from gpubfs.search.papers import XBFS
from gpubfs.search.passes import BottomUpPasses, Buffers
from gpubfs.search.phases import PHASES, PhaseSearch
from gpubfs.search.queues import BLOCK_256
from gpubfs.search.rules import edge_share
from gpubfs.search.status_scan import StatusScan

BALANCE = Option(
    "balance",
    "warp",
    "who gives vertices to threads bottom-up: the grid's stride, a counter for threads or for "
    "warps, or that and lanes that help the last one",
    choices=("static", "thread", "warp", "donate"),
)
ASYNCHRONOUS = Option(
    "asynchronous",
    True,
    "whether a bottom-up pass finds vertices of the level after, too",
    define="ASYNCHRONOUS",
)
GRID_DEGREE = Option(
    "grid_degree",
    4096,
    "edges from which on the whole grid works on a vertex top-down",
    minimum=1,
    maximum=2**31 - 1,
)
PLAN = Option(
    "phases",
    "auto",
    f"phases of the first levels, joined by +, of {', '.join(PHASES)}; auto is none",
)


@technique(
    "xbfs",
    family=DIRECTION,
    kernel="xbfs.cu",
    paper=XBFS,
    section="4.3, 5, Figure 7",
    year=2019,
    arrays=PASS_ARRAYS
    | TAKEN
    | {
        "huge": "top-down, the level's vertices that get the whole grid",
        "huge_size": "how many these are",
    },
    shared=DIRECTION_SHARED
    | {
        "large": "vertices that get the whole block",
        "large_size": "how many these are",
    },
    memory="4 V for level + 4 V for each of two queues + 4 for each of E / grid_degree vertices, "
    "1 at least and V at most + 4 for each thread and block of a scan + 44 bytes, 40 with "
    "balance=static",
    benign={"level": f"{EARLY_BENIGN}; where vertices are marked, {MARKED_TWICE}"},
    options=(
        BLOCK_256,
        PASS_BLOCKS,
        replace(SCAN_BLOCKS, name="scan_blocks"),
        BALANCE,
        ASYNCHRONOUS,
        ALPHA,
        GRID_DEGREE,
        PLAN,
    ),
    directed=False,
)
def xbfs(
    host: Host,
    graph: DeviceGraph,
    source: int,
    *,
    block: int,
    blocks: int,
    scan_blocks: int,
    balance: str,
    asynchronous: bool,
    alpha: float,
    grid_degree: int,
    phases: str,
) -> SearchResult:
    """Search by the phases that the edges of frontiers call for."""
    data = Buffers(host, graph, source)
    passes = BottomUpPasses(data, f"bottom_up_{balance}", block, blocks, balance != "static")
    expansion = ClassExpansion(data, block, grid_degree)
    scan = StatusScan(host, graph, data.level, SCAN, block, scan_blocks)
    marking = ClassSingleScan(expansion, scan, alpha)
    rest: dict[str, Any] = {"plan": plan_of(phases), "single_scan": marking}
    return PhaseSearch(data, passes, expansion, scan, edge_share(alpha), **rest).run()


def plan_of(phases: str) -> tuple[str, ...]:
    """Return the phases that the option names, none for "auto".

    Parameters
    ----------
    phases : str
        The option's value.

    Examples
    --------
    >>> plan_of("scan-free+bottom-up"), plan_of("auto")
    (('scan-free', 'bottom-up'), ())
    """
    return () if phases == PLAN.default else tuple(phases.split("+"))
