"""What an experiment is: a paper's figure, measured anew; and the report that comes of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from gpubfs.arguments import function, is_kind, is_name, is_truth, is_whole, refuse_bare, shown
from gpubfs.errors import UsageError, no_field, unknown
from gpubfs.experiments.checked import Checked, specifications
from gpubfs.experiments.settings import Check
from gpubfs.render.drawing import ACROSS, bars, kept, lines, panels
from gpubfs.render.sheets import Column, Row, Sheet
from gpubfs.render.sheets import figure as shown_figure
from gpubfs.render.style import new_figure, own_style
from gpubfs.render.views import Viewed
from gpubfs.search.counters import plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: What begins the sentence of a verdict.
WORDS = {True: "agrees", False: "differs", None: "not decided"}

#: What experiments search that name no graphs.
GRAPHS = {
    "sim": ("kron:10", "grid:32x32"),
    "gpu": ("kron:20", "grid:1024x1024"),
}


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


def _is_place(value: Any) -> bool:
    return value is None or is_whole(value) or isinstance(value, float)


_TEXT = (lambda value: isinstance(value, str)), "give text"

#: What fields of a point, an experiment and a verdict must be, and the remedy.
POINT: dict[str, tuple[Callable[[Any], bool], str]] = {
    "graph": _TEXT,
    "series": _TEXT,
    "at": (_is_place, "give a number, or None"),
    "values": (lambda value: isinstance(value, Mapping), "give a mapping of names to numbers"),
    "note": _TEXT,
}
FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "paper": _TEXT,
    "figure": _TEXT,
    "question": _TEXT,
    "sheet": (
        lambda value: value is None or isinstance(value, Sheet),
        "give a gpubfs.render.sheets.Sheet, or None",
    ),
    "published": (lambda value: isinstance(value, Mapping), "give a mapping of names to figures"),
    "settings": (
        lambda value: isinstance(value, Mapping) and all(map(callable, value.values())),
        "give a mapping of names to functions, such as gpubfs.experiments.settings.number(1)",
    ),
}
VERDICT: dict[str, tuple[Callable[[Any], bool], str]] = {
    "agrees": (lambda value: value is None or is_truth(value), "give True, False or None"),
    "sentence": _TEXT,
}


def value_sheets(report: Report) -> tuple[Sheet, ...]:
    """Return one sheet with the values of all points, those of each graph together."""
    names = dict.fromkeys(name for point in report.points for name in point.values)
    rows: list[Row] = []
    for graph, points in groupby(report.points, key=lambda point: point.graph):
        rows.append((graph,))
        for point in points:
            at = "" if point.at is None else f" at {point.at:g}"
            values = (shown_figure(point.values[n]) if n in point.values else "" for n in names)
            rows.append((point.series + at, *values))
    notes = tuple(dict.fromkeys(point.note for point in report.points if point.note))
    columns = (Column("series"), *(Column(name, figures=True) for name in names))
    return (Sheet(f"measured on {report.where}", columns, tuple(rows), notes),)


def draw_values(report: Report, picture: Figure) -> None:
    """Draw a panel for each value: lines over `Point.at`, or bars by graph where it is not set."""
    names = list(dict.fromkeys(name for point in report.points for name in point.values))
    graphs = list(dict.fromkeys(point.graph for point in report.points))
    series = list(dict.fromkeys(point.series for point in report.points))
    over = all(point.at is not None for point in report.points)
    across = ACROSS if over else 1
    for axes, name in zip(panels(picture, names, across), names, strict=True):
        if over:
            curves: dict[str, list[tuple[float, float | None]]] = {}
            for point in report.points:
                curve = curves.setdefault(f"{point.series} on {point.graph}", [])
                curve.append((float(point.at or 0), point.values.get(name)))
            lines(axes, curves, "at", name)
            continue
        found = {(p.graph, p.series): p.values.get(name) for p in report.points}
        heights = {one: [found.get((graph, one)) for graph in graphs] for one in series}
        bars(axes, graphs, heights, "graph", name)


@dataclass(frozen=True)
class Experiment:
    """A paper's table or figure, and how to measure it anew; or a question of one's own.

    Attributes
    ----------
    name : str
        Lower-case words with hyphens between them.
    measure : callable
        ``measure(lab, **settings)`` gives points.
    paper, figure : str
        What it repeats; empty if that is nothing.
    question : str
        What it is to show; by default the first paragraph of the docstring of `measure`.
    graphs : mapping
        For each machine the graphs' specifications; empty if it measures without graphs.
    sheet : Sheet or None
        The paper's own figures.
    published : mapping
        The same as numbers, for JSON.
    tables, verdicts : callable
        What they make of a report: sheets, and verdicts.
    draw : callable
        ``draw(report, figure)`` makes a picture of it.
    device : str or None
        The GPU that the simulator pretends to be.
    settings : mapping
        For each of the function's own parameters its check, such as `settings.number(1)`; what has
        none is passed on as it is given.
    about : str
        The module's whole docstring.
    """

    name: str
    measure: Callable[..., Iterable[Point]]
    paper: str = ""
    figure: str = ""
    question: str = ""
    graphs: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: GRAPHS)
    sheet: Sheet | None = None
    published: Mapping[str, Any] = field(default_factory=dict)
    tables: Callable[[Report], tuple[Sheet, ...]] = value_sheets
    verdicts: Callable[[Report], tuple[Verdict, ...]] = lambda report: ()
    draw: Callable[[Report, Figure], None] = draw_values
    device: str | None = None
    settings: Mapping[str, Check] = field(default_factory=dict, repr=False)
    about: str = field(default="", repr=False)

    def __repr__(self) -> str:
        return f"<{self.name}: {self.origin}>"

    @property
    def origin(self) -> str:
        """The paper and its figure, in one line."""
        return ", ".join(filter(None, (self.paper, self.figure))) or "of no paper"

    @property
    def code(self) -> Callable[..., Iterable[Point]]:
        """The function that defines it."""
        return self.measure

    def as_dict(self) -> dict[str, Any]:
        """Describe it, ready for JSON.

        Returns
        -------
        dict
            Name, paper, figure, question and graphs.
        """
        names = ("name", "paper", "figure", "question", "graphs")
        return {name: getattr(self, name) for name in names}

    @property
    def checked(self) -> Checked:
        """Its own code, as it is run."""
        return Checked(self.name, self.measure)

    def points(
        self, lab: Any, settings: Mapping[str, Any], made: list[Any] | None = None
    ) -> tuple[Point, ...]:
        """Measure in a `Lab` with settings, and check what comes of it.

        Parameters
        ----------
        lab : Lab
            Where it is measured, and the graphs.
        settings : mapping
            Values by the names of the function's own parameters.
        made : list, optional
            Receives what the function yields as it comes, not checked yet.

        Returns
        -------
        tuple of Point
            At least one.

        Raises
        ------
        UsageError
            If the function fails, or what it yields are no points.
        """
        checked = self.checked
        noted = [] if made is None else made
        measure = partial(self.measure, lab, **settings)
        points = checked.several("points", lambda: _noted(measure(), noted), Point)
        for point in points:
            checked.fields(point, POINT)
        if not points:
            raise checked.wrong("yields no points", "yield a Point, such as lab.point gives")
        return points

    def is_point(self, made: Any) -> bool:
        """Return whether what the function has yielded is a whole point.

        Parameters
        ----------
        made : object
            What it is.

        Returns
        -------
        bool
            Whether it is a `Point` whose fields are of their kinds.
        """
        return is_kind(made, Point) and all(
            fits(getattr(made, name)) for name, (fits, _) in POINT.items()
        )

    def settled(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Check that the experiment has these settings, and that they can have these values.

        Parameters
        ----------
        given : mapping
            Values by names.

        Returns
        -------
        dict
            The same in plain Python. None stays None where that is the default.

        Raises
        ------
        UsageError
            For the first that it has not, or that has a value of another kind or out of range.
        """
        parameters = inspect.signature(self.measure).parameters
        known = [name for name in parameters if name != "lab"]
        for name in given:
            if name not in known:
                raise unknown(f"setting of {self.name} called", name, known)
        return {
            name: value
            if value is None is parameters[name].default or name not in self.settings
            else self.settings[name](value, name)
            for name, value in given.items()
        }


