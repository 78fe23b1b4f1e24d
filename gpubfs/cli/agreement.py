"""`gpubfs agreement`: how well the simulator agrees with a recorded GPU, all cases together."""

from __future__ import annotations

from pathlib import Path

import click

from gpubfs.cli.common import check_page, json_option, page_option, print_json, show, spinner


@click.command()
@click.argument("device", default="h200")
@click.option(
    "--schedules",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="Random schedules for the band of each technique on each graph.",
)
@page_option("Write a page with every case, too.")
@json_option
def agreement(device: str, schedules: int, page: Path | None, as_json: bool) -> None:
    """Hold the simulator against all that was recorded on a GPU.

    Runs every technique on every graph of the records, in lockstep and in many random orders: the
    hardware's is one order more. Takes minutes; --schedules 0 is quick and has no bands.

    \b
    Example: gpubfs agreement h200 --schedules 5
    """
    from gpubfs.measure.hardware import agreement as held
    from gpubfs.measure.hardware.cases import all_cases
    from gpubfs.measure.hardware.records import load

    check_page(page)
    records = load(device)
    with spinner("agreement") as tell:
        cases = all_cases(records, schedules, tell)
    if page is not None:
        page.write_text(held.page(records, cases, schedules), encoding="utf-8")
    if as_json:
        print_json({"device": records.device, "cases": held.as_dict(cases)})
    else:
        show(held.summary_sheet(records, cases), held.outside_sheet(cases))
