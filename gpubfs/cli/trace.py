"""`gpubfs trace`: a run step by step, on the terminal or as a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpubfs.cli.common import (
    json_option,
    make_graph,
    print_json,
    progress,
    spinner,
    steps_bar,
    stopped_by_term,
)
from gpubfs.cli.films import film_options
from gpubfs.cli.launched import Launched, launched_options
from gpubfs.cli.own_kernels import own_kernel
from gpubfs.cli.settings import Settings, settings
from gpubfs.cli.streams import tell
from gpubfs.cli.submitted import Submitted, require, submitted_options, tell_failure

if TYPE_CHECKING:
    from gpubfs.grading.steps.watching import RunTrace
    from gpubfs.show.traces.files.film import Film
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
@click.argument("techniques", nargs=-1, metavar="TECHNIQUE [TECHNIQUE]")
@settings("spec", "source", "device", "schedule", "pairs", optional=True)
@submitted_options
@launched_options
@click.option(
    "--level", "levels", metavar="LEVEL", callback=_levels, help="Only this level, or these: 2-4."
)
@click.option(
    "--step",
    type=click.IntRange(1),
    help="The step to begin with: by default the first of the kernel's own file, of two techniques "
    "the first at which they differ, of an exercise where it goes wrong.",
)
@film_options
@click.option("--plain", is_flag=True, help="Print frames as plain text, on a terminal, too.")
@click.option("--all", "everything", is_flag=True, help="Print all steps, however many.")
@json_option
def trace(
    given: Settings,
    techniques: tuple[str, ...],
    submitted: Submitted | None,
    launched: Launched,
    levels: range | None,
    step: int | None,
    to: Path | None,
    film: Film | None,
    plain: bool,
    everything: bool,
    as_json: bool,
) -> None:
    """Step through a run: source, lanes, sectors, queues.

    Shows what every lane of a warp does, what memory sees of it, who waits for whom, and how the
    queues and the levels of the graph grow. Two techniques are shown side by side, at the same
    level, from the first step on at which they differ. On a terminal there are panes as on a page:
    keys and the mouse lead on and back, and ? lists them and says what signs mean. Elsewhere, and
    with --plain, all steps are printed, COLUMNS wide and LINES high (80 by 24); what would be
    longer than 20 MB is only printed with --all.

    With --device toy2 warps have two lanes, as in the figures of the papers; blocks of few threads
    (--option block=2) keep it small. A technique may bring options with it: scan-free:block=64.

    With --exercise your own kernel is traced, in a case that it loses, in the order of warps and
    under the sanitizers that find it out. It begins at the step where it goes wrong, as far as that
    is known: at the fault, at one side of a race, at the last write to a result that is wrong.

    A CUDA file of your own is launched as a TOML file says: its kernel, grid and block, perhaps
    shared (bytes), sanitize ("all") and cooperative, and under [arguments] by the names of the
    kernel's parameters numbers, lists of values, or arrays { shape = 64, fill = "arange" }.

    A film for talks has 1920 by 1080 pixels, large letters, and at most 600 steps; .mp4 and .webm
    need the extra gpubfs[film].

    \b
    Example: gpubfs trace scan-free --graph toy --source 0 --device toy2 --option block=2
    Example: gpubfs trace strided-scan double-scan --graph kron:8
    Example: gpubfs trace scan-free --graph kron:8 --export trace.html
    Example: gpubfs trace scan-free --graph toy --export search.gif --steps 10-60
    Example: gpubfs trace --exercise lessons/00-warp/exercises/reverse --case 2
    Example: gpubfs trace mine.cu --launch mine.toml
    Example: gpubfs trace mine.cu --kernel twice --grid 1 --block 32 --arg a=arange:32 --arg n=32
    """
    check_file(to)
    if submitted is not None or launched.files(techniques):
        found = _of_kernel(given, techniques, levels, submitted, launched)
        present(found, step, to, as_json, everything, film, plain)
        return
    require("techniques", "spec")
    if len(techniques) > 2:
        raise click.UsageError("one technique is traced, or two side by side")
    present(_recorded(given, techniques, levels), step, to, as_json, everything, film, plain)


def _of_kernel(
    given: Settings,
    names: tuple[str, ...],
    levels: range | None,
    submitted: Submitted | None,
    launched: Launched,
) -> RunTrace:
    """Return the steps of a kernel of the user's own, and say where it goes wrong."""
    others = given.named("spec", "source", "pairs") | {"--level": levels}
    with own_kernel(given, names, others, submitted, launched) as watched:
        found = watched.traced()
    if submitted is None and found.failure is not None:
        tell_failure(found.title, found.failure, "stopped")
    if found.at is not None and not found.cut:
        tell(f"it goes wrong at step {found.at + 1:,} of {len(found):,}; --step 1 is the first")
    if found.cut:
        tell("there are more steps than a trace can hold: the last ones are left out")
    return found


def check_file(to: Path | None) -> None:
    """Refuse a file that cannot be written, before anything is recorded for it."""
    from gpubfs.show.traces.files.export import check_path

    if to is not None:
        check_path(to)


def present(
    show: Any,
    step: int | None,
    to: Path | None,
    as_json: bool,
    everything: bool,
    film: Film | None = None,
    plain: bool = False,
) -> None:
    """Lead through steps on a terminal, print them elsewhere, or write a file or JSON of them.

    Parameters
    ----------
    show : Steppable
        The steps.
    step : int, optional
        That to begin with, from 1; by default where the trace begins.
    to : Path, optional
        The file to write.
    as_json : bool
        Whether to print JSON.
    everything : bool
        Whether to print them however many they are.
    film : Film, optional
        The steps of a film, and how fast they are shown.
    plain : bool
        Whether frames are printed on a terminal, too.
    """
    from rich.console import Console

    from gpubfs.show.traces.files.export import export
    from gpubfs.show.traces.steppable import opening
    from gpubfs.show.traces.terminal.session import (
        can_step_through,
        check_length,
        plain_console,
        print_frames,
        step_through,
    )

    printed = to is None and (as_json or plain or not can_step_through(Console()))
    at = _begin(show, step, printed)
    if printed:
        check_length(show, at, as_json, everything, tell)
        if at and not as_json and (message := opening(show, at, "--step 1 is the first")):
            tell(message)
    if as_json:
        print_json(show.as_dict())
    elif to is not None:
        if film is not None:
            with stopped_by_term(), steps_bar("drawing") as tell_steps:
                export(show, to, at, film=replace(film, tell=tell_steps))
            return
        with spinner(f"drawing {len(show):,} steps"):
            export(show, to, at)
    elif plain:
        print_frames(show, at, plain_console())
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


def _begin(show: Steppable, step: int | None, printed: bool) -> int:
    if step is None:
        return show.first_printed if printed else show.begin
    if step > len(show):
        raise click.UsageError(f"there is no step {step:,}: the last one is {len(show):,}")
    return step - 1
