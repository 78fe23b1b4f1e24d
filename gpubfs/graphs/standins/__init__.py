"""Generated graphs in the place of those on which the papers measured: `standin:NAME[,VERTICES]`.

`choice` has a structure for each graph of the papers' tables and its default size; `shapes` makes
the structures, with the help of `degrees` (sequences of given figures), `pairing` and `local`
(graphs of given degrees, any vertices or near ones joined), `roads` and `largest`.
"""

from gpubfs.graphs.standins.choice import StandIn, papers, standin

__all__ = ["StandIn", "papers", "standin"]
