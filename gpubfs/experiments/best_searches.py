"""The steps from scan-free to best: a title, and a search by name and options, for each idea."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from gpubfs.errors import UsageError
from gpubfs.experiments.cells import of_graphs
from gpubfs.experiments.experiment import Point
from gpubfs.search.catalogue import find, parse_call

if TYPE_CHECKING:
    from gpubfs.experiments.lab import Lab
    from gpubfs.graphs import Graph

BEST = "best"

#: What its stages are called that need a block, or a cluster of them.
CLUSTER = "cluster"


@dataclass(frozen=True)
class Step:
    """An idea, and the search that has it.

    Attributes
    ----------
    title : str
        What tables and sentences call it.
    call : str
        The technique and its options, as commands take them.
    """

    title: str
    call: str

    def point(self, lab: Lab, graph: Graph, names: Sequence[str]) -> Point:
        """Search a graph; where there is no such cluster, that is a point with a note.

        Parameters
        ----------
        lab : Lab
            Where.
        graph : Graph
            What is searched.
        names : sequence of str
            What is measured.
        """
        technique, options = parse_call(self.call)
        try:
            if lab.timed:
                seconds = lab.rehearsed(self.call, graph, lab.repeats).seconds
                return Point(graph.spec, self.title, None, {"seconds": seconds})
            found = lab.point(technique, graph, names, **options)
        except UsageError as error:
            if CLUSTER not in self.call:
                raise
            note = f"{self.title} on {graph.spec}: {error.message}"
            found = Point(graph.spec, technique, None, dict.fromkeys(names), note)
        return replace(found, series=self.title)


STEPS = (
    Step("a launch a level", "scan-free"),
    Step("one launch", "dfq-shared"),
    Step("edges shared out", f"{BEST}:stages=grid,alpha=0"),
    Step("bottom-up levels", f"{BEST}:stages=grid"),
    Step("byte map", f"{BEST}:stages=bytemap"),
    Step("one block", f"{BEST}:stages={CLUSTER}+grid,ranks=1,row=4,words=1"),
    Step("eight blocks", f"{BEST}:stages={CLUSTER}+grid,ranks=8,row=16,words=4"),
    Step("chosen by graph", BEST),
)
FIRST, LAST = STEPS[0].title, STEPS[-1].title

#: For some graphs the points of a step: of the one before, and its own.
Pairs = Mapping[str, tuple[Point, Point]]


def pairs(points: Iterable[Point]) -> dict[str, Pairs]:
    """Return for each step its points beside those of the last one before it that ran.

    Parameters
    ----------
    points : iterable of Point
        The measurements, in the order of steps.

    Examples
    --------
    >>> a, b = (Point("toy", step.title, None, {"seconds": 1}) for step in STEPS[:2])
    >>> pairs([a, b]) == {"one launch": {"toy": (a, b)}}
    True
    """
    found: dict[str, dict[str, tuple[Point, Point]]] = {}
    for graph, own in of_graphs(points).items():
        for before, point in pairwise(one for one in own if not one.note):
            found.setdefault(point.series, {})[graph] = before, point
    return {step.title: found[step.title] for step in STEPS if step.title in found}


def chosen(lab: Lab, graph: Graph) -> str:
    """Return what `best` chooses for a graph, as commands take it.

    Parameters
    ----------
    lab : Lab
        Where it would be searched.
    graph : Graph
        Which.
    """
    technique = find(BEST)
    with lab.open(counters=False) as machine:
        values = technique.settled(technique.complete({}, machine.warp_size), graph, machine)
    own = [one for one in technique.options if one.choose and one.changes(values)]
    return f"{BEST}:{','.join(f'{one.name}={values[one.name]}' for one in own)}"
