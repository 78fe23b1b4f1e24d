"""Kinds of graph files: what a reader gets, what it returns, and how a kind is registered."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gpubfs.arguments import Register, function, refuse_bare, texts
from gpubfs.errors import UsageError
from gpubfs.graphs.build import count

Ids = NDArray[np.int64]

#: The format of a file whose name and beginning say nothing.
DEFAULT = "edges"


@dataclass(frozen=True)
class Options:
    """How to read a file.

    Parameters
    ----------
    directed : bool
        Keep the direction of each listed edge; otherwise every edge counts in both directions.
    loops : bool
        Keep edges from a vertex to itself.
    raw : bool
        Keep the entries exactly as listed: directions, loops and repetitions.
    compact : bool
        Number the vertices that have edges from 0 on, in the order of their numbers in the file.
    base : int, optional
        The number of the first vertex in an edge list, 0 or 1; found out if not given.
    header : bool, optional
        Whether an edge list's first line gives the numbers of vertices and edges; found out if not
        given.
    format : str, optional
        The file's format, where its name and beginning do not tell.
    """

    directed: bool = False
    loops: bool = False
    raw: bool = False
    compact: bool = False
    base: int | None = None
    header: bool | None = None
    format: str | None = None

    @property
    def one_way(self) -> bool:
        """Whether an edge may lack its reverse."""
        return self.directed or self.raw


@dataclass(frozen=True)
class Listing:
    """Edges in file order, vertices numbered from 0, the number of vertices, and sentences."""

    sources: Ids
    targets: Ids
    vertices: int
    notes: tuple[str, ...] = ()

    def compacted(self) -> Listing:
        """Return the same edges over only those vertices that have edges."""
        used, ends = np.unique(np.concatenate([self.sources, self.targets]), return_inverse=True)
        dropped = self.vertices - len(used)
        left_out = count(dropped, "vertex", "vertices")
        note = f"{left_out} without edges left out and the rest renumbered."
        half = len(self.sources)
        notes = (*self.notes, note) if dropped else self.notes
        return Listing(ends[:half], ends[half:], len(used), notes)


Reader = TypeVar("Reader", bound=Callable[..., Listing])


@dataclass(frozen=True)
class Format:
    """One kind of graph file; `graph_format` says what its fields are."""

    name: str
    read: Callable[..., Listing]
    endings: tuple[str, ...] = ()
    begins: bytes = b""
    certain: bool = False
    binary: bool = False

    @property
    def summary(self) -> str:
        """How names of its files end."""
        return " ".join(self.endings)

    def matches(self, data: bytes) -> bool:
        """Whether contents begin as its files do."""
        return bool(self.begins and re.match(self.begins, data, re.IGNORECASE))


#: All formats by the name that ``format=`` takes.
FORMATS: Register[Format] = Register("graph format")


def graph_format(
    name: str,
    *,
    endings: tuple[str, ...] = (),
    begins: bytes = b"",
    certain: bool = False,
    binary: bool = False,
) -> Callable[[Reader], Reader]:
    r"""Register a function as the reader of a kind of graph file.

    The function is called as ``read(text, options)`` and returns a `Listing`. `Text` finds words
    and numbers in bulk, and raises errors that name the line.

    Parameters
    ----------
    name : str
        What the option ``format=`` of ``file:`` calls it.
    endings : tuple of str
        How names of such files end, such as ``(".gr",)``; each may have .gz behind it.
    begins : bytes
        A regular expression for the beginning of such files; case does not count.
    certain : bool
        Whether that beginning decides even where the name's ending says another format.
    binary : bool
        Whether the reader gets `Contents`, the bytes as they are in the file, and not `Text`.

    Returns
    -------
    callable
        A decorator, which returns the function itself.

    Raises
    ------
    UsageError
        If the name or an ending is taken, or a field is of the wrong kind.

    Examples
    --------
    >>> from gpubfs.graphs import Text, read
    >>> @graph_format("pairs", endings=(".pairs",))
    ... def read_pairs(text: Text, options: Options) -> Listing:
    ...     ends = np.array(text.data.split(), np.int64)
    ...     return Listing(ends[::2], ends[1::2], 1 + ends.max())
    >>> FORMATS["pairs"].endings
    ('.pairs',)
    >>> del FORMATS["pairs"]
    """

    def register(read: Reader) -> Reader:
        function(read, "the reader")
        FORMATS.add(name, Format(name, read, _endings(endings), begins, certain, binary), read)
        return read

    refuse_bare(name, "graph_format", 'graph_format("name", endings=(".end",))')
    _check_beginning(begins)
    return register


def _endings(given: Any) -> tuple[str, ...]:
    """Return endings that are such, and that no other format has."""
    hint = "give a tuple, such as ('.gr',)"
    endings = texts(given, "endings", hint)
    for ending in endings:
        if not re.fullmatch(r"\.[^./\\]+", ending) or ending == ".gz":
            raise UsageError(f"{ending!r} is no ending of a file's name", hint)
        taken = next((one.name for one in FORMATS.values() if ending in one.endings), "")
        if taken:
            raise UsageError(f"the ending {ending} is of the graph format {taken}", "leave it out")
    return tuple(ending.lower() for ending in endings)


def _check_beginning(begins: Any) -> None:
    try:
        re.match(begins, b"")
    except (re.error, TypeError):
        hint = "give bytes, such as rb'%%matrixmarket'"
        raise UsageError(f"begins={begins!r} is no regular expression of bytes", hint) from None
