"""`python -m tests.lessons.mutants`: solutions with one change, which must lose points."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any

from gpubfs.grading.exercise import Exercise
from simulator.execute.device import PROFILES
from tests.lessons.mutants import compiled
from tests.lessons.mutants.argued import Argued, argued
from tests.lessons.mutants.grading import Verdict, graded, made
from tests.lessons.mutants.mutant import Mutant
from tests.lessons.submitted import EXERCISES

SECRET = "a secret of the tests"
#: What is wrong in C whatever one compiler makes of it.
UNDEFINED = ("fault", "sanitizer")


def arguments(given: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.lessons.mutants", description=__doc__)
    add = parser.add_argument
    add("exercises", nargs="*", metavar="EXERCISE", help="such as 00-warp/sum, or sum; default all")
    add("--jobs", type=int, default=1, metavar="N", help="processes; default 1")
    add("--only", default="", metavar="TEXT", help="mutants whose name has this in it")
    add("--names", type=Path, metavar="FILE", help="mutants whose whole names are lines of it")
    add("--secret", default=SECRET, help="on which hidden cases depend")
    add("--json", action="store_true", help="print everything for a program to read")
    return parser.parse_args(given)


@dataclass
class Found:
    """What became of an exercise's mutants."""

    exercise: str
    made: int = 0
    refused: list[Verdict] = field(default_factory=list)
    killed: list[Verdict] = field(default_factory=list)
    same: list[Mutant] = field(default_factory=list)
    punished: list[Verdict] = field(default_factory=list)
    right: list[Mutant] = field(default_factory=list)
    missed: list[Mutant] = field(default_factory=list)
    survivors: list[Mutant] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def share(self) -> float:
        """How many of those that are wrong lose points."""
        wrong = len(self.killed) + len(self.missed) + len(self.survivors)
        return len(self.killed) / wrong if wrong else 1.0


def examine(exercise: Exercise, options: argparse.Namespace) -> Found:
    """Make an exercise's mutants, and grade them."""
    began = time.monotonic()
    found = Found(exercise.name)
    ones = [one for one in made(exercise) if _wanted(one, options)]
    found.made = len(ones)
    same = same_code(exercise, ones, options.jobs)
    reasons = argued(exercise.name)
    for verdict in graded(exercise, ones, options.secret, options.jobs):
        _sort(found, verdict, verdict.mutant.name in same, reasons)
    found.seconds = time.monotonic() - began
    return found


def _wanted(one: Mutant, options: argparse.Namespace) -> bool:
    named = options.names is None or one.name in options.names.read_text("utf-8").split("\n")
    return named and options.only in one.name


def same_code(exercise: Exercise, ones: list[Mutant], jobs: int = 1) -> set[str]:
    """The names of those with the solution's machine code; RuntimeError if it has none."""
    if exercise.suffix != ".cu" or not compiled.available():
        return set()
    devices = {exercise.device_of(case) for case in exercise.cases}
    widths = sorted({PROFILES[device].warp_size for device in devices})
    wanted = _codes(exercise.solution.read_text("utf-8"), widths)
    if "" in wanted:
        raise RuntimeError(f"NVRTC does not compile the solution of {exercise.name}")
    with ThreadPoolExecutor(jobs) as pool:  # the compiler runs without Python's lock
        codes = pool.map(_codes, [one.text for one in ones], repeat(widths))
        return {one.name for one, code in zip(ones, codes, strict=True) if code == wanted}


def _codes(text: str, widths: list[int]) -> list[str]:
    """What the compiler makes of a file for warps of each width."""
    return [compiled.digest(text, lanes) for lanes in widths]


def _sort(found: Found, verdict: Verdict, same: bool, reasons: Argued) -> None:
    mutant = verdict.mutant
    if verdict.reason == "read":
        found.refused.append(verdict)
    elif same and verdict.reason not in UNDEFINED:
        found.same.append(mutant)
        if verdict.reason:
            found.punished.append(verdict)
    elif verdict.reason:
        found.killed.append(verdict)
    elif argument := reasons.get(mutant.name):
        (found.missed if argument.missed else found.right).append(mutant)
    else:
        found.survivors.append(mutant)


def report(found: Found) -> None:
    """Print what became of an exercise's mutants, and those that survived."""
    counts = f"{found.made} made, {len(found.refused)} do not compile, {len(found.same)} the same"
    rest = f"{len(found.right)} right, {len(found.killed)} lose points, {len(found.missed)} missed"
    print(f"{found.exercise}: {counts}, {rest}, {len(found.survivors)} survive", end="")
    print(f" ({found.share:.1%}; {found.seconds:.0f} s)", flush=True)
    reasons = Counter(verdict.reason for verdict in found.killed)
    print("  by", ", ".join(f"{reason} {n}" for reason, n in reasons.most_common()))
    cases = Counter(verdict.case for verdict in found.killed)
    print("  in", ", ".join(f"{case!r} {n}" for case, n in cases.most_common()))
    for mutant in sorted(found.survivors, key=lambda one: one.line):
        print(f"  survives, {mutant.kind}, line {mutant.line}: {mutant.name}")
    for verdict in found.punished:
        name = verdict.mutant.name
        print(f"  the same, and loses {verdict.case!r} by {verdict.reason}: {name}")
        print(f"    {verdict.message}")


def plain(found: Found) -> dict[str, Any]:
    """Everything but the files."""
    data = asdict(found)
    for part in data.values():
        for one in part if isinstance(part, list) else ():
            one.get("mutant", one).pop("text")
    return data | {"share": found.share}


def chosen(names: list[str]) -> list[Exercise]:
    """The exercises of these names, all without any."""
    known = {exercise.name: exercise for exercise in EXERCISES}
    known |= {exercise.folder.name: exercise for exercise in EXERCISES}
    if unknown := [name for name in names if name not in known]:
        raise SystemExit(f"there is no exercise {unknown[0]!r}: {', '.join(sorted(known))}")
    return [known[name] for name in names] or EXERCISES


def main(given: list[str] | None = None) -> int:
    """Examine exercises; ends with 1 where a mutant survives that nobody has argued."""
    options = arguments(given)
    every = []
    for exercise in chosen(options.exercises):
        every.append(examine(exercise, options))
        if not options.json:
            report(every[-1])
    if options.json:
        print(json.dumps([plain(found) for found in every], indent=1, ensure_ascii=False))
    return 1 if any(found.survivors for found in every) else 0


if __name__ == "__main__":
    sys.exit(main())
