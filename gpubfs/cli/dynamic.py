"""`gpubfs dynamic`: rounds of updates of a graph that changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpubfs.cli.common import json_option, make_graph, print_json, show, steps_bar
from gpubfs.cli.films import film_options
from gpubfs.cli.settings import Settings, observe_option, sanitize_option, settings
from gpubfs.cli.trace import check_file, present
from gpubfs.errors import UsageError

if TYPE_CHECKING:
    from gpubfs.dynamic.rounds import Rounds
    from gpubfs.show.traces.files.film import Film


@click.command()
@click.argument("structure")
@settings("spec", "machine", "device", "schedule", "pairs")
@click.option(
    "--batch", type=click.IntRange(0), default=1000, show_default=True, help="Updates of a batch."
)
@click.option(
    "--rounds",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="Rounds; each inserts a batch of its own and deletes its edges.",
)
@click.option(
    "--distribution",
    default="uniform",
    show_default=True,
    metavar="NAME",
    help="How edges are drawn: uniform, or skewed, all from a few vertices.",
)
@click.option(
    "--favoured",
    type=float,
    metavar="SHARE",
    help="With skewed, the share of vertices at which edges begin: 0.001 unless given; 0 is one.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the batches."
)
@sanitize_option
@observe_option
@settings("counters")
@click.option("--lines", is_flag=True, help="Show the kernels with counters beside each line.")
@click.option("--trace", is_flag=True, help="Step through the updates' launches, on sim.")
@film_options
@json_option
def dynamic(
    given: Settings,
    structure: str,
    lines: bool,
    trace: bool,
    to: Path | None,
    film: Film | None,
    as_json: bool,
    **words: Any,
) -> None:
    """Insert and delete batches of edges in a graph that changes.

    The graph is put into STRUCTURE. Each round draws a batch of directed edges, inserts it, and
    deletes its edges, those that the graph had before, too. After each operation the whole
    structure is checked, and at the end it is said what was done and what it cost. STRUCTURE may
    bring options with it: aimgraph:mode=weighted.

    \b
    Example: gpubfs dynamic aimgraph --graph kron:10 --batch 1000 --rounds 2
    Example: gpubfs dynamic aimgraph --graph kron:10 --distribution skewed --favoured 0
    Example: gpubfs dynamic aimgraph --graph toy --batch 4 --device toy4 --trace
    """
    stepwise = trace or to is not None
    if lines and (stepwise or as_json):
        raise UsageError("--lines is a table of its own", "leave out --lines, or the other view")
    if lines and given.counters is False:
        raise UsageError("--lines shows counters, and --no-counters counts none", "leave one out")
    if stepwise and not words["rounds"]:
        raise UsageError("without rounds there are no updates to step through", "take --rounds 1")
    check_file(to)
    traced = _Traced(given, stepwise)
    done = _done(given, structure, watched=traced.watched, **_counting(given, lines), **words)
    if stepwise:
        steps = traced.steps(f"{done.structure} on {done.graph.label}")
        present(steps, None, to, as_json, False, film)
    elif as_json:
        print_json(done.as_dict())
    elif lines:
        from gpubfs.measure.annotate import annotated_sites

        title = f"{done.structure} on {done.graph.label}"
        show(*annotated_sites(done.sites, done.kernel, title))
    else:
        show(done)


def _counting(given: Settings, lines: bool) -> dict[str, Any]:
    """Return whether to count: always where lines are wanted."""
    return {"counters": True if lines else given.counters}


def _done(given: Settings, spec: str, **words: Any) -> Rounds:
    """Do the rounds, and show how far they are."""
    from gpubfs.dynamic.rounds import rounds
    from gpubfs.search.option import parse

    name, options = parse(spec, given.pairs)
    graph = make_graph(given.spec)
    own = given.among("machine", "device", "schedule")
    with steps_bar(f"{spec} on {given.spec}") as progress:
        return rounds(name, graph, progress=progress, options=options, **own, **words)


class _Traced:
    """The launches of updates, recorded step by step if they are to be."""

    def __init__(self, given: Settings, wanted: bool) -> None:
        if wanted and given.machine != "sim":
            raise UsageError(f"the machine {given.machine} has no traces", "use the machine sim")
        self.watched: Callable[[], AbstractContextManager[object]] = (
            self._recording if wanted else nullcontext
        )
        self._launches: list[Any] = []

    @contextmanager
    def _recording(self) -> Iterator[None]:
        from simulator.observe.trace import TraceTooLong, tracing

        with tracing() as found:
            try:
                yield
            except TraceTooLong as error:
                raise UsageError(error.message, "take smaller batches, or fewer rounds") from None
        self._launches = found.launches

    def steps(self, title: str) -> Any:
        """Return them as what can be stepped through."""
        from gpubfs.show.traces import of_launches

        return of_launches(self._launches, title)
