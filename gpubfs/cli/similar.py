"""`gpubfs similar`: pairs of a class's submissions that share passages."""

from __future__ import annotations

from pathlib import Path

import click

from gpubfs.cli.common import show, spinner

_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command()
@click.argument("folder", type=_FOLDER)
@click.option("--exercise", "of", type=_FOLDER, required=True, metavar="DIR", help="The exercise.")
@click.option(
    "--noise",
    type=click.IntRange(1),
    default=16,
    show_default=True,
    metavar="WORDS",
    help="Shared passages of fewer words are never found.",
)
@click.option(
    "--guarantee",
    type=click.IntRange(1),
    default=30,
    show_default=True,
    metavar="WORDS",
    help="Shared passages of at least so many words are always found.",
)
@click.option(
    "--common",
    type=click.IntRange(1),
    metavar="N",
    help="Leave out what more than N students have, besides what the starter has.",
)
@click.option(
    "--given",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    multiple=True,
    metavar="FILE",
    help="Leave out what is in this file, such as a kernel of the lesson; may be repeated.",
)
@click.option(
    "--top", type=click.IntRange(1), default=20, show_default=True, help="How many pairs to show."
)
@click.option(
    "--to",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("similar.html"),
    show_default=True,
    metavar="FILE.html",
    help="The page with the passages side by side.",
)
def similar(
    folder: Path,
    of: Path,
    noise: int,
    guarantee: int,
    common: int | None,
    given: tuple[Path, ...],
    top: int,
    to: Path,
) -> None:
    """Find submissions of a class that share passages, for you to look at.

    FOLDER is the class, as for grade-all. Programs are compared as words: every name of the
    author's is the same word, as is every number; comments and white space are none. What the
    starter has does not count. Fingerprints are chosen by winnowing (Schleimer, Wilkerson and
    Aiken 2003), which misses no shared passage as long as --guarantee.

    A shared passage is a reason to look, and no proof: exercises of a few lines have few right
    answers.

    \b
    Example: gpubfs similar handed-in --exercise lessons/03-frontier-queues/exercises/block-tail
    Example: gpubfs similar handed-in --exercise lessons/01-levels/exercises/expand \\
               --given gpubfs/kernels/status_array.cu --common 30
    """
    from gpubfs.grading.loading import load
    from gpubfs.grading.similarity.page import pairs_sheet
    from gpubfs.grading.similarity.report import compare_class
    from gpubfs.grading.similarity.winnowing import Thresholds

    exercise = load(of)
    with spinner("comparing"):
        report = compare_class(folder, exercise, given, Thresholds(noise, guarantee), common)
        report.write(exercise.name, top, to)
    if report.pairs:
        show(pairs_sheet(report.pairs[:top], f"{exercise.name}: similar submissions"))
        more = len(report.pairs) - top
        if more > 0:
            click.echo(f"and {more:,} more that share less, or as much: --top")
    else:
        click.echo(f"{exercise.name}: no two of {len(report.texts)} submissions share a passage")
    for note in report.notes:
        click.echo(note, err=True)
    click.echo(f"written: {to}")
