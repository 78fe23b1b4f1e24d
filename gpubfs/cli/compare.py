"""`gpubfs compare`: techniques, or machines, side by side."""

from __future__ import annotations

import click

from gpubfs.cli.common import json_option, print_json, progress, show, spinner
from gpubfs.cli.settings import Settings, settings


@click.command()
@click.argument("techniques", nargs=-1, required=True, metavar="TECHNIQUE...")
@settings("spec", "source")
@click.option(
    "--machine", "machines", multiple=True, default=("sim",), help="sim or gpu; may be repeated."
)
@settings("device", "schedule", "counters")
@click.option(
    "--against",
    metavar="GPU",
    help="Beside the simulator, what was recorded on a GPU: h200. It needs no GPU here.",
)
@json_option
def compare(
    given: Settings,
    techniques: tuple[str, ...],
    machines: tuple[str, ...],
    against: str | None,
    as_json: bool,
) -> None:
    """Compare techniques, machines, or the simulator with a recorded GPU.

    Runs every TECHNIQUE on the same graph and prints the counters with ratios to the first.

    A technique may bring options of its own: scan-free:block=64.

    \b
    Example: gpubfs compare status-array scan-free --graph kron:10
    Example: gpubfs compare scan-free --graph kron:12 --against h200
    """
    from gpubfs.measure import comparison

    if against is not None:
        chosen = given.among("source", "device", "schedule").values()
        if machines != ("sim",) or any(one is not None for one in chosen):
            raise click.UsageError(
                "--against compares the simulator as it is by default, from the graph's hub: leave "
                "out --machine, --source, --device and --schedule"
            )
        return _against(techniques, given.spec, against, as_json)
    searches = len(techniques) * len(machines)
    own = given.among("source", "device", "schedule", "counters")
    with progress(f"comparing on {given.spec}", searches) as at_level:
        made = comparison.compare(techniques, given.spec, machines, progress=at_level, **own)
    return print_json(made.as_dict()) if as_json else show(made)


def _against(techniques: tuple[str, ...], spec: str, against: str, as_json: bool) -> None:
    from gpubfs.measure.hardware import agreement
    from gpubfs.measure.hardware.cases import cases_of
    from gpubfs.measure.hardware.records import load

    records = load(against)
    found = [records.find(technique, spec) for technique in techniques]
    with spinner(f"simulating on {spec}"):
        cases = [cases_of(record) for record in found]
    if as_json:
        every = [case for own in cases for case in own]
        print_json({"device": records.device, "cases": agreement.as_dict(every)})
    else:
        show(*(agreement.witness_sheet(records, own) for own in cases))
