"""`gpubfs lines`: a kernel's source with its counters beside it."""

from __future__ import annotations

import click

from gpubfs.cli.common import (
    graph_option,
    json_option,
    print_json,
    progress,
    show,
    simulator_options,
    source_option,
    technique_options,
)


@click.command()
@click.argument("technique")
@graph_option
@source_option
@click.option("--machine", default="sim", show_default=True, help="sim or gpu.")
@simulator_options
@technique_options
@json_option
def lines(
    technique: str,
    spec: str,
    source: int | None,
    machine: str,
    device: str | None,
    schedule: str | None,
    pairs: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print a kernel with counters beside each line.

    On gpu they are those of a build that counts.

    TECHNIQUE may bring its options with it: scan-free:block=64.

    \b
    Example: gpubfs lines scan-free --graph kron:10
    """
    from gpubfs.measure.annotate import annotated
    from gpubfs.search import runs
    from gpubfs.search.catalogue import find
    from gpubfs.search.option import parse

    name, given = parse(technique, pairs)
    chosen = find(name)
    with progress(f"{technique} on {spec}") as at_level:
        done = runs.run(
            chosen,
            spec,
            source,
            machine,
            counters=True,
            device=device,
            schedule=schedule,
            progress=at_level,
            **given,
        )
    if as_json:
        kept = ("technique", "graph", "source", "options", "sites")
        data = done.as_dict()
        print_json({"kernel": chosen.kernel} | {name: data[name] for name in kept})
    else:
        show(*annotated(done, chosen.kernel))
