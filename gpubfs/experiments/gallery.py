"""A page with the pictures of experiments, each with its question and the command that made it."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from gpubfs.errors import UsageError
from gpubfs.experiments.experiment import Experiment, Report

#: The page's name in its folder.
PAGE = "index.html"

#: The words for a machine, which say whose figures these are.
MACHINES = {
    "sim": "Counted by the simulator: no GPU took part, and no figure is a GPU's time.",
    "gpu": "Timed on a GPU.",
}


@dataclass
class Gallery:
    """A folder of pictures, and the page that shows those that are there.

    Attributes
    ----------
    folder : Path
        Where to; it is made where it is not there.
    machine : str
        "sim" or "gpu".
    whole : int
        How many experiments there will be.
    """

    folder: Path
    machine: str
    whole: int
    _parts: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._write(self.folder / PAGE, self.page())
        except OSError as error:
            raise UsageError(
                f"the folder {self.folder} cannot be written: {error.strerror or error}",
                "name a folder of yours",
            ) from None

    def add(self, report: Report, command: str) -> Path:
        """Draw the picture of a report, and show it on the page.

        Parameters
        ----------
        report : Report
            The measurements.
        command : str
            What measures and draws the same.

        Returns
        -------
        Path
            The picture.
        """
        picture = self.folder / f"{report.experiment.name}.svg"
        report.save(picture)
        said = "".join(f"<li>{html.escape(str(one))}</li>" for one in report.verdicts)
        shown = f'<img src="{picture.name}" alt="{html.escape(report.experiment.question)}">'
        self._show(report.experiment, f"{shown}<ul>{said}</ul>", command)
        return picture

    def leave_out(self, one: Experiment, why: str, command: str) -> None:
        """Say on the page why an experiment has no picture."""
        self._show(one, f"<p>There is no picture: {html.escape(why)}</p>", command)

    def _show(self, one: Experiment, content: str, command: str) -> None:
        words = f"<p>{html.escape(one.question)} <small>({html.escape(one.origin)})</small></p>"
        code = f"<pre><code>{html.escape(command)}</code></pre>"
        heading = f'<h2 id="{one.name}">{one.name}</h2>'
        section = f"<section>{heading}{words}{code}{content}</section>"
        self._parts.append((one.name, section))
        self._write(self.folder / PAGE, self.page())

    def page(self) -> str:
        """Return the page as it is now."""
        made, whole = len(self._parts), self.whole
        state = f"{made} of {whole} experiments" if made < whole else f"{whole} experiments"
        links = "".join(f'<li><a href="#{name}">{name}</a></li>' for name, _ in self._parts)
        parts = {
            "state": f"{state}. {MACHINES[self.machine]}",
            "contents": links,
            "sections": "\n".join(section for _, section in self._parts),
        }
        template = resources.files("gpubfs.experiments").joinpath("gallery.html")
        return _filled(template.read_text(encoding="utf-8"), parts.items())

    def _write(self, path: Path, text: str) -> None:
        """Replace a file at once: who interrupts finds the old one or the new."""
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            part.write_text(text, encoding="utf-8", newline="\n")
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


def _filled(template: str, parts: Iterable[tuple[str, str]]) -> str:
    for name, content in parts:
        template = template.replace(f"{{{{{name}}}}}", content)
    return template


def chosen(known: Iterable[Experiment], machine: str) -> Sequence[Experiment]:
    """Return the experiments that are for a machine.

    Examples
    --------
    >>> from gpubfs.experiments.catalogue import experiments
    >>> len(chosen(experiments().values(), "sim")) > 30
    True
    """
    return [one for one in known if not one.graphs or machine in one.graphs]
