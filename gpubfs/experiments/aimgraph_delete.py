"""Deletion of batches: one launch without locks, or one that empties places and one that closes up.

Winter et al., Section V-C, Figure 3: batches of 100,000 and 1,000,000 edges are removed again after
they were added. The figure's times are in the picture only. The text says that aimGraph launches
once and cuSTINGER twice, that the benefit is greatest for small adjacencies and less for larger
ones, and that with warps for updates aimGraph is about twice as fast on the tested graphs; Section
VI, that 50 to 150 million edges are deleted a second (GTX 780).

Variant 1, a thread for each update, is for "the first four graphs" because they have "less than 50
vertices per vertex on average", and variant 2, a warp, for "the last case". In the order of Table I
neither holds: the fourth graph, audikw1, has 81.3 edges a vertex, the last, nlpkt160, 27.6. Both
hold by the degree if nlpkt160 is left out, which cuSTINGER cannot hold: four graphs have 2.1 to
47.9, and audikw1 is the last. Here the average degree decides.

As in aimgraph-insert there are fewer rounds and initialisations than the paper's, unless
`rounds=10` and `repeats=10` ask for them. A batch's edges are all deleted, those that the graph had
before it, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpubfs.experiments.cells import listed, ranged, times, untold
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
    RATE,
    SETTINGS,
    TABLE_1,
    TIME,
    updated,
    values_of,
)
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.papers import AIMGRAPH as PAPER_OF

METRICS = {"sim": (*HOST, *DEVICE), "gpu": (TIME, RATE, INSIDE, *HOST)}

#: Deletions a second of aimGraph, launches of cuSTINGER, and how many times as fast with warps.
RATES, LAUNCHES, TWICE = (50e6, 150e6), (2, 2), 2

PAPER = Sheet(
    "what the paper's text says of deletions",
    (Column("of what"), Column("aimGraph", figures=True), Column("cuSTINGER", figures=True)),
    (
        ("launches", "1", "2"),
        ("million deletions/s (GTX 780)", "50 to 150", "not said"),
        ("times as fast with large degrees", f"about {TWICE}", "1"),
    ),
    (
        "the times of Figure 3 are in the picture only",
        f"by threads: the first four graphs, said to have less than {LARGE} edges a vertex; the "
        "fourth of Table I, audikw1, has 81.3",
    ),
)


def tables(report: Report) -> tuple[Sheet, ...]:
    """Return a row for each graph and size of batches, a column for each structure."""
    return (update_tables(report, METRICS[report.machine], "deletions"),)


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Return who launches how often; on gpu rates, and who is faster where."""
    most = {name: values_of(report.points, name, "most") for name in (AIMGRAPH, CUSTINGER)}
    own = launched(most[AIMGRAPH], most[CUSTINGER], LAUNCHES, "a deletion")
    if report.machine == "sim":
        sectors = (values_of(report.points, name, "sectors") for name in (AIMGRAPH, CUSTINGER))
        return own, loaded(*sectors)
    rates = values_of(report.points, AIMGRAPH, "rate")
    ratios = speedups(report.points)
    degrees = values_of(report.points, AIMGRAPH, "degree")
    claim = f"about {TWICE} times as fast with many"
    where = advantage(ratios, degrees, LARGE, claim)
    return own, rated(rates, RATES, "deletions"), where, twice(ratios, degrees)


def loaded(ours: Mapping[Where, float], theirs: Mapping[Where, float]) -> Verdict:
    """Return what closing the gaps adds; which weighs more, counters cannot say.

    Parameters
    ----------
    ours, theirs : mapping
        Sectors of aimgraph and of custinger.
    """
    ratios = [theirs[where] / ours[where] for where in ours if ours[where] and where in theirs]
    text = f"counters tell no times; {CUSTINGER} accesses {ranged(ratios)} the sectors"
    return untold(f"{text} of {AIMGRAPH}, which leaves the gaps")


def twice(ratios: Mapping[Where, float], degrees: Mapping[Where, float]) -> Verdict:
    """Whether aimgraph is about twice as fast where degrees are large.

    Parameters
    ----------
    ratios : mapping
        For each graph and size of batches how many times as fast.
    degrees : mapping
        Of the same the edges of a vertex on average.
    """
    large: dict[Where, float] = {at: own for at, own in ratios.items() if degrees[at] >= LARGE}
    if not large:
        return untold(f"no graph has {LARGE} edges a vertex or more")
    detail = listed(
        f"{times(ratio)} with batches of {size:,} on {graph}"
        for (graph, size), ratio in large.items()
    )
    text = (
        f"with warps for updates {AIMGRAPH} is {detail} as fast; in the paper about {TWICE} times"
    )
    near = [TWICE / 1.5 <= ratio <= TWICE * 1.5 for ratio in large.values()]
    return Verdict(True if all(near) else None if any(near) else False, text)


@reproduces(
    "aimgraph-delete",
    paper=PAPER_OF,
    figure="V-C, Figure 3",
    question="Are batches of edges deleted faster where nothing is locked and nothing closes up?",
    graphs=TABLE_1,
    sheet=PAPER,
    published={"deletions a second": RATES, "with large degrees, times as fast": TWICE},
    tables=tables,
    verdicts=verdicts,
    draw=drawn,
    settings=SETTINGS,
)
def aimgraph_delete(
    lab: Lab, *, updates: Sequence[int] | None = None, rounds: int | None = None
) -> Iterator[Point]:
    """Insert batches of each size, and delete the edges of each before the next."""
    yield from updated(lab, "delete", updates, rounds)
