"""A run that is lost, done once more to know what it has written, and what not."""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Protocol

import simulator
from gpubfs.grading.kinds.launching import launch, on_device, threads
from gpubfs.grading.problems import holes
from gpubfs.grading.problems.problem import DEVICE_MEMORY, Problem

#: Threads of all launches of a run that is done once more: each case has its time.
MOST = 1 << 14


class Run(Protocol):
    """What is done once more: kernels of a file, on the arrays of a problem."""

    device: str
    file: Path
    folders: tuple[str, ...]
    problem: Problem


def hole_of(run: Run, schedule: str, arrays: Mapping[str, Any], steps: int) -> str:
    """Return which places of a queue a run has reserved and not written, in words; or nothing.

    Parameters
    ----------
    run : Run
        The run, whose result is wrong.
    schedule : str
        The order of warps.
    arrays : mapping of str to ndarray
        The arrays as it has left them.
    steps : int
        The lane steps that a launch may take.
    """
    problem = run.problem
    if not problem.queues or holes.is_known(problem, arrays):
        return holes.hole_in(problem, arrays)
    if sum(map(threads, problem.launches)) > MOST:
        return ""
    with simulator.Device(run.device, DEVICE_MEMORY, schedule, steps):
        own = on_device(problem, simulator)
        try:
            with redirect_stdout(io.StringIO()), simulator.sanitize("init"):
                module = simulator.RawModule(
                    path=str(run.file),
                    options=run.folders,
                    enable_cooperative_groups=problem.cooperative,
                )
                for one in problem.launches:
                    launch(module, one, own)
        except simulator.SimulatorError:  # it reads what nothing wrote, which is another mistake
            return ""
        return holes.hole_in(problem, own)
