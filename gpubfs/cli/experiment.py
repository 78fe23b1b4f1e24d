"""`gpubfs experiment`: a paper's table or figure, measured anew."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpubfs.cli.common import (
    check_page,
    json_option,
    page_option,
    print_json,
    show,
    spinner,
    stopped_by_term,
    with_plugin,
)
from gpubfs.cli.gallery import draw_gallery
from gpubfs.cli.settings import option

if TYPE_CHECKING:
    from gpubfs.experiments.experiment import Report
    from gpubfs.experiments.lab import Measurement


@click.command()
@click.argument("name", required=False)
@option("machine")
@click.option(
    "--device",
    metavar="PROFILE",
    help="The GPU that sim pretends to be, in place of the experiment's own.",
)
@click.option(
    "--graph",
    "specs",
    multiple=True,
    metavar="SPEC",
    help="A graph in place of the experiment's own; may be repeated.",
)
@click.option(
    "--repeat",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="On gpu, of how many runs the median is taken; one more is made before them.",
)
@click.option(
    "--picture",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw a picture, too; FILE ends in .svg, .png or .pdf.",
)
@click.option(
    "--gallery",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Measure all experiments, or NAME, and make a page of their pictures in this folder.",
)
@page_option("Write the tables and the sentences in Markdown, too.")
@json_option
def experiment(
    name: str | None,
    machine: str,
    device: str | None,
    specs: tuple[str, ...],
    repeat: int,
    picture: Path | None,
    gallery: Path | None,
    page: Path | None,
    as_json: bool,
) -> None:
    """Measure a paper's table or figure anew, and compare.

    Without a NAME, lists the experiments. Prints what was measured, the paper's own figures, and
    where the two agree or differ: in counters on sim, in times on gpu. If an error or Ctrl-C ends
    it, the values that were measured until then are printed.

    With --gallery a page shows the picture of every experiment with its question and the command
    that draws it again; all of them take minutes on sim. The page grows with each that is finished,
    and keeps them after Ctrl-C.

    \b
    Example: gpubfs experiment dfq-memory
    Example: gpubfs experiment dfq-scaling --graph kron:13 --picture scaling.svg
    Example: gpubfs experiment --gallery pictures
    """
    from gpubfs.errors import UsageError
    from gpubfs.experiments.catalogue import find
    from gpubfs.experiments.lab import prepared
    from gpubfs.render.drawing import kept

    if gallery is not None:
        flags = ("--graph", "--device", "--picture", "--page", "--json")
        values = (specs, device, picture, page, as_json)
        if given := [flag for flag, value in zip(flags, values, strict=True) if value]:
            hint = "leave it out: a gallery has each experiment's own"
            raise UsageError(f"--gallery goes without {given[0]}", hint)
        draw_gallery(gallery, name, machine, repeat)
        return
    if name is None:
        if specs or picture or page or device:
            raise UsageError(
                "no experiment is named, so there is nothing to measure or to draw",
                "such as: gpubfs experiment dfq-memory; without options, gpubfs experiment lists "
                "them",
            )
        _list(as_json)
        return
    chosen = find(name)
    check_page(page)
    measuring: Measurement | None = None
    report: Report | None = None
    try:
        with kept(picture) as write, stopped_by_term(), spinner(chosen.name) as tell:
            measuring = prepared(
                chosen.name, machine, specs or None, device=device, repeats=repeat, tell=tell
            )
            report = measuring.run()
            tell(f"drawing {picture}" if picture else chosen.name)
            write(report.plot)
    finally:
        if report is None and measuring is not None:
            report = measuring.so_far()
        if report is not None and (report.complete or report.points):
            try:
                if page is not None:
                    text = report.page(_command(chosen.name, machine, device, specs, repeat))
                    page.write_text(text, encoding="utf-8")
            finally:
                _print(report, as_json)


def _command(
    name: str, machine: str, device: str | None, specs: tuple[str, ...], repeat: int
) -> str:
    """Return the command line that measures the same."""
    words = ["gpubfs", "experiment", name, "--machine", machine]
    words += ["--device", device] if device else []
    words += [word for spec in specs for word in ("--graph", spec)]
    return shlex.join([*words, *(["--repeat", str(repeat)] if machine == "gpu" else [])])


def _print(report: Report, as_json: bool) -> None:
    if as_json:
        print_json(report.as_dict())
    else:
        show(report)


def _list(as_json: bool) -> None:
    from gpubfs.experiments.catalogue import experiments, sheet

    known = experiments().values()
    if as_json:
        print_json([with_plugin(one) for one in known])
    else:
        show(sheet(known))
