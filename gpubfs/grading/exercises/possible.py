"""What a problem must be so that a kernel can solve it: names and shapes that fit each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.errors import UsageError, unknown

if TYPE_CHECKING:
    from gpubfs.grading.exercises.problem import Launch, Problem

#: The most threads of a block, and dimensions of a grid.
THREADS, DIMENSIONS = 1024, 3
#: The kinds of numbers that kernels have, as NumPy's dtypes call them.
NUMBERS = "biuf"
#: Bytes of the simulated GPU's memory.
DEVICE_MEMORY = 256 << 20


def check_launch(launch: Launch) -> None:
    """Raise UsageError for a launch that no GPU would do."""
    if not isinstance(launch.kernel, str) or not launch.kernel:
        raise UsageError(f"the kernel of a launch is {launch.kernel!r}", "give its name")
    for name in ("grid", "block"):
        size = getattr(launch, name)
        parts = size if isinstance(size, tuple) else (size,)
        if not all(_is_whole(part) and part > 0 for part in parts) or not (
            0 < len(parts) <= DIMENSIONS
        ):
            raise UsageError(f"the {name} of a launch of {launch.kernel} is {size!r}", "give sizes")
    threads = math.prod(launch.block if isinstance(launch.block, tuple) else (launch.block,))
    if threads > THREADS:
        raise UsageError(f"a block of {launch.kernel} has {threads:,} threads, more than {THREADS}")
    if not _is_whole(launch.shared) or launch.shared < 0:
        raise UsageError(f"shared of a launch of {launch.kernel} is {launch.shared!r}")
    if not isinstance(launch.args, tuple | list):
        raise UsageError(f"the arguments of {launch.kernel} are no tuple", 'write args=("a",)')
    for value in launch.args:
        _check_argument(launch.kernel, value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _check_argument(kernel: str, value: object) -> None:
    if not isinstance(value, str | int | float | np.generic):
        raise UsageError(
            f"an argument of {kernel} is of type {type(value).__name__}",
            "give the name of an array, or a number",
        )
    if isinstance(value, int) and not -(1 << 31) <= value < 1 << 31:
        raise UsageError(f"the argument {value} of {kernel} has more than 32 bits", "np.int64(…)")


def check_problem(problem: Problem, launch: type, unwritten: type) -> None:
    """Raise UsageError for names that mean nothing, and for results that cannot come out.

    Parameters
    ----------
    problem : Problem
        The problem.
    launch, unwritten : type
        What its launches are, and its arrays that hold nothing.
    """
    if not isinstance(problem.arrays, Mapping):
        raise UsageError("the arrays are no dictionary", 'write {"a": …}')
    shapes = {name: _shape(name, value, unwritten) for name, value in problem.arrays.items()}
    _check_memory(problem)
    _check_launches(problem, shapes, launch)
    _check_expected(problem, shapes)
    unordered: Any = problem.unordered
    if isinstance(unordered, str):
        raise UsageError("unordered is no tuple", f"write ({unordered!r},)")
    for name in unordered:
        _check_name("unordered expected array", name, problem.expected)
    if not isinstance(problem.tolerance, int | float) or not problem.tolerance >= 0:
        raise UsageError(f"the tolerance is {problem.tolerance!r}", "give a number from 0")
    if problem.check is not None and not callable(problem.check):
        raise UsageError(f"check is {problem.check!r}", "give a function of the arrays")


def _shape(name: str, array: Any, unwritten: Any) -> tuple[int, ...]:
    value = array
    if isinstance(array, unwritten):
        value = np.broadcast_to(np.zeros((), array.dtype), array.shape)
    if np.asarray(value).dtype.kind not in NUMBERS:
        raise UsageError(
            f"the array {name} has elements of type {np.asarray(value).dtype}", "give numbers"
        )
    return np.shape(value)


def _check_memory(problem: Problem) -> None:
    needed = sum(_bytes(array) for array in problem.arrays.values())
    if needed > DEVICE_MEMORY:
        raise UsageError(
            f"the arrays have {needed:,} bytes, and the device {DEVICE_MEMORY:,}", "make less"
        )


def _bytes(array: Any) -> int:
    """The bytes of an array, of one that holds nothing, or of what makes one."""
    if hasattr(array, "dtype"):
        return int(np.prod(array.shape)) * int(np.dtype(array.dtype).itemsize)
    return int(np.asarray(array).nbytes)


def _check_launches(problem: Problem, names: Iterable[str], kind: type) -> None:
    if not isinstance(problem.launches, tuple | list) or not problem.launches:
        raise UsageError("the launches are no tuple of at least one", "write (Launch(…),)")
    for one in problem.launches:
        if not isinstance(one, kind):
            raise UsageError(f"among the launches is {one!r:.80}", "write Launch(kernel, …)")
        for value in getattr(one, "args", ()):
            if isinstance(value, str):
                _check_name(f"array for {one} named", value, names)


def _check_expected(problem: Problem, shapes: Mapping[str, tuple[int, ...]]) -> None:
    if not isinstance(problem.expected, Mapping):
        raise UsageError("what is expected is no dictionary", 'write {"a": …}')
    for name, wanted in problem.expected.items():
        _check_name("array that is expected, named", name, shapes)
        if not isinstance(wanted, np.ndarray | np.generic):
            raise UsageError(f"what {name} must hold is no array", "write np.array(…)")
        shape = shapes[name]
        whole = math.prod(shape) == 1 if not wanted.shape else bool(shape)
        if not whole or wanted.shape[1:] != shape[1:] or wanted.shape[:1] > shape[:1]:
            raise UsageError(f"{name} has the shape {shape}, and {wanted.shape} are expected of it")


def _check_name(what: str, name: object, known: Iterable[str]) -> None:
    names = list(known)
    if name not in names:
        raise unknown(what, str(name), names)
