"""Races of `gpubfs bench --against`: the simulator and another program, in turns, on one graph."""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError
from gpubfs.graphs import graph as make_graph
from gpubfs.graphs.labels import labels
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.result import OWN_TIME
from gpubfs.search.runs import run
from gpubfs.search.technique import Technique

#: How the other program says what it took, somewhere in its output.
SECONDS = re.compile(r"\bseconds[ =:]+([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)")


@dataclass(frozen=True)
class Contest:
    """The medians of both sides.

    Attributes
    ----------
    technique, graph, other : str
        What ran on what, and the other program's file name.
    repeats : int
        Turns of each side.
    seconds, other_seconds : float
        Medians of the search alone, all counters on.
    """

    technique: str
    graph: str
    other: str
    repeats: int
    seconds: float
    other_seconds: float

    @property
    def ratio(self) -> float:
        """Our time over the other's: below 1 we are faster."""
        return self.seconds / self.other_seconds

    def as_dict(self) -> dict[str, Any]:
        """Return the medians and their ratio, ready for JSON."""
        return asdict(self) | {"ratio": self.ratio}


def contest(
    technique: Technique,
    spec: Any,
    script: Path,
    repeats: int = 5,
    kernel: Path | None = None,
    tell: Callable[[str], None] = lambda words: None,
) -> Contest:
    """Time a technique on the simulator against a program that runs the same search.

    Parameters
    ----------
    technique : Technique
        The technique.
    spec : Graph or whatever `gpubfs.graph` takes
        The graph.
    script : Path
        A Python program that is called with the graph as a SciPy .npz file and the source, and
        prints ``seconds S``.
    repeats : int
        Turns of each side; they alternate.
    kernel : Path, optional
        A CUDA file with the technique's kernels and parameters to run instead of its own.
    tell : callable
        Called with words on what comes next.

    Raises
    ------
    UsageError
        If the program fails or prints no time.
    """
    graph = make_graph(spec)
    if kernel is not None:
        technique = replace(technique, kernel=str(kernel.resolve()))
    ours, others = [], []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "graph.npz"
        _save(graph, file)
        for number in range(repeats):
            tell(f"round {number + 1} of {repeats}")
            ours.append(run(technique, graph).seconds)
            others.append(_time(script, file, graph.hub))
    medians = statistics.median(ours), statistics.median(others)
    return Contest(technique.name, graph.spec, script.name, repeats, *medians)


def _save(graph: Any, file: Path) -> None:
    import scipy.sparse

    scipy.sparse.save_npz(file, graph.to_scipy())


def _time(script: Path, file: Path, source: int) -> float:
    command = [sys.executable, str(script), str(file), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        raise UsageError(f"{script} failed with exit code {done.returncode}", last)
    found = SECONDS.findall(done.stdout)
    if not found:
        raise UsageError(f"{script} printed no time", 'it must print "seconds S"')
    return float(found[-1])


def sheet(contests: Sequence[Contest]) -> Sheet:
    """Return the contests as a table."""
    first = contests[0]
    shown = labels(c.graph for c in contests)
    columns = (
        Column("graph"),
        Column("technique"),
        *(Column(title, figures=True) for title in ("seconds", first.other, "ratio")),
    )
    rows = tuple(
        (
            shown[c.graph],
            c.technique,
            f"{c.seconds:.4f}",
            f"{c.other_seconds:.4f}",
            f"{c.ratio:.2f}",
        )
        for c in contests
    )
    return Sheet(f"machine sim, medians of {first.repeats} rounds", columns, rows, (OWN_TIME,))
