"""`gpubfs run`: one verified run with its counters."""

from __future__ import annotations

import click

from gpubfs.cli.common import (
    counters_option,
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
@click.option("--levels", is_flag=True, help="Show what each level cost, too.")
@click.option(
    "--sanitize",
    default="",
    metavar="NAMES",
    help="Watch for bugs on sim: all, or race, init, sync with commas between them.",
)
@counters_option
@json_option
def run(
    technique: str,
    spec: str,
    source: int | None,
    machine: str,
    device: str | None,
    schedule: str | None,
    pairs: tuple[str, ...],
    levels: bool,
    sanitize: str,
    counters: bool | None,
    as_json: bool,
) -> None:
    """Run a technique, verify it, print its counters.

    TECHNIQUE may bring its options with it: scan-free:block=64.

    \b
    Example: gpubfs run scan-free --graph kron:10 --option block=128
    """
    from gpubfs.search import runs
    from gpubfs.search.option import parse
    from gpubfs.show.tables import level_sheet

    name, given = parse(technique, pairs)
    with progress(f"{technique} on {spec}") as at_level:
        done = runs.run(
            name,
            spec,
            source,
            machine,
            device=device,
            schedule=schedule,
            counters=counters,
            sanitize=sanitize,
            progress=at_level,
            **given,
        )
    if as_json:
        print_json(done.as_dict())
    else:
        show(done, *([level_sheet(done)] if levels else []))
