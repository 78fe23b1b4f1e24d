"""What an experiment is: a paper's figure, measured anew; and how all experiments are found."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from gpubfs.arguments import function, whole
from gpubfs.discovery import Catalogue, discover
from gpubfs.errors import unknown
from gpubfs.render import Column, Sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gpubfs.experiments.lab import Lab
    from gpubfs.experiments.report import Point, Report, Verdict

MODULES = "gpubfs.experiments"


@dataclass(frozen=True)
class Experiment:
    """A paper's table or figure, and how to measure it anew.

    Attributes
    ----------
    name, paper, figure, question
        What it is called, what it repeats, and what that is to show.
    graphs : mapping
        For each machine the graphs' specifications; empty if it measures without graphs.
    sheet : Sheet
        The paper's own figures.
    published : mapping
        The same as numbers, for JSON.
    measure : callable
        ``measure(lab, **settings)`` gives points.
    tables, verdicts : callable
        What they make of a report: sheets, and verdicts.
    draw : callable
        ``draw(report, figure)`` makes a picture of it.
    device : str or None
        The GPU that the simulator pretends to be.
    about : str
        The module's whole docstring.
    """

    name: str
    paper: str
    figure: str
    question: str
    graphs: Mapping[str, tuple[str, ...]]
    sheet: Sheet
    published: Mapping[str, Any]
    measure: Callable[..., Iterable[Point]]
    tables: Callable[[Report], tuple[Sheet, ...]]
    verdicts: Callable[[Report], tuple[Verdict, ...]]
    draw: Callable[[Report, Figure], None]
    device: str | None = None
    about: str = field(default="", repr=False)

    def __repr__(self) -> str:
        return f"<{self.name}: {self.paper}, {self.figure}>"

    def as_dict(self) -> dict[str, Any]:
        """The description, ready for JSON."""
        names = ("name", "paper", "figure", "question", "graphs")
        return {name: getattr(self, name) for name in names}

    def check_settings(self, given: Iterable[str]) -> None:
        """Raise UsageError for a setting that the experiment has not."""
        known = [name for name in inspect.signature(self.measure).parameters if name != "lab"]
        for name in given:
            if name not in known:
                raise unknown(f"setting of {self.name} called", name, known)


def reproduces(
    name: str,
    *,
    paper: str,
    figure: str,
    question: str,
    graphs: Mapping[str, tuple[str, ...]],
    sheet: Sheet,
    published: Mapping[str, Any],
    tables: Callable[[Report], tuple[Sheet, ...]],
    verdicts: Callable[[Report], tuple[Verdict, ...]],
    draw: Callable[[Report, Figure], None],
    device: str | None = None,
) -> Callable[[Callable[..., Iterable[Point]]], Experiment]:
    """Turn a function that measures into an `Experiment`.

    Its module belongs in `gpubfs/experiments`, where `experiments` finds it.
    """

    def describe(measure: Callable[..., Iterable[Point]]) -> Experiment:
        about = inspect.getdoc(inspect.getmodule(measure)) or ""
        shown = (sheet, published, measure, tables, verdicts, draw)
        return Experiment(name, paper, figure, question, graphs, *shown, device, about)

    return describe


@cache
def experiments() -> Catalogue[Experiment]:
    """All experiments by name, those of one paper together; without those of broken modules.

    Examples
    --------
    >>> experiments()["dfq-memory"].figure
    'V-D, Table II'
    """
    found = discover(MODULES, Experiment, lambda e: e.name)
    ordered = sorted(found.members, key=lambda e: (e.paper, e.name))
    known = Catalogue((e.name, e) for e in ordered)
    known.broken = found.broken
    return known


def find(name: str) -> Experiment:
    """The experiment called `name`.

    Raises
    ------
    UsageError
        If there is none; the remedy names the nearest.
    """
    known = experiments()
    spelled = str(name).replace("_", "-")
    if spelled not in known:
        raise known.problem(spelled) or unknown("experiment", spelled, known)
    return known[spelled]


def experiment(
    name: str,
    machine: str = "sim",
    graphs: Iterable[Any] | None = None,
    *,
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
    repeats : int
        On gpu, of how many runs the median is taken; one more is made before them and dropped.
    tell : callable
        Called with words on what comes next.
    **settings
        What the experiment lets you choose beside that.

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
    from gpubfs.experiments.lab import open_lab
    from gpubfs.experiments.report import Report

    chosen = find(name)
    chosen.check_settings(settings)
    repeats = whole(repeats, "repeats", 1)
    function(tell, "tell")
    lab: Lab = open_lab(chosen, machine, graphs, repeats, tell)
    return Report(chosen, machine, lab.title, tuple(chosen.measure(lab, **settings)))


def sheet(known: Iterable[Experiment]) -> Sheet:
    """The list of experiments."""
    titles = (Column(title, text=True) for title in ("paper and figure", "question"))
    rows = tuple((one.name, f"{one.paper}: {one.figure}", one.question) for one in known)
    title = "experiments: papers' tables and figures, measured anew"
    return Sheet(title, (Column("experiment"), *titles), rows)
