"""One string says which graph is meant: `kron:16`, `grid:300x200`, `karate`, `file:web.txt`."""

from __future__ import annotations

import os
from typing import Any

from gpubfs.arguments import truth
from gpubfs.errors import nearest
from gpubfs.graphs.checks import refused
from gpubfs.graphs.classics import CLASSICS, classic, toy
from gpubfs.graphs.csr import Graph
from gpubfs.graphs.errors import GraphError
from gpubfs.graphs.family import FAMILIES
from gpubfs.graphs.interchange import is_sparse
from gpubfs.graphs.reading import existing, read


def names() -> tuple[str, ...]:
    """Return everything that may stand before the colon."""
    return (*FAMILIES, "toy", *CLASSICS, "file")


def graph(source: Any, *, index64: bool = False) -> Graph:
    """Make the graph that a specification string means.

    Parameters
    ----------
    source : str, Graph, SciPy sparse matrix or NetworkX graph
        A specification, or something that already is a graph. Specifications are those of a
        family in `FAMILIES`, such as ``kron:SCALE[,EDGE_FACTOR]`` or ``grid:WIDTH[xHEIGHT]``,
        ``toy``, the names in `CLASSICS`, and ``file:PATH[,OPTION…]`` (see `gpubfs.graphs.read`).
        Parameters may also be given by name, and random graphs take a seed: ``kron:16,8,seed=3``.
    index64 : bool
        64-bit offsets even where 32 bits would do.

    Returns
    -------
    Graph
        Its name is the specification.

    Raises
    ------
    GraphError
        If the specification, the size or the file is wrong.

    Examples
    --------
    >>> graph("grid:3x2")
    Graph('grid:3x2', vertices=6, edges=14)
    >>> graph("star:4").hub
    0
    """
    truth(index64, "index64", refused)
    made = source if isinstance(source, Graph) else _from(source)
    return made.with_index64() if index64 else made


def _from(source: Any) -> Graph:
    if isinstance(source, str):
        return parse(source.strip())
    if is_sparse(source):
        return Graph.from_scipy(source)
    if hasattr(source, "is_directed") and hasattr(source, "edges"):
        return Graph.from_networkx(source)
    if isinstance(source, os.PathLike):
        raise GraphError(f"a path is not a graph: {source}", hint=f"give 'file:{source}'")
    raise GraphError(
        f"something of type {type(source).__name__} is not a graph",
        hint="give a specification such as 'kron:16', a Graph, or a SciPy or NetworkX graph",
    )


def parse(spec: str) -> Graph:
    """Make the graph of one specification string."""
    name, colon, rest = spec.partition(":")
    name = name.strip().lower().replace("_", "-")
    if name == "file":
        return read(rest, spec)
    family = FAMILIES.get(name)
    if family is not None and (family.parameters or not colon):
        return family.graph(spec, rest)
    if family is None and name != "toy" and name not in CLASSICS:
        raise _unknown(spec, name)
    if colon:
        raise GraphError(f"{name} is one fixed graph and takes no size", hint=f"write {name}")
    return (toy() if name == "toy" else classic(name)).renamed(spec)


def _unknown(spec: str, name: str) -> GraphError:
    if not name:
        message = "the specification names no graph"
    else:
        message = f"there is no graph called {name!r}"
    if existing(spec):
        return GraphError(message, hint=f"to read that file, write file:{spec}")
    families = ", ".join((*FAMILIES, "toy", "karate"))
    return GraphError(
        message, hint=f"{nearest(name, names())}the names are {families} …, for example kron:16"
    )
