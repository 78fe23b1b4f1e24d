"""Checks of a kernel that is handed in: problems of the exercise's own."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

import simulator
from gpubfs.grading.checks.failures import of_error
from gpubfs.grading.checks.orders import OrderChecks
from gpubfs.grading.costs.cost import Cost, Part
from gpubfs.grading.exercises.exercise import Case, Exercise
from gpubfs.grading.exercises.making import maker, wrong
from gpubfs.grading.exercises.problem import DEVICE_MEMORY, Launch, Problem, Unwritten
from gpubfs.grading.outcome import Failure
from gpubfs.search.counters import plain, total
from simulator.observe.counters import merge_sites

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from simulator.observe.counters import Counters
    from simulator.observe.counting import Launch as Counted

#: Lane steps that a launch may take.
STEPS = 1 << 27


class KernelChecks(OrderChecks):
    """Runs problems with the file that was handed in.

    Parameters
    ----------
    exercise : Exercise
        Whose `problem.py` makes them.
    file : Path
        What was handed in, in a folder with the headers that it may include.
    """

    def __init__(self, exercise: Exercise, file: Path) -> None:
        self.exercise = exercise
        self.file = file
        self.make = maker(exercise.folder)

    def check(self, case: Case, seed: int) -> Failure | None:
        """Why a case is lost; None if it is not."""
        problem = self.make(np.random.default_rng(seed), **case.given)
        run = Runs(self.exercise.device_of(case), self.file, problem)
        return self.in_orders(case, run)


class Runs:
    """One problem, run in any order.

    Parameters
    ----------
    device : str
        The simulated GPU.
    file : Path
        The kernels.
    problem : Problem
        What is run, and what must come of it.
    headers : Path, optional
        Where headers are that the file includes, by default beside it.
    """

    def __init__(
        self, device: str, file: Path, problem: Problem, headers: Path | None = None
    ) -> None:
        self.device = device
        self.file = file
        self.problem = problem
        self.headers = headers or file.parent

    def __call__(self, schedule: str, sanitize: str) -> tuple[Failure | None, Cost]:
        """What is wrong in this order under these sanitizers, and the cost."""
        problem = self.problem
        gc.collect()  # the memory of the devices before this one
        with ExitStack() as stack:
            device = simulator.Device(self.device, DEVICE_MEMORY, schedule, STEPS)
            stack.enter_context(device)
            record = stack.enter_context(simulator.counting())
            called = ""
            try:
                if sanitize:
                    names = sanitize.split(",")
                    stack.enter_context(simulator.sanitize(*names, allow=problem.allow))
                module = simulator.RawModule(
                    path=str(self.file),
                    options=(f"-I{self.headers}",),
                    enable_cooperative_groups=problem.cooperative,
                )
                arrays = on_device(problem, simulator)
                for name, array in arrays.items():
                    device.label(array, name)
                for one in problem.launches:
                    called = str(one)
                    launch(module, one, arrays)
            except simulator.SimulatorError as error:
                return of_error(error, called, self.file), Cost({})
            found = {name: array.get() for name, array in arrays.items()}
            words, expected, got = wrong(problem, found)
            counters = total(counted.counters for counted in record.launches)
        if words:
            return Failure("result", words, called, expected, got), Cost({})
        return None, _cost(problem, record.launches, counters)


def _cost(problem: Problem, launches: Sequence[Counted], counters: Counters | None) -> Cost:
    """What all launches have cost, and each of those that the problem names."""
    known = {"launches": len(launches)} | ({} if counters is None else plain(counters))
    sites = [site for counted in launches for site in counted.sites or ()]
    names = [str(one) for one in problem.launches]
    called = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    parts = [Part(n, plain(c.counters)) for n, c in zip(names, launches, strict=False)]
    return Cost(known, merge_sites(sites), called, parts if len(names) == len(launches) else ())


def on_device(problem: Problem, xp: Any) -> dict[str, Any]:
    """The problem's arrays in the memory of the simulator or of CuPy, whichever `xp` is."""
    return {name: _device_array(value, xp) for name, value in problem.arrays.items()}


def _device_array(value: NDArray[Any] | Unwritten, xp: Any) -> Any:
    if isinstance(value, Unwritten):
        return xp.empty(value.shape, value.dtype)
    return xp.asarray(np.ascontiguousarray(value))


def launch(module: Any, one: Launch, arrays: Mapping[str, Any]) -> None:
    """Launch a kernel of a module of either machine on arrays by their names."""
    kernel = module.get_function(one.kernel)
    if one.shared > 48 << 10:
        kernel.max_dynamic_shared_size_bytes = one.shared
    args = tuple(_argument(a, arrays) for a in one.args)
    grid, block = (s if isinstance(s, tuple) else (s,) for s in (one.grid, one.block))
    kernel(grid, block, args, shared_mem=one.shared)


def _argument(value: Any, arrays: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        return arrays[value]
    return np.int32(value) if isinstance(value, int) else value
