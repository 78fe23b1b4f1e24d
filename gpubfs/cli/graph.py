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

    SPEC is a generated graph, a small named one or a file.

    Generated: kron:SCALE[,EDGE_FACTOR], er:SCALE[,EDGE_FACTOR], grid:WIDTH[xHEIGHT], road:N, rgg:N,
    delaunay:N, star:LEAVES, path:N, powerlaw:N[,EDGE_FACTOR]. Random ones take a seed, too:
    kron:10,seed=3.

    Named: toy, and of NetworkX bull, chvatal, cubical, davis, desargues, diamond, dodecahedral,
    florentine, frucht, heawood, house, icosahedral, karate, krackhardt-kite, les-miserables,
    moebius-kantor, octahedral, pappus, petersen, sedgewick-maze, tetrahedral, truncated-cube,
    tutte.

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
      format=edges|matrix-market|dimacs|metis|npz
                what the file is, where its name
                and beginning do not tell

    \b
    Example: gpubfs graph kron:10
    Example: gpubfs graph file:web.txt,directed,compact
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
