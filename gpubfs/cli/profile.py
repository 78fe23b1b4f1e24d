"""`gpubfs profile`: the simulator's counters beside the hardware's."""

from __future__ import annotations

import click

from gpubfs.cli.common import json_option, print_json, show, spinner
from gpubfs.cli.settings import Settings, settings


@click.command()
@click.argument("techniques", nargs=-1, required=True, metavar="TECHNIQUE...")
@settings("spec", "source")
@json_option
def profile(given: Settings, techniques: tuple[str, ...], as_json: bool) -> None:
    """Compare the simulator's counters with Nsight Compute's.

    Runs every TECHNIQUE on the simulator, and on the GPU under `ncu`, which must be installed and
    permitted to read the GPU's counters.

    A technique may bring options of its own: scan-free:block=64.

    \b
    Example: gpubfs profile scan-free --graph kron:12
    """
    from gpubfs.measure import nsight

    made = []
    for text in techniques:
        name, options = given.parse(text)
        with spinner(f"profiling {text}"):
            made.append(nsight.profile(name, given.spec, given.source, options))
    if as_json:
        print_json([one.as_dict() for one in made])
    else:
        show(nsight.sheet(made))
