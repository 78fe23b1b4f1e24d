"""Each level in the direction that a rule chooses: top-down if its frontier has few edges.

Beamer, Asanović and Patterson: top-down, a level looks at all edges of its frontier; bottom-up,
vertices that were not visited stop at the first parent, which is soon found where the frontier is
large. So the search begins top-down, goes bottom-up through the few levels that hold most of the
graph, and ends top-down. Top-down levels are scan-free's, with `width` lanes a vertex, passes are
bottom-up's, and the first top-down level after a pass goes by the pass's queue or by scans
(`back`).

There are three rules to decide by. `rule=xbfs` is Gaihre et al.'s (XBFS, Section 4.3): bottom-up if
the frontier has the share `alpha` of all edges, 0.1 unless given, and back if not. `rule=beamer`:
bottom-up if the frontier has more edges than a 14th of those of vertices not visited, which are
here without the frontier's own, and back if it has fewer vertices than a 24th of all. So that a
search does not go to and fro, the first counts only while frontiers grow, and the second only while
they shrink. `rule=ligra` is Shun and Blelloch's: vertices and edges of the frontier together are
more than a 20th of all edges. What a rule compares is the level's `ratio` (`--levels`): with
`beamer` that is one of edges on the way up, and one of vertices before the way back.

Beamer's bottom-up levels go over all vertices with a bitmap of the frontier; here they have a queue
of those not visited. Directed graphs are refused.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gpubfs.errors import UsageError
from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.bottom_up import BACK, PASS_BLOCKS, PASSES, search
from gpubfs.search.description import technique
from gpubfs.search.directions import ALPHA
from gpubfs.search.option import Option
from gpubfs.search.papers import BEAMER
from gpubfs.search.queues import BLOCK_256, WIDTH
from gpubfs.search.rules import Rule, beamer, edge_share, ligra

RULE = Option(
    "rule",
    "xbfs",
    "what decides: the frontier's share of edges, or the rule of Beamer et al. or of Ligra",
    choices=("xbfs", "beamer", "ligra"),
)
SHARE = replace(
    ALPHA, meaning="with rule=xbfs, share of all edges from which on a level is bottom-up"
)


@technique(
    "direction-optimizing",
    kernel="direction_optimizing.cu",
    paper=BEAMER,
    section="as in Gaihre et al. (XBFS), 4.3",
    year=2012,
    **PASSES | {"options": (BLOCK_256, PASS_BLOCKS, WIDTH, RULE, SHARE, BACK)},
)
def direction_optimizing(
    host: Host, graph: DeviceGraph, source: int, *, rule: str, alpha: float, **options: Any
) -> SearchResult:
    """Search in the direction that the rule chooses for each level."""
    chosen = rule_of(rule, alpha)
    return search(host, graph, source, "bottom_up_static", rule=chosen, alpha=alpha, **options)


def rule_of(name: str, alpha: float) -> Rule:
    """Return the rule of this name.

    Parameters
    ----------
    name : str
        One of the option's choices.
    alpha : float
        The share of edges, for the rule that has one.

    Raises
    ------
    UsageError
        If a share is given to a rule that has none.
    """
    if name == "xbfs":
        return edge_share(alpha)
    if alpha != SHARE.default:
        raise UsageError(
            f"rule={name} has numbers of its own, and does not go by alpha={alpha}",
            "leave alpha out, or take rule=xbfs",
        )
    return beamer() if name == "beamer" else ligra()
