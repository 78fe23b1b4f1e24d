"""Graph files of Ligra: a heading, two sizes, where each vertex's neighbours begin, neighbours."""

import numpy as np

from gpubfs.graphs import Listing, Options, Text, graph_format

NUMBERS = "after the heading stand the numbers of vertices and edges, the offsets, the neighbours"


@graph_format("ligra", endings=(".adj",), begins=rb"AdjacencyGraph\s", certain=True)
def read_ligra(text: Text, options: Options) -> Listing:
    """Read an unweighted graph."""
    _, second = text.line_at(0)
    numbers = [tokens.integers("number", NUMBERS) for tokens in text.tokens(second, 2)]
    values = np.concatenate([*numbers, np.zeros(0, np.int64)])
    vertices, edges = values[:2].tolist() if len(values) > 1 else (0, 0)
    if len(values) != 2 + vertices + edges:
        text.fail(f"the file has {len(values)} numbers", text.lines, NUMBERS)
    degrees = np.diff(values[2 : 2 + vertices], append=edges)
    if (degrees < 0).any() or values[2:3].any():
        text.fail("the offsets do not rise from 0 to the number of edges", text.lines, NUMBERS)
    return Listing(np.repeat(np.arange(vertices), degrees), values[2 + vertices :], vertices)
