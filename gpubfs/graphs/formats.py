"""Reads graph files: finds out the format, applies the options, hands the edges to `Graph`."""

from __future__ import annotations

import io
import os
import re
import warnings
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from gpubfs.arguments import text
from gpubfs.errors import nearest
from gpubfs.graphs.build import count
from gpubfs.graphs.checks import refused
from gpubfs.graphs.contents import load, plain
from gpubfs.graphs.csr import Graph
from gpubfs.graphs.dimacs import read_dimacs
from gpubfs.graphs.edge_list import read_edge_list
from gpubfs.graphs.errors import GraphError
from gpubfs.graphs.interchange import scipy_entries
from gpubfs.graphs.limits import check_size
from gpubfs.graphs.listing import Listing, Options
from gpubfs.graphs.matrix_market import read_matrix_market
from gpubfs.graphs.metis import read_metis
from gpubfs.graphs.text import Text

#: Text formats by the name that `format=` takes.
READERS: dict[str, Callable[[Text, Options], Listing]] = {
    "edges": read_edge_list,
    "matrix-market": read_matrix_market,
    "dimacs": read_dimacs,
    "metis": read_metis,
}

FORMATS = (*READERS, "npz")

#: Formats by file name ending; a pipe's or any other's beginning is looked at (`_by_content`).
ENDINGS = {
    ".mtx": "matrix-market",
    ".gr": "dimacs",
    ".graph": "metis",
    ".metis": "metis",
    ".npz": "npz",
}

SWITCHES = ("directed", "loops", "raw", "compact")

#: Options with a value: what each may be, and what that stands for.
VALUES: dict[str, dict[str, Any]] = {
    "base": {"0": 0, "1": 1},
    "header": {"yes": True, "no": False},
    "format": {name: name for name in FORMATS},
}
WORDS = (*SWITCHES, *(f"{key}={'|'.join(values)}" for key, values in VALUES.items()))
USAGE = f"options are {', '.join(WORDS[:-1])} and {WORDS[-1]}"


def read(place: str, name: str | None = None) -> Graph:
    """Read a graph from a file or a pipe, optionally gzipped.

    Parameters
    ----------
    place : str
        ``PATH[,OPTION…]``. If there is a file whose name includes the commas, that file is meant.
        Options: ``directed`` keeps the direction of each listed edge, ``loops`` keeps self loops,
        ``raw`` keeps all entries as listed (directions, loops and repetitions), ``compact``
        renumbers the vertices that have edges, ``base=0`` and ``base=1`` say where an edge list
        starts to number, ``header=yes`` and ``header=no`` whether its first line gives the
        numbers of vertices and edges, ``format=edges|matrix-market|dimacs|metis|npz`` says what the
        file is.
    name : str, optional
        The graph's name; by default ``file:`` and `place`.

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
    is known by what follows it, see `gpubfs.graphs.header`), MatrixMarket coordinate (general
    matrices count as undirected like any other input; symmetric ones stand for both triangles),
    DIMACS .gr, METIS .graph with all its weights, and SciPy's save_npz. Entry values and weights
    are not looked at.

    The format is told by the name's ending (.mtx, .gr, .graph, .metis, .npz, and each with .gz
    behind it) or else by the beginning of the contents; METIS has no beginning of its own, so in a
    pipe it needs ``format=metis``. Text is ASCII or UTF-8, or UTF-16 or UTF-32 with a byte order
    mark; its lines end as Unix, Windows or old Macs end them.
    """
    path, words = _divided(text(place, "place", "give the path of a file", refused))
    options = _options(path, words)
    path = os.path.expanduser(path)
    data = load(path)
    kind = options.format or ("npz" if _is_archive(path, data) else None)
    content = b"" if kind == "npz" else plain(path, data)
    kind = kind or _format(path, content)
    for key in ("base", "header"):
        if getattr(options, key) is not None and kind != "edges":
            message = f"{key} is for edge lists and the format is {kind}"
            raise GraphError(message, path, hint=USAGE)
    listing = _npz(data, path) if kind == "npz" else READERS[kind](Text(path, content), options)
    if options.compact:
        listing = listing.compacted()
    return _graph(listing, options, path, f"file:{place}" if name is None else name)


