"""`gpubfs list`: the catalogue of techniques, and what plugins have added."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from gpubfs.cli.common import json_option, print_json, show, with_plugin
from gpubfs.search.catalogue import techniques
from gpubfs.search.plugins import PLUGINS, plugin_of


@click.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List techniques, papers and options.

    \b
    Example: gpubfs list
    """
    from gpubfs.render.sheets import Column, Sheet
    from gpubfs.show.tables import techniques_sheet

    known = list(techniques().values())
    if as_json:
        print_json([with_plugin(technique) for technique in known])
        return
    show(techniques_sheet(known))
    rows: list[tuple[str, ...]] = []
    added = list(_added()) if PLUGINS else []
    for plugin in PLUGINS:
        rows += [(plugin,), *(row[1:] for row in added if row[0] == plugin)]
    if rows:
        columns = Column("plugin"), Column("adds", text=True), Column("which is", text=True)
        click.echo()
        show(Sheet("plugins", columns, tuple(rows)))


def _added() -> Iterator[tuple[str, str, str, str]]:
    """Yield the plugin, the name, the kind and the summary of all that plugins have added."""
    from gpubfs.experiments.catalogue import experiments
    from gpubfs.graphs import FAMILIES, FORMATS
    from gpubfs.search.observing import OBSERVERS

    kinds: tuple[tuple[str, list[tuple[str, Any, str]]], ...] = (
        ("technique", [(t.name, t.code, t.idea) for t in techniques().values()]),
        ("experiment", [(e.name, e.code, e.question) for e in experiments().values()]),
        ("graph family", [(f.form, f.make, f.summary) for f in FAMILIES.values()]),
        ("graph format", [(f.name, f.read, " ".join(f.endings)) for f in FORMATS.values()]),
        ("observer", [(o.name, o.make, o.summary) for o in OBSERVERS.values()]),
    )
    for kind, members in kinds:
        for name, code, about in members:
            yield plugin_of(code), name, kind, about
