"""`gpubfs bench`: times."""

from __future__ import annotations

import click

from gpubfs.cli.common import json_option, print_json, show, spinner


@click.command()
@click.argument("techniques", nargs=-1, metavar="[TECHNIQUE]...")
@click.option("--graph", "specs", multiple=True, metavar="SPEC", help="A graph; may be repeated.")
@click.option("--machine", default="sim", show_default=True, help="sim or gpu.")
@click.option(
    "--repeat", type=click.IntRange(min=1), default=3, show_default=True, help="Runs of each."
)
@json_option
def bench(
    techniques: tuple[str, ...],
    specs: tuple[str, ...],
    machine: str,
    repeat: int,
    as_json: bool,
) -> None:
    """Time techniques: all, or those named.

    The graphs are three of different shapes, or those given.

    \b
    Example: gpubfs bench scan-free --graph kron:12 --repeat 5
    """
    from gpubfs import bench as timing
    from gpubfs.technique import find

    names = [find(name).name for name in techniques]
    with spinner("bench") as tell:
        made = list(timing.bench(specs or timing.GRAPHS, names, machine, repeat, tell))
    if as_json:
        print_json(timing.as_dict(made))
    else:
        show(timing.sheet(made))
