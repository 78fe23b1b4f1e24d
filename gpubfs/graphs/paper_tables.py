"""What the papers' tables say of the graphs on which their experiments ran, as they print it.

References
----------
Busato, Bombieri, "Efficient load balancing techniques for graph traversal applications on GPUs",
Table 1 (where FullChip's standard deviation cannot be right, see `DOUBTFUL`).

Tödling, Winter, Steinberger, "Breadth-First Search on Dynamic Graphs using Dynamic Parallelism on
the GPU", Table I. Its depth is the number of iterations from vertex 0.

Gaihre, Wu, Yao, Liu, "XBFS: eXploring Runtime Optimizations for Breadth-First Search on GPUs",
Table 1. Edges are listed ones; a traversal has the reverse of each, too.

Winter, Zayer, Steinberger, "Autonomous, Independent Management of Dynamic Graphs on GPUs", Table I.

Hsieh, Cheng, Chang, Kuo, "A Decentralized Frontier Queue for Improving Scalability of
Breadth-First-Search on GPUs", Table I, which gives no figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

#: What a table may say of a graph: attributes of `Figures`, and of statistics except the last.
COLUMNS = (
    *("directed", "vertices", "edges", "average_degree", "degree_deviation", "gini"),
    *("max_degree", "average_eccentricity", "depth"),
)


@dataclass(frozen=True)
class Table:
    """One paper's table of graphs.

    Parameters
    ----------
    source : str
        Paper and table.
    columns : tuple of str
        What the columns of `text` are, behind the graph's name: attributes of `Figures`.
    text : str
        A line for each graph, columns separated by blanks.
    millions : bool
        Whether vertices and edges are given in millions.
    stored : int
        How many CSR entries an edge of the table stands for.
    """

    source: str
    columns: tuple[str, ...]
    text: str
    millions: bool = False
    stored: int = 1

    @cached_property
    def rows(self) -> tuple[Figures, ...]:
        """What the table says of each graph, in its order."""
        lines = [line.split() for line in self.text.split("\n") if line.strip()]
        return tuple(Figures(self, line[0], tuple(line[1:])) for line in lines)


@dataclass(frozen=True)
class Figures:
    """What one table says of one graph; None where it says nothing.

    Parameters
    ----------
    table : Table
        Whose row this is.
    name : str
        What the paper calls the graph.
    cells : tuple of str
        The other columns as they are printed.
    """

    table: Table
    name: str
    cells: tuple[str, ...]

    def printed(self, column: str) -> str | None:
        """Return what the table prints in a column, with the unit of the column's head."""
        if column not in self.table.columns:
            return None
        cell = self.cells[self.table.columns.index(column)]
        return f"{cell} M" if self.table.millions and column in ("vertices", "edges") else cell

    def as_dict(self) -> dict[str, Any]:
        """Return the source, the paper's name of the graph and all figures, ready for JSON."""
        named = {"source": self.table.source, "name": self.name}
        return named | {column: getattr(self, column) for column in COLUMNS}

    def _number(self, column: str) -> float | None:
        cell = self.printed(column)
        return None if cell is None else number(cell)

    def _whole(self, column: str) -> int | None:
        found = self._number(column)
        return None if found is None else round(found)

    @property
    def directed(self) -> bool | None:
        """The column U/D."""
        kind = self.printed("kind")
        return None if kind is None else kind == "D"

    @property
    def vertices(self) -> int | None:
        """The number of vertices, as exact as it is printed."""
        return self._whole("vertices")

    @property
    def edges(self) -> int | None:
        """The number of CSR entries, as exact as the number of edges is printed."""
        found = self._number("edges")
        return None if found is None else round(found * self.table.stored)

    @property
    def average_degree(self) -> float | None:
        """The average degree: printed, or else CSR entries over vertices."""
        found = self._number("average_degree")
        if found is None and self.vertices and self.edges:
            return self.edges / self.vertices
        return found

    @property
    def degree_deviation(self) -> float | None:
        """The standard deviation of the degrees."""
        return self._number("degree_deviation")

    @property
    def gini(self) -> float | None:
        """The Gini coefficient of the degrees."""
        return self._number("gini")

    @property
    def max_degree(self) -> int | None:
        """The largest degree."""
        return self._whole("max_degree")

    @property
    def average_eccentricity(self) -> float | None:
        """The mean depth of a traversal."""
        return self._number("average_eccentricity")

    @property
    def depth(self) -> int | None:
        """The iterations of a traversal from vertex 0."""
        return self._whole("depth")


def number(cell: str) -> float:
    """Read a number as tables print it.

    >>> number("1,290,501"), number("239k"), number("12.0 M")
    (1290501.0, 239000.0, 12000000.0)
    """
    plain = cell.replace(",", "").replace(" ", "")
    factor = {"k": 1e3, "M": 1e6}.get(plain[-1], 1.0)
    return float(plain.rstrip("kM")) * factor


