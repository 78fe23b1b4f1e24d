"""`gpubfs list`: the catalogue of techniques, and what plugins have added."""

from __future__ import annotations

from collections.abc import Iterator

import click

from gpubfs.arguments import Register
from gpubfs.cli.common import json_option, print_json, show, with_plugin
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.catalogue import techniques
from gpubfs.search.plugins import PLUGINS, plugin_in, plugin_of


@click.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List techniques, papers and options; what they are compared with; structures that change.

    \b
    Example: gpubfs list
    """
    from gpubfs.dynamic.structure import structures
    from gpubfs.show.dynamic import structures_sheet
    from gpubfs.show.tables import comparators_sheet, techniques_sheet

    known = list(techniques().values())
    if as_json:
        print_json([with_plugin(technique) for technique in known])
        return
    changing = structures_sheet(structures().values())
    plugins = _plugins() if PLUGINS else ()
    show(techniques_sheet(known), comparators_sheet(), changing, *plugins)


def _plugins() -> Iterator[Sheet]:
    """Yield a table of what each plugin has added."""
    added = list(_added())
    rows: list[tuple[str, ...]] = []
    for plugin in PLUGINS:
        rows += [(plugin,), *(row[1:] for row in added if row[0] == plugin)]
    columns = Column("plugin"), Column("adds", text=True), Column("which is", text=True)
    yield Sheet("plugins", columns, tuple(rows))


def _added() -> Iterator[tuple[str, str, str, str]]:
    """Yield the plugin, the name, the kind and the summary of all that plugins have added."""
    from gpubfs.experiments.catalogue import experiments
    from simulator.builtins.registry import ROWS
    from simulator.observe.counters.description import COUNTERS, added

    for technique in techniques().values():
        yield plugin_of(technique.code), technique.name, "technique", technique.idea
    for one in experiments().values():
        yield plugin_of(one.code), one.name, "experiment", one.question
    for register in Register.every:
        for name, thing in register.items():
            about = getattr(thing, "summary", None) or getattr(thing, "__doc__", None) or ""
            summary = " ".join(about.partition("\n\n")[0].split())
            shown = getattr(thing, "form", name), register.noun, summary
            yield plugin_of(register.code(name)), *shown
    for name, (file, _) in added().items():
        yield plugin_in(file), name, "counter", COUNTERS[name].meaning
    for row in ROWS.values():
        code = getattr(row.lowering, "code", None)
        yield plugin_of(code), row.name, "built-in function", row.signature
