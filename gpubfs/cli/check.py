"""`gpubfs check`: what the simulator, and NVRTC where installed, say of a CUDA file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gpubfs.cli.common import json_option, print_json


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--define", "-D", "defines", multiple=True, metavar="NAME=VALUE", help="A macro.")
@json_option
def check(file: Path, defines: tuple[str, ...], as_json: bool) -> None:
    """Check a CUDA file with both compilers.

    Prints the kernels of FILE, or what the simulator cannot accept and where.
    Exits with 0 if the simulator accepts the file and finds a kernel in it, else with 2. NVRTC's
    verdict follows where it is installed.

    \b
    Example: gpubfs check my_kernel.cu -D WIDTH=8
    """
    from gpubfs.checking import check_file

    found = check_file(file, defines)
    if as_json:
        print_json(found)
    else:
        _print(file, found)
    if not found["ok"]:
        raise click.exceptions.Exit(2)


def _print(file: Path, found: dict[str, Any]) -> None:
    for diagnostic in (*found["diagnostics"], *found["notes"]):
        click.echo(diagnostic, err=True)
    if found["ok"]:
        click.echo(f"{file}: ok")
        for kernel in found["kernels"]:
            parameters = ", ".join(
                f"{p['type']} {p['name']}".replace("* ", "*") for p in kernel["parameters"]
            )
            click.echo(f"  {kernel['name']}({parameters})")
    for line in f"NVRTC: {found['nvrtc']}".splitlines():
        click.echo(line)