BUSATO = Table(
    "Busato and Bombieri, Table 1",
    (
        *("kind", "vertices", "edges", "average_degree", "degree_deviation", "gini"),
        *("max_degree", "average_eccentricity"),
    ),
    """
asia_osm                U 12.0  25.4   2.1   0.5 0.08         9 36,626.7
europa_osm              U 50.9 108.1   2.1   0.5 0.09        13 19,738.2
USA-road-d.USA          U 23.9  58.3   2.4   0.9 0.21         9  6,418.6
hugebubbles-00020       U 21.2  63.6   3.0   0.0 0.00         3  6,205.9
rgg_n_2_23_s0           U  8.4 127.0  15.1   3.9 0.14        40  1,715.7
delaunay_n24            U 16.8 100.7   6.0   1.3 0.12        26  1,588.3
channel-500x100x100     U  4.8  85.4  17.8   1.0 0.01        18    381.6
ldoor                   U  1.0  47.5  49.9  11.9 0.13        78    161.4
nlpkkt160               U  8.3 237.9  28.5   2.7 0.02        29    145.2
audikw_1                U  0.9  78.6  83.3  42.4 0.23       346     61.8
circuit5M               D  5.6  59.5  10.7 772.6 0.52 1,290,501     58.0
FullChip                D  3.0  26.6   8.9  23.1 0.35 2,312,481     38.3
cage15                  D  5.2  99.2  19.2   5.7 0.17        47     37.3
indochina-2004          D  7.4 194.1  26.2 215.8 0.74     6,985     31.0
soc-LiveJournal1        D  4.8  69.0  14.2  36.1 0.72    20,293     14.3
soc-pokec-relationships U  1.6  61.2  37.5  59.5 0.62    20,518     10.2
er-fact1.5-scale23      U  8.4 200.6  23.9   4.9 0.12        53      7.8
hollywood-2009          U  1.1 115.0 100.9 271.9 0.73    11,469      7.6
kron_g500-logn21        U  2.1 182.1  86.8 680.1 0.92   213,906      5.1
""",
    millions=True,
)

TOEDLING = Table(
    "Tödling et al., Table I",
    ("vertices", "edges", "depth"),
    """
wikipedia-20070206  3,566,907  45,030,389   460
rgg_n_2_21_s0       2,097,152  28,975,990  1147
msdoor                415,863  19,173,163   127
in-2004             1,325,741  16,917,053    47
hugetric-00020      7,122,792  21,361,554  2800
hugebubbles-00020  21,198,119  63,580,358  4500
europe_osm         50,912,018 108,109,320 17346
delaunay_n21        2,097,152  12,582,816   564
coPapersCiteseer      434,102  32,073,440    26
cage15              5,154,859  99,199,551   500
audikw_1              943,695  77,651,847    55
af_shell9             504,855  17,588,845   472
""",
)

XBFS = Table(
    "Gaihre et al. (XBFS), Table 1",
    ("vertices", "edges"),
    """
DBpedia      3,966,924  13,820,853
DBLP-author  4,000,150   8,649,016
EnWiki      21,504,191 266,769,613
Friendster  65,608,357 710,869,285
LiveJournal  4,036,538  34,681,190
Orkut        3,072,626 117,185,083
Trackers    27,665,730 140,613,762
USpatent     3,774,768  16,518,947
Wiki-dbpeda 18,268,992 172,183,984
Wiki-link   12,150,976 378,142,420
""",
    stored=2,
)

AIMGRAPH = Table(
    "Winter et al. (aimGraph), Table I",
    ("vertices", "edges"),
    """
Luxembourg    115k 239k
coAuthorsDBLP 299k 1.95M
ldoor         952k 45.57M
audikw1       943k 76.71M
Germany       12M  24.74M
nlpkt160      8M   221.17M
""",
)

DFQ = Table(
    "Hsieh et al. (DFQ), Table I",
    (),
    """
Amazon0302
appu
com-lj
com-orkut
graph500
soc-castor
web-Berkstan
web-Google
""",
)

#: All tables; where two give a figure for one graph, the first one counts.
TABLES = (BUSATO, TOEDLING, XBFS, AIMGRAPH, DFQ)

#: Other spellings of names, in the form of `key`.
SPELLINGS = {"europe-osm": "europa-osm", "nlpkt160": "nlpkkt160", "audikw1": "audikw-1"}

#: Figures that cannot belong to a graph with the others of their row, and why.
DOUBTFUL = {
    ("fullchip", "degree_deviation"): (
        "one vertex of degree 2,312,481 among 3.0 million alone makes a standard deviation of 1,335"
    ),
}


def key(name: str) -> str:
    """Return a graph's name in the one spelling by which graphs are told apart.

    >>> key("europe_osm"), key("audikw1") == key("Audikw-1")
    ('europa-osm', True)
    """
    plain = name.strip().lower().replace("_", "-")
    return SPELLINGS.get(plain, plain)


def figures(name: str) -> tuple[Figures, ...]:
    """Return what the tables say of a graph, a row for each that has it.

    >>> [row.table.source for row in figures("cage15")]
    ['Busato and Bombieri, Table 1', 'Tödling et al., Table I']
    """
    return tuple(row for table in TABLES for row in table.rows if key(row.name) == key(name))


def graphs() -> tuple[str, ...]:
    """Return the name of each graph of the tables once, as the first of them spells it."""
    found: dict[str, str] = {}
    for table in TABLES:
        for row in table.rows:
            found.setdefault(key(row.name), row.name)
    return tuple(found.values())
