"""What an experiment is: a paper's figure, measured anew; and the report that comes of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpubfs.errors import unknown
from gpubfs.render.drawing import kept
from gpubfs.render.sheets import Sheet
from gpubfs.render.views import Viewed
from gpubfs.search.counters import plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: What begins the sentence of a verdict.
WORDS = {True: "agrees", False: "differs", None: "not decided"}

#: Inches of a picture.
SIZE = (9.6, 4.8)


@dataclass(frozen=True)
class Point:
    """One measurement.

    Attributes
    ----------
    graph : str
        What was searched, or scanned.
    series : str
        The technique or method, as tables and pictures call it.
    at : int, float or None
        Where it stands on the horizontal axis, such as a number of blocks.
    values : mapping
        What was measured, by name; None where it could not be.
    note : str
        Why it could not be: how a queue overflowed.
    """

    graph: str
    series: str
    at: int | float | None
    values: Mapping[str, Any]
    note: str = ""


@dataclass(frozen=True)
class Verdict:
    """Whether measurements agree with a paper; None where they cannot tell."""

    agrees: bool | None
    sentence: str

    def __str__(self) -> str:
        return f"{WORDS[self.agrees]}: {self.sentence}"


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


@dataclass(frozen=True)
class Report(Viewed):
    """What an experiment measured, beside what the paper says.

    Attributes
    ----------
    experiment : Experiment
        Which.
    machine, device : str
        "sim" or "gpu", and the simulated profile or the GPU's name.
    points : tuple of Point
        The measurements; all else here is computed from them.
    """

    experiment: Experiment
    machine: str
    device: str
    points: tuple[Point, ...]

    def __repr__(self) -> str:
        what = f"{self.experiment.name} on {self.where}, {len(self.points)} measurements"
        return f"<{what}; its tables show in Jupyter and by rich.print>"

    @property
    def sheets(self) -> tuple[Sheet, ...]:
        """The measurements as tables."""
        return self.experiment.tables(self)

    @property
    def sheet(self) -> Sheet:
        """The paper's figures."""
        return self.experiment.sheet

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Where the two agree, and where they differ."""
        return self.experiment.verdicts(self)

    @property
    def where(self) -> str:
        """The machine in words."""
        return f"machine {self.machine} ({self.device})"

    def plot(self) -> Figure:
        """A picture, which a notebook shows and whose `savefig` writes it to a file."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=SIZE, layout="constrained")
        figure.suptitle(f"{self.experiment.name} on {self.where}")
        self.experiment.draw(self, figure)
        return figure

    def save(self, path: str | Path) -> None:
        """Write the picture, as what the suffix says: .svg, .png or .pdf."""
        with kept(Path(path)) as write:
            write(self.plot)

    def as_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        described: dict[str, Any] = plain(
            self.experiment.as_dict()
            | {"machine": self.machine, "device": self.device}
            | {"points": [asdict(point) for point in self.points]}
            | {"published": self.experiment.published}
            | {"verdicts": [asdict(verdict) for verdict in self.verdicts]}
        )
        return described


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
