"""What blocks of other sizes change: nothing in the sectors, but the work of the busiest thread."""

from collections.abc import Iterator

from gpubfs.experiments.experiment import Point, Report, Verdict, reproduces
from gpubfs.experiments.lab import Lab


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Whether all blocks move as many sectors."""
    most = max(point.values["load_sectors"] for point in report.points)
    least = min(point.values["load_sectors"] for point in report.points)
    return (Verdict(most <= 1.01 * least, f"blocks move {least:,} to {most:,} sectors"),)


@reproduces("block-sizes", graphs={"sim": ("kron:8",)}, verdicts=verdicts)
def block_sizes(lab: Lab) -> Iterator[Point]:
    """Does the size of blocks change what scan-free loads?"""
    for graph in lab.graphs:
        for block in (32, 128, 512):
            yield lab.point("scan-free", graph, ["load_sectors"], at=block, block=block)
