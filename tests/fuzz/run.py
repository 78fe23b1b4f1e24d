"""Runs a job on a machine: the simulator under some schedule, a GPU through CuPy, or the oracle.

`xp` is the simulator or CuPy; nothing here knows which.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.reference.job import Job, Memory, difference, digest
from tests.reference.program import Program
from tests.reference.threads import Oracle

#: Of the simulated devices; programs need a few kilobytes.
MEMORY = 1 << 22


def run(job: Job, xp: Any) -> Memory:
    """Launch everything; the arrays afterwards."""
    arrays = {a.name: xp.asarray(a.values()) for a in job.arrays}
    module = xp.RawModule(code=job.text)
    for launch in job.launches:
        arguments = tuple(
            arrays[a] if isinstance(a, str) else np.dtype(a[0]).type(a[1]) for a in launch.arguments
        )
        kernel = module.get_function(launch.kernel)
        kernel(launch.grid, launch.block, arguments, shared_mem=launch.shared)
    return {name: xp.asnumpy(array) for name, array in arrays.items()}


def on_simulator(job: Job, schedule: str = "lockstep") -> Memory:
    """The arrays as the simulator leaves them."""
    import simulator

    with simulator.Device(memory=MEMORY, schedule=schedule):
        return run(job, simulator)


def on_gpu(job: Job) -> Memory:
    """The arrays as a GPU leaves them."""
    import cupy

    return run(job, cupy)


@dataclass(frozen=True)
class Outcome:
    """What a machine made of a job: memory, or the problem it stopped with."""

    memory: Memory | None
    problem: str = ""

    @property
    def digest(self) -> str:
        return self.problem or digest(self.memory or {})

    @property
    def kind(self) -> str:
        """The problem without names and numbers, which change as a program shrinks."""
        words = re.sub(r"`[^`]*`|\d+", "#", self.problem)
        return re.sub(r"\b[a-zA-Z]#\w*", "#", words)

    def against(self, other: Outcome) -> str:
        """How this differs from another outcome; empty if it does not."""
        if self.problem or other.problem:
            return self.problem or f"no problem where the other has one: {other.problem}"
        return difference(other.memory or {}, self.memory or {})


def machines(names: list[str]) -> dict[str, Any]:
    """The functions that run a job: "gpu", or a schedule of the simulator."""
    return {
        name: on_gpu if name == "gpu" else lambda job, name=name: on_simulator(job, name)
        for name in names
    }


def attempt(machine: Any, job: Job) -> Outcome:
    """Run a job on a machine that may fail."""
    try:
        return Outcome(machine(job))
    except Exception as problem:  # whatever goes wrong on a machine is what fuzzing looks for
        text = str(getattr(problem, "message", problem)).strip()
        return Outcome(None, f"{type(problem).__name__}: {text}".splitlines()[0])


def expected(program: Program) -> Outcome:
    """What the oracle makes of a program.

    Raises
    ------
    AssertionError, StuckError, OutOfFuelError
        If the program is wrong or runs too long.
    """
    return Outcome(Oracle(program).run())
