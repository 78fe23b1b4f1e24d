"""`gpubfs slides`: a lesson's notebook, ready to be made into slides."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("notebook", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--to",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("slides.ipynb"),
    show_default=True,
    metavar="FILE.ipynb",
    help="The notebook to write; one that is there is replaced.",
)
def slides(notebook: Path, to: Path) -> None:
    """Write a lesson's notebook for slides, without the answers.

    A heading begins a slide to the right, other text one below it; code stands on the slide of its
    text. Then Jupyter makes a page of it and runs the cells: jupyter nbconvert --to slides.

    \b
    Example: gpubfs slides lessons/00-warp/00-warp.ipynb --to slides.ipynb
    """
    from gpubfs.errors import UsageError
    from gpubfs.grading.notebooks.slides import write_slides

    if to.resolve() == notebook.resolve():
        raise UsageError(f"{to} is the notebook itself", "name another file with --to")
    count = write_slides(notebook, to)
    click.echo(f"written: {to}, {count} slides")
    click.echo(f"now: jupyter nbconvert --to slides --execute --allow-errors {to}")
