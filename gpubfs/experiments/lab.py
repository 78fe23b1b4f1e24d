"""Run an experiment: what searches for it on a machine, counts them on sim, times them on gpu."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from gpubfs.arguments import function, several, texts, whole
from gpubfs.errors import UsageError, unknown
from gpubfs.experiments.catalogue import find
from gpubfs.experiments.checked import MOST
from gpubfs.experiments.experiment import Experiment, Point, Report
from gpubfs.graphs import Graph
from gpubfs.graphs import graph as make_graph
from gpubfs.host import Launch
from gpubfs.machines import Machine, open_machine
from gpubfs.measure.bench import Timing, timed_searches
from gpubfs.search.counters import described, value
from gpubfs.search.queues import QueueOverflowError
from gpubfs.search.result import Run
from gpubfs.search.runs import run

Tell = Callable[[str], None]


#: What is searched where only the launch is of interest.
TINY = make_graph("path:2")


def silent(words: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Lab:
    """One machine, some graphs, and how measurements are made.

    Attributes
    ----------
    machine : str
        "sim" or "gpu".
    title : str
        The simulated profile or the GPU's name.
    multiprocessors : int
        How many it has.
    graphs : tuple of Graph
        What to search.
    device : str or None
        On sim, the profile.
    repeats : int
        On gpu, of how many runs the median is taken.
    tell : callable
        Called with words on what comes next.
    run, opener, timer : callable
        What runs a technique, opens a machine, and times searches; tests put others here.
    """

    machine: str
    title: str
    multiprocessors: int
    graphs: tuple[Graph, ...] = ()
    device: str | None = None
    repeats: int = 3
    tell: Tell = silent
    run: Callable[..., Run] = field(default=run, repr=False)
    opener: Callable[..., Machine] = field(default=open_machine, repr=False)
    timer: Callable[..., Timing] = field(default=timed_searches, repr=False)

    @property
    def timed(self) -> bool:
        """Whether times are measured here, and not counters."""
        return self.machine == "gpu"

    @property
    def repetitions(self) -> int:
        """How often the same is done: counters are the same every time, times are not."""
        return self.repeats + 1 if self.timed else 1

    def steady(self, measured: Sequence[float]) -> float:
        """Return the median of the repetitions; the first of several warms up."""
        return statistics.median(measured[1:] or measured)

    def open(self, *, counters: bool = True) -> Machine:
        """Open the machine, for an experiment that launches kernels by itself.

        Where launches are timed it does not count: the build that counts is another one, and the
        host reads its counters before a launch is said to be over. Nor does it where `counters`
        says that nobody needs them.
        """
        return self.opener(self.machine, device=self.device, counters=counters and not self.timed)

    def search(self, technique: str, graph: Graph, *, counters: bool, **options: Any) -> Run:
        """One verified run; on gpu `counters` says whether each launch is timed."""
        given = ", ".join(f"{name}={chosen}" for name, chosen in options.items())
        self.tell(f"{technique} on {graph.spec}{given and ' with '}{given}")
        where = {"machine": self.machine, "device": self.device}
        return self.run(technique, graph, counters=None if counters else False, **where, **options)

    def rehearsed(self, call: str, graph: Graph, searches: int) -> Timing:
        """Time verified searches from the hub, each behind one that is not timed, as `bench` does.

        Parameters
        ----------
        call : str
            A technique, with options where wanted.
        graph : Graph
            Which.
        searches : int
            How many, of which the median is taken.
        """
        self.tell(f"{call} on {graph.spec}")
        return self.timer(call, graph, self.machine, (graph.hub,) * searches)

    def resident(self, technique: str, **options: Any) -> int:
        """How many blocks of a persistent technique run at the same time here."""
        return int(self.search(technique, TINY, counters=False, **options).per_launch[0].grid[0])

    def point(
        self,
        technique: str,
        graph: Graph | str,
        names: Iterable[str],
        at: float | None = None,
        **options: Any,
    ) -> Point:
        """Counters on sim, seconds on gpu; a queue that overflows is a point with a note.

        Parameters
        ----------
        technique : str
            What to run.
        graph : Graph or str
            On which graph: one of `graphs`, or a specification.
        names : iterable of str
            What to measure: ``seconds`` on gpu, counters on sim.
        at : int or float, optional
            Where the point stands on the horizontal axis.
        **options
            The technique's.

        Raises
        ------
        UsageError
            If there is no such counter.
        """
        names = _counters(names)
        graph = make_graph(graph) if isinstance(graph, str) else graph
        try:
            runs = [
                self.search(technique, graph, counters=not self.timed, **options)
                for _ in range(self.repetitions)
            ]
        except QueueOverflowError as error:
            note = f"{technique} on {graph.spec}: {error.message}"
            return Point(graph.spec, technique, at, dict.fromkeys(names), note)
        seconds = self.steady([done.seconds for done in runs])
        found = {name: _value(runs[0], name) for name in names}
        shape = {"depth": runs[0].depth, "reached": runs[0].reached, "vertices": graph.vertices}
        time = {"seconds": seconds} if self.timed else {}
        return Point(graph.spec, technique, at, found | time | shape)

    def cost(self, launch: Launch) -> float:
        """Return what a launch costs: sectors moved on sim, seconds on gpu."""
        if self.timed:
            return launch.seconds or 0.0
        counted = launch.counters
        if counted is None:
            return 0
        return counted.load_sectors + counted.store_sectors + counted.atomic_sectors


def _counters(names: Any) -> tuple[str, ...]:
    """Return names of counters, or of figures of distributions, and seconds."""
    wanted = texts(names, "names", "give names of counters, such as ['load_sectors']")
    for name in wanted:
        if name != "seconds" and name.partition(".")[0] not in described():
            raise unknown("counter", name, described())
    return wanted


def _value(run: Run, name: str) -> Any:
    """Return a counter of a run, None if it was not counted."""
    head, dot, tail = name.partition(".")
    figures = run.counters.get(head)
    if dot and isinstance(figures, Mapping) and value(run.counters, name) is None:
        raise unknown(f"figure of {head}", tail, figures)
    return value(run.counters, name)


def experiment(
    name: str,
    machine: str = "sim",
    graphs: Iterable[Any] | None = None,
    *,
    device: str | None = None,
    repeats: int = 3,
    tell: Callable[[str], None] = lambda words: None,
    **settings: Any,
) -> Report:
    """Measure a paper's table or figure anew, and compare.

    Parameters
    ----------
    name : str
        One that `experiments` knows.
    machine : str
        "sim", where counters are compared, or "gpu", where times are.
    graphs : iterable of Graph or specifications, optional
        Other graphs than the experiment's own.
    device : str, optional
        Another GPU for the simulator to pretend to be than the experiment's own, which mostly is
        the paper's.
    repeats : int
        On gpu, of how many runs the median is taken; one more is made before them and dropped. Of
        batches of updates, the mean over as many initialisations.
    tell : callable
        Called with words on what comes next.
    **settings
        What the experiment lets you choose beside that.

    Returns
    -------
    Report
        The measurements, and what the paper says.

    Raises
    ------
    UsageError, GraphError
        If the experiment, the machine, a graph or a setting is not there.

    Examples
    --------
    >>> report = experiment("queue-memory", graphs=["grid:8x8"])
    >>> [str(verdict)[:6] for verdict in report.verdicts][:2]
    ['agrees', 'agrees']
    """
    return prepared(
        name, machine, graphs, device=device, repeats=repeats, tell=tell, **settings
    ).run()


@dataclass(frozen=True)
class Measurement:
    """An experiment whose graphs are built, and what of it has been measured.

    Attributes
    ----------
    experiment : Experiment
        Which.
    lab : Lab
        Where it is measured.
    settings : mapping
        What was chosen beside that.
    made : list
        What it has yielded so far.
    """

    experiment: Experiment
    lab: Lab
    settings: Mapping[str, Any]
    made: list[Any] = field(default_factory=list)

    def run(self) -> Report:
        """Measure all of it."""
        points = self.experiment.points(self.lab, self.settings, self.made)
        return Report(self.experiment, self.lab.machine, self.lab.title, points)

    def so_far(self) -> Report:
        """Return what has been measured, where something ended it; nothing if it has no end."""
        made = self.made if len(self.made) <= MOST else ()
        points = tuple(filter(self.experiment.is_point, made))
        where = self.lab.machine, self.lab.title
        return Report(self.experiment, *where, points, complete=False)


def prepared(
    name: str,
    machine: str = "sim",
    graphs: Iterable[Any] | None = None,
    *,
    device: str | None = None,
    repeats: int = 3,
    tell: Tell = silent,
    **settings: Any,
) -> Measurement:
    """Return an experiment that can be measured; parameters and errors are `experiment`'s."""
    chosen = find(name)
    settings = chosen.settled(settings)
    repeats = whole(repeats, "repeats", 1)
    function(tell, "tell")
    return Measurement(chosen, open_lab(chosen, machine, graphs, repeats, tell, device), settings)


