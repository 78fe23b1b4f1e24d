"""Problems of an exercise's own: what is run for a case, and what must come out."""

from __future__ import annotations

import math
import runpy
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.errors import UsageError, unknown
from gpubfs.grading import errors
from gpubfs.grading.errors import ExerciseError
from gpubfs.grading.exercise import PROBLEM
from gpubfs.grading.problems.queues import Queue, check_queues
from gpubfs.machines.unwritten import UNKNOWN, unwritten
from simulator.execute.wave import POISON

#: The most threads of a block, and dimensions of a grid.
THREADS, DIMENSIONS = 1024, 3
#: The kinds of numbers that kernels have, as NumPy's dtypes call them.
NUMBERS = "biuf"
#: Bytes of the simulated GPU's memory.
DEVICE_MEMORY = 256 << 20


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel of the submitted file.

    Attributes
    ----------
    kernel : str
        Its name.
    grid, block : int or tuple of int
        Blocks, and threads a block.
    args : tuple
        Names of arrays as strings; numbers: an int is a 32-bit int, and NumPy scalars are
        themselves.
    shared : int
        Bytes of dynamic shared memory.
    """

    kernel: str
    grid: int | tuple[int, ...]
    block: int | tuple[int, ...]
    args: tuple[Any, ...]
    shared: int = 0

    def __post_init__(self) -> None:
        """Raise UsageError for a launch that no GPU would do."""
        _check_launch(self)

    def __str__(self) -> str:
        arguments = ", ".join(map(str, self.args))
        return f"{self.kernel}<<<{self.grid}, {self.block}>>>({arguments})"


@dataclass(frozen=True)
class Problem:
    """What is run, and what must come of it.

    Attributes
    ----------
    arrays : mapping of str to ndarray
        Device arrays by name, with what they hold at the start; None instead of values, as
        ``np.empty`` would leave it, is written as ``Unwritten(shape, dtype)``.
    launches : tuple of Launch
        One after the other.
    expected : mapping of str to ndarray
        What arrays must hold at the end.
    unordered : tuple of str
        Arrays of which only the elements matter and not their order.
    tolerance : float
        Relative, for floating point; 0 asks for equality.
    allow : mapping of str to str
        Arrays on which races are meant, and why they do no harm.
    check : callable, optional
        Called with the arrays as they are at the end; says what is wrong in a sentence, or "".
    cooperative : bool
        Whether the whole grid waits at barriers.
    queues : tuple of Queue
        Arrays whose places counters give out: feedback says of which it was given out, not written.
    masks : tuple of str
        Arrays of whole numbers of which each bit has a meaning, such as a lane that votes: feedback
        shows them in hexadecimal as well.
    """

    arrays: Mapping[str, NDArray[Any] | Unwritten]
    launches: tuple[Launch, ...]
    expected: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    unordered: tuple[str, ...] = ()
    tolerance: float = 0.0
    allow: Mapping[str, str] = field(default_factory=dict)
    check: Callable[[Mapping[str, NDArray[Any]]], str] | None = None
    cooperative: bool = False
    queues: tuple[Queue, ...] = ()
    masks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise UsageError for names that mean nothing, and for results that cannot come out."""
        _check_problem(self)


@dataclass(frozen=True)
class Unwritten:
    """An array that nothing has written before the first launch."""

    shape: int | tuple[int, ...]
    dtype: str = "int32"


def _check_launch(launch: Launch) -> None:
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


def _check_problem(problem: Problem) -> None:
    if not isinstance(problem.arrays, Mapping):
        raise UsageError("the arrays are no dictionary", 'write {"a": …}')
    shapes = {name: _shape(name, value) for name, value in problem.arrays.items()}
    _check_memory(problem)
    _check_launches(problem, shapes)
    _check_expected(problem, shapes)
    check_queues(problem.queues, shapes)
    for what in ("unordered", "masks"):
        _check_names(what, getattr(problem, what), problem.expected)
    for name in problem.masks:
        if np.asarray(problem.expected[name]).dtype.kind not in "iu":
            raise UsageError(f"{name} is among the masks, and no whole numbers are expected of it")
    if not isinstance(problem.tolerance, int | float) or not problem.tolerance >= 0:
        raise UsageError(f"the tolerance is {problem.tolerance!r}", "give a number from 0")
    if problem.check is not None and not callable(problem.check):
        raise UsageError(f"check is {problem.check!r}", "give a function of the arrays")


def _shape(name: str, array: Any) -> tuple[int, ...]:
    value = array
    if isinstance(array, Unwritten):
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
    """Return the bytes of an array, of one that holds nothing, or of what makes one."""
    if hasattr(array, "dtype"):
        return int(np.prod(array.shape)) * int(np.dtype(array.dtype).itemsize)
    return int(np.asarray(array).nbytes)


def _check_launches(problem: Problem, names: Iterable[str]) -> None:
    if not isinstance(problem.launches, tuple | list) or not problem.launches:
        raise UsageError("the launches are no tuple of at least one", "write (Launch(…),)")
    launches: Iterable[Any] = problem.launches
    for one in launches:
        if not isinstance(one, Launch):
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


def _check_names(what: str, names: Any, known: Iterable[str]) -> None:
    if isinstance(names, str):
        raise UsageError(f"{what} is no tuple", f"write ({names!r},)")
    for name in names:
        _check_name(f"array of {what} that is expected, named", name, known)


def _check_name(what: str, name: object, known: Iterable[str]) -> None:
    names = list(known)
    if name not in names:
        raise unknown(what, str(name), names)


#: What is said of a result on which an exercise's own check raises.
CHECK_FAILED = "the exercise's own check failed on this result"

