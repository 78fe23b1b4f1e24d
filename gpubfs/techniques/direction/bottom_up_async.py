"""A bottom-up pass that also notices what it has just found itself: vertices of two levels.

Gaihre et al. (XBFS, Section 5.2, Algorithm 3): a vertex that looks for a parent of level L - 1 sees
neighbours of level L, too, if other threads have found these in the same pass. If there is no
parent among all of its neighbours, but such a one, then its level is L + 1 (Lemma 2), and it need
not be looked at in the next pass. It is found early. How many are depends on who comes first; the
levels never do. For that the store must stand inside of the loop, and loads must see it: both are
volatile, so that they go past the L1 caches, which know nothing of each other. With `store=behind`
it stands behind the loop, as in the kernel of double-scan and no-queue: threads that run in
lockstep then find nothing early, as long as there is one for each vertex of the queue (a thread
that takes a second vertex sees what was stored of the first ones).

Nothing may be lost of what was found early. A level's size and its share of edges count those of
it that the pass before has found; the search ends when a level is empty with them. On the way back
to top-down (`alpha`) the level's vertices that were found early are not in the last pass's queue,
but in the one before it, which holds all of the last one's (Lemma 1), so that the search keeps two;
and those of the next level that the last pass found early will not be claimed any more, so that
they are enqueued first, by a launch of its own: before anything is claimed, they alone have that
level. With `back=double-scan` both come from scans. The published code walks through the last
queue alone, and loses vertices there.

What is mended of Algorithm 3: its outer loop lacks a stride, and its two flags must be reset for
each vertex. Lemma 3 says of (1 - s / |Q|)^N that it is the probability of being found early; it is
that of the contrary, and (4) and (5) have |Q_l| where |Q| is meant: 1 - (1 - s / |Q|)^N, for place
s in a queue that is worked in order, and N neighbours of level L. Lemma 1's queue is a proper
subset only if the pass finds something.

All else is as in bottom-up.
"""

from __future__ import annotations

from typing import Any

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.bottom_up import EARLY_BENIGN, PASSES, search
from gpubfs.search.description import technique
from gpubfs.search.option import Option
from gpubfs.search.papers import XBFS

STORE = Option(
    "store",
    "at-once",
    "where a vertex that has a parent stores its level: inside of the loop, or behind it",
    choices=("at-once", "behind"),
    define="STORE",
)


@technique(
    "bottom-up-async",
    kernel="bottom_up_async.cu",
    paper=XBFS,
    section="5.2, Algorithm 3",
    year=2019,
    **PASSES | {"benign": {"level": EARLY_BENIGN}, "options": (*PASSES["options"], STORE)},
)
def bottom_up_async(host: Host, graph: DeviceGraph, source: int, **options: Any) -> SearchResult:
    """Search with passes that find vertices of two levels; `store` is the kernel's business."""
    del options[STORE.name]
    return search(host, graph, source, "bottom_up_static", **options)
