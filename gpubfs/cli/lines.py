"""`gpubfs lines`: a kernel's source with its counters beside it."""

from __future__ import annotations

import click

from gpubfs.cli.common import json_option, print_json, show
from gpubfs.cli.settings import Settings, settings


@click.command()
@click.argument("technique")
@settings("spec", "source", "machine", "device", "schedule", "pairs")
@json_option
def lines(given: Settings, technique: str, as_json: bool) -> None:
    """Print a kernel with counters beside each line.

    On gpu they are those of a build that counts.

    TECHNIQUE may bring its options with it: scan-free:block=64.

    \b
    Example: gpubfs lines scan-free --graph kron:10
    """
    from gpubfs.measure.annotate import annotated
    from gpubfs.search.catalogue import find

    chosen = find(given.parse(technique)[0])
    done = given.run(technique, chosen, counters=True)
    if as_json:
        kept = ("technique", "graph", "source", "options", "sites")
        data = done.as_dict()
        print_json({"kernel": chosen.kernel} | {name: data[name] for name in kept})
    else:
        show(*annotated(done, chosen.kernel))
