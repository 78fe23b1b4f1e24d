"""`gpubfs graph`: what is worth knowing of a graph."""

from __future__ import annotations

from typing import Any

import click

from gpubfs.cli.common import json_option, make_graph, print_json, show, spinner
from gpubfs.cli.settings import option
from gpubfs.search.plugins import plugin_of


class Command(click.Command):
    """The command, whose help lists the families and formats that there are."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help, with names in the place of the words in braces."""
        from gpubfs.graphs import CLASSICS, FAMILIES, FORMATS
        from gpubfs.graphs.paper_tables import graphs

        shipped = [one.form for one in FAMILIES.values() if not plugin_of(one.make)]
        filled = {
            "{families}": ", ".join(shipped),
            "{classics}": ", ".join(CLASSICS),
            "{standins}": ", ".join(graphs()),
            "{formats}": "|".join(FORMATS),
        }
        text = self.help or ""
        for words, names in filled.items():
            text = text.replace(words, names)
        command = click.Command(self.name, help=text)
        command.format_help_text(ctx, formatter)
        _added(formatter)


def _added(formatter: click.HelpFormatter) -> None:
    """List what plugins have added, and where from."""
    from gpubfs.graphs import FAMILIES, FORMATS

    rows = [(one.form, one.summary, plugin_of(one.make)) for one in FAMILIES.values()]
    rows += [(f"format={one.name}", one.summary, plugin_of(one.read)) for one in FORMATS.values()]
    found = [(form, f"{about} ({plugin})".strip()) for form, about, plugin in rows if plugin]
    if found:
        with formatter.section("From plugins"):
            formatter.write_dl(found)


def _papers(spec: str) -> dict[str, Any]:
    """Return what papers' tables say of the graph that a stand-in is for; nothing of others."""
    from gpubfs.graphs.standins import papers

    found = [row.as_dict() for row in papers(spec)]
    return {"papers": found} if found else {}


@click.command(cls=Command)
@click.argument("spec")
@option("source")
@json_option
def graph(spec: str, source: int | None, as_json: bool) -> None:
    """Print statistics of a graph.

    SPEC is a generated graph, a small named one or a file.

    Generated: {families}. Random ones take a seed, too: kron:10,seed=3.

    Named: toy, and of NetworkX {classics}.

    Stand-ins: standin:NAME[,VERTICES], a graph generated in the place of one on which a paper
    measured, with the average, the deviation, the Gini coefficient and the maximum of the degrees
    that the paper's table has, as far as so many vertices can have them. The statistics stand
    beside the paper's. NAME is one of {standins}.

    Any of them, and files, too: with shuffle or shuffle=SEED behind a comma, all vertices are
    renumbered at random: grid:300x200,shuffle.

    File: file:PATH[,OPTION…], where the file is in MatrixMarket format, a SNAP edge list, DIMACS
    .gr, METIS .graph or SciPy .npz, each also .gz, and may be a pipe such as /dev/stdin. It is read
    as undirected, without loops and repeated edges, unless options say otherwise:

    \b
      directed  keep the direction of each edge
      loops     keep edges from a vertex to itself
      raw       keep everything as it is listed
      compact   number only the vertices that
                have edges
      base=0|1  where an edge list begins to
                number vertices
      header=yes|no
                whether an edge list begins with
                the numbers of vertices and edges
      format={formats}
                what the file is, where its name
                and beginning do not tell

    \b
    Example: gpubfs graph kron:10
    Example: gpubfs graph standin:audikw_1,5000
    Example: gpubfs graph file:web.txt,directed,compact
    """
    from gpubfs.graphs import statistics

    made = make_graph(spec)
    if source is not None:
        made.check_vertex(source, "source")
    with spinner(f"measuring {spec}"):
        found = statistics(made, source)
    if as_json:
        print_json({"spec": made.spec} | found.as_dict() | _papers(made.spec))
    else:
        show(found)
