"""`gpubfs graph`: what is worth knowing of a graph."""

from __future__ import annotations

import click

from gpubfs.cli.common import json_option, make_graph, print_json, show, source_option


@click.command()
@click.argument("spec")
@source_option
@json_option
def graph(spec: str, source: int | None, as_json: bool) -> None:
    """Print statistics of a graph.

    SPEC is one of kron:SCALE[,EDGE_FACTOR], er:SCALE[,EDGE_FACTOR], grid:WIDTH[xHEIGHT], road:N,
    rgg:N, delaunay:N, star:LEAVES, path:N, powerlaw:N[,EDGE_FACTOR], toy, karate and other
    classics, or file:PATH (MatrixMarket, SNAP edge list, DIMACS .gr, METIS .graph, SciPy .npz,
    each also .gz).

    \b
    Example: gpubfs graph kron:10
    """
    from gpubfs.cli.common import spinner
    from gpubfs.graphs import statistics

    made = make_graph(spec)
    if source is not None:
        made.check_vertex(source, "source")
    with spinner(f"measuring {spec}"):
        found = statistics(made, source)
    if as_json:
        print_json({"spec": made.spec} | found.as_dict())
    else:
        show(found)
