"""What comes out of an experiment: points, what they say of a paper, tables and a picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpubfs.graphs.labels import relabelled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure
    from rich.console import Console, ConsoleOptions, RenderableType

    from gpubfs.experiment import Experiment
    from gpubfs.render import Sheet

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
class Report:
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
        from gpubfs.experiments.pictures import kept

        with kept(Path(path)) as write:
            write(self)

    def as_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        from gpubfs.counters import plain

        described: dict[str, Any] = plain(
            self.experiment.as_dict()
            | {"machine": self.machine, "device": self.device}
            | {"points": [asdict(point) for point in self.points]}
            | {"published": self.experiment.published}
            | {"verdicts": [asdict(verdict) for verdict in self.verdicts]}
        )
        return described

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.text import Text

        yield Text(self.experiment.question, style="bold")
        yield Text(f"{self.experiment.paper}, {self.experiment.figure}; here: {self.where}")
        specs = [point.graph for point in self.points]
        for sheet in (*self._shown(), self.sheet):
            yield ""
            yield sheet
        yield ""
        yield from (Text(relabelled(str(verdict), specs)) for verdict in self.verdicts)

    def _repr_html_(self) -> str:
        import html

        specs = [point.graph for point in self.points]
        sheets = "".join(sheet.html() for sheet in (*self._shown(), self.sheet))
        words = (relabelled(str(verdict), specs) for verdict in self.verdicts)
        said = "".join(f"<li>{html.escape(one)}</li>" for one in words)
        return f"<p>{html.escape(self.experiment.question)}</p>{sheets}<ul>{said}</ul>"

    def _shown(self) -> Iterator[Sheet]:
        """The tables with files called by their names."""
        specs = [point.graph for point in self.points]
        for sheet in self.sheets:
            yield sheet.translated(lambda text: relabelled(text, specs))
