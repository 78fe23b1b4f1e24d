"""`gpubfs check`: what the simulator, and NVRTC where installed, say of CUDA files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpubfs.cli.common import json_option, print_json
from gpubfs.errors import UsageError

if TYPE_CHECKING:
    from gpubfs.machines.checking import Checked

#: Files of exercises that are in other languages.
OTHERS = {".py": "Python", ".toml": "TOML", ".ipynb": "a notebook"}

_FILE = click.Path(exists=True, allow_dash=True, path_type=Path)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_SECONDS = click.FloatRange(min=0, min_open=True)


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=_FILE)
@click.option("--define", "-D", "defines", multiple=True, metavar="NAME=VALUE", help="A macro.")
@click.option(
    "--include", "-I", "includes", multiple=True, type=_FOLDER, help="Of a folder: its headers."
)
@click.option(
    "--limit", default=60.0, show_default=True, type=_SECONDS, help="Of a folder: seconds a kernel."
)
@json_option
def check(
    files: tuple[Path, ...],
    defines: tuple[str, ...],
    includes: tuple[Path, ...],
    limit: float,
    as_json: bool,
) -> None:
    """Check CUDA files with both compilers; - stands for standard input.

    Of a folder, each kernel in the .cu and .cuh files and in the strings of .py files below it is
    checked alone, with what it needs; the host's part is set aside. How many are accepted, and why
    others are not, is printed. Kernels count that NVRTC accepts, where it is installed.

    Of a driver in Python that has kernels of its own, the text KERNEL is checked.

    Prints what the simulator cannot accept and where, what is legal and probably wrong, and the
    kernels. NVRTC's verdict is part of it where NVRTC is installed.

    \b
    Exits with 0 if all is accepted; warnings and notes change nothing;
               1 if only NVRTC refuses a file;
               2 if the simulator refuses a file or finds no kernel in it.

    \b
    Example: gpubfs check my_kernel.cu -D WIDTH=8
    """
    if any(file.is_dir() for file in files):
        code = _folder(files, defines, includes, limit, as_json)
        raise click.exceptions.Exit(code)
    found = [_checked(file, defines) for file in files]
    if as_json:
        data = [checked.as_dict() for checked in found]
        print_json(data if len(data) > 1 else data[0])
    else:
        _print(found)
    code = max(_exit_code(checked) for checked in found)
    if code:
        raise click.exceptions.Exit(code)


def _folder(
    files: tuple[Path, ...],
    defines: tuple[str, ...],
    includes: tuple[Path, ...],
    limit: float,
    as_json: bool,
) -> int:
    from gpubfs.cli.check_folder import check_folder

    if len(files) > 1:
        raise UsageError("a folder is checked alone", "name one folder, or files")
    return check_folder(files[0], defines, includes, limit, as_json)


def _checked(file: Path, defines: tuple[str, ...]) -> Checked:
    from gpubfs.machines.checking import check_file, check_text

    if file.suffix == ".py" and (text := _kernels_of(file)):
        return check_text(text, str(file), file.parent, defines)
    if file.suffix in OTHERS:
        raise UsageError(f"{file} is {OTHERS[file.suffix]} and no CUDA", "name .cu files")
    if str(file) != "-":
        return check_file(file, defines)
    return check_text(sys.stdin.buffer.read(), "<stdin>", Path(), defines)


def _kernels_of(file: Path) -> str:
    """Return the kernels of a driver that has its own, where they are in the file; "" without."""
    from gpubfs.grading.driving.own_kernel import NAME, kernels_in
    from gpubfs.grading.exercise import UnreadableError

    try:
        text = file.read_text(encoding="utf-8-sig")
    except ValueError:
        return ""
    if not any(line.startswith(NAME) for line in text.split("\n")):
        return ""
    try:
        return kernels_in(text, str(file))
    except UnreadableError as error:
        raise UsageError(f"{file}: {error.failure.message}", error.failure.detail) from None


def _exit_code(checked: Checked) -> int:
    if not checked.ok:
        return 2
    return 1 if checked.nvrtc_accepts is False else 0


def _print(found: Sequence[Checked]) -> None:
    for checked in found:
        for diagnostic in checked.diagnostics:
            click.echo(str(diagnostic), err=True)
        click.echo(f"{checked.name}: {_summary(checked)}")
        for kernel in checked.kernels:
            click.echo(f"  {kernel.name}({', '.join(map(str, kernel.parameters))})")
        for line in (f"NVRTC: {checked.nvrtc_text}" if checked.nvrtc_text else "").splitlines():
            click.echo(line)
    if len(found) > 1:
        refused = sum(_exit_code(checked) > 0 for checked in found)
        click.echo(f"{len(found)} files: {len(found) - refused} accepted, {refused} refused")


def _summary(checked: Checked) -> str:
    """Both verdicts in one line, and how much there is."""
    verb = "accepted" if checked.ok else "refused"
    words = f"{verb} by the simulator"
    if checked.nvrtc_accepts is None:
        words += ", NVRTC was not asked"
    elif checked.nvrtc_accepts == checked.ok:
        words += " and by NVRTC"
    else:
        words += f", {'accepted' if checked.nvrtc_accepts else 'refused'} by NVRTC"
    sizes = [(len(checked.kernels), "kernel"), (checked.count("warning"), "warning")]
    counted = ", ".join(f"{n} {noun}{'s' * (n > 1)}" for n, noun in sizes if n)
    return f"{words} ({counted})" if counted else words
