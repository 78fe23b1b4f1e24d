"""`gpubfs bench`: times."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpubfs.cli.common import json_option, print_json, show, spinner
from gpubfs.cli.settings import option

if TYPE_CHECKING:
    from gpubfs.search.technique import Technique


FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("techniques", nargs=-1, metavar="[TECHNIQUE]...")
@click.option("--graph", "specs", multiple=True, metavar="SPEC", help="A graph; may be repeated.")
@option("machine")
@click.option(
    "--repeat", type=click.IntRange(min=1), default=3, show_default=True, help="Runs of each."
)
@click.option(
    "--against",
    type=FILE,
    metavar="SCRIPT",
    help="A Python program to race: called with GRAPH.npz and SOURCE, it prints `seconds S`.",
)
@click.option(
    "--kernel",
    type=FILE,
    metavar="FILE.cu",
    help="In a race, a CUDA file to run in place of the technique's own.",
)
@json_option
def bench(
    techniques: tuple[str, ...],
    specs: tuple[str, ...],
    machine: str,
    repeat: int,
    against: Path | None,
    kernel: Path | None,
    as_json: bool,
) -> None:
    """Time techniques: all, or those named.

    The graphs are three of different shapes, or those given. With --against, the simulator races
    another program on the same graphs, alternately. A technique may bring options with it, but for
    races: scan-free:width=32.

    \b
    Example: gpubfs bench scan-free --graph kron:12 --repeat 5
    """
    from gpubfs.errors import UsageError
    from gpubfs.measure import bench as timing
    from gpubfs.search.catalogue import find
    from gpubfs.search.option import parse

    for spec in techniques:
        name, options = parse(spec)
        find(name).complete(options)
    if against is None:
        if kernel is not None:
            raise UsageError("--kernel is for races", "give --against SCRIPT, too")
        with spinner("bench") as tell:
            made = list(timing.bench(specs or timing.GRAPHS, techniques, machine, repeat, tell))
        return print_json(timing.as_dict(made)) if as_json else show(timing.sheet(made))
    if machine != "sim" or not techniques:
        raise UsageError(
            "a race is for named techniques on the machine sim", "such as: gpubfs bench scan-free"
        )
    return _race(
        [find(name) for name in techniques],
        specs or timing.GRAPHS,
        against,
        repeat,
        kernel,
        as_json,
    )


def _race(
    chosen: list[Technique],
    specs: tuple[str, ...],
    against: Path,
    repeat: int,
    kernel: Path | None,
    as_json: bool,
) -> None:
    from gpubfs.graphs import graph as make_graph
    from gpubfs.measure import contest

    with spinner("race") as tell:
        made = [
            contest.contest(technique, spec, against, repeat, kernel, tell)
            for spec in map(make_graph, specs)  # once: a pipe cannot be read again
            for technique in chosen
        ]
    if as_json:
        print_json([one.as_dict() for one in made])
    else:
        show(contest.sheet(made))
