"""`gpubfs gradescope`: a lesson as an autograder for Gradescope."""

from __future__ import annotations

import os
from pathlib import Path

import click


@click.command()
@click.argument("lesson", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--to",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("autograder.zip"),
    show_default=True,
    metavar="FILE.zip",
    help="The zip to write; one that is there is replaced.",
)
def gradescope(lesson: Path, to: Path) -> None:
    """Write an autograder for Gradescope.

    LESSON is a lesson's folder, or that of one exercise. The zip has this gpubfs, the exercises
    without their solutions, and what Gradescope runs: setup.sh and run_autograder.

    Students hand in a file for each exercise, named after it, such as reverse.cu; reverse (1).cu
    and reverse/starter.cu are understood, too. What is missing gets 0, and what is for no exercise
    is named.

    Hidden cases depend on the secret in the environment variable GPUBFS_SECRET, which is written
    into the zip; without one they are left out. So keep the zip to yourself.

    \b
    Example: GPUBFS_SECRET="…" gpubfs gradescope lessons/00-warp --to autograder.zip
    """
    from gpubfs.grading.platforms.autograder_zip import write_autograder
    from gpubfs.grading.processes.sandbox import SECRET

    secret = os.environ.get(SECRET, "")
    found = write_autograder(lesson, to, secret)
    total = 0.0
    for exercise in found:
        file = f"{exercise.folder.name}{exercise.suffix}"
        points = sum(case.points for case in exercise.cases if secret or not case.hidden)
        total += points
        click.echo(f"{exercise.name}: {points:g} points, handed in as {file}")
    hidden = sum(case.hidden for exercise in found for case in exercise.cases)
    if hidden and not secret:
        click.echo(f"hidden cases are left out ({hidden}): {SECRET} is not set", err=True)
    click.echo(f"written: {to}, {total:g} points in all")
