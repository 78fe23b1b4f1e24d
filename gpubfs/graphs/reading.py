"""Reads graph files: finds out the format, applies the options, hands the edges to `Graph`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sized
from contextlib import contextmanager
from typing import Any

import numpy as np

from gpubfs.arguments import defined_at, is_kind, is_outside, is_whole, running, shown, text
from gpubfs.errors import UsageError, nearest
from gpubfs.graphs.build import count
from gpubfs.graphs.checks import refused
from gpubfs.graphs.contents import load, plain
from gpubfs.graphs.csr import Graph
from gpubfs.graphs.errors import GraphError
from gpubfs.graphs.format import DEFAULT, FORMATS, Format, Listing, Options
from gpubfs.graphs.limits import check_size
from gpubfs.graphs.shuffle import OPTION, is_shuffle, shuffled, take_shuffle
from gpubfs.graphs.text import Contents, Text

SWITCHES = ("directed", "loops", "raw", "compact")

#: Options with a value: what each may be, and what that stands for.
VALUES: dict[str, dict[str, Any]] = {
    "base": {"0": 0, "1": 1},
    "header": {"yes": True, "no": False},
}


def values() -> dict[str, dict[str, Any]]:
    """Return all options with a value, as `VALUES`."""
    return VALUES | {"format": {name: name for name in FORMATS}}


def usage() -> str:
    """Return a sentence that lists the options."""
    words = (*SWITCHES, *(f"{key}={'|'.join(each)}" for key, each in values().items()))
    words += (f"{OPTION}[=SEED]",)
    return f"options are {', '.join(words[:-1])} and {words[-1]}"


def read(where: str, name: str | None = None) -> Graph:
    """Read a graph from a file or a pipe, optionally gzipped.

    Parameters
    ----------
    where : str
        ``PATH[,OPTION…]``. If there is a file whose name includes the commas, that file is meant.
        Options: ``directed`` keeps the direction of each listed edge, ``loops`` keeps self loops,
        ``raw`` keeps all entries as listed (directions, loops and repetitions), ``compact``
        renumbers the vertices that have edges, ``base=0`` and ``base=1`` say where an edge list
        starts to number, ``header=yes`` and ``header=no`` whether its first line gives the
        numbers of vertices and edges, ``format=NAME`` says what the file is: a name in `FORMATS`,
        ``shuffle`` or ``shuffle=SEED`` renumbers all vertices at random at the end.
    name : str, optional
        The graph's name; by default ``file:`` and `where`.

    Returns
    -------
    Graph
        Undirected unless an option says otherwise: each listed edge in both directions, without
        self loops and repetitions; `Graph.notes` says what was left out or merged.

    Raises
    ------
    GraphError
        With the file and, in text formats, the line that is wrong.

    Notes
    -----
    Formats: edge lists (SNAP; # and % begin comments; blanks, commas or semicolons between
    columns; numbered from 1 if no vertex is 0; a first line with the numbers of vertices and edges
    is known by what follows it, see `gpubfs.graphs.formats.edge_list`), MatrixMarket coordinate
    (general matrices count as undirected like any other input; symmetric ones stand for both
    triangles), DIMACS .gr, METIS .graph with all its weights, and SciPy's save_npz. Entry values
    and weights are not looked at.

    The format is told by the name's ending (.mtx, .gr, .graph, .metis, .npz, and each with .gz
    behind it) or else by the beginning of the contents; METIS has no beginning of its own, so in a
    pipe it needs ``format=metis``. Text is ASCII or UTF-8, or UTF-16 or UTF-32 with a byte order
    mark; its lines end as Unix, Windows or old Macs end them.
    """
    path, given = _divided(text(where, "where", "give the path of a file", refused))
    given, seed = take_shuffle(f"file:{where}", given)
    options = _options(path, given)
    path = os.path.expanduser(path)
    data = load(path)
    chosen = FORMATS[options.format] if options.format else _binary(path, data)
    content = b"" if chosen and chosen.binary else plain(path, data)
    chosen = chosen or _format(path, content)
    for key in VALUES:
        if getattr(options, key) is not None and chosen.name != DEFAULT:
            message = f"{key} is for edge lists and the format is {chosen.name}"
            raise GraphError(message, path, hint=usage())
    listing = _listing(
        chosen, Contents(path, data) if chosen.binary else Text(path, content), options
    )
    with _listed_by(chosen, path):
        if options.compact:
            listing = listing.compacted()
        called = f"file:{where}" if name is None else name
        made = _graph(listing, options, path, called)
        return made if seed is None else shuffled(made, seed).renamed(called)


def existing(path: str) -> bool:
    """Whether there is such a file or pipe; a name that no file can have is none."""
    where = os.path.expanduser(path)
    try:
        return os.path.exists(where) and not os.path.isdir(where)
    except ValueError:
        return False


def _divided(where: str) -> tuple[str, list[str]]:
    """Path and options: the longest piece up to a comma that is a file, or all but the options."""
    if not where.strip() or "\0" in where:
        raise GraphError("file: needs a path", hint="for example file:web.txt")
    parts = where.split(",")
    for size in range(len(parts), 0, -1):
        if existing(path := ",".join(parts[:size])):
            return path, parts[size:]
    size = len(parts)
    while size > 1 and _plausible(parts[size - 1]):
        size -= 1
    return ",".join(parts[:size]), parts[size:]


def _plausible(option: str) -> bool:
    option = option.strip()
    return option in SWITCHES or option.partition("=")[0] in values() or is_shuffle(option)


def _options(path: str, given: list[str]) -> Options:
    chosen: dict[str, Any] = {}
    known = values()
    for option in map(str.strip, given):
        key, _, value = option.partition("=")
        if option in SWITCHES:
            chosen[option] = True
        elif value in known.get(key, ()):
            chosen[key] = known[key][value]
        else:
            every = [
                *SWITCHES,
                OPTION,
                *(f"{key}={one}" for key, each in known.items() for one in each),
            ]
            message = f"{option!r} is no option for reading a file"
            raise GraphError(message, path, hint=nearest(option, every) + usage())
    return Options(**chosen)


def _listing(chosen: Format, file: Contents, options: Options) -> Listing:
    """Read a file, by a reader that may have promised in vain what it returns."""
    with running(f"the graph format {chosen.name}", chosen.read):
        listing = chosen.read(file, options)
    reader = f"{defined_at(chosen.read)}: the reader of {chosen.name}"
    if not is_kind(listing, Listing):
        message = f"{reader} returns something of type {type(listing).__name__}"
        raise UsageError(message, "return a gpubfs.graphs.Listing")
    if not is_whole(listing.vertices) or listing.vertices < 0:
        message = f"{reader} returns a Listing with vertices={shown(listing.vertices)}"
        raise UsageError(message, "give the number of vertices")
    for name in ("sources", "targets"):
        ends: Any = getattr(listing, name)
        if not is_kind(ends, Sized) or getattr(ends, "dtype", None) == np.bool_:
            message = f"{reader} returns a Listing with {name}={shown(ends)}"
            raise UsageError(message, "give an array of vertex numbers")
    return listing


@contextmanager
def _listed_by(chosen: Format, path: str) -> Iterator[None]:
    """Say of edges that make no graph which reader of an extension has listed them."""
    with running(f"the graph format {chosen.name}", chosen.read):
        try:
            yield
        except GraphError as error:
            if error.path or not is_outside(chosen.read):
                raise
            message = f"{error.message} (listed by the reader of {chosen.name}"
            where = f"{message}, {defined_at(chosen.read)})"
            raise GraphError(where, path, hint=error.hint) from None


def _ending(path: str) -> str:
    return os.path.splitext(path.lower().removesuffix(".gz"))[1]


def _binary(path: str, data: bytes) -> Format | None:
    """Return the format that is no text and that a file's beginning or name says."""
    binary = [one for one in FORMATS.values() if one.binary]
    by_name = (one for one in binary if _ending(path) in one.endings)
    return next((one for one in binary if one.matches(data)), next(by_name, None))


