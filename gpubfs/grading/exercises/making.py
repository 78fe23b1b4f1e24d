"""What an exercise's `problem.py` makes of a case, and whether results are what it expects."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.grading.exercises import mistakes
from gpubfs.grading.exercises.exercise import PROBLEM
from gpubfs.grading.exercises.mistakes import MistakeError
from gpubfs.grading.exercises.problem import Problem
from simulator.execute.wave import POISON

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: What a result is told on which an exercise's own check raises.
CHECK_FAILED = "the exercise's own check failed on this result"

Maker = Callable[..., Problem]


def maker(folder: Path) -> Maker:
    """The function `make(rng, **given)` of an exercise's `problem.py`.

    It raises MistakeError itself if `problem.py` does, or makes no problem.

    Raises
    ------
    MistakeError
        If there is none.
    """
    path = folder / PROBLEM
    if not path.is_file():
        raise MistakeError(f"there is no {PROBLEM}", "write one with a function make(rng, …)")
    with mistakes.blamed():
        made = runpy.run_path(str(path), run_name=f"problem_{folder.name}").get("make")
    if not callable(made):
        raise MistakeError(f"{PROBLEM} has no function make", "write make(rng, …) -> Problem")

    def make(rng: np.random.Generator, **given: Any) -> Problem:
        mistakes.check_arguments(made, given)
        with mistakes.blamed():
            problem = made(rng, **given)
        if not isinstance(problem, Problem):
            got = "nothing" if problem is None else f"something of type {type(problem).__name__}"
            raise MistakeError(f"make in {PROBLEM} returns {got}", "return Problem(…)")
        return problem

    return make


def wrong(problem: Problem, found: Mapping[str, NDArray[Any]]) -> tuple[str, str, str]:
    """What is wrong with the arrays at the end: a sentence, expected, got; empty if nothing is.

    Examples
    --------
    >>> from gpubfs.grading.exercises.problem import Launch
    >>> a = np.array([1, 2, 3])
    >>> problem = Problem({"a": a}, (Launch("f", 1, 32, ("a",)),), {"a": a})
    >>> wrong(problem, {"a": np.array([1, 5, 3])})
    ('a[1] is wrong, as is 1 of 3 elements', '2', '5')
    >>> wrong(problem, {"a": np.array([1, 2, 3])})
    ('', '', '')
    """
    for name, wanted in problem.expected.items():
        held = found[name][: len(wanted)] if np.ndim(wanted) else found[name]
        if name in problem.unordered:
            wanted, held = np.sort(wanted), np.sort(held)
        if problem.tolerance:
            same = np.isclose(held, wanted, rtol=problem.tolerance, atol=problem.tolerance)
        else:
            same = np.asarray(held == wanted)
        if not same.all():
            return _difference(name, wanted, held, same, name in problem.unordered)
    return _objection(problem, found), "", ""


def _objection(problem: Problem, found: Mapping[str, NDArray[Any]]) -> str:
    """What the problem's own check says; that it fails, too, is told of the result."""
    if problem.check is None:
        return ""
    words: Any
    try:
        words = problem.check(found)
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:  # perhaps it did not think of such a result
        return f"{CHECK_FAILED}: {mistakes.described(error)}"
    if words is None or isinstance(words, str):
        return words or ""
    return f"{CHECK_FAILED}: it returned {words!r:.80}, and no sentence"


def _difference(
    name: str, wanted: NDArray[Any], held: NDArray[Any], same: NDArray[np.bool_], sorted_: bool
) -> tuple[str, str, str]:
    at = int(np.argmin(same.reshape(-1)))
    count = int((~same).sum())
    where = f"{name}, sorted, differs at [{at}]" if sorted_ else f"{name}[{at}] is wrong"
    share = f", as {'is' if count == 1 else 'are'} {count} of {same.size} elements"
    got = held.reshape(-1)[at]
    unwritten = " (what memory holds that nothing has written)" * (set(got.tobytes()) == {POISON})
    return where + share, str(wanted.reshape(-1)[at]), f"{got}{unwritten}"
