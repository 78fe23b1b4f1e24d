"""`gpubfs list`: the catalogue of techniques."""

from __future__ import annotations

import click

from gpubfs.cli.common import json_option, print_json, show


@click.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List techniques, papers and options.

    \b
    Example: gpubfs list
    """
    from gpubfs.search.catalogue import techniques
    from gpubfs.show.tables import techniques_sheet

    known = list(techniques().values())
    if as_json:
        print_json([technique.as_dict() for technique in known])
    else:
        show(techniques_sheet(known))
