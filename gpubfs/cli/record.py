"""`gpubfs record`: what this machine's GPU says, for comparisons anywhere."""

from __future__ import annotations

from pathlib import Path

import click

from gpubfs.cli.common import spinner


@click.command()
@click.argument("techniques", nargs=-1, metavar="[TECHNIQUE]...")
@click.option("--graph", "specs", multiple=True, metavar="SPEC", help="A graph; may be repeated.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE.json",
    help="Where to; what is there of other techniques and graphs stays.",
)
def record(techniques: tuple[str, ...], specs: tuple[str, ...], output: Path) -> None:
    """Record what this GPU counts, by itself and under Nsight Compute.

    All techniques on all reference graphs, or those named.

    \b
    Example: gpubfs record --output gpubfs/measure/hardware/data/h200.json
    """
    from gpubfs.measure.hardware import records
    from gpubfs.measure.hardware.recording import record as recorded
    from gpubfs.measure.hardware.records import GRAPHS
    from gpubfs.measure.hardware.records import specs as all_specs

    with spinner("record") as tell:
        old = records.read(output) if output.exists() else None
        made = recorded(techniques or all_specs(), specs or GRAPHS, tell, old)
        made = made if old is None else records.joined(old, made)
        records.write(output, made)
    click.echo(f"{len(made.records)} records of the {made.device} in {output}")
