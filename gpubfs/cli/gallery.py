"""What `gpubfs experiment --gallery` does: measures experiments, and makes a page of pictures."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from gpubfs.cli.common import spinner, stopped_by_term
from gpubfs.cli.exits import exit_code, message
from gpubfs.cli.streams import tell


def draw_gallery(folder: Path, name: str | None, machine: str, repeats: int) -> None:
    """Measure all experiments, or one, and show their pictures on a page.

    What is finished when an error or Ctrl-C ends it is on the page.

    Parameters
    ----------
    folder : Path
        Where the page and the pictures are written.
    name : str, optional
        The only experiment.
    machine : str
        "sim" or "gpu".
    repeats : int
        On gpu, of how many runs the median is taken.

    Raises
    ------
    UsageError
        If the folder cannot be written, or an experiment could not be measured: at the end.
    """
    from gpubfs.errors import UsageError
    from gpubfs.experiments.catalogue import experiments, find
    from gpubfs.experiments.gallery import PAGE, Gallery, chosen
    from gpubfs.experiments.lab import prepared

    ones = [find(name)] if name else chosen(experiments().values(), machine)
    made = Gallery(folder, machine, len(ones))
    failed: list[str] = []
    with stopped_by_term(), spinner("experiments") as say:
        for number, one in enumerate(ones, 1):
            command = command_of(one.name, machine, repeats)
            which = f"{number} of {len(ones)}, {one.name}"
            say(which)
            try:
                measuring = prepared(
                    one.name,
                    machine,
                    repeats=repeats,
                    tell=lambda words, which=which: say(f"{which}: {words}"),  # type: ignore[misc]
                )
                picture = made.add(measuring.run(), command)
            except Exception as error:
                if exit_code(error) is None:
                    raise
                why = message(error).splitlines()[0].removeprefix("error: ")
                failed.append(one.name)
                made.leave_out(one, why, command)
                tell(f"{one.name} is left out: {why}")
            else:
                click.echo(picture)
    click.echo(folder / PAGE)
    if failed:
        names = ", ".join(failed)
        hint = f"see what it says: gpubfs experiment {failed[0]}"
        raise UsageError(f"{len(failed)} of {len(ones)} experiments have no picture: {names}", hint)


def command_of(name: str, machine: str, repeats: int) -> str:
    """Return the command line that measures and draws the same.

    Examples
    --------
    >>> command_of("dfq-memory", "sim", 3)
    'gpubfs experiment dfq-memory --machine sim --picture dfq-memory.svg'
    """
    words = ["gpubfs", "experiment", name, "--machine", machine, "--picture", f"{name}.svg"]
    return shlex.join([*words, *(["--repeat", str(repeats)] if machine == "gpu" else [])])
