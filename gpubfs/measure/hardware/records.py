"""What a GPU said of every technique on the reference graphs: kept in a file, and found again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError, unknown
from gpubfs.kernels import KERNELS
from gpubfs.machines.nvrtc import launch_options
from gpubfs.search.catalogue import find, techniques
from gpubfs.search.option import parse
from simulator.instrument import flattened

# What is recorded: which techniques, with which options, on which graphs.


#: Small graphs of different shapes, the same on every platform.
GRAPHS = ("toy", "star:300", "path:12", "grid:8x8", "er:10", "kron:10", "kron:12")

#: Besides every technique with its defaults.
VARIANTS = (
    "binary-search:prefix=ordered",
    "central-queue:enqueue=prefix-sum",
    "central-queue:loop=persistent",
    "double-scan:alpha=0",
    "edge-frontier:enqueue=atomic",
    "edge-frontier:fused=0",
    "no-queue:alpha=0.4",
    "scan-based:supports=block",
    "scan-free:width=32",
    "single-scan:enqueue=prefix-sum",
    "single-scan:width=1",
    "strided-scan:alpha=0",
    "supports:basic=scan-based,supports=warp+block+queues,queue_threshold=64",
    "supports:supports=warp+queues,queue_threshold=32",
    "virtual-split:coalesced=false",
    "warp-shuffle:supports=warp+block",
    "xbfs:asynchronous=false",
)


def specs() -> list[str]:
    """All techniques that are recorded, with their options, as `gpubfs compare` takes them."""
    return sorted([*(name for name in techniques() if not launches_kernels(name)), *VARIANTS])


def launches_kernels(name: str) -> bool:
    """Whether a technique's kernels launch kernels, which is why it cannot be recorded.

    The build that counts has no room for the threads of grids that the host did not launch, and
    Nsight Compute does not see these grids.
    """
    return bool(launch_options(find(name).source))


@cache
def digest(spec: str) -> str:
    """Return a number that changes with the kernels of a technique, and not with their comments."""
    name, options = parse(spec)
    technique = find(name)
    defines = technique.defines(technique.complete(options))
    flags = (f"-I{KERNELS}", *(f"-D{macro}={value}" for macro, value in defines.items()))
    flat = flattened(technique.source, str(technique.path), flags)
    return hashlib.sha256(flat.source.text.encode()).hexdigest()[:16]


FOLDER = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Record:
    """One technique on one graph.

    Attributes
    ----------
    technique, graph : str
        The technique with its options, and the graph's specification.
    kernels : str
        What `digest` said of the kernels when it was recorded.
    instrumented : mapping
        Counters of the build that counts.
    hardware : mapping
        Nsight Compute's sums over the same launches, by our names, of each of several searches.
    experiments : mapping
        The same of one search for each of the experiments that concern it, by its name.
    """

    technique: str
    graph: str
    kernels: str
    instrumented: Mapping[str, Any]
    hardware: Mapping[str, Sequence[int]]
    experiments: Mapping[str, Mapping[str, int]]

    @property
    def stale(self) -> bool:
        """Whether the kernels have changed since."""
        return self.kernels != digest(self.technique)


@dataclass(frozen=True)
class Records:
    """All that was recorded on one GPU.

    Attributes
    ----------
    device, driver, compiler, profiler, date : str
        The GPU, its driver, what compiled and what profiled the kernels, and when.
    records : tuple of Record
        One for each technique and graph.
    """

    device: str
    driver: str
    compiler: str
    profiler: str
    date: str
    records: tuple[Record, ...]

    def find(self, spec: str, graph: str) -> Record:
        """Return the record of a technique with its options on a graph.

        Raises
        ------
        UsageError
            If there is none, or the kernels have changed since.
        """
        wanted = normal(spec)
        found = [r for r in self.records if normal(r.technique) == wanted]
        if not found:
            raise UsageError(
                f"{spec} was not recorded on the {self.device}: there is no record of it",
                "on such a GPU, gpubfs record makes one; recorded are "
                + ", ".join(dict.fromkeys(r.technique for r in self.records)),
            )
        for record in found:
            if record.graph == graph:
                _check(record)
                return record
        raise UsageError(
            f"{spec} was not recorded on {graph}",
            "recorded are the graphs " + ", ".join(r.graph for r in found),
        )


def refuse_others(old: Records, device: str, driver: str, compiler: str, profiler: str) -> None:
    """Refuse to join records to those that were made with something else.

    Raises
    ------
    UsageError
        If the GPU, its driver, the compiler or the profiler is another one.
    """
    here = {"device": device, "driver": driver, "compiler": compiler, "profiler": profiler}
    for name, now in here.items():
        if getattr(old, name) != now:
            raise UsageError(
                f"the {name} is {now}, and the records in the file are of {getattr(old, name)}",
                "write to another file, and record all anew",
            )


def _check(record: Record) -> None:
    if record.stale:
        raise UsageError(
            f"the kernels of {record.technique} have changed since they were recorded",
            "record them again on such a GPU: gpubfs record",
        )


def normal(spec: str) -> tuple[str, tuple[tuple[str, object], ...]]:
    """Return a technique and its options, whatever was left at its default."""
    name, options = parse(spec)
    values = find(name).complete(options)
    return find(name).name, tuple(sorted(values.items()))


def known() -> list[str]:
    """Return the GPUs of which there are records."""
    return sorted(file.stem for file in FOLDER.glob("*.json"))


@cache
def load(name: str) -> Records:
    """Return the records of a GPU.

    Raises
    ------
    UsageError
        If there are none of that name.
    """
    if name not in known():
        raise unknown("record of a GPU called", name, known())
    return read(FOLDER / f"{name}.json")


def read(file: Path) -> Records:
    """Return the records in a file."""
    data = json.loads(file.read_text(encoding="utf-8"))
    rows = tuple(Record(**row) for row in data.pop("records"))
    return Records(**data, records=rows)


def write(file: Path, records: Records) -> None:
    """Keep records in a file, a line for each."""
    head = asdict(records)
    rows = head.pop("records")
    lines = ",\n".join(json.dumps(row) for row in rows)
    text = json.dumps(head, indent=1)[:-2] + ',\n "records": [\n' + lines + "\n]}\n"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def joined(old: Records, new: Records) -> Records:
    """Return records by technique, newer ones in the place of older ones of the same graph."""
    first, last = old.date.partition(" to ")[0], new.date
    date = last if first == last else f"{first} to {last}"
    rows = {(r.technique, r.graph): r for r in [*old.records, *new.records]}
    return replace(new, date=date, records=tuple(sorted(rows.values(), key=lambda r: r.technique)))
