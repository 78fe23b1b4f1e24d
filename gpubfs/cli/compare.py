"""`gpubfs compare`: techniques, or machines, side by side."""

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
)


@click.command()
@click.argument("techniques", nargs=-1, required=True, metavar="TECHNIQUE...")
@graph_option
@source_option
@click.option(
    "--machine", "machines", multiple=True, default=("sim",), help="sim or gpu; may be repeated."
)
@simulator_options
@json_option
def compare(
    techniques: tuple[str, ...],
    spec: str,
    source: int | None,
    machines: tuple[str, ...],
    device: str | None,
    schedule: str | None,
    as_json: bool,
) -> None:
    """Compare techniques, or machines.

    Runs every TECHNIQUE on the same graph and prints the counters with ratios to the first.

    A technique may bring options of its own: scan-free:block=64.

    \b
    Example: gpubfs compare status-array scan-free --graph kron:10
    """
    from gpubfs import comparison

    searches = len(techniques) * len(machines)
    with progress(f"comparing on {spec}", searches) as at_level:
        made = comparison.compare(
            techniques,
            spec,
            machines,
            source=source,
            device=device,
            schedule=schedule,
            progress=at_level,
        )
    if as_json:
        print_json(made.as_dict())
    else:
        show(made)
