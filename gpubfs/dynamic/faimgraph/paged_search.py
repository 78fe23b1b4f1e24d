"""Searches of a graph whose edges are on pages, by the kernels that search compressed rows.

Tödling, Winter and Steinberger (2019), Section IV. Kernels ask `csr.cuh` where edges are, and
compiled with the macro PAGE_WORDS they get pages; status-array has a file of its own for them, so
that the first kernel that people read knows arrays alone. A single thread goes from page to page;
threads that share a vertex are whole warps, whose first lane walks to the page, along all links
from the vertex's first one, and tells the others its number, so that the lanes read the page side
by side. The published code lets each thread walk by itself. With ``walk="lanes"``, which is ours,
the lanes of a warp follow as many links at a time, by guessing that pages lie side by side, as
`lanes_walk.cuh` explains.

Lanes are spread over the words of pages, of which the last is the link, so that of 32 lanes 31 have
an edge of a page of 128 bytes, and 30 one of two pages of 64. For the same reason the classes of
vertices go by words: one with 31 edges has 31, one with 32 has 33.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gpubfs.dynamic.faimgraph.layout import VERTEX, VERTEX_WORDS
from gpubfs.dynamic.structure import FOLDER
from gpubfs.errors import UsageError, unknown
from gpubfs.graphs import Graph
from gpubfs.host import DeviceArray, DeviceGraph, Host
from gpubfs.machines import Machine
from gpubfs.search.runs import LARGEST_BLOCK, Search
from gpubfs.search.runs import prepared as prepared_search
from gpubfs.search.verify import verify

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpubfs.search.result import Run

#: The techniques whose kernels reach edges through `csr.cuh` alone.
TECHNIQUES = (
    "status-array",
    "dynamic-parallelism",
    "classified-deferred",
    "classified-immediate",
)

#: Who follows links where a warp or more share a vertex: its first lane, or all side by side.
WALKS = ("leader", "lanes")

#: The kernel files of those that have one of their own for pages.
OWN_KERNELS = {"status-array": "paged_status_array.cu"}

#: The header with the only place where kernels load links, and the expression.
LINKS = "page_edges.cuh", "page_words(pages, page)[LINK]"


@dataclass(frozen=True)
class Pages:
    """A graph on pages, in device memory.

    Attributes
    ----------
    graph : Graph
        The same graph on the host.
    indices : int32 array
        The index on the device of each vertex, -1 where there is none.
    records, pages : int32 device array
        The records of vertices, and where page 0 begins.
    vertices : int
        How many records there are.
    page_words : int
        Words of a page.
    pages_at : int
        The word of the allocation at which page 0 begins.
    """

    graph: Graph
    indices: NDArray[np.int32]
    records: DeviceArray
    pages: DeviceArray
    vertices: int
    page_words: int
    pages_at: int


@dataclass(frozen=True)
class PagedGraph(DeviceGraph):
    """A graph in device memory whose `offsets` are records of vertices, and `neighbours` pages.

    Attributes
    ----------
    page_words : int
        Words of a page.
    """

    page_words: int = 32

    def positions(self, host: Host, vertex: int) -> int:
        """Read how many words the edges of a vertex take, with the links between them."""
        at = vertex * VERTEX_WORDS[1] + VERTEX.index("neighbours")
        degree = host.read_int(self.offsets[at : at + 1])
        return degree + max(degree - 1, 0) // (self.page_words - 1)


@dataclass(frozen=True)
class PagedSearch(Search):
    """A search of pages whose technique, options and source have been checked.

    Attributes
    ----------
    where : Pages
        The graph.
    walk : str
        Who follows links, of `WALKS`.
    """

    where: Pages = None  # type: ignore[assignment]
    walk: str = "leader"

    @property
    def start(self) -> int:
        """The index of the source."""
        return int(self.where.indices[self.source])

    def placed(self, host: Host) -> DeviceGraph:
        """Return the graph where it is."""
        where, graph = self.where, self.graph
        arrays = where.records, where.pages
        own = where.page_words
        found = PagedGraph(*arrays, where.vertices, graph.edges, graph.directed, page_words=own)
        return host.adopt(found)

    def macros(self, machine: Machine) -> dict[str, str]:
        """Return the macros by which kernels go over pages."""
        warps = str(LARGEST_BLOCK // machine.warp_size)
        own = {"MOST_WARPS": warps, "PAGE_WORDS": str(self.where.page_words)}
        if self.walk == "lanes":
            own |= {"WALK_BY_LANES": "1", "PAGES_AT": f"{self.where.pages_at}LL"}
        return own


def search_pages(
    where: Pages,
    machine: Machine,
    technique: str,
    source: int | None,
    record: bool,
    walk: str,
    options: Mapping[str, object],
) -> Run:
    """Search a graph on pages, and verify what was found.

    Parameters
    ----------
    where : Pages
        The graph.
    machine : Machine
        Which has been entered, and has it in its memory.
    technique : str
        One of `TECHNIQUES`.
    source : int, optional
        Where to begin, by its id; by default the vertex with the most neighbours.
    record : bool
        Whether to count or time every launch by itself.
    walk : str
        Who follows links, of `WALKS`.
    options : mapping
        The technique's own options.

    Returns
    -------
    Run
        Of vertices by their ids.
    """
    if technique not in TECHNIQUES:
        raise UsageError(
            f"{technique} does not search graphs on pages", f"take {' or '.join(TECHNIQUES)}"
        )
    if walk not in WALKS:
        raise unknown("walk", walk, WALKS)
    asked = prepared_search(technique, where.graph, source, machine, options, record)
    if where.indices[asked.source] < 0:
        raise UsageError(
            f"the source {asked.source} was deleted", "begin at a vertex that is there"
        )
    if own := OWN_KERNELS.get(technique):
        asked = replace(asked, technique=replace(asked.technique, kernel=own, folder=FOLDER))
    search = PagedSearch(**vars(asked), where=where, walk=walk)
    found = search.within(machine, None)
    levels = np.full(where.graph.vertices, -1, np.int32)
    there = where.indices >= 0
    levels[there] = found.levels[where.indices[there]]
    verify(where.graph, asked.source, levels, None)
    return replace(found, levels=levels)


def link_loads(run: Run) -> int | None:
    """Return how many requests of warps loaded links; None if they were not counted.

    Parameters
    ----------
    run : Run
        A search of pages.
    """
    if run.sites is None:
        return None
    file, text = LINKS
    own = (s for s in run.sites if s.span.source.name.endswith(file) and s.text == text)
    return sum(site.requests for site in own if site.kind == "load")
