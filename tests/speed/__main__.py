"""Make the page simulator/SPEED.md: `python -m tests.speed`; of some techniques it is printed."""

from __future__ import annotations

import argparse
import os
import platform
from collections import Counter
from pathlib import Path

import numpy as np

import gpubfs
from gpubfs.search.queues import QueueOverflowError
from tests.speed.sampling import PARTS, ROOT, profile

PAGE = ROOT / "simulator" / "SPEED.md"
#: Few wide levels, many narrow ones, and one hub.
GRAPHS = ("kron:14", "grid:64x64", "star:20000")
#: CPU seconds for which each search is repeated.
SECONDS = 0.5


#: A technique, the CPU seconds of a search, and what it does in them.
Row = tuple[str, float | None, Counter[str]]


def row(technique: str, graph: gpubfs.Graph) -> Row:
    """Measure a technique on a graph, from its vertex with the most edges.

    There are no seconds where one of its queues overflows.
    """
    source = int(np.argmax(graph.degrees))
    try:
        return (technique, *profile(lambda: gpubfs.run(technique, graph, source), SECONDS))
    except QueueOverflowError:
        return technique, None, Counter()


def table(rows: list[Row]) -> str:
    """Return rows as a table, with the shares of the parts.

    Examples
    --------
    >>> print(table([("scan-free", 0.25, Counter(kernel=30, counting=60, host=10))]))
    | technique | CPU s | kernel | counting | execution | launching |
    | --- | --: | --: | --: | --: | --: |
    | scan-free | 0.25 | 30 % | 60 % | 0 % | 0 % |
    """
    lines = [f"| {' | '.join(['technique', 'CPU s', *PARTS])} |"]
    lines.append("| --- |" + " --: |" * (1 + len(PARTS)))
    for name, seconds, samples in rows:
        if seconds is None:
            lines.append(f"| {' | '.join([name, 'overflows', *['–'] * len(PARTS)])} |")
            continue
        shares = (f"{100 * samples[part] / max(samples.total(), 1):.0f} %" for part in PARTS)
        lines.append(f"| {' | '.join([name, f'{seconds:.2g}', *shares])} |")
    return "\n".join(lines)


def page(techniques: list[str]) -> str:
    """Measure all that is asked for, and return the page."""
    parts = [
        "# Where a simulated second goes",
        "`python -m tests.speed` makes this page: each search is repeated for "
        f"{SECONDS} CPU seconds after a first time, all counters on, in lockstep, and a timer "
        "looks a thousand times a second which part it is in. *kernel* is generated code and "
        "what it calls; *counting* makes counters of what kernels log; *execution* moves gangs "
        "along and resolves addresses; *launching* is all else, the host code of the search "
        "included. CPU seconds are those of the quickest search; where a queue overflows with "
        "the options that a technique has by default there are none.",
        f"Measured on {platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}, NumPy {np.__version__}.",
    ]
    for spec in GRAPHS:
        graph = gpubfs.graph(spec)
        parts += [f"## {spec}", table([row(name, graph) for name in techniques])]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.speed", description=__doc__)
    parser.add_argument("techniques", nargs="*", help="those to print; by default the page has all")
    asked = parser.parse_args()
    known = [name for name in gpubfs.techniques() if name != "best"]
    unknown = [name for name in asked.techniques if name not in known]
    if unknown:
        parser.error(f"there is no technique {unknown[0]!r}; known: {', '.join(known)}")
    text = page(asked.techniques or known)
    if asked.techniques:
        print(text)
    else:
        Path(PAGE).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
