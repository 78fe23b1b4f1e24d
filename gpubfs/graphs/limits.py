"""Which sizes are refused before anything is built, and in which words."""

from __future__ import annotations

import os

from gpubfs.graphs.errors import GraphError

#: Vertex numbers are 32-bit signed integers.
MOST_VERTICES = 2**31 - 1

#: Bytes held at the peak of a build, per listed edge and per vertex (measured, rounded up).
BYTES_PER_EDGE = 110
BYTES_PER_VERTEX = 40

#: What is assumed where the operating system does not say how much memory there is.
USUAL_MEMORY = 16 << 30


def memory() -> int:
    """The physical memory of this machine in bytes."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return USUAL_MEMORY


def check_size(what: str, vertices: int, edges: int, hint: str, path: str | None = None) -> None:
    """Refuse a graph that 32-bit vertex numbers or this machine's memory cannot hold.

    Parameters
    ----------
    what : str
        How the message calls the graph.
    vertices, edges : int
        Vertices, and edges listed before any are merged.
    hint : str
        The remedy.
    path : str, optional
        The file that the sizes come from.

    Raises
    ------
    GraphError
        If the graph is too large.
    """
    if vertices > MOST_VERTICES:
        raise GraphError(
            f"{what} has {vertices:,} vertices and vertex numbers are 32-bit, "
            f"so the limit is {MOST_VERTICES:,}",
            path,
            hint=hint,
        )
    needed, present = BYTES_PER_EDGE * edges + BYTES_PER_VERTEX * vertices, memory()
    if needed > present:
        raise GraphError(
            f"{what} needs about {gibibytes(needed)} while it is built "
            f"and the limit is this machine's memory of {gibibytes(present)}",
            path,
            hint=hint,
        )


def gibibytes(size: int) -> str:
    """A size in GiB with one decimal below ten.

    >>> gibibytes(5 << 29), gibibytes(300 << 30)
    ('2.5 GiB', '300 GiB')
    """
    amount = size / (1 << 30)
    return f"{amount:.1f} GiB" if amount < 10 else f"{amount:,.0f} GiB"
