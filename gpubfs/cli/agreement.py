"""`gpubfs agreement`: how well the simulator agrees with a recorded GPU, all cases together."""

from __future__ import annotations

from pathlib import Path

import click

from gpubfs.cli.common import json_option, print_json, show, spinner


@click.command()
@click.argument("device", default="h200")
@click.option(
    "--schedules",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="Random schedules for the band of each case outside of what is promised.",
)
@click.option(
    "--page",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.md",
    help="Write a page with every case, too.",
)
@json_option
def agreement(device: str, schedules: int, page: Path | None, as_json: bool) -> None:
    """Hold the simulator against all that was recorded on a GPU.

    Runs every technique and graph of the records, and for those that are farther from the hardware
    than is promised many random schedules: the hardware's is one order more.

    \b
    Example: gpubfs agreement h200 --schedules 5
    """
    from gpubfs.witnesses import agreement as held
    from gpubfs.witnesses.records import load

    records = load(device)
    with spinner("agreement") as tell:
        cases = held.all_cases(records, tell)
        outside = [case for case in cases if case.outside]
        bands: list[tuple[int, int] | None] = []
        for case in outside:
            tell(f"{case.technique} on {case.graph}, {schedules} schedules")
            bands.append(held.band(case, schedules) if schedules else None)
    if page is not None:
        page.write_text(held.page(records, cases, bands), encoding="utf-8")
    if as_json:
        print_json({"device": records.device, "cases": held.as_dict(cases)})
    else:
        show(held.summary_sheet(records, cases), held.outside_sheet(outside, bands))
