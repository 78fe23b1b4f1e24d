"""What commands share: options, output as a table or as JSON, progress."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from gpubfs.graphs import Graph
    from gpubfs.host import Progress

#: Columns of a table that is not printed on a terminal and whose width nobody set.
PIPE_WIDTH = 100

Command = TypeVar("Command", bound=Callable[..., Any])


def graph_option(command: Command) -> Command:
    """Add ``--graph``."""
    words = "The graph, such as kron:10, grid:64x64, toy or file:PATH; see `gpubfs graph --help`."
    return click.option("--graph", "spec", metavar="SPEC", required=True, help=words)(command)


def source_option(command: Command) -> Command:
    """Add ``--source``."""
    words = "Where to begin; by default the vertex of highest degree."
    return click.option("--source", type=int, metavar="VERTEX", help=words)(command)


def json_option(command: Command) -> Command:
    """Add ``--json``."""
    words = "Print JSON for programs."
    return click.option("--json", "as_json", is_flag=True, help=words)(command)


def counters_option(command: Command) -> Command:
    """Add ``--counters/--no-counters``."""
    words = "Count: on sim by default; on gpu a build runs that counts, and takes its time."
    return click.option("--counters/--no-counters", default=None, help=words)(command)


def simulator_options(command: Command) -> Command:
    """Add ``--device`` and ``--schedule``."""
    profile = "The GPU that sim pretends to be: h200 (the default), toy2, toy4, v100 and others."
    order = "In which order sim runs warps: lockstep (the default), warp, shuffled:SEED, "
    order += "round-robin:SEED or random:SEED."
    command = click.option("--schedule", metavar="NAME", help=order)(command)
    return click.option("--device", metavar="PROFILE", help=profile)(command)


def technique_options(command: Command) -> Command:
    """Add ``--option``."""
    words = "An option of the technique, such as block=128; may be repeated."
    return click.option("--option", "pairs", metavar="NAME=VALUE", multiple=True, help=words)(
        command
    )


def print_json(data: Any) -> None:
    """Print JSON, in ASCII where the output is not UTF-8."""
    ascii_only = "utf" not in (sys.stdout.encoding or "").lower()
    click.echo(json.dumps(data, indent=2, ensure_ascii=ascii_only))


def show(*things: Any) -> None:
    """Print tables, as wide as the terminal, or as COLUMNS says in a pipe."""
    from rich.console import Console

    terminal = sys.stdout.isatty()
    console = Console(width=None if terminal else _pipe_width(), highlight=False, soft_wrap=False)
    for number, thing in enumerate(things):
        if number:
            console.print()
        if terminal:
            console.print(thing)
            continue
        with console.capture() as made:
            console.print(thing)
        for line in made.get().splitlines():  # which end in blanks, up to the width
            sys.stdout.write(f"{line.rstrip()}\n")


def make_graph(spec: str) -> Graph:
    """The graph of a specification, a spinner turning meanwhile."""
    from gpubfs.graphs import graph

    with spinner(f"building {spec}"):
        return graph(spec)


@contextmanager
def spinner(words: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal that something is going on; gives a function that changes the words."""
    if not sys.stderr.isatty():
        yield lambda words: None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Bar(*columns, transient=True, console=Console(stderr=True)) as bar:
        task = bar.add_task(words)
        yield lambda words: bar.update(task, description=words)


@contextmanager
def progress(words: str, searches: int = 1) -> Iterator[Progress]:
    """A bar for one search or several, to be called at each level.

    It grows with the vertices expanded, as far as the technique knows them; a search begins with
    its level 0.
    """
    if not sys.stderr.isatty():
        yield lambda depth, frontier, vertices: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = TextColumn("{task.description}"), BarColumn(20), TimeElapsedColumn()
    with Bar(*columns, transient=True, console=Console(stderr=True)) as bar:
        task = bar.add_task(words, total=None)
        begun = expanded = 0

        def at_level(depth: int, frontier: int | None, vertices: int | None) -> None:
            nonlocal begun, expanded
            if depth == 0:
                begun, expanded = begun + 1, 0
            expanded += frontier or 0
            whole = vertices or 0
            noun = "vertex" if frontier == 1 else "vertices"
            size = "" if frontier is None else f", {frontier:,} {noun}"
            turn = f" ({begun} of {searches})" if searches > 1 else ""
            bar.update(
                task,
                description=f"{words}{turn}: level {depth}{size}",
                total=searches * whole or None,
                completed=(begun - 1) * whole + min(expanded, whole),
            )

        yield at_level


def _pipe_width() -> int:
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdigit() and int(columns) > 0 else PIPE_WIDTH


@contextmanager
def stopped_by_term() -> Iterator[None]:
    """Take SIGTERM as an end in order, in which temporary files are taken away."""

    def stop(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
