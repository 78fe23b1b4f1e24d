"""`gpubfs run`: one verified run with its counters."""

from __future__ import annotations

from typing import Any

import click

from gpubfs.cli.common import json_option, print_json, show
from gpubfs.cli.settings import Settings, observe_option, sanitize_option, settings


@click.command()
@click.argument("technique")
@settings("spec", "source", "machine", "device", "schedule", "pairs")
@click.option("--levels", is_flag=True, help="Show what each level cost, too.")
@sanitize_option
@observe_option
@settings("counters")
@json_option
def run(given: Settings, technique: str, levels: bool, as_json: bool, **watched: Any) -> None:
    """Run a technique, verify it, print its counters.

    TECHNIQUE may bring its options with it: scan-free:block=64.

    \b
    Example: gpubfs run scan-free --graph kron:10 --option block=128
    """
    from gpubfs.show.level_facts import facts_sheets
    from gpubfs.show.tables import level_sheet

    done = given.run(technique, **watched)
    if as_json:
        print_json(done.as_dict())
    else:
        show(done, *([level_sheet(done), *facts_sheets(done)] if levels else []))
