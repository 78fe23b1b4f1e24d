"""The page on bugs that were met in published kernels, from planted bugs of the same kind.

`python -m tests.sanitize.published` prints the page; with `--record FILE`, on a machine with a GPU,
CuPy and compute-sanitizer, it measures what the page says of the GPU.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import simulator
from tests.sanitize.bugs import BUGS
from tests.sanitize.planted import Bug

RECORDED = Path(__file__).with_name("published.json")
PAGE = Path(simulator.__file__).with_name("FOUND.md")
LAUNCHES, STREAMS = 2000, 32


@dataclass(frozen=True)
class Kind:
    """A kind of bug: where it was met, what is wrong, and the planted bug that shows it."""

    title: str
    met: str
    wrong: str
    name: str

    @property
    def bug(self) -> Bug:
        """The planted bug."""
        (found,) = (bug for bug in BUGS if bug.name == self.name)
        return found


KINDS = (
    Kind(
        "A scan in place",
        "the inclusive scan of a textbook, and kernels made after it",
        "A thread adds its left neighbour's value to its own while that neighbour does the same: "
        "it may read the value of before or of after. The remedy is to read, wait, and then write.",
        "scan_in_place",
    ),
    Kind(
        "The last warp of a reduction",
        "the reduction of a textbook, whose last steps have no barrier",
        "Once 32 threads are left, no barrier stands between the steps, because lanes of a warp "
        "once ran in step. They need not since Volta, and a compiler may keep values in registers. "
        "`__syncwarp()` orders them.",
        "last_warp_of_reduction",
    ),
    Kind(
        "Shared memory used again",
        "a softmax, whose sum uses the array in which the maximum was found",
        "Fast threads write the second array where slow ones still read the first. A barrier "
        "belongs between the last read and the first write.",
        "shared_memory_reused",
    ),
    Kind(
        "What one thread tells the others",
        "a batch normalisation, whose mean one thread writes",
        "The others may read before it has written: a barrier is missing.",
        "broadcast_without_barrier",
    ),
    Kind(
        "Checked, then set",
        "a breadth-first search that was published as code",
        "Two threads see that a vertex has no parent, and both become it: what is counted or "
        "queued once for each parent is there twice. One atomic operation must both check and set.",
        "parent_check_then_set",
    ),
    Kind(
        "A queue without atomics",
        "the same search",
        "Two threads read one tail and write to one place: vertices are lost.",
        "queue_append",
    ),
)


# What the simulator says.


def said(bug: Bug, schedule: str, buggy: bool) -> str:
    """Return the report of the race checker, "" if there is none."""
    device = simulator.Device(bug.profile, memory=1 << 20, schedule=schedule)
    with device, simulator.sanitize(bug.sanitizer):
        try:
            bug.launch(buggy)
        except simulator.Fault as fault:
            return re.sub(r"\S*/(\w+\.cu)", r"\1", str(fault))
    return ""


def wrong_in(bug: Bug, buggy: bool) -> int:
    """Return under how many of the schedules the result is wrong, without a sanitizer."""
    return sum(_is_wrong(bug, schedule, buggy) for schedule in bug.schedules)


def _is_wrong(bug: Bug, schedule: str, buggy: bool) -> bool:
    with simulator.Device(bug.profile, memory=1 << 20, schedule=schedule):
        found = bug.launch(buggy)
    return any(not np.array_equal(found[at], bug.result[at]) for at in bug.result)


# The page.


def page() -> str:
    """Return the page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    recorded = json.loads(RECORDED.read_text("utf-8"))
    yield "# Found in published kernels"
    yield ""
    yield (
        "Kinds of bug that were met when kernels of public sources were executed. "
        "Each is shown by a kernel of our own, with `BUGGY` and, as its twin, without. `python -m "
        "tests.sanitize.published` makes this page; what it says of a GPU was measured on "
        f"{recorded['when']} on an {recorded['device']} with CuPy {recorded['cupy']} and "
        f"{recorded['sanitizer']}, by the same command with `--record`: {LAUNCHES:,} launches one "
        f"after another, and {LAUNCHES:,} in {STREAMS} streams. compute-sanitizer's racecheck "
        "watches shared memory only."
    )
    for kind in KINDS:
        yield from _section(kind, recorded["kernels"][kind.name])