def _noted(points: Any, made: list[Any]) -> Any:
    """Return the same, but of what a generator yields each is in `made` before the next comes."""

    def passed() -> Iterator[Any]:
        for point in points:
            made.append(point)
            yield point

    return passed() if is_kind(points, Iterator) else points


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
    complete : bool
        Whether these are all: without the rest there are the values alone, and no verdicts.
    """

    experiment: Experiment
    machine: str
    device: str
    points: tuple[Point, ...]
    complete: bool = True

    def __repr__(self) -> str:
        what = f"{self.experiment.name} on {self.where}, {len(self.points)} measurements"
        return f"<{what}; its tables show in Jupyter and by rich.print>"

    @property
    def sheets(self) -> tuple[Sheet, ...]:
        """The measurements as tables."""
        if not self.complete:
            return value_sheets(self)
        one = self.experiment
        return one.checked.several("tables", lambda: one.tables(self), Sheet)

    @property
    def sheet(self) -> Sheet | None:
        """The paper's figures, if it has some."""
        return self.experiment.sheet

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Where the two agree, and where they differ."""
        if not self.complete:
            return ()
        one = self.experiment
        verdicts = one.checked.several("verdicts", lambda: one.verdicts(self), Verdict)
        for verdict in verdicts:
            one.checked.fields(verdict, VERDICT)
        return verdicts

    @property
    def where(self) -> str:
        """The machine in words."""
        return f"machine {self.machine} ({self.device})"

    def plot(self) -> Figure:
        """Draw a picture, which a notebook shows and whose `savefig` writes it to a file.

        Returns
        -------
        Figure
            Of matplotlib.
        """
        with own_style():
            figure = new_figure(f"{self.experiment.name} on {self.where}")
            with self.experiment.checked.running():
                self.experiment.draw(self, figure)
        return figure

    def save(self, path: str | Path) -> None:
        """Write the picture, as what the suffix says: .svg, .png or .pdf.

        Parameters
        ----------
        path : str or Path
            The file; its suffix says its format.

        Raises
        ------
        UsageError
            If that is none of these, or the file cannot be written.
        """
        with kept(Path(path)) as write:
            write(self.plot)

    def page(self, command: str) -> str:
        """Return the tables, the paper's, and the sentences as a page in Markdown.

        Parameters
        ----------
        command : str
            What has measured this.

        Returns
        -------
        str
            The page.
        """
        one = self.experiment
        parts = [f"# {one.name}", f"{one.question} ({one.origin})"]
        parts.append(f"`{command}` made this page{'' if self.complete else ', and was ended'}.")
        for sheet in (*self.sheets, *([self.sheet] if self.sheet else [])):
            parts += [f"## {sheet.title[:1].upper()}{sheet.title[1:]}", sheet.markdown()]
        parts += ["\n".join(f"- {verdict}" for verdict in self.verdicts)]
        return "\n\n".join(filter(None, parts)) + "\n"

    def as_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON.

        Returns
        -------
        dict
            What `gpubfs experiment --json` prints.
        """
        described: dict[str, Any] = plain(
            self.experiment.as_dict()
            | {"machine": self.machine, "device": self.device}
            | {"points": [asdict(point) for point in self.points]}
            | {"published": self.experiment.published}
            | {"verdicts": [asdict(verdict) for verdict in self.verdicts]}
            | ({} if self.complete else {"complete": False})
        )
        return described


