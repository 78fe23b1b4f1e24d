"""Makes a program that shows something as small as it can be while it still shows it."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from time import monotonic

from tests.fuzz.edits import PASSES, Edit, valid
from tests.fuzz.run import Outcome, attempt, expected
from tests.reference.expressions import OutOfFuelError
from tests.reference.program import Program
from tests.reference.threads import StuckError

Predicate = Callable[[Program], bool]


@dataclass
class Shrinker:
    """Delta debugging over a program's structured form.

    Parameters
    ----------
    shows
        Whether a program still shows what is looked for.
    seconds
        After this time the smallest program so far will do.
    """

    shows: Predicate
    seconds: float = 120.0
    tried: set[str] = field(default_factory=set)
    deadline: float = 0.0

    def shrink(self, program: Program) -> Program:
        """The smallest program found; `program` itself stays as it is.

        Raises
        ------
        ValueError
            If `program` does not show it.
        """
        if not self.shows(program):
            raise ValueError("the program does not show what it is shrunk for")
        self.deadline = monotonic() + self.seconds
        before = None
        while before != size(program) and monotonic() < self.deadline:
            before = size(program)
            for one in PASSES:
                program = self.exhaust(one, program)
        return program

    def exhaust(self, one: Callable[[Program], object], program: Program) -> Program:
        """Apply the edits of a pass; after a success, go on at the same place."""
        skip = 0
        while monotonic() < self.deadline:
            smaller = None
            for at, edit in enumerate(one(program)):  # type: ignore[arg-type,var-annotated]
                if at >= skip and (smaller := self.better(program, edit)):
                    skip = at
                    break
                if monotonic() >= self.deadline:
                    break
            if smaller is None:
                return program
            program = smaller
        return program

    def better(self, program: Program, edit: Edit) -> Program | None:
        """The edited program if it is smaller and still shows it."""
        candidate = deepcopy(program)
        edit(candidate)
        if size(candidate) >= size(program) or not valid(candidate):
            return None
        name = candidate.job().digest
        if name in self.tried:
            return None
        self.tried.add(name)
        return candidate if self.shows(candidate) else None


def size(program: Program) -> int:
    """Characters of source and arguments, threads and numbers that are not 0."""
    threads = sum(k.threads * k.blocks + sum(map(bool, shape(k))) for k in program.kernels)
    numbers = sum(value for k in program.kernels for _, value in k.numbers.values())
    starts = sum(a.start for a in program.arrays.values())
    return len(program.text()) + 8 * len(program.order) + threads + numbers + starts


def shape(kernel: object) -> list[int]:
    """The extents beyond the first, which a plain launch does without."""
    return [n - 1 for extent in (kernel.grid, kernel.block) for n in extent[1:]]  # type: ignore[attr-defined]


def differs_alike(program: Program, machine: Callable[..., object]) -> Predicate:
    """Whether a machine still goes wrong on a program in the way in which it does on this one."""
    wanted = how(program, machine)

    def shows(candidate: Program) -> bool:
        return bool(wanted) and how(candidate, machine) == wanted

    return shows


def how(program: Program, machine: Callable[..., object]) -> str:
    """In which way a machine and the oracle differ; empty if they do not or nothing is expected."""
    try:
        right = expected(program)
    except (AssertionError, StuckError, OutOfFuelError, KeyError):
        return ""
    seen: Outcome = attempt(machine, program.job())
    return (seen.kind or "memory") if seen.against(right) else ""
