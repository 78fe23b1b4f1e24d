"""One string says which graph is meant: `kron:16`, `grid:300x200`, `karate`, `file:web.txt`."""

from __future__ import annotations

import os
import re
from typing import Any

from gpubfs.arguments import truth
from gpubfs.errors import nearest
from gpubfs.graphs.checks import refused
from gpubfs.graphs.classics import CLASSICS, classic, toy
from gpubfs.graphs.csr import Graph
from gpubfs.graphs.errors import GraphError
from gpubfs.graphs.families import FAMILIES, Family, Sizes
from gpubfs.graphs.formats import existing, read
from gpubfs.graphs.interchange import is_sparse
from gpubfs.graphs.limits import check_size

#: The largest value of a parameter, where vertex numbers of 32 bits set one.
LARGEST = {"scale": 30}

#: Everything that may stand before the colon.
NAMES = (*FAMILIES, "toy", *CLASSICS, "file")


def graph(source: Any, *, index64: bool = False) -> Graph:
    """Make the graph that a specification string means.

    Parameters
    ----------
    source : str, Graph, SciPy sparse matrix or NetworkX graph
        A specification, or something that already is a graph. Specifications are
        ``kron:SCALE[,EDGE_FACTOR]``, ``er:SCALE[,EDGE_FACTOR]``, ``grid:WIDTH[xHEIGHT]``,
        ``road:N``, ``rgg:N``, ``delaunay:N``, ``star:LEAVES``, ``path:N``,
        ``powerlaw:N[,EDGE_FACTOR]``, ``toy``, the names in `CLASSICS`, and
        ``file:PATH[,OPTION…]`` (see `gpubfs.graphs.read`). Parameters may also be given by name,
        and random graphs take a seed: ``kron:16,8,seed=3``.
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
    if name in FAMILIES:
        return _generated(spec, name, rest)
    if name != "toy" and name not in CLASSICS:
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
        message, hint=f"{nearest(name, NAMES)}the names are {families} …, for example kron:16"
    )


def _generated(spec: str, name: str, rest: str) -> Graph:
    family = FAMILIES[name]
    sizes = sizes_of(spec, name, family, rest)
    vertices, edges = family.size(sizes)
    check_size(spec, vertices, edges, f"take a smaller one, for example {family.example}")
    return family.make(**sizes).renamed(spec)


def sizes_of(spec: str, name: str, family: Family, rest: str) -> Sizes:
    """The parameters that a specification gives behind the name, completed by the defaults.

    Raises
    ------
    GraphError
        If one is missing, is there twice, or is no number.
    """
    parts = [part.strip() for part in rest.split(",")] if rest.strip() else []
    if name == "grid" and parts:
        parts[:1] = re.split("[x×]", parts[0], maxsplit=1)
    given: Sizes = {}
    for position, part in enumerate(parts):
        key, equals, value = part.rpartition("=")
        key = _named(name, family, key.strip()) if equals else _placed(name, family, position)
        if key in given:
            raise GraphError(f"{spec} gives {_spoken(key)} twice", hint=_usage(name, family))
        given[key] = _whole(spec, key, value.strip(), family)
    if name == "grid" and "width" in given:
        given.setdefault("height", given["width"])
    sizes = {**family.parameters, **given}
    for key, number in sizes.items():
        if number is None:
            raise GraphError(f"{name} needs its {_spoken(key)}", hint=_usage(name, family))
    return {key: number for key, number in sizes.items() if number is not None}


def _named(name: str, family: Family, key: str) -> str:
    key = key.lower().replace("-", "_")
    if key in family.parameters:
        return key
    if key == "seed":
        raise GraphError(
            f"{name} has no randomness and takes no seed", hint=f"write {family.example}"
        )
    raise GraphError(
        f"{name} has no parameter {key!r}",
        hint=nearest(key, family.parameters) + _usage(name, family),
    )


def _placed(name: str, family: Family, position: int) -> str:
    placed = [key for key in family.parameters if key != "seed"]
    if position < len(placed):
        return placed[position]
    many = f"{len(placed)} number{'' if len(placed) == 1 else 's'}"
    raise GraphError(f"{name} takes {many} and got {position + 1}", hint=_usage(name, family))


def _whole(spec: str, key: str, text: str, family: Family) -> int:
    if not re.fullmatch(r"-?[0-9]{1,40}", text.replace("_", "")):
        raise GraphError(
            f"{text!r} in {spec} is not a whole number for the {_spoken(key)}",
            hint=f"for example {family.example}",
        )
    number, least = int(text.replace("_", "")), 0 if key == "seed" else 1
    most = LARGEST.get(key, number)
    if least <= number <= most:
        return number
    limit = f"at least {least}" if number < least else f"at most {most} (32-bit vertex numbers)"
    raise GraphError(
        f"the {_spoken(key)} in {spec} is {number} and must be {limit}",
        hint=f"for example {family.example}",
    )


def _spoken(key: str) -> str:
    return {"vertices": "number of vertices", "leaves": "number of leaves"}.get(
        key, key.replace("_", " ")
    )


def _usage(name: str, family: Family) -> str:
    """How a family's specification is written, with an example."""
    placed = [key.upper() for key in family.parameters if key != "seed"]
    join = "x" if name == "grid" else ","
    first, *more = placed
    optional = "".join(f"[{join}{key}]" for key in more)
    seed = "[,seed=NUMBER]" if "seed" in family.parameters else ""
    return f"write {name}:{first}{optional}{seed}, for example {family.example}"
