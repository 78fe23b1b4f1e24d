"""Insertion of batches: one launch by the GPU's own memory management, or up to five by the host.

Winter et al., Section V-B, Figure 2: batches of 100,000 and 1,000,000 random edges are inserted,
and their edges deleted, ten times after each of ten initialisations. The figure's times are in the
picture only. The text says that aimGraph has a clear advantage in the first three cases, where
degrees are small and room is not sufficient, and that cuSTINGER is slightly faster on sparse
matrices, where few adjacencies are moved; Section VI, that 20 to 100 million edges are inserted a
second (GTX 780), and the abstract, over 100 million of updates.

Here the batches of a machine are the paper's, or a thousandth of them for smaller graphs; both
structures get the same ones. There are fewer rounds and initialisations than the paper's, unless
`rounds=10` and `repeats=10` ask for them; with the edges of a batch those are deleted that the
graph had before, too (both in `gpubfs.experiments.updating`). Times are the host's, of whole calls,
in which batches are copied to the device. Edges that a batch has twice may stay twice in custinger,
see there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpubfs.experiments.cells import Metric, untold
from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab
from gpubfs.experiments.update_reports import (
    Where,
    advantage,
    drawn,
    launched,
    rated,
    speedups,
    update_tables,
)
from gpubfs.experiments.updating import (
    AIMGRAPH,
    CUSTINGER,
    DEVICE,
    HOST,
    INSIDE,
    LARGE,
    LOCKS,
    MOVED,
    RATE,
    SETTINGS,
    TABLE_1,
    TIME,
    updated,
    values_of,
)
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import AIMGRAPH as PAPER_OF

BLOCKS = Metric("blocks_taken", "blocks taken", "of aimgraph, by the device itself")
METRICS = {
    "sim": (*HOST, LOCKS, BLOCKS, MOVED, *DEVICE),
    "gpu": (TIME, RATE, INSIDE, *HOST, LOCKS, MOVED),
}

#: Insertions a second of aimGraph, and launches of cuSTINGER.
RATES, LAUNCHES = (20e6, 100e6), (1, 5)

PAPER = Sheet(
    "what the paper's text says of insertions",
    (Column("of what"), Column("aimGraph", figures=True), Column("cuSTINGER", figures=True)),
    (
        ("launches", "1", "1 to 5"),
        ("million insertions/s (GTX 780)", "20 to 100", "not said"),
        ("faster with small degrees", "yes", "no"),
        ("faster with sparse matrices", "no", "slightly"),
    ),
    ("the times of Figure 2 are in the picture only",),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each graph and size of batches, a column for each structure."""
    return (update_tables(report, METRICS[report.machine], "insertions"),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Return who launches how often and allocates; on gpu rates, and who is faster where."""
    most = {name: values_of(report.points, name, "most") for name in (AIMGRAPH, CUSTINGER)}
    moved = values_of(report.points, CUSTINGER, "moved")
    degrees = values_of(report.points, CUSTINGER, "degree")
    updates = values_of(report.points, CUSTINGER, "updates")
    share = {where: moved[where] / updates[where] for where in moved}
    own = launched(most[AIMGRAPH], most[CUSTINGER], LAUNCHES, "an insertion")
    where = moving(share, degrees)
    if report.machine == "sim":
        return own, where, untold("counters tell no times, and no rates of updates")
    rates = values_of(report.points, AIMGRAPH, "rate")
    return own, where, rated(rates, RATES, "insertions"), matrices(*_both(report))


def _both(report: Report) -> tuple[Mapping[Where, float], Mapping[Where, float]]:
    return speedups(report.points), values_of(report.points, AIMGRAPH, "degree")


def moving(share: Mapping[Where, float], degrees: Mapping[Where, float]) -> Verdict:
    """Whether the host moves more adjacencies for an update where degrees are small.

    Parameters
    ----------
    share : mapping
        For each graph and size of batches the vertices that were moved for an update.
    degrees : mapping
        Of the same the edges of a vertex on average.
    """
    small = [share[where] for where in share if degrees[where] < LARGE]
    large = [share[where] for where in share if degrees[where] >= LARGE]
    if not small or not large:
        return untold(f"all graphs have degrees on the same side of {LARGE}")
    means = [sum(own) / len(own) for own in (small, large)]
    if not any(means):
        return untold(f"no adjacency of {CUSTINGER} was too small")
    text = (
        f"{CUSTINGER} moves {means[0]:.3f} adjacencies for an update with fewer than {LARGE} edges "
        f"a vertex, {means[1]:.3f} with more; in the paper room is not sufficient with small ones"
    )
    return Verdict(means[0] > means[1], text)


def matrices(ratios: Mapping[Where, float], degrees: Mapping[Where, float]) -> Verdict:
    """Whether aimgraph is faster with small degrees, and custinger with large ones.

    Parameters
    ----------
    ratios : mapping
        For each graph and size of batches how many times as fast aimgraph is.
    degrees : mapping
        Of the same the edges of a vertex on average.
    """
    return advantage(ratios, degrees, LARGE, "custinger is slightly faster on sparse matrices")


@reproduces(
    "aimgraph-insert",
    paper=PAPER_OF,
    figure="V-B, Figure 2",
    question="Are batches of edges inserted faster where the GPU manages its memory by itself?",
    graphs=TABLE_1,
    sheet=PAPER,
    published={"insertions a second": RATES, "launches of cuSTINGER": LAUNCHES},
    tables=tables,
    verdicts=verdicts,
    draw=drawn,
    settings=SETTINGS,
)
def aimgraph_insert(
    lab: Lab, *, updates: Sequence[int] | None = None, rounds: int | None = None
) -> Iterator[Point]:
    """Insert batches of each size, and delete the edges of each before the next."""
    yield from updated(lab, "insert", updates, rounds)
