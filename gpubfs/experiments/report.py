"""Reports as tables: what was measured, what the paper says, and where the two agree."""

from __future__ import annotations

import html as escaping
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpubfs.experiments.experiment import Report
from gpubfs.graphs.build import count
from gpubfs.graphs.labels import relabelled
from gpubfs.render.sheets import Sheet
from gpubfs.render.views import view

if TYPE_CHECKING:
    from rich.console import RenderableType


@view(Report)
def terminal(report: Report, width: int) -> Iterator[RenderableType]:
    """Show a report in a terminal."""
    from rich.text import Text

    yield Text(report.experiment.question, style="bold")
    yield Text(f"{report.experiment.origin}; here: {report.where}")
    for sheet in _sheets(report):
        yield ""
        yield sheet
    yield ""
    yield from map(Text, _said(report))


@view(Report)
def html(report: Report) -> str:
    """Show a report in a notebook."""
    sheets = "".join(sheet.html() for sheet in _sheets(report))
    said = "".join(f"<li>{escaping.escape(one)}</li>" for one in _said(report))
    return f"<p>{escaping.escape(report.experiment.question)}</p>{sheets}<ul>{said}</ul>"


def _said(report: Report) -> Iterator[str]:
    """Yield the verdicts with files called by their names."""
    specs = [point.graph for point in report.points]
    yield from (relabelled(str(verdict), specs) for verdict in report.verdicts)
    if not report.complete:
        made = count(len(report.points), "point was", "points were")
        yield f"not decided: {made} measured, and then something ended it"


def _sheets(report: Report) -> Iterator[Sheet]:
    """Yield the tables with files called by their names, and the paper's."""
    specs = [point.graph for point in report.points]
    for sheet in report.sheets:
        yield sheet.translated(lambda text: relabelled(text, specs))
    if report.sheet is not None:
        yield report.sheet