Make = Callable[..., Problem]


def load_make(folder: Path) -> Make:
    """Return the function `make(rng, **given)` of an exercise's `problem.py`.

    It raises ExerciseError itself if `problem.py` does, or makes no problem.

    Raises
    ------
    ExerciseError
        If there is none.
    """
    path = folder / PROBLEM
    if not path.is_file():
        raise ExerciseError(f"there is no {PROBLEM}", "write one with a function make(rng, …)")
    with errors.exercise_errors():
        made = runpy.run_path(str(path), run_name=f"problem_{folder.name}").get("make")
    if not callable(made):
        raise ExerciseError(f"{PROBLEM} has no function make", "write make(rng, …) -> Problem")

    def make(rng: np.random.Generator, **given: Any) -> Problem:
        errors.check_arguments(made, given)
        with errors.exercise_errors():
            problem = made(rng, **given)
        if not isinstance(problem, Problem):
            got = "nothing" if problem is None else f"something of type {type(problem).__name__}"
            raise ExerciseError(f"make in {PROBLEM} returns {got}", "return Problem(…)")
        return problem

    return make


def compare(problem: Problem, found: Mapping[str, NDArray[Any]]) -> tuple[str, str, str]:
    """Return what is wrong with the arrays at the end: a sentence, expected, got; or nothing.

    Examples
    --------
    >>> from gpubfs.grading.problems.problem import Launch
    >>> a = np.array([1, 2, 3])
    >>> problem = Problem({"a": a}, (Launch("f", 1, 32, ("a",)),), {"a": a})
    >>> compare(problem, {"a": np.array([1, 5, 3])})
    ('a[1] is wrong, as is 1 of 3 elements', '2', '5')
    >>> start = Problem({"a": a - 1}, problem.launches, {"a": a})
    >>> compare(start, {"a": np.array([1, 1, 3])})
    ('a[1] is wrong, as is 1 of 3 elements', '2', '1 (what it held before the launch)')
    >>> compare(problem, {"a": np.array([1, 2, 3])})
    ('', '', '')
    """
    for name, wanted, held, same in _compared(problem, found):
        if not same.all():
            at = int(np.argmin(same.reshape(-1)))
            expected, got = (
                _shown(one.reshape(-1)[at], name in problem.masks) for one in (wanted, held)
            )
            words = _difference(name, same, at, name in problem.unordered)
            return words, expected, got + _whence(problem, name, held, at)
    return _objection(problem, found), "", ""


def wrong_element(problem: Problem, found: Mapping[str, NDArray[Any]]) -> tuple[str, int] | None:
    """Return the first array that is wrong and the first of its elements that is, if one is.

    Of an array whose order does not matter no element is wrong by itself.
    """
    for name, _, _, same in _compared(problem, found):
        if not same.all():
            return None if name in problem.unordered else (name, int(np.argmin(same.reshape(-1))))
    return None


def _compared(
    problem: Problem, found: Mapping[str, NDArray[Any]]
) -> Iterator[tuple[str, NDArray[Any], NDArray[Any], NDArray[np.bool_]]]:
    """Yield of each expected array its name, what it must hold and holds, and what agrees."""
    for name, wanted in problem.expected.items():
        held = found[name][: len(wanted)] if np.ndim(wanted) else found[name]
        if name in problem.unordered:
            wanted, held = np.sort(wanted), np.sort(held)
        if problem.tolerance:
            same = np.isclose(held, wanted, rtol=problem.tolerance, atol=problem.tolerance)
        else:
            same = np.asarray(held == wanted)
        yield name, wanted, held, same


def _objection(problem: Problem, found: Mapping[str, NDArray[Any]]) -> str:
    """Return what the problem's own check says; that it fails, too, is said of the result."""
    if problem.check is None:
        return ""
    words: Any
    try:
        words = problem.check(found)
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:  # perhaps it did not think of such a result
        return f"{CHECK_FAILED}: {errors.describe(error)}"
    if words is None or isinstance(words, str):
        return words or ""
    return f"{CHECK_FAILED}: it returned {words!r:.80}, and no sentence"


def _difference(name: str, same: NDArray[np.bool_], at: int, sorted_: bool) -> str:
    count = int((~same).sum())
    where = f"{name}, sorted, differs at [{at}]" if sorted_ else f"{name}[{at}] is wrong"
    share = f", as {'is' if count == 1 else 'are'} {count} of {same.size} elements"
    return where + share * (same.size > 1)


def _shown(value: np.generic, mask: bool) -> str:
    """Return an element as feedback shows it, as traces do; masks in hexadecimal as well.

    >>> _shown(np.int32(5), False), _shown(np.uint32(5), True), _shown(np.int32(-1), True)
    ('5', '0x00000005 = 5', '0xffffffff = -1')
    """
    if unwritten(np.asarray(value)):
        return UNKNOWN
    if not mask:
        return str(value)
    bits = int(value) & ((1 << 8 * value.itemsize) - 1)
    return f"{bits:#0{2 + 2 * value.itemsize}x} = {value}"


def _whence(problem: Problem, name: str, held: NDArray[Any], at: int) -> str:
    """Return where the first wrong element has its value from, if no launch has changed it."""
    got = held.reshape(-1)[at]
    if set(got.tobytes()) == {POISON}:
        return " (what memory holds that nothing has written)"
    start = problem.arrays[name]
    if name in problem.unordered or isinstance(start, Unwritten):
        return ""
    if np.asarray(start).reshape(-1)[at] != got:
        return ""
    return f" (what it held before the {'first ' * (len(problem.launches) > 1)}launch)"
