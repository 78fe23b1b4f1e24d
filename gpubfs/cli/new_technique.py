"""`gpubfs new-technique`: the files that a technique of one's own begins with."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("new-technique")
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Where to; by default here.",
)
def new_technique(name: str, folder: Path) -> None:
    """Write a driver, a kernel and a test to begin with.

    The kernel is yours to write; until then the test fails. All commands take the driver's file
    in the place of a technique's name.

    \b
    Example: gpubfs new-technique my-search --folder mine
    Example: gpubfs run mine/my_search.py --graph toy
    """
    from gpubfs.search.template import new_technique as write

    driver, kernel, test = write(name, folder)
    click.echo(f"{driver}\n{kernel}\n{test}")
    click.echo(f"Write the kernel in {kernel.name}, then: python -m pytest {test}")
