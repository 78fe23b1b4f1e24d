"""`gpubfs lines`: a kernel's source with its counters beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from gpubfs.cli.common import json_option, print_json, show
from gpubfs.cli.launched import Launched, launched_options
from gpubfs.cli.own_kernels import own_kernel
from gpubfs.cli.settings import Settings, settings
from gpubfs.cli.submitted import Submitted, require, submitted_options, tell_failure

if TYPE_CHECKING:
    from gpubfs.grading.outcome import Failure
    from gpubfs.grading.steps.watching import Watched
    from simulator.observe.counters import Site


@click.command()
@click.argument("technique", required=False, metavar="TECHNIQUE")
@settings("spec", "source", "machine", "device", "schedule", "pairs", optional=True)
@submitted_options
@launched_options
@json_option
def lines(
    given: Settings,
    technique: str | None,
    submitted: Submitted | None,
    launched: Launched,
    as_json: bool,
) -> None:
    """Print a kernel with counters beside each line.

    On gpu they are those of a build that counts.

    TECHNIQUE may bring its options with it: scan-free:block=64.

    With --exercise it is your own kernel, in a case that it loses, counted as far as it comes. A
    CUDA file of your own is launched as `gpubfs trace --help` says.

    \b
    Example: gpubfs lines scan-free --graph kron:10
    Example: gpubfs lines --exercise lessons/02-memory/exercises/bitmap
    Example: gpubfs lines mine.cu --launch mine.toml
    """
    names = () if technique is None else (technique,)
    if submitted is not None or launched.files(names):
        others = given.named("spec", "source", "pairs") | {"--machine gpu": given.machine != "sim"}
        with own_kernel(given, names, others, submitted, launched) as watched:
            sites, failure = watched.counted()
        if submitted is None and failure is not None:
            tell_failure(watched.title, failure, "stopped")
        _show(watched, sites, failure, as_json)
        return
    require("technique", "spec")
    assert technique is not None
    _lines_of(given, technique, as_json)


def _show(watched: Watched, sites: Sequence[Site], failure: Failure | None, as_json: bool) -> None:
    """Print what the lines of a run cost."""
    from gpubfs.measure.annotate import annotated_sites
    from gpubfs.search.result import site_as_dict

    if as_json:
        words = None if failure is None else failure.as_dict()
        about = {"failure": words, **watched.about}
        print_json(about | {"sites": [site_as_dict(site) for site in sites]})
    else:
        show(*annotated_sites(sites, watched.run.file.name, watched.title))


def _lines_of(given: Settings, technique: str, as_json: bool) -> None:
    """Print what the lines of a technique cost."""
    from gpubfs.measure.annotate import annotated
    from gpubfs.search.catalogue import find

    chosen = find(given.parse(technique)[0])
    done = given.run(technique, chosen, counters=True)
    if as_json:
        kept = ("technique", "graph", "source", "options", "sites")
        data = done.as_dict()
        print_json({"kernel": chosen.kernel} | {name: data[name] for name in kept})
    else:
        show(*annotated(done, chosen.kernel))