def _section(kind: Kind, recorded: dict[str, Any]) -> Iterator[str]:
    bug = kind.bug
    yield from ("", f"## {kind.title}", "", f"Met in {kind.met}. {kind.wrong}", "")
    yield from ("```cuda", bug.path.read_text("utf-8").rstrip(), "```", "")
    yield from ("The simulator's race checker says, in lockstep:", "")
    yield from ("```text", said(bug, "lockstep", buggy=True), "```", "")
    yield from ("| | with the bug | its twin |", "| --- | --- | --- |")
    rows = {
        "reported by the simulator, of 20 schedules": [_reported(bug, b) for b in (True, False)],
        "wrong in the simulator, of 20 schedules": [wrong_in(bug, b) for b in (True, False)],
        f"wrong on the GPU, of {LAUNCHES:,} launches": [v["alone"] for v in _both(recorded)],
        f"the same in {STREAMS} streams": [v["streams"] for v in _both(recorded)],
        "compute-sanitizer's racecheck": [v["racecheck"] for v in _both(recorded)],
    }
    for name, (one, other) in rows.items():
        yield f"| {name} | {one} | {other} |"


def _both(recorded: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    return recorded["bug"], recorded["twin"]


def _reported(bug: Bug, buggy: bool) -> int:
    return sum(bool(said(bug, schedule, buggy)) for schedule in bug.schedules)


# On a GPU.


def _kernel(bug: Bug, buggy: bool) -> Any:
    import cupy

    options = ("-DBUGGY",) if buggy else ()
    return cupy.RawModule(code=bug.path.read_text("utf-8"), options=options).get_function(bug.name)


def _arguments(bug: Bug) -> list[Any]:
    import cupy

    made = (a.shape if hasattr(a, "dtype") else a for a in bug.arguments)
    return [
        cupy.asarray(a)
        if isinstance(a, np.ndarray)
        else cupy.zeros(shape, a.dtype)
        if hasattr(a, "dtype")
        else a
        for a, shape in zip(bug.arguments, made, strict=True)
    ]


def launched(bug: Bug, buggy: bool, launches: int, streams: int) -> int:
    """Launch a kernel many times on a GPU, and return how often its result is wrong."""
    import cupy

    kernel = _kernel(bug, buggy)
    pool = [cupy.cuda.Stream(non_blocking=True) for _ in range(streams)]
    given = [_arguments(bug) for _ in range(launches)]
    cupy.cuda.Device().synchronize()
    for number, arguments in enumerate(given):
        with pool[number % streams]:
            kernel((bug.grid,), (bug.block,), tuple(arguments))
    cupy.cuda.Device().synchronize()
    return sum(
        any(not np.array_equal(arguments[at].get(), bug.result[at]) for at in bug.result)
        for arguments in given
    )


def _racecheck(bug: Bug, buggy: bool) -> str:
    """Return what compute-sanitizer says of one launch."""
    command = [sys.executable, "-m", "tests.sanitize.published", "--once", bug.name]
    command += ["--buggy"] if buggy else []
    whole = ["compute-sanitizer", "--tool", "racecheck", *command]
    text = subprocess.run(whole, capture_output=True, text=True, check=False).stdout
    summary = re.search(r"RACECHECK SUMMARY: (.*)", text)
    return summary[1].strip() if summary else "no summary"


def record(file: Path) -> None:
    """Measure on this machine's GPU, and write a file that the page is made from."""
    import cupy

    version = subprocess.run(
        ["compute-sanitizer", "--version"], capture_output=True, text=True, check=True
    )
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    kernels = {}
    for kind in KINDS:
        kernels[kind.name] = {
            label: {
                "alone": launched(kind.bug, buggy, LAUNCHES, 1),
                "streams": launched(kind.bug, buggy, LAUNCHES, STREAMS),
                "racecheck": _racecheck(kind.bug, buggy),
            }
            for label, buggy in (("bug", True), ("twin", False))
        }
    found = {
        "when": datetime.now(UTC).date().isoformat(),
        "device": name,
        "cupy": cupy.__version__,
        "sanitizer": f"compute-sanitizer {version.split('Version ')[-1].split()[0]}",
        "kernels": kernels,
    }
    file.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def main() -> None:
    """Print the page, or measure what it says of a GPU."""
    parser = argparse.ArgumentParser(prog="python -m tests.sanitize.published", description=__doc__)
    parser.add_argument("--record", type=Path, metavar="FILE", help="measure on this GPU")
    parser.add_argument("--once", metavar="NAME", help="launch one kernel once on this GPU")
    parser.add_argument("--buggy", action="store_true", help="with --once: with its bug")
    given = parser.parse_args()
    if given.once:
        (kind,) = (kind for kind in KINDS if kind.name == given.once)
        launched(kind.bug, given.buggy, 1, 1)
    elif given.record:
        if shutil.which("compute-sanitizer") is None:
            parser.error("compute-sanitizer is not installed")
        record(given.record)
    else:
        print(page(), end="")


if __name__ == "__main__":
    main()
