"""Whether the first line of an edge list is no edge but gives the numbers of vertices and edges.

Such a line ``n m`` looks like any edge, so it is known by what follows it. It is a header if m
lines follow, at least one, and every vertex number in them is below n, or, in a list that is
numbered from 1, at most n. It is doubtful, and read as an edge, if the vertex numbers that follow
do fit n and other than m lines follow, and n is in none of them or m is above all their numbers.
A list whose comment says how many edges it has is believed: if these are all its lines, the first
is an edge.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpubfs.graphs.build import count
from gpubfs.graphs.listing import Ids, Options


@dataclass(frozen=True)
class Header:
    """The numbers that a header gives, and what is to be said of the first line.

    Attributes
    ----------
    vertices, edges : int
        What it promises; 0 where there is no header.
    present : bool
        Whether there is one.
    notes : tuple of str
        Sentences for the graph's notes.
    """

    vertices: int = 0
    edges: int = 0
    present: bool = False
    notes: tuple[str, ...] = ()


def header_of(sources: Ids, targets: Ids, options: Options, promised: int) -> Header:
    """Judge the first of the listed pairs.

    Parameters
    ----------
    sources, targets : int64 arrays of shape (L,)
        The listed pairs, the first line being one of them.
    options : Options
        `header` is taken as it is given; `base` says where numbers start.
    promised : int
        The number of edges that the file's comment promises, or 0.

    Examples
    --------
    >>> import numpy as np
    >>> ends = np.array([3, 0, 1]), np.array([2, 1, 2])
    >>> header_of(*ends, Options(), 0).present, header_of(*ends, Options(), 3).present
    (True, False)
    """
    if not len(sources) or options.header is False:
        return Header()
    vertices, edges = int(sources[0]), int(targets[0])
    if options.header:
        return Header(vertices, edges, True, _unkept(vertices, edges, sources, targets, options))
    if len(sources) == 1 or promised == len(sources):
        return Header()
    highest = int(max(sources[1:].max(), targets[1:].max()))
    if highest > vertices - (not _from_one(sources, targets, options)):
        return Header()
    sizes = f"{count(vertices, 'vertex', 'vertices')} and {count(edges, 'edge')}"
    if edges == len(sources) - 1:
        words = f"The first line, {vertices} {edges}, is read as a header: {sizes}"
        return Header(vertices, edges, True, (f"{words}; the option header=no makes it an edge.",))
    if highest == vertices and edges <= highest:
        return Header()
    words = f"The first line, {vertices} {edges}, looks like a header of {sizes}, but "
    words += f"{count(len(sources) - 1, 'line')} follow, and it is read as an edge; "
    return Header(notes=(words + "the options header=yes and header=no say which it is.",))


def _from_one(sources: Ids, targets: Ids, options: Options) -> bool:
    """Whether the lines after the first number vertices from 1."""
    if options.base is not None:
        return options.base == 1
    return bool(sources[1:].min() > 0 and targets[1:].min() > 0)


def _unkept(
    vertices: int, edges: int, sources: Ids, targets: Ids, options: Options
) -> tuple[str, ...]:
    """What a header promises that the lines after it do not keep."""
    said = []
    if edges != len(sources) - 1:
        said.append(f"{count(edges, 'edge')} and the file lists {len(sources) - 1:,}")
    if len(sources) > 1:
        highest = int(max(sources[1:].max(), targets[1:].max()))
        if highest > vertices - (not _from_one(sources, targets, options)):
            size = count(vertices, "vertex", "vertices")
            said.append(f"{size} and the file has one numbered {highest:,}")
    return tuple(f"The first line promises {words}." for words in said)
