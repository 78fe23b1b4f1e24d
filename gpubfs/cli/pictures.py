"""`gpubfs pictures`: the README's and the lessons' pictures, drawn anew."""

from __future__ import annotations

import click

from gpubfs.cli.common import spinner
from gpubfs.errors import UsageError


@click.command()
@click.option("--check", is_flag=True, help="Draw nothing; fail if one shows what is no longer so.")
def pictures(check: bool) -> None:
    """Draw the README's and the lessons' pictures anew.

    For those who change a kernel, or how traces look.

    \b
    Example: gpubfs pictures --check
    """
    from gpubfs.show.pictures import draw, stale

    with spinner("drawing"):
        old = stale() if check else []
        drawn = [] if check else draw()
    if old:
        raise UsageError(f"not of today: {', '.join(old)}", "draw them: gpubfs pictures")
    for path in drawn:
        click.echo(path)
