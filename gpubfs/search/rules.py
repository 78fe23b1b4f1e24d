"""Rules that decide whether a level is expanded top-down or bottom-up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figures:
    """How many vertices there are, and how many edges they have."""

    vertices: int = 0
    edges: int = 0

    def __add__(self, other: Figures) -> Figures:
        return Figures(self.vertices + other.vertices, self.edges + other.edges)


@dataclass(frozen=True)
class Standing:
    """A search that is about to expand a level, and all that a rule may go by.

    Attributes
    ----------
    graph, frontier : Figures
        All vertices and edges, and those of the level.
    prior : Figures or None
        Those of the level before; None at the first.
    visited : Figures
        Those of all levels up to this one.
    up : bool
        Whether the level was found bottom-up.
    """

    graph: Figures
    frontier: Figures
    prior: Figures | None = None
    visited: Figures = Figures()
    up: bool = False

    @property
    def growth(self) -> float | None:
        """XBFS's lambda: edges of the frontier to those of the one before; None at the first."""
        if self.prior is None or not self.prior.edges:
            return None
        return self.frontier.edges / self.prior.edges

    @property
    def predicted(self) -> float | None:
        """The next level's share of all edges, if these grow as before; None at the first."""
        if self.growth is None:
            return None
        return self.frontier.edges * self.growth / max(self.graph.edges, 1)

    def predicts(self, alpha: float) -> bool:
        """Whether, growing as before, the next level has the share `alpha` of all edges.

        Parameters
        ----------
        alpha : float
            The share.

        Examples
        --------
        >>> graph, before, now = Figures(50, 100), Figures(1, 1), Figures(2, 4)
        >>> Standing(graph, now, before).predicts(0.16), Standing(graph, now, before).predicts(0.17)
        (True, False)
        """
        return self.predicted is not None and self.predicted >= alpha


#: Says of a level whether it is expanded bottom-up, and by which ratio.
Rule = Callable[[Standing], tuple[bool, float]]


def edge_share(alpha: float) -> Rule:
    """Return XBFS's rule: bottom-up if the frontier has the share `alpha` of all edges.

    Parameters
    ----------
    alpha : float
        The share; 0 is always, and more than 1 never.

    Examples
    --------
    >>> rule = edge_share(0.1)
    >>> [rule(Standing(Figures(50, 100), Figures(2, edges))) for edges in (9, 10)]
    [(False, 0.09), (True, 0.1)]
    """

    def rule(now: Standing) -> tuple[bool, float]:
        edges = now.frontier.edges
        up = alpha == 0 or (edges > 0 and edges >= alpha * now.graph.edges)
        return up, edges / max(now.graph.edges, 1)

    return rule


def beamer(alpha: float = 14, beta: float = 24) -> Rule:
    """Return the rule of Beamer, Asanović and Patterson.

    Bottom-up if the frontier has more than 1 / `alpha` of the edges of vertices not visited, and
    back if it has less than 1 / `beta` of all vertices; and, so that a search does not go to and
    fro, the first only while frontiers grow, and the second only while they shrink.

    Parameters
    ----------
    alpha, beta : float
        The paper's 14 and 24.

    Examples
    --------
    >>> graph, small = Figures(240, 1400), Figures(9, 60)
    >>> def at(vertices, edges, **known):
    ...     return Standing(graph, Figures(vertices, edges), small, Figures(0, 700), **known)
    >>> [beamer()(at(10, edges))[0] for edges in (50, 51)]
    [False, True]
    >>> [beamer()(at(vertices, 1, up=True))[0] for vertices in (8, 10)]
    [False, True]
    """

    def rule(now: Standing) -> tuple[bool, float]:
        size, before = now.frontier.vertices, now.prior.vertices if now.prior else 0
        if now.up:
            ratio = size / now.graph.vertices
            return ratio >= 1 / beta or size >= before, ratio
        left = now.graph.edges - now.visited.edges
        ratio = now.frontier.edges / max(left, 1)
        return alpha * now.frontier.edges > left and size > before, ratio

    return rule


def ligra(divisor: float = 20) -> Rule:
    """Return the rule of Shun and Blelloch's Ligra: |F| + deg(F) > |E| / `divisor` is bottom-up.

    Parameters
    ----------
    divisor : float
        The paper's 20.

    Examples
    --------
    >>> [ligra()(Standing(Figures(50, 100), Figures(2, edges)))[0] for edges in (3, 4)]
    [False, True]
    """

    def rule(now: Standing) -> tuple[bool, float]:
        work = now.frontier.vertices + now.frontier.edges
        return divisor * work > now.graph.edges, work / max(now.graph.edges, 1)

    return rule
