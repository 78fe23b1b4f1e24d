"""Which stand-in a specification means: its structure, its size, and what its degrees should be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gpubfs.errors import nearest
from gpubfs.graphs.build import count
from gpubfs.graphs.csr import Graph
from gpubfs.graphs.errors import GraphError
from gpubfs.graphs.family import STANDIN, Family
from gpubfs.graphs.paper_tables import DOUBTFUL, Figures, figures, graphs, key
from gpubfs.graphs.standins.degrees import Wanted
from gpubfs.graphs.standins.shapes import SHAPES

HUBS = "circuit with hubs"

#: The structure of each graph, in the spelling of `paper_tables.key`; of all others, `USUAL`.
STRUCTURES = {
    "road network": "asia-osm europa-osm usa-road-d.usa luxembourg germany",
    "mesh of triangles": "hugebubbles-00020 hugetric-00020",
    "Delaunay triangulation": "delaunay-n24 delaunay-n21",
    "random geometric graph": "rgg-n-2-23-s0 rgg-n-2-21-s0",
    "random graph": "er-fact1.5-scale23 appu",
    "19-point stencil": "channel-500x100x100",
    "mesh in two dimensions": "ldoor msdoor af-shell9",
    "mesh in three dimensions": "nlpkkt160 audikw-1 cage15",
    HUBS: "circuit5m fullchip",
    "Kronecker graph": "graph500",
}
USUAL = "power-law network"

#: Average degrees chosen here, where the paper gives no figures.
CHOSEN = {
    "amazon0302": 7.0,
    "appu": 132.0,
    "com-lj": 17.0,
    "com-orkut": 76.0,
    "graph500": 32.0,
    "soc-castor": 73.0,
    "web-berkstan": 20.0,
    "web-google": 10.0,
}

#: The deviation of a mesh's degrees over their mean, and their Gini coefficient, where no table
#: gives them: about those of ldoor in Busato's and Bombieri's.
USUAL_DEVIATION, USUAL_GINI = 0.2, 0.11

#: Graphs with vertices that no edge leaves, or that have none.
WITH_ZEROS = ("soc-livejournal1", "indochina-2004", "kron-g500-logn21")

#: About as many CSR entries has a stand-in of the default size, between these sizes.
ENTRIES, SMALLEST, LARGEST = 1_000_000, 10_000, 100_000

#: Edges that a triangulation takes the memory of, for each vertex.
TRIANGULATED = 8

#: Half of the resident threads of the GTX 980, on which Busato and Bombieri measured, and more: a
#: graph whose largest degree is above that in the table is above it here.
ABOVE = 21_000


@dataclass(frozen=True)
class StandIn(Family):
    """The family of one graph of the tables: its parameters are VERTICES and a seed."""

    @property
    def form(self) -> str:
        """How its specification is written."""
        return f"{self.name}[,VERTICES]"


def standin(rest: str) -> tuple[StandIn, str]:
    """Return the stand-in that the part behind ``standin:`` names, and what stands behind it.

    >>> standin("Audikw_1,5000")[0].example, standin("Audikw_1,5000")[1]
    ('standin:audikw_1,13000', '5000')
    """
    name, _, sizes = rest.partition(",")
    known = {key(one): one for one in graphs()}
    if key(name) not in known:
        message = f"no paper's table has a graph called {name.strip()!r}"
        if not name.strip():
            message = "standin: needs the name of a graph of a paper's table"
        hint = nearest(name.strip(), [*known.values()])
        raise GraphError(message, hint=f"{hint}for example standin:audikw_1; known: {listed()}")
    return _family(known[key(name)]), sizes


def listed() -> str:
    """Return the names of all graphs that have a stand-in."""
    return ", ".join(graphs())


def _family(name: str) -> StandIn:
    size = default_vertices(name)
    rows = figures(name)
    listed_edges = max(_average(name, rows), TRIANGULATED)
    return StandIn(
        f"standin:{name}",
        partial(_make, name),
        {"vertices": size, "seed": 1},
        f"standin:{name},{size}",
        f"{structure(name)} in the place of {name}.",
        lambda vertices, seed: (vertices, math.ceil(listed_edges * vertices)),
    )


def structure(name: str) -> str:
    """Return the structure of a graph's stand-in.

    >>> structure("ldoor"), structure("Orkut")
    ('mesh in two dimensions', 'power-law network')
    """
    return next((one for one, names in STRUCTURES.items() if key(name) in names.split()), USUAL)


def default_vertices(name: str) -> int:
    """Return the default number of vertices, in thousands.

    That is enough for three times the largest degree of the table, as far as that is up to `ABOVE`,
    so that the vertices of high degree find neighbours.
    """
    rows = figures(name)
    size = min(max(ENTRIES / _average(name, rows), SMALLEST), LARGEST)
    largest = _first(rows, "max_degree") or 0
    if structure(name) != HUBS:
        size = max(size, 3 * min(largest, ABOVE))
    return 1000 * math.ceil(size / 1000)


def wanted(name: str, vertices: int) -> Wanted:
    """Return what the degrees of a stand-in should be: the tables' figures, as far as they go.

    Hubs of a circuit keep their share of all vertices; the largest degree of any other graph is
    that of the table, but joins at most a third of the vertices.
    """
    rows, kind = figures(name), structure(name)
    mean, gini, largest = _average(name, rows), _first(rows, "gini"), _first(rows, "max_degree")
    deviation = None if (key(name), "degree_deviation") in DOUBTFUL else _deviation(rows)
    least, most = int(key(name) not in WITH_ZEROS), min(vertices - 1, max(3, vertices // 3))
    if kind == HUBS:
        size = _first(rows, "vertices")
        hubs = max(1, round((deviation or 0) ** 2 * size / largest**2))
        share = min(vertices - 1, max(1, round(largest / size * vertices)))
        return Wanted(mean, None, gini, share, least, hubs)
    if largest is None and kind.startswith("mesh in"):
        deviation, gini, largest = USUAL_DEVIATION * mean, USUAL_GINI, round(1.5 * mean)
    elif largest is None:
        largest = max(round(2 * mean), vertices // 16) if kind == USUAL else 0
    return Wanted(mean, deviation, gini, min(largest, most), least)


def _deviation(rows: tuple[Figures, ...]) -> float | None:
    found: float | None = _first(rows, "degree_deviation")
    return found


def _first(rows: tuple[Figures, ...], column: str) -> Any:
    """Return the figure of the first table that has it."""
    return next((f for f in (getattr(row, column) for row in rows) if f is not None), None)


def _average(name: str, rows: tuple[Figures, ...]) -> float:
    return CHOSEN.get(key(name)) or float(_first(rows, "average_degree"))


def _make(name: str, vertices: int, seed: int) -> Graph:
    """Generate a stand-in."""
    one_way = bool(_first(figures(name), "directed"))
    rng = np.random.default_rng(seed)
    made = SHAPES[structure(name)](vertices, wanted(name, vertices), rng, one_way)
    notes = (_about(name), *limits(name, made))
    return Graph(made.offsets, made.neighbours, made.name, made.directed, (*notes, *made.notes))


def _about(name: str) -> str:
    """Return the sentence that says that the graph is generated."""
    sources = " and ".join(row.table.source for row in figures(name))
    return f"Generated ({structure(name)}): it stands in for {name} of {sources}."


def limits(name: str, made: Graph) -> tuple[str, ...]:
    """Return sentences on figures of the tables that a graph of this size cannot have."""
    own, rows = key(name), figures(name)
    found = [f"The table cannot be right: {why}." for (at, _), why in DOUBTFUL.items() if at == own]
    if own in CHOSEN:
        degree = f"an average degree of {CHOSEN[own]:g}"
        found.append(f"The paper gives no figures; {degree} was chosen.")
    largest, here = _first(rows, "max_degree"), int(made.degrees.max(initial=0))
    if largest and here < largest:
        size = count(made.vertices, "vertex", "vertices")
        found.append(f"The table's max degree of {largest:,} is too much for {size}.")
    if structure(name) == HUBS:
        found.append(
            "Hubs join as large a share of the vertices as the table's, which makes a smaller "
            "standard deviation among fewer vertices."
        )
    if wanted(name, made.vertices).outweighed(made.vertices):
        found.append(
            f"One vertex of degree {here:,} among so few makes most of the standard deviation; "
            "that of the others is the table's."
        )
    return tuple(found)


def papers(spec: str) -> tuple[Figures, ...]:
    """Return what tables say of the graph that a specification's stand-in is for, if it is one.

    >>> [row.max_degree for row in papers("standin:ldoor,5000")], papers("kron:16")
    ([78, None], ())
    """
    head, _, rest = spec.partition(":")
    return figures(rest.partition(",")[0]) if head.strip().lower() == STANDIN else ()
