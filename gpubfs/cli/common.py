"""What commands share: output as a table or as JSON, and progress."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpubfs.errors import UsageError
from gpubfs.search.plugins import plugin_of

if TYPE_CHECKING:
    from gpubfs.graphs import Graph
    from gpubfs.host import Progress

#: Columns of a table that is not printed on a terminal and whose width nobody set.
PIPE_WIDTH = 100

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


def page_option(words: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option of a page in Markdown, which `words` describe."""
    kind = click.Path(dir_okay=False, path_type=Path)
    return click.option("--page", type=kind, metavar="FILE.md", help=words)


def check_page(page: Path | None) -> None:
    """Raise UsageError where a page cannot be written, before anything is measured for it."""
    if page is not None and not os.access(page if page.exists() else page.parent, os.W_OK):
        raise UsageError(f"the page {page} cannot be written", "name a file in a folder of yours")


def print_json(data: Any) -> None:
    """Print JSON, in ASCII where the output is not UTF-8."""
    ascii_only = "utf" not in (sys.stdout.encoding or "").lower()
    click.echo(json.dumps(data, indent=2, ensure_ascii=ascii_only))


def with_plugin(thing: Any) -> dict[str, Any]:
    """Describe a technique or an experiment for JSON, with the plugin that defines it, if any."""
    plugin = plugin_of(thing.code)
    described: dict[str, Any] = thing.as_dict()
    return described | ({"plugin": plugin} if plugin else {})


def show(*things: Any, crop: bool = True) -> None:
    """Print tables, as wide as the terminal, or as COLUMNS says in a pipe.

    Lines that are not wrapped are cut there, unless `crop` is false.
    """
    from rich.console import Console

    terminal = sys.stdout.isatty()
    console = Console(width=None if terminal else _pipe_width(), highlight=False, soft_wrap=False)
    for number, thing in enumerate(things):
        if number:
            console.print()
        if terminal:
            console.print(thing, crop=crop)
            continue
        with console.capture() as made:
            console.print(thing, crop=crop)
        for line in made.get().splitlines():  # which end in blanks, up to the width
            sys.stdout.write(f"{line.rstrip()}\n")


def make_graph(spec: str) -> Graph:
    """Build the graph of a specification, and show a spinner meanwhile."""
    from gpubfs.graphs import graph

    with spinner(f"building {spec}"):
        return graph(spec)


@contextmanager
def spinner(title: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal that something is going on; yields a function that changes the title."""
    if not sys.stderr.isatty():
        yield lambda title: None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Bar(*columns, transient=True, console=Console(stderr=True)) as bar:
        task = bar.add_task(title)
        yield lambda title: bar.update(task, description=title)


@contextmanager
def progress(title: str, searches: int = 1) -> Iterator[Progress]:
    """Show a bar for one search or several; yields what is called at each level.

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
        task = bar.add_task(title, total=None)
        begun = expanded = 0

        def at_level(depth: int, frontier: int | None, vertices: int | None) -> None:
            nonlocal begun, expanded
            if depth == 0:
                begun, expanded = begun + 1, 0
            expanded += frontier or 0
            whole = vertices or 0
            noun = "vertex" if frontier == 1 else "vertices"
            size = "" if frontier is None else f", {frontier:,} {noun}"
            which = f" ({begun} of {searches})" if searches > 1 else ""
            bar.update(
                task,
                description=f"{title}{which}: level {depth}{size}",
                total=searches * whole or None,
                completed=(begun - 1) * whole + min(expanded, whole),
            )

        yield at_level


@contextmanager
def steps_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar of steps; yields what is called with those done and those there will be."""
    if not sys.stderr.isatty():
        yield lambda done, steps: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    text = TextColumn("{task.description}")
    columns = text, BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn()
    with Bar(*columns, transient=True, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, steps: bar.update(task, completed=done, total=steps)


def _pipe_width() -> int:
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdigit() and int(columns) > 0 else PIPE_WIDTH


class Terminated(SystemExit):
    """The end that SIGTERM asks for, wherever it arrives: in the code of a plugin, too."""


@contextmanager
def stopped_by_term() -> Iterator[None]:
    """Take SIGTERM as an end in order, in which temporary files are taken away."""

    def stop(number: int, frame: object) -> None:
        raise Terminated(128 + number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
