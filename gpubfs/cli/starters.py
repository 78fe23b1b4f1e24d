"""`gpubfs starters`: what students begin with, made from the solutions."""

from __future__ import annotations

from pathlib import Path

import click

from gpubfs.errors import UsageError


@click.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option("--check", is_flag=True, help="Write nothing; fail if one is not as it would be.")
def starters(path: Path, check: bool) -> None:
    """Make the starters of exercises from their solutions.

    Regions that a solution marks by BEGIN SOLUTION and END SOLUTION are left out. PATH is an
    exercise, a lesson or the folder of all lessons. For those who write exercises: it overwrites
    what was edited.

    \b
    Example: gpubfs starters lessons --check
    """
    from gpubfs.grading.loading import exercises, refuse_strays
    from gpubfs.grading.notebooks.release import starter_of

    refuse_strays(path)
    found = exercises(path)
    if not found:
        raise UsageError(f"there is no exercise in {path}", "name a folder of exercises")
    for exercise in found:
        solution = exercise.solution
        text = starter_of(solution.read_text(encoding="utf-8"), str(solution))
        now = exercise.starter
        if now.exists() and now.read_text(encoding="utf-8") == text:
            continue
        if check:
            raise UsageError(f"{now} is not what {solution} makes", f"gpubfs starters {path}")
        now.write_text(text, encoding="utf-8", newline="\n")
        click.echo(now)
