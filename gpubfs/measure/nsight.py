"""The hardware as witness: run a technique under Nsight Compute and read its counters."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpubfs.errors import UsageError
from gpubfs.machines.gpu import cuda_module
from gpubfs.render.sheets import Column, Row, Sheet, figure
from gpubfs.search.catalogue import find
from gpubfs.search.counters import described
from gpubfs.search.result import Run
from gpubfs.search.runs import run

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

MISSING = UsageError(
    "Nsight Compute is not installed: there is no program ncu",
    "it comes with the CUDA toolkit; add its folder to PATH, or compare on the machine sim",
)
FORBIDDEN = UsageError(
    "Nsight Compute may not read this GPU's counters (ERR_NVGPUCTRPERM)",
    "ask the administrator to load the driver with NVreg_RestrictProfilingToAdminUsers=0,\n"
    "or run as root",
)


@dataclass(frozen=True)
class Profile:
    """One technique on one graph: what the simulator counted and what the hardware did.

    Attributes
    ----------
    run : Run
        The simulator's run.
    hardware : mapping
        Nsight Compute's sums over the same launches, by our counters' names.
    """

    run: Run
    hardware: Mapping[str, int]

    def difference(self, counter: str) -> float | None:
        """Compute (simulator - hardware) / hardware; None where the hardware counted nothing."""
        truth = self.hardware[counter]
        counted: int = self.run.counters[counter]
        return (counted - truth) / truth if truth else None

    def as_dict(self) -> dict[str, Any]:
        """Give the counters side by side, ready for JSON."""
        return {
            "technique": self.run.technique,
            "graph": self.run.graph.spec,
            "source": self.run.source,
            "counters": {
                name: {
                    "simulator": self.run.counters[name],
                    "hardware": self.hardware[name],
                    "difference": self.difference(name),
                }
                for name in self.hardware
            },
        }

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        yield sheet([self])


def metrics() -> dict[str, tuple[str, ...]]:
    """Give the counters that Nsight Compute has too, and the metrics whose sum each equals.

    Examples
    --------
    >>> metrics()["load_sectors"]
    ('l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum',)
    """
    return {name: counter.nsight for name, counter in described().items() if counter.nsight}


def sheet(profiles: Iterable[Profile]) -> Sheet:
    """Several profiles as one table."""
    columns = (
        Column("technique"),
        Column("graph"),
        Column("counter"),
        *(Column(title, figures=True) for title in ("simulator", "hardware", "difference")),
    )
    rows: list[Row] = []
    for profile in profiles:
        first = (profile.run.technique, profile.run.graph.label)
        for name in profile.hardware:
            share = profile.difference(name)
            rows.append(
                (
                    *first,
                    name,
                    figure(profile.run.counters[name]),
                    figure(profile.hardware[name]),
                    "" if share is None else f"{100 * share:+.2f} %",
                )
            )
    return Sheet("simulator against Nsight Compute", columns, tuple(rows), keys=3)


def profile(
    technique: str, spec: str, source: int | None = None, options: Mapping[str, Any] | None = None
) -> Profile:
    """Run a technique on the simulator, and on the GPU under Nsight Compute.

    Parameters
    ----------
    technique, spec : str
        The technique's name and the graph's specification.
    source : int, optional
        Where to begin; by default the graph's hub.
    options : mapping, optional
        The technique's options.

    Raises
    ------
    UsageError
        If the technique is not known, Nsight Compute or CuPy is missing, Nsight Compute may not
        read counters, or the run under it failed.
    """
    find(technique).complete(options or {})
    program = shutil.which("ncu")
    if program is None:
        raise MISSING
    cuda_module()
    simulated = run(technique, spec, source, **(options or {}))
    command = [sys.executable, "-m", "gpubfs", "run", technique, "--graph", spec, "--json"]
    command += ["--machine", "gpu", "--source", str(simulated.source)]
    command += [part for k, v in (options or {}).items() for part in ("--option", f"{k}={v}")]
    kernels = {launch.kernel for launch in simulated.per_launch}
    hardware = measure(program, command, kernels)
    return Profile(simulated, hardware)


def measure(program: str, command: list[str], kernels: Iterable[str]) -> dict[str, int]:
    """Sum the metrics over all launches of `kernels` while `command` runs."""
    return sums(collect(program, command, kernels)[1])


def collect(
    program: str,
    command: list[str],
    kernels: Iterable[str],
    environment: Mapping[str, str] | None = None,
    asked: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[str, str]:
    """Run `command`; give what it printed, and what Nsight Compute wrote of `kernels`.

    `environment` has further variables for the command; `asked` are the metrics, by default those
    of our counters.
    """
    chosen = metrics() if asked is None else asked
    names = "|".join(sorted(map(re.escape, kernels)))
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "ncu.csv"
        wanted = ",".join(metric for names in chosen.values() for metric in names)
        options = ["--clock-control", "none", "--csv", "--print-units", "base"]
        options += ["--metrics", wanted, "--kernel-name", f"regex:^({names})$"]
        done = subprocess.run(
            [program, *options, "--log-file", str(log), *command],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **(environment or {})},
        )
        said = log.read_text() if log.exists() else ""
    if "ERR_NVGPUCTRPERM" in said + done.stdout + done.stderr:
        raise FORBIDDEN
    if done.returncode:
        raise UsageError(
            f"the run under Nsight Compute failed with exit code {done.returncode}",
            (done.stderr or said or done.stdout).strip()[-800:],
        )
    return done.stdout, said


def launches(text: str, asked: Mapping[str, tuple[str, ...]] | None = None) -> list[dict[str, int]]:
    r"""Our counters from Nsight Compute's CSV, for each launch in their order.

    Parameters
    ----------
    text : str
        What ``ncu --csv --print-units base`` wrote: messages, a header, a row a launch and metric.
    asked : mapping, optional
        Names, and the metrics whose sum each is; by default our counters that have some.

    Raises
    ------
    UsageError
        If there is no table in it, or a metric is missing.

    Examples
    --------
    >>> rows = [f'"0","k","{m}","1,234"' for names in metrics().values() for m in names]
    >>> table = "\n".join(['"ID","Kernel Name","Metric Name","Metric Value"', *rows])
    >>> launches("==PROF== connected\n" + table)[0]["atomic_requests"]
    2468
    """
    lines = text.splitlines()
    start = next((n for n, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise UsageError("Nsight Compute printed no table", text.strip()[-800:])
    found: dict[str, dict[str, int]] = {}
    for row in csv.DictReader(lines[start:]):
        own = found.setdefault(row["ID"], {})
        own[row["Metric Name"]] = round(float(row["Metric Value"].replace(",", "")))
    return [_by_name(own, metrics() if asked is None else asked) for own in found.values()]


def _by_name(found: Mapping[str, int], asked: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
    missing = [m for wanted in asked.values() for m in wanted if m not in found]
    if missing:
        raise UsageError(
            f"Nsight Compute knows no metric {missing[0]} on this GPU",
            "GPUs before the Turing generation have other metrics",
        )
    return {name: sum(found[m] for m in wanted) for name, wanted in asked.items()}


def sums(text: str) -> dict[str, int]:
    """Read them summed over launches."""
    each = launches(text)
    return {name: sum(launch[name] for launch in each) for name in metrics()}
