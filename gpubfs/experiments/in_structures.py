"""Searches of graphs where structures of their own hold them, as points of experiments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpubfs.dynamic.opening import placed
from gpubfs.dynamic.structure import find
from gpubfs.experiments.experiment import Point
from gpubfs.search.counters import value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpubfs.experiments.lab import Lab
    from gpubfs.graphs import Graph
    from gpubfs.search.result import Run


@dataclass(frozen=True)
class InStructure:
    """A technique that searches a graph in a structure.

    Attributes
    ----------
    series : str
        What tables and pictures call it.
    structure : str
        A name of `gpubfs.dynamic.structures`, whose class has a method `search`.
    technique : str
        What its `search` is asked for.
    options : mapping
        The technique's own.
    settings : mapping
        The structure's own options.
    counted : str
        What besides counters is measured, by an option of this name that is off otherwise: it is
        the counter ``NAME_traversed`` of one more search. Empty for nothing.
    """

    series: str
    structure: str
    technique: str
    options: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    counted: str = ""

    def point(self, lab: Lab, graph: Graph, names: Iterable[str], source: int) -> Point:
        """Measure as `Lab.point` does, on sim counters and on gpu seconds, of the search alone.

        Of the values ``looked_at`` is how many edges a search looks at: those of all vertices that
        it reaches.

        Parameters
        ----------
        lab : Lab
            Where.
        graph : Graph
            What is put into the structure.
        names : iterable of str
            Counters, or seconds.
        source : int
            Where the search begins.
        """
        extra = {self.counted: False} if self.counted else {}
        with self._searching(lab, graph, source) as search:
            runs = [search(**extra) for _ in range(lab.repetitions)]
            more = search(**dict.fromkeys(extra, True)) if extra else runs[0]
        key = f"{self.counted}_traversed"
        found = {name: value(runs[0].counters, name) for name in names}
        found |= {key: more.counters[key]} if extra else {}
        found |= {"seconds": lab.steady([run.seconds for run in runs])} if lab.timed else {}
        shape = {"depth": more.depth, "reached": more.reached, "vertices": graph.vertices}
        shape["looked_at"] = int(more.graph.degrees[more.levels >= 0].sum())
        return Point(graph.spec, self.series, None, found | shape)

    @contextmanager
    def _searching(self, lab: Lab, graph: Graph, source: int) -> Iterator[Any]:
        """Yield what searches the graph in the structure."""
        lab.tell(f"{self.technique} on {graph.spec} in {self.structure}")
        chosen = find(self.structure)
        with lab.open() as machine:
            values = chosen.complete(self.settings, machine.warp_size)
            settled = chosen.settled(values, graph, machine)
            changing: Any = placed(chosen, graph, machine, settled, record=False)
            changing.from_csr(graph)

            def search(**more: Any) -> Run:
                given = {**self.options, **more, "record": not lab.timed}
                run: Run = changing.search(self.technique, source, **given)
                return run

            yield search