class Fields(TypedDict, total=False):
    """What an experiment may say of itself besides its name, as `Experiment` explains it."""

    paper: str
    figure: str
    question: str
    graphs: Mapping[str, tuple[str, ...]]
    sheet: Sheet | None
    published: Mapping[str, Any]
    tables: Callable[[Report], tuple[Sheet, ...]]
    verdicts: Callable[[Report], tuple[Verdict, ...]]
    draw: Callable[[Report, Figure], None]
    device: str | None
    settings: Mapping[str, Check]


def reproduces(
    name: str, **fields: Unpack[Fields]
) -> Callable[[Callable[..., Iterable[Point]]], Experiment]:
    """Turn a function that measures into an `Experiment`.

    The function is called as ``measure(lab, **settings)`` with a `Lab` and returns points, or is a
    generator of them. The experiment is found in a plugin, and in `gpubfs/experiments`.

    Parameters
    ----------
    name : str
        What commands call it: lower-case words with hyphens between them.
    **fields
        Attributes of `Experiment`, each of which can be left out: paper, figure, question, graphs,
        sheet, published, tables, verdicts, draw, device, settings. Without `tables` and `draw`,
        tables and pictures show the values of all points.

    Returns
    -------
    callable
        A decorator, which returns an `Experiment`.

    Raises
    ------
    UsageError
        Where the function is decorated: if the name is none, or it is no function.
    """
    refuse_bare(name, "reproduces", 'reproduces("my-experiment")')
    for key, value in fields.items():
        if key not in Fields.__annotations__:
            raise no_field(key, ("name", *Fields.__annotations__))
        if key in ("tables", "verdicts", "draw"):
            function(value, key)
        elif key in FIELDS and not FIELDS[key][0](value):
            raise UsageError(f"the field {key} is {shown(value)}", FIELDS[key][1])
    if "graphs" in fields:
        fields["graphs"] = specifications(fields["graphs"], GRAPHS)

    def describe(measure: Callable[..., Iterable[Point]]) -> Experiment:
        if not is_name(name):
            hint = "give lower-case words with hyphens between them, such as my-experiment"
            raise UsageError(f"the field name is {shown(name)}", hint)
        if not inspect.isfunction(measure):
            hint = "decorate a function measure(lab), which yields points"
            raise UsageError(f"{shown(measure)} is no function", hint)
        about = inspect.getdoc(inspect.getmodule(measure)) or ""
        made = Experiment(name, measure, about=about, **fields)
        asked = (inspect.getdoc(measure) or "").partition("\n\n")[0]
        return made if made.question else replace(made, question=" ".join(asked.split()))

    return describe
