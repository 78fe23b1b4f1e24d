"""`gpubfs lines`: a kernel's source with its counters beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gpubfs.cli.common import json_option, print_json, show
from gpubfs.cli.settings import Settings, settings
from gpubfs.cli.submitted import Submitted, refuse_others, require, submitted_options

if TYPE_CHECKING:
    from gpubfs.grading.watching import Watched


@click.command()
@click.argument("technique", required=False, metavar="TECHNIQUE")
@settings("spec", "source", "machine", "device", "schedule", "pairs", optional=True)
@submitted_options
@json_option
def lines(
    given: Settings, technique: str | None, submitted: Submitted | None, as_json: bool
) -> None:
    """Print a kernel with counters beside each line.

    On gpu they are those of a build that counts.

    TECHNIQUE may bring its options with it: scan-free:block=64.

    With --exercise it is your own kernel, in a case that it loses, counted as far as it comes.

    \b
    Example: gpubfs lines scan-free --graph kron:10
    Example: gpubfs lines --exercise lessons/02-memory/exercises/bitmap
    """
    if submitted is not None:
        own = given.named("spec", "source", "device", "pairs", TECHNIQUE=technique)
        refuse_others(own | {"--machine gpu": given.machine != "sim"})
        with submitted.opened(given.schedule) as watched:
            _show(watched, as_json)
        return
    require("technique", "spec")
    assert technique is not None
    _lines_of(given, technique, as_json)


def _show(watched: Watched, as_json: bool) -> None:
    """Print what the lines of a run cost."""
    from gpubfs.measure.annotate import annotated_sites
    from gpubfs.search.result import site_as_dict

    sites = watched.counted()
    if as_json:
        print_json({**watched.about, "sites": [site_as_dict(site) for site in sites]})
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
