"""Record what a GPU says: kernels that count, and the hardware under Nsight Compute."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from gpubfs.graphs import graph
from gpubfs.machines.gpu import FLAGS, cuda_module
from gpubfs.measure import nsight
from gpubfs.measure.hardware.cases import EXPERIMENTS, LIMITS
from gpubfs.measure.hardware.records import Record, Records, digest, refuse_others
from gpubfs.measure.nsight import MISSING, metrics
from gpubfs.search.option import parse
from gpubfs.search.plugins import load_plugins
from gpubfs.search.runs import run

#: What is kept of the counters of the build that counts.
KEPT = (
    *("load_requests", "load_sectors", "store_requests", "store_sectors", "atomic_requests"),
    *("atomic_sectors", "atomic_lanes", "same_address_max", "cas_failed", "shared_requests"),
    *("bank_conflicts", "branches", "divergent_branches", "barriers", "grid_syncs"),
)
WORK = ("maximum", "total")

#: How often the hardware is asked where order matters: then no two answers are the same.
RUNS = 3

Pair = tuple[str, str]


def record(
    specs: Sequence[str],
    graphs: Sequence[str],
    tell: Callable[[str], None] = lambda words: None,
    old: Records | None = None,
) -> Records:
    """Run techniques on graphs on this machine's GPU, and keep what was counted.

    Parameters
    ----------
    specs : sequence of str
        Techniques, with options where wanted.
    graphs : sequence of str
        Specifications of graphs.
    tell : callable
        Called with words on what comes next.
    old : Records, optional
        Those that the new ones will be joined to.

    Raises
    ------
    UsageError
        If there is no GPU, or no Nsight Compute that may read its counters, or if these or the
        compiler are others than those of `old`.
    """
    program = shutil.which("ncu")
    if program is None:
        raise MISSING
    here = _here(cuda_module(), program)
    if old is not None:
        refuse_others(old, *here)
    made = _Recording(program, [(spec, name) for spec in specs for name in graphs], tell)
    made.count()
    made.measure()
    made.experiment()
    return Records(*here, date.today().isoformat(), made.rows())


class _Recording:
    """Pairs of a technique and a graph, and what is found out of them, step by step."""

    def __init__(self, program: str, pairs: list[Pair], tell: Callable[[str], None]) -> None:
        self._program = program
        self._pairs = pairs
        self._tell = tell
        self._kernels: set[str] = set()
        self._counted: dict[Pair, dict[str, Any]] = {}
        self._measured: dict[Pair, list[dict[str, int]]] = {pair: [] for pair in pairs}
        self._changed: dict[Pair, dict[str, dict[str, int]]] = {pair: {} for pair in pairs}

    def count(self) -> None:
        """Let the kernels count by themselves."""
        for spec, name in self._pairs:
            self._tell(f"{spec} on {name}")
            done = searched(spec, name, counters=True)
            self._kernels |= {launch.kernel for launch in done.per_launch}
            self._counted[spec, name] = kept(done.counters)

    def measure(self) -> None:
        """Ask the hardware; more than once where it does not say what the kernels say."""
        self._tell("the hardware")
        self._ask(self._pairs)
        for number in range(1, RUNS):
            self._tell(f"the hardware, search {number + 1}")
            self._ask(self._open())

    def experiment(self) -> None:
        """Ask what the experiments change, where the hardware and the kernels do not agree."""
        for experiment in EXPERIMENTS:
            self._tell(f"experiment: {experiment.name}")
            pairs = [pair for pair in self._open() if experiment.concerns(self._counted[pair])]
            found = _profiled(self._program, pairs, self._kernels, {FLAGS: experiment.flag})
            for pair, counters in zip(pairs, found, strict=True):
                self._changed[pair][experiment.name] = counters

    def rows(self) -> tuple[Record, ...]:
        """Return the records."""
        return tuple(self._row(pair) for pair in self._pairs)

    def _ask(self, pairs: list[Pair]) -> None:
        found = _profiled(self._program, pairs, self._kernels)
        for pair, counters in zip(pairs, found, strict=True):
            self._measured[pair].append(counters)

    def _open(self) -> list[Pair]:
        """Return the pairs whose first search the hardware and the kernels count differently."""
        return [
            pair
            for pair in self._pairs
            if any(self._measured[pair][0][name] != self._counted[pair][name] for name in LIMITS)
        ]

    def _row(self, pair: Pair) -> Record:
        spec, name = pair
        runs = self._measured[pair]
        hardware = {counter: [found[counter] for found in runs] for counter in metrics()}
        return Record(spec, name, digest(spec), self._counted[pair], hardware, self._changed[pair])


def searched(spec: str, name: str, **settings: Any) -> Any:
    """One search on the GPU."""
    technique, options = parse(spec)
    return run(technique, graph(name), machine="gpu", **settings, **options)


def kept(counters: Any) -> dict[str, Any]:
    """Return what a record keeps of a run's counters."""
    work = {f"work.{name}": counters["work"][name] for name in WORK}
    return {name: counters[name] for name in KEPT} | work


def _profiled(
    program: str,
    pairs: Sequence[Pair],
    kernels: set[str],
    environment: Mapping[str, str] | None = None,
) -> Iterator[dict[str, int]]:
    """Nsight Compute's sums for each search, all of which run in one process."""
    if not pairs:
        return
    arguments = [json.dumps(pair) for pair in pairs]
    command = [sys.executable, "-m", "gpubfs.measure.hardware.recording", *arguments]
    said, table = nsight.collect(program, command, kernels, environment)
    launches = nsight.launches(table)
    sizes = json.loads(said.strip().splitlines()[-1])
    if sum(sizes) != len(launches):
        raise RuntimeError(f"{sum(sizes)} launches were made, {len(launches)} were profiled")
    at = 0
    for size in sizes:
        own = launches[at : at + size]
        yield {name: sum(launch[name] for launch in own) for name in metrics()}
        at += size


def _here(cuda: Any, program: str) -> tuple[str, str, str, str]:
    """Return the GPU, its driver, the compiler and the profiler."""
    device = cuda.cuda.runtime.getDeviceProperties(0)["name"].decode()
    driver = _first_line(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"])
    major, minor = cuda.cuda.nvrtc.getVersion()
    compiler = f"NVRTC {major}.{minor}, CuPy {cuda.__version__}"
    version = _first_line([program, "--version"], last=True)
    return device, driver, compiler, f"Nsight Compute, {version}"


def _first_line(command: list[str], *, last: bool = False) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stdout.strip().splitlines() or ["unknown"]
    return lines[-1 if last else 0].strip()


def main(arguments: Iterable[str]) -> None:
    """Make the searches that are profiled, and print how many launches each made."""
    load_plugins()  # which the process that started this one had
    sizes = [searched(*json.loads(pair), counters=False).launches for pair in arguments]
    print(json.dumps(sizes))


if __name__ == "__main__":
    main(sys.argv[1:])
