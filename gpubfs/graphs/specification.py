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
from gpubfs.graphs.family import FAMILIES, STANDIN, Family
from gpubfs.graphs.interchange import is_sparse
from gpubfs.graphs.reading import existing, read
from gpubfs.graphs.shuffle import OPTION, shuffled, take_shuffle
from gpubfs.graphs.standins import standin


def names() -> tuple[str, ...]:
    """Return everything that may stand before the colon."""
    return (*FAMILIES, STANDIN, "toy", *CLASSICS, "file")


def graph(source: Any, *, index64: bool = False) -> Graph:
    """Make the graph that a specification string means.

    Parameters
    ----------
    source : str, Graph, SciPy sparse matrix or NetworkX graph
        A specification, or something that already is a graph. Specifications are those of a
        family in `FAMILIES`, such as ``kron:SCALE[,EDGE_FACTOR]`` or ``grid:WIDTH[xHEIGHT]``,
        ``standin:NAME[,VERTICES]`` for a graph of `gpubfs.graphs.paper_tables`, ``toy``, the names
        in `CLASSICS`, and ``file:PATH[,OPTION…]`` (see `gpubfs.graphs.read`).
        Parameters may also be given by name, and random graphs take a seed: ``kron:16,8,seed=3``.
        Every one takes ``shuffle`` or ``shuffle=SEED``, which renumbers all vertices at random:
        ``grid:300x200,shuffle``.
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
    name, rest, seed = divided(spec)
    if name == "file":
        return read(rest or "", spec)
    made = _made(spec, name, rest)
    return made if seed is None else shuffled(made, seed).renamed(spec)


def divided(spec: str) -> tuple[str, str | None, int | None]:
    """Return a specification's name, what stands behind its colon, and the seed of its shuffle.

    What belongs to a file is left as it is: the name of a file may hold commas.

    >>> divided("GRID:9x4,shuffle"), divided("toy"), divided("file:a.txt,shuffle")
    (('grid', '9x4', 1), ('toy', None, None), ('file', 'a.txt,shuffle', None))
    """
    name, colon, rest = spec.partition(":")
    if _plain(name) == "file":
        return "file", rest, None
    if colon:
        others, seed = take_shuffle(spec, rest.split(","))
        return _plain(name), ",".join(others), seed
    name, *options = spec.split(",")
    others, seed = take_shuffle(spec, options)
    if others and _plain(name) in names():
        raise _misplaced(spec, _plain(name), others[0].strip())
    return _plain(",".join([name, *others])), None, seed


def family_of(name: str, rest: str) -> tuple[Family | None, str]:
    """Return the family that a specification's name means, if it means one, and its sizes.

    >>> family_of("kron", "12,8")[1], family_of("standin", "ldoor,5000")[1]
    ('12,8', '5000')
    """
    return standin(rest) if name == STANDIN else (FAMILIES.get(name), rest)


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "-")


def _misplaced(spec: str, name: str, option: str) -> GraphError:
    """Make the error for something behind a comma where nothing but `shuffle` may stand."""
    family = FAMILIES.get(name)
    usage = family.usage if family else _alone(name)
    guess = nearest(option.partition("=")[0], [OPTION])
    return GraphError(f"{option!r} in {spec} is no option of {name}", hint=guess + usage)


def _alone(name: str) -> str:
    return f"write {name} or {name},{OPTION}[=NUMBER]"


def _made(spec: str, name: str, rest: str | None) -> Graph:
    """Make the graph of a name and of what stands behind it, as it is before it is shuffled."""
    family, sizes = family_of(name, rest or "")
    if family is not None and (family.parameters or rest is None):
        return family.graph(spec, sizes)
    if family is None and name != "toy" and name not in CLASSICS:
        raise _unknown(spec, name)
    if rest is not None:
        raise GraphError(f"{name} is one fixed graph and takes no size", hint=_alone(name))
    return (toy() if name == "toy" else classic(name)).renamed(spec)


def _unknown(spec: str, name: str) -> GraphError:
    if not name:
        message = "the specification names no graph"
    else:
        message = f"there is no graph called {name!r}"
    if existing(spec):
        return GraphError(message, hint=f"to read that file, write file:{spec}")
    families = ", ".join((*FAMILIES, STANDIN, "toy", "karate"))
    return GraphError(
        message, hint=f"{nearest(name, names())}the names are {families} …, for example kron:16"
    )
