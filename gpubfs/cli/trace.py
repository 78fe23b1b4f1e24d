"""`gpubfs trace`: a run step by step, on the terminal or as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpubfs.cli.common import json_option, make_graph, print_json, progress, spinner
from gpubfs.cli.settings import Settings, settings
from gpubfs.cli.streams import tell

if TYPE_CHECKING:
    from gpubfs.show.traces.steppable import Steppable


def _levels(context: click.Context, parameter: click.Parameter, value: str | None) -> range | None:
    """One level, or two with a hyphen between them, as a range."""
    if value is None:
        return None
    first, hyphen, last = value.partition("-")
    last = last if hyphen else first
    if not (first.isdecimal() and last.isdecimal()) or int(first) > int(last):
        raise click.BadParameter(f"{value!r} is no level, as 2 is, and no range, as 2-4 is")
    return range(int(first), int(last) + 1)


@click.command()
@click.argument("techniques", nargs=-1, required=True, metavar="TECHNIQUE [TECHNIQUE]")
@settings("spec", "source", "device", "schedule", "pairs")
@click.option(
    "--level", "levels", metavar="LEVEL", callback=_levels, help="Only this level, or these: 2-4."
)
@click.option("--step", type=click.IntRange(1), default=1, help="The step to begin with.")
@click.option(
    "--export",
    "to",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a page with a slider (.html), the picture of a step (.svg) or all as text (.txt).",
)
@click.option("--all", "everything", is_flag=True, help="Print all steps, however many.")
@json_option
def trace(
    given: Settings,
    techniques: tuple[str, ...],
    levels: range | None,
    step: int,
    to: Path | None,
    everything: bool,
    as_json: bool,
) -> None:
    """Step through a run: source, lanes, sectors, queues.

    Shows what every lane of a warp does, what memory sees of it, who waits for whom, and how the
    queues and the levels of the graph grow. Two techniques are shown side by side, at the same
    level. On a terminal, keys and the mouse lead on and back, and ? lists them; elsewhere all steps
    are printed, COLUMNS wide and LINES high (80 by 24); what would be longer than 20 MB is only
    printed with --all.

    With --device toy2 warps have two lanes, as in the figures of the papers; blocks of few threads
    (--option block=2) keep it small. A technique may bring options with it: scan-free:block=64.

    \b
    Example: gpubfs trace scan-free --graph toy --source 0 --device toy2 --option block=2
    Example: gpubfs trace strided-scan double-scan --graph kron:8
    Example: gpubfs trace scan-free --graph kron:8 --export trace.html
    """
    if len(techniques) > 2:
        raise click.UsageError("one technique is traced, or two side by side")
    check_file(to)
    present(_recorded(given, techniques, levels), step, to, as_json, everything)


def check_file(to: Path | None) -> None:
    """Refuse a file that cannot be written, before anything is recorded for it."""
    from gpubfs.show.traces.files.export import check_path

    if to is not None:
        check_path(to)


def present(show: Any, step: int, to: Path | None, as_json: bool, everything: bool) -> None:
    """Lead through steps on a terminal, print them elsewhere, or write a file or JSON of them.

    Parameters
    ----------
    show : Steppable
        The steps.
    step : int
        That to begin with, from 1.
    to : Path, optional
        The file to write.
    as_json : bool
        Whether to print JSON.
    everything : bool
        Whether to print them however many they are.
    """
    from rich.console import Console

    from gpubfs.show.traces.files.export import export
    from gpubfs.show.traces.terminal.session import can_step_through, check_length, step_through

    at = _begin(show, step)
    if to is None and (as_json or not can_step_through(Console())):
        check_length(show, at, as_json, everything, tell)
    if as_json:
        print_json(show.as_dict())
    elif to is not None:
        with spinner(f"drawing {len(show):,} steps"):
            export(show, to, at)
    else:
        step_through(show, at)


def _recorded(given: Settings, techniques: tuple[str, ...], levels: range | None) -> Any:
    from gpubfs.show.traces import Pair
    from gpubfs.show.traces import trace as record

    graph = make_graph(given.spec)
    own = given.among("source", "device", "schedule")
    found = []
    for technique in techniques:
        name, options = given.parse(technique)
        with progress(f"tracing {technique} on {given.spec}") as at_level:
            found.append(record(name, graph, levels=levels, progress=at_level, **own, **options))
    return found[0] if len(found) == 1 else Pair(*found)


def _begin(show: Steppable, step: int) -> int:
    if step > len(show):
        raise click.UsageError(f"there is no step {step:,}: the last one is {len(show):,}")
    return step - 1