def open_lab(
    chosen: Experiment,
    machine: str,
    graphs: Iterable[Any] | None,
    repeats: int,
    tell: Tell,
    device: str | None = None,
) -> Lab:
    """Open the lab for an experiment, and build its graphs.

    Raises
    ------
    UsageError, GraphError
        If the machine or a graph is not there.
    """
    if device is None and isinstance(machine, str) and machine == "sim":
        device = chosen.device
    opened = open_machine(machine, device=device)
    made: dict[str, Graph] = {}
    for spec in _specifications(chosen, machine, graphs):
        tell(f"building {spec}")
        with chosen.checked.running() if graphs is None else nullcontext():
            graph = make_graph(spec)
        if graph.spec in made:
            raise UsageError(f"the graph {graph.spec} is given twice", "give it once")
        made[graph.spec] = graph
    about = (opened.device, opened.multiprocessors, tuple(made.values()), device, repeats, tell)
    return Lab(machine, *about)


def _specifications(
    chosen: Experiment, machine: str, graphs: Iterable[Any] | None
) -> tuple[Any, ...]:
    own = chosen.graphs.get(machine, ())
    if graphs is None:
        return own
    hint = "give a list, such as ['kron:12', 'grid:32x32']"
    given = (graphs,) if isinstance(graphs, str) else several(graphs, "graphs", hint)
    if not own:
        raise UsageError(
            f"{chosen.name} measures without graphs, and {len(given)} of them were given",
            "leave out the graphs",
        )
    if not given:
        known = ", ".join(own)
        raise UsageError(
            f"{chosen.name} has no graph to search",
            f"give at least one, or leave the graphs out for {known}",
        )
    return given