def existing(path: str) -> bool:
    """Whether there is such a file or pipe; a name that no file can have is none."""
    place = os.path.expanduser(path)
    try:
        return os.path.exists(place) and not os.path.isdir(place)
    except ValueError:
        return False


def _divided(place: str) -> tuple[str, list[str]]:
    """Path and options: the longest piece up to a comma that is a file, or all but the options."""
    if not place.strip() or "\0" in place:
        raise GraphError("file: needs a path", hint="for example file:web.txt")
    parts = place.split(",")
    for size in range(len(parts), 0, -1):
        if existing(path := ",".join(parts[:size])):
            return path, parts[size:]
    size = len(parts)
    while size > 1 and _plausible(parts[size - 1]):
        size -= 1
    return ",".join(parts[:size]), parts[size:]


def _plausible(word: str) -> bool:
    word = word.strip()
    return word in SWITCHES or word.partition("=")[0] in VALUES


def _options(path: str, words: list[str]) -> Options:
    given: dict[str, Any] = {}
    for word in (word.strip() for word in words):
        key, _, value = word.partition("=")
        if word in SWITCHES:
            given[word] = True
        elif value in VALUES.get(key, ()):
            given[key] = VALUES[key][value]
        else:
            known = [*SWITCHES, *(f"{key}={one}" for key, all_ in VALUES.items() for one in all_)]
            message = f"{word!r} is no option for reading a file"
            raise GraphError(message, path, hint=nearest(word, known) + USAGE)
    return Options(**given)


def _is_archive(path: str, data: bytes) -> bool:
    return data.startswith(b"PK\3\4") or _ending(path) == ".npz"


def _ending(path: str) -> str:
    return os.path.splitext(path.lower().removesuffix(".gz"))[1]


def _format(path: str, content: bytes) -> str:
    r"""The format that the beginning of a text tells, or its name; an edge list if in doubt.

    >>> _format("/dev/stdin", b"c a road network\np sp 2 1\n"), _format("a.txt", b"0 1\n")
    ('dimacs', 'edges')
    """
    if content[:64].lower().startswith(b"%%matrixmarket"):
        return "matrix-market"
    begins_as_dimacs = re.match(rb"\s*[cp]\s", content)
    return ENDINGS.get(_ending(path), "dimacs" if begins_as_dimacs else "edges")


def _npz(data: bytes, path: str) -> Listing:
    hint = "write a square matrix with scipy.sparse.save_npz"
    try:
        ends, vertices = scipy_entries(_checked(data))
    except GraphError as error:
        raise GraphError(error.message, path, hint=hint) from None
    except MemoryError:
        raise
    except Exception:  # SciPy and NumPy stumble over damaged archives in many ways
        message = f"this is not a SciPy sparse matrix: {_complaint(data)}"
        raise GraphError(message, path, hint=hint) from None
    return Listing(*ends, vertices)


def _checked(data: bytes) -> Any:
    """The matrix in an archive, its index arrays verified as far as SciPy can."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matrix = scipy.sparse.load_npz(io.BytesIO(data))
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
    return matrix


def _complaint(data: bytes) -> str:
    """What is wrong with an archive that SciPy cannot load."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = {name.removesuffix(".npy") for name in archive.namelist()}
            if archive.testzip() is not None:
                return "the archive is damaged"
    except Exception:  # zipfile has no one error for all kinds of damage
        return "it is no zip archive, or a damaged one"
    missing = [name for name in ("format", "shape") if name not in names]
    if missing:
        return f"the archive has no array named {missing[0]}"
    return "its arrays do not fit together"


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
