"""`gpubfs check FOLDER`: how many of the kernels below a folder the simulator accepts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpubfs.cli.common import print_json, steps_bar
from gpubfs.errors import UsageError

if TYPE_CHECKING:
    from gpubfs.machines.corpus.judging import Verdict
    from gpubfs.machines.corpus.summary import Summary

_MOST_CAUSES = 20


def check_folder(
    folder: Path, defines: tuple[str, ...], includes: tuple[Path, ...], limit: float, as_json: bool
) -> int:
    """Check all kernels below a folder, print what came of it, and return the exit code."""
    from gpubfs.kernels import KERNELS
    from gpubfs.machines.corpus.judging import Settings
    from gpubfs.machines.corpus.summary import Summary, files_in, verdicts

    files = files_in(folder)
    if not files:
        raise UsageError(
            f"there is no .cu, .cuh or .py file with kernels below {folder}", "name another folder"
        )
    settings = Settings(defines, (*includes, folder.resolve(), KERNELS))
    found: list[Verdict] = []
    with steps_bar(f"checking {folder}") as at_file:
        for number, some in enumerate(verdicts(files, settings, limit), 1):
            found += some
            at_file(number, len(files))
    summary = Summary(found)
    if as_json:
        print_json({"folder": str(folder), **summary.as_dict()})
    else:
        _print(summary)
    return 0 if summary.accepted == len(summary.counted) else 2


def _print(summary: Summary) -> None:
    counted = len(summary.counted)
    share = f" ({summary.accepted / counted:.1%})" if counted else ""
    click.echo(f"{summary.accepted} of {counted} kernels accepted{share}")
    if others := len(summary.verdicts) - counted:
        click.echo(f"{others} kernels do not count: NVRTC refuses them")
    if summary.causes:
        click.echo("\nWhy kernels are refused:")
    for cause, number in summary.causes[:_MOST_CAUSES]:
        where = f"  ({cause.file}:{cause.line})" if cause.line else ""
        click.echo(f"{number:5}  {cause.message}{where}")
    if summary.counted:
        click.echo("\nSlowest:")
    for one in summary.slowest:
        click.echo(f"{one.seconds:7.2f} s  {one.kernel}  ({one.file}:{one.line})")
