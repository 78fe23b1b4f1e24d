"""`gpubfs bench`: times."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
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
)
from gpubfs.cli.exits import exit_code
from gpubfs.cli.settings import option
from gpubfs.cli.streams import is_one_place
from gpubfs.cli.streams import tell as told

if TYPE_CHECKING:
    from gpubfs.measure.bench import Timing
    from gpubfs.search.technique import Technique


FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("techniques", nargs=-1, metavar="[TECHNIQUE]...")
@click.option("--graph", "specs", multiple=True, metavar="SPEC", help="A graph; may be repeated.")
@option("machine")
@click.option(
    "--repeat", type=click.IntRange(min=1), default=3, show_default=True, help="Runs of each."
)
@click.option(
    "--sources",
    type=click.IntRange(min=1),
    help="On gpu: search once from each of so many random vertices, as Graph500 does.",
)
@click.option(
    "--against",
    type=FILE,
    metavar="SCRIPT",
    help="A Python program to race: called with GRAPH.npz and SOURCE, it prints `seconds S`.",
)
@click.option(
    "--kernel",
    type=FILE,
    metavar="FILE.cu",
    help="In a race, a CUDA file to run in place of the technique's own.",
)
@page_option("Write a table of the milliseconds in Markdown, too: a column for each graph.")
@json_option
def bench(
    techniques: tuple[str, ...],
    specs: tuple[str, ...],
    machine: str,
    repeat: int,
    sources: int | None,
    against: Path | None,
    kernel: Path | None,
    page: Path | None,
    as_json: bool,
) -> None:
    """Time techniques: all, or those named.

    The graphs are three of different shapes, or those given. With --against, the simulator races
    another program on the same graphs, alternately. A technique may bring options with it, but for
    races: scan-free:width=32.

    Times are of the search alone. On gpu they lie between two CUDA events, before the first launch
    and after the search: launches, and what the host reads, writes and allocates between them. What
    comes before is told apart, and so are the share of the memory's speed, the time of a level, and
    how levels were expanded if a technique says so; with --sources, statistics of speeds in their
    place. Each result is verified. Where a technique fails, or Ctrl-C ends it all, the others are
    printed.

    \b
    Example: gpubfs bench scan-free --graph kron:12 --repeat 5
    Example: gpubfs bench --machine gpu --graph kron:20 --graph er:20 --page times.md
    Example: gpubfs bench best --machine gpu --graph kron:20 --sources 64
    """
    from gpubfs.errors import UsageError
    from gpubfs.measure import bench as timing
    from gpubfs.search.catalogue import find
    from gpubfs.search.catalogue import techniques as known
    from gpubfs.search.option import parse

    for spec in techniques:
        name, options = parse(spec)
        find(name).complete(options)
    if sources is not None and (machine != "gpu" or against is not None):
        raise UsageError("--sources is for times of a GPU", "give --machine gpu, and no --against")
    if sources is not None and _is_given("repeat"):
        raise UsageError("--sources searches once from each source", "leave out --repeat")
    if against is None:
        if kernel is not None:
            raise UsageError("--kernel is for races", "give --against SCRIPT, too")
        check_page(page)
        names, graphs = techniques or tuple(known()), specs or timing.GRAPHS
        given = Benchmark(names, graphs, machine, repeat, sources or 0)
        command = _command(techniques, specs, machine, given)
        return _time(given, as_json, page, command)
    if page is not None:
        raise UsageError("--page is for times, not for races", "leave out --page or --against")
    if machine != "sim" or not techniques:
        raise UsageError(
            "a race is for named techniques on the machine sim", "such as: gpubfs bench scan-free"
        )
    return _race(
        [find(name) for name in techniques],
        specs or timing.GRAPHS,
        against,
        repeat,
        kernel,
        as_json,
    )


def _is_given(parameter: str) -> bool:
    """Return whether the user gave an option, and not its default."""
    source = click.get_current_context().get_parameter_source(parameter)
    return source is click.core.ParameterSource.COMMANDLINE


@dataclass(frozen=True)
class Benchmark:
    """What is to be timed, and what of it has been."""

    names: tuple[str, ...]
    specs: tuple[str, ...]
    machine: str
    repeats: int
    sources: int = 0
    made: list[Timing] = field(default_factory=list)

    @property
    def planned(self) -> list[tuple[str, str]]:
        """Techniques and graphs, in the order in which they come."""
        return [(name, spec) for spec in self.specs for name in self.names]

    @property
    def missing(self) -> list[tuple[str, str]]:
        """Those that did not come to their turn."""
        return self.planned[len(self.made) :]

    @property
    def failures(self) -> list[Exception]:
        """What failed, the gravest first: a defect, a wrong result, what the user can mend."""
        errors = [one.error for one in self.made if one.error is not None]
        return sorted(errors, key=lambda error: exit_code(error) or 0)

    def run(self) -> None:
        """Time all of it."""
        from gpubfs.measure import bench as timing

        with stopped_by_term(), spinner("bench") as tell:

            def progress(words: str) -> None:
                tell(f"{len(self.made) + 1} of {len(self.planned)}: {words}{self._latest()}")

            measured = timing.bench(
                self.specs, self.names, self.machine, self.repeats, progress, self.sources
            )
            for one in measured:
                self.made.append(one)

    def _latest(self) -> str:
        if not self.made:
            return ""
        last = self.made[-1]
        return f" ({last.technique}: {last.outcome or f'{1e3 * last.seconds:.2f} ms'})"

    def what_is_missing(self) -> str:
        """Return a sentence on what has no time, as far as no row of a table says so."""
        if not self.missing:
            return ""
        names = ", ".join(f"{name} on {spec}" for name, spec in self.missing)
        return f"measured {len(self.made)} of {len(self.planned)}; not measured: {names}"


def _time(given: Benchmark, as_json: bool, page: Path | None, command: str) -> None:
    """Time techniques, and print what was measured whatever ends it."""
    try:
        given.run()
    finally:
        _print(given, as_json, page, command)
    if given.failures:
        raise given.failures[0]


def _print(given: Benchmark, as_json: bool, page: Path | None, command: str) -> None:
    from gpubfs.measure import bench as timing

    missing = given.what_is_missing()
    if all(one.error for one in given.made):
        return  # the error says all
    try:
        if page is not None:
            text = timing.page(given.made, len(given.names), command, missing)
            page.write_text(text, encoding="utf-8")
    finally:
        if as_json:
            print_json(timing.as_dict(given.made, given.missing))
        else:
            show(timing.sheet(given.made, missing))
    # Who sees the table reads it there.
    if missing and (as_json or not is_one_place()):
        told(missing)


def _command(
    techniques: tuple[str, ...], specs: tuple[str, ...], machine: str, given: Benchmark
) -> str:
    graphs = [word for spec in specs for word in ("--graph", spec)]
    words = ["gpubfs", "bench", *techniques, *graphs, "--machine", machine]
    if given.sources:
        return shlex.join([*words, "--sources", str(given.sources)])
    return shlex.join([*words, "--repeat", str(given.repeats)])


def _race(
    chosen: list[Technique],
    specs: tuple[str, ...],
    against: Path,
    repeat: int,
    kernel: Path | None,
    as_json: bool,
) -> None:
    from gpubfs.graphs import graph as make_graph
    from gpubfs.measure import contest

    with spinner("race") as tell:
        made = [
            contest.contest(technique, spec, against, repeat, kernel, tell)
            for spec in map(make_graph, specs)  # once: a pipe cannot be read again
            for technique in chosen
        ]
    if as_json:
        print_json([one.as_dict() for one in made])
    else:
        show(contest.sheet(made))
