"""Several runs on one graph side by side, each counter with its ratio to the first run's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpubfs.arguments import text, texts
from gpubfs.errors import UsageError, unknown
from gpubfs.graphs import graph as make_graph
from gpubfs.render.sheets import Sheet
from gpubfs.render.views import Viewed, show_as
from gpubfs.search.catalogue import find, parse_call
from gpubfs.search.counters import shown, value
from gpubfs.search.option import parse
from gpubfs.search.result import Run
from gpubfs.search.runs import run

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: What is drawn unless something else is named.
COMPARED = ("load_sectors", "store_sectors", "atomic_sectors", "hottest_ops", "warp_steps")


@dataclass(frozen=True)
class Comparison(Viewed):
    """Runs on one graph from one source.

    Attributes
    ----------
    runs : tuple of Run
        The runs; the first is what the others are compared with.
    labels : tuple of str
        What to call each: its technique, options given and machine, as far as they differ.
    """

    runs: tuple[Run, ...]
    labels: tuple[str, ...]

    def __repr__(self) -> str:
        first, labels = self.runs[0], ", ".join(self.labels)
        machines = ", ".join(dict.fromkeys(run.machine for run in self.runs))
        where = f"{labels} on {first.graph.label} from {first.source}, machine {machines}"
        verified = "all verified" if all(run.verified for run in self.runs) else "not all verified"
        found = f"depth {first.depth}, {verified}"
        return f"<{where}: {found}; the table shows in Jupyter and by rich.print>"

    def ratios(self, counter: str) -> list[float | None]:
        """Divide each run's `counter` by the first run's; None where there is nothing to divide.

        Parameters
        ----------
        counter : str
            A name of the catalogue, such as ``load_requests`` or ``work.imbalance``.

        Returns
        -------
        list of float or None
            A ratio for each run.

        Raises
        ------
        UsageError
            If there is no such counter.
        """
        text(counter, "counter", "give a name such as 'load_requests'")
        values = [value(run.counters, counter) for run in self.runs]
        known = [one.name for one in shown()]
        if counter not in known and not any(counter in run.counters for run in self.runs):
            raise unknown("counter", counter, known)
        sound = isinstance(values[0], int | float) and values[0] != 0
        return [v / values[0] if sound and isinstance(v, int | float) else None for v in values]

    def sheet(self) -> Sheet:
        """Make the table: a row per counter, a column per run.

        Returns
        -------
        Sheet
            The table.
        """
        table: Sheet = show_as(self, "sheet")
        return table

    def plot(self, counters: Sequence[str] = COMPARED) -> Figure:
        """Draw the ratios, a matplotlib figure.

        Parameters
        ----------
        counters : sequence of str
            Names of the catalogue.

        Returns
        -------
        Figure
            Of matplotlib, which a notebook shows.

        Raises
        ------
        UsageError
            If a counter is not known, or there is none that the first run has.
        """
        figure: Figure = show_as(self, "plot", counters)
        return figure

    def as_dict(self) -> dict[str, Any]:
        """Give the runs and every counter's ratios, ready for JSON.

        Returns
        -------
        dict
            What `gpubfs compare --json` prints.
        """
        return {
            "labels": list(self.labels),
            "runs": [run.as_dict() for run in self.runs],
            "ratios": {counter.name: self.ratios(counter.name) for counter in shown()},
        }


#: What `compare` hands on to every run.
SETTINGS = ("device", "schedule", "counters", "progress")


def compare(
    techniques: str | Sequence[str],
    graph: Any,
    machines: str | Sequence[str] = ("sim",),
    *,
    source: int | None = None,
    **settings: Any,
) -> Comparison:
    """Run several techniques, or one on several machines, and put their counters side by side.

    Parameters
    ----------
    techniques : str or sequence of str
        A name or names, each with options of its own where wanted:
        ``block-prefix-sum:block=64,edges_per_thread=8``.
    graph : Graph or whatever `gpubfs.graph` takes
        The graph or its specification.
    machines : str or sequence of str
        "sim", "gpu" or both.
    source : int, optional
        Where to begin; by default the graph's hub.
    **settings
        `device`, `schedule`, `counters` and `progress` as `gpubfs.run` takes them; the first two
        are for the simulator only.

    Returns
    -------
    Comparison
        The runs; in a notebook it shows itself as a table.

    Raises
    ------
    UsageError, GraphError
        If a technique, an option, a machine, a setting, the graph or the source is not there.
    VerificationError
        If a result is not a breadth-first search.

    Examples
    --------
    >>> import gpubfs
    >>> both = gpubfs.compare(["status-array", "scan-free"], "grid:8x8")
    >>> both.ratios("launches")
    [1.0, 1.0]
    """
    _check_settings(settings)
    techniques = texts(techniques, "techniques", "give a name such as 'scan-free', or a list")
    machines = texts(machines, "machines", "give 'sim', 'gpu' or a list of both")
    if not techniques or not machines:
        raise UsageError(
            "there is nothing to compare", "name at least one technique and one machine"
        )
    for spec in techniques:
        find(parse(spec)[0])
    made = make_graph(graph)
    pairs = [(machine, *parse_call(spec), spec) for machine in machines for spec in techniques]
    runs = [
        run(name, made, source, machine, **_for(machine, settings), **options)
        for machine, name, options, _ in pairs
    ]
    return Comparison(
        tuple(runs), tuple(_labels([(spec, machine) for machine, _, _, spec in pairs]))
    )


def _check_settings(settings: Iterable[str]) -> None:
    known = ("machines", "source", *SETTINGS)
    for name in settings:
        if name not in SETTINGS:
            error = unknown("setting of compare called", name, known)
            more = "\noptions of a technique stand after its name: scan-free:block=64"
            raise UsageError(error.message, error.hint + more)


def _for(machine: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    simulators = ("device", "schedule")
    return {k: v for k, v in settings.items() if machine == "sim" or k not in simulators}


def _labels(pairs: list[tuple[str, str]]) -> list[str]:
    specs, machines = ({pair[i] for pair in pairs} for i in (0, 1))
    if len(machines) == 1:
        return [spec for spec, _ in pairs]
    if len(specs) == 1:
        return [machine for _, machine in pairs]
    return [f"{spec} on {machine}" for spec, machine in pairs]