def _format(path: str, content: bytes) -> Format:
    r"""Return the format that a text's beginning or the name says; an edge list if in doubt.

    >>> _format("/dev/stdin", b"c a road network\np sp 2 1\n").name, _format("a.txt", b"0 1\n").name
    ('dimacs', 'edges')
    """
    texts = [one for one in FORMATS.values() if not one.binary]
    found = [one for one in texts if one.certain and one.matches(content)]
    found += [one for one in texts if _ending(path) in one.endings]
    found += [one for one in texts if one.matches(content)]
    return found[0] if found else FORMATS[DEFAULT]


def _graph(listing: Listing, options: Options, path: str, name: str) -> Graph:
    hint = "renumber its vertices with file:PATH,compact, or take a smaller graph"
    check_size("the file", listing.vertices, len(listing.sources), hint, path)
    graph = Graph.from_edges(
        listing.sources,
        listing.targets,
        listing.vertices,
        name=name,
        directed=options.one_way,
        loops=options.loops or options.raw,
        duplicates=options.raw,
        notes=listing.notes,
    )
    isolated = int(np.count_nonzero(graph.degrees == 0))
    if isolated and not options.one_way:
        have = "has" if isolated == 1 else "have"
        size = count(graph.vertices, "vertex", "vertices")
        return graph.renamed(name, f"{isolated:,} of {size} {have} no edge.")
    return graph
