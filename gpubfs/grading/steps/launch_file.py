"""A kernel of any file, launched as a few lines of TOML describe it.

The kernel, its grid and block, and for each of its parameters by name a number or an array:

    kernel = "saxpy"
    grid = 2
    block = 32

    [arguments]
    a = 2.5
    x = { fill = "arange", shape = 64 }
    y = [1, 2, 3]
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import simulator
from gpubfs.errors import UsageError, unknown
from gpubfs.grading.exercise import TABLE, TEXT, Field
from gpubfs.grading.kinds.kernel import ProblemRun
from gpubfs.grading.loading import check_table
from gpubfs.grading.names import check_sanitizers
from gpubfs.grading.problems.problem import Launch, Problem, Unwritten
from gpubfs.grading.steps.launch_arguments import SIZE, argument, is_whole
from gpubfs.grading.steps.watching import Watched
from gpubfs.kernels import KERNELS
from gpubfs.machines.sim import DEFAULT_DEVICE, DEFAULT_SCHEDULE

#: The keys of the file.
FIELDS = {
    "kernel": TEXT,
    "grid": SIZE,
    "block": SIZE,
    "shared": Field(lambda value: is_whole(value, 0), "give a number of bytes").optional(),
    "cooperative": Field(lambda value: isinstance(value, bool), "give true or false").optional(),
    "sanitize": Field(
        lambda value: isinstance(value, str), 'give a text: "all", or "race,init"'
    ).optional(),
    "arguments": TABLE.optional(),
}


def read(path: Path) -> dict[str, Any]:
    """Read a description of a launch.

    Parameters
    ----------
    path : Path
        The TOML file.

    Raises
    ------
    UsageError
        If it cannot be read.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        hint = 'write lines such as kernel = "name", grid = 1 and block = 32'
        raise UsageError(f"{path}: {error}", hint) from None


def launched(
    file: Path,
    data: Mapping[str, Any],
    where: str,
    device: str | None = None,
    schedule: str | None = None,
) -> Watched:
    """Return a launch of a kernel, to be watched.

    Parameters
    ----------
    file : Path
        The CUDA file; it may include headers beside it, and the package's.
    data : mapping
        The description, as `read` returns it.
    where : str
        Where the description is, for messages.
    device, schedule : str, optional
        The simulated GPU and the order of warps.

    Returns
    -------
    Watched
        The launch, which has not been done.

    Raises
    ------
    UsageError
        For what is wrong with the description, with its place and the remedy.
    SimulatorError
        If the file cannot be compiled.
    """
    check_table(Path(where), "the file", data, FIELDS)
    sanitize = data.get("sanitize", "")
    check_sanitizers(f"in {where}", sanitize)
    profile = DEFAULT_DEVICE if device is None else device
    order = DEFAULT_SCHEDULE if schedule is None else schedule
    run = ProblemRun(profile, file, _problem(file, data, where), file.parent, KERNELS)
    about = {"file": str(file), "kernel": data["kernel"], "device": profile, "schedule": order}
    return Watched(run, f"{file.name}, {order}", order, sanitize, about)


def _problem(file: Path, data: Mapping[str, Any], where: str) -> Problem:
    """Return the launch with its arrays; of what comes of it nothing is expected."""
    arguments = _arguments(file, data, where)
    arrays = {name: v for name, v in arguments.items() if isinstance(v, np.ndarray | Unwritten)}
    args = tuple(name if name in arrays else value for name, value in arguments.items())
    grid, block = _size(data["grid"]), _size(data["block"])
    try:
        one = Launch(data["kernel"], grid, block, args, data.get("shared", 0))
        return Problem(arrays, (one,), cooperative=data.get("cooperative", False))
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}", error.hint) from None


def _size(value: int | list[int]) -> int | tuple[int, ...]:
    return tuple(value) if isinstance(value, list) else value


def _arguments(file: Path, data: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the kernel's arguments by name, in the order of its parameters."""
    name, given = data["kernel"], data.get("arguments", {})
    parameters = {one.name: one.type for one in _parameters(file, name, where)}
    for key in given:
        if key not in parameters:
            raise unknown(f"parameter of {name} (in {where}, arguments)", key, parameters)
    missing = [key for key in parameters if key not in given]
    if missing:
        takes = ", ".join(f"{kind} {key}" for key, kind in parameters.items())
        words = f"{where}: {name} takes {len(parameters)} arguments, and {len(given)} are given"
        raise UsageError(f"{words}: {missing[0]} is missing", f"its parameters are {takes}")
    return {key: argument(f"{where}: {key}", kind, given[key]) for key, kind in parameters.items()}


def _parameters(file: Path, kernel: str, where: str) -> Any:
    """Return the parameters of a kernel."""
    module = simulator.RawModule(path=str(file), options=(f"-I{file.parent}", f"-I{KERNELS}"))
    try:
        return module.get_function(kernel).function.parameters
    except simulator.SimulatorError as error:
        if error.span is not None:
            raise
        raise UsageError(f"{where}: {error.message}", f"{file.name}: {error.hint}") from None
