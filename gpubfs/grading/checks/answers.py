"""Checks of answers to questions about counters: they are counted, and compared."""

from __future__ import annotations

import gc
import re
import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.grading.checks.kernels import Runs
from gpubfs.grading.costs.cost import Cost
from gpubfs.grading.exercises.exercise import Case, Exercise
from gpubfs.grading.exercises.making import maker
from gpubfs.grading.outcome import Failure
from gpubfs.kernels import KERNELS
from gpubfs.search import runs
from gpubfs.search.counters import value

if TYPE_CHECKING:
    from pathlib import Path


#: What a case gives besides what is run: the counter, and by how much an answer may differ.
OWN = ("counter", "within")
#: No counter is more than this.
MOST = 10**18
#: Characters of a line that are shown.
SHOWN = 60
#: The kernels of an exercise that asks about its own; students have it, too.
FILE = "kernel.cu"


class AnswerChecks:
    """Compares numbers with what a run counts.

    A question that names a technique is about a search. Any other is about the exercise's
    `kernel.cu`, which may include the package's headers: `make` in its `problem.py` gets what the
    case gives, as for kernels that are handed in, and says which launches are counted.

    Parameters
    ----------
    exercise : Exercise
        Its `search` has what all questions have in common.
    file : Path
        What was handed in: TOML, a number for each case, by its name.
    """

    printed = ""  # nothing that is handed in is run

    def __init__(self, exercise: Exercise, file: Path) -> None:
        self.exercise = exercise
        self.problem: Failure | None = None
        self.answers: dict[str, Any] = {}
        try:
            text = file.read_text(encoding="utf-8")
            self.answers = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            words = f"the file cannot be read as TOML: {error}"
            self.problem = Failure("read", words, detail=_pointed(text, str(error)))
        except (ValueError, RecursionError) as error:
            self.problem = _too_much(text, error)

    def check(self, case: Case, seed: int) -> Failure | None:
        """Why a case is lost; None if it is not."""
        if self.problem is not None:
            return self.problem
        answer = self.answers.get(case.name)
        if not _is_number(answer):
            words = f"there is no number for {case.name!r}"
            got = "nothing" if answer is None else _shown(answer)
            return Failure("answer", words, expected="a number, without quotes", got=got)
        given = {**self.exercise.search, **case.given}
        left = {name: part for name, part in given.items() if name not in OWN}
        failure, cost = self._run(left, seed, self.exercise.device_of(case))
        if failure is not None:
            return failure
        counted = value(cost.counters, given["counter"])
        if abs(answer - counted) <= given.get("within", 0) * abs(counted) + 1e-9:
            return None
        much = "too much" if answer > counted else "too little"
        called = f"{given['counter']} of {_asked(left)}"
        return Failure("answer", f"{answer:,} is {much}", called, got=f"{answer:,}")

    def _run(self, given: dict[str, Any], seed: int, device: str) -> tuple[Failure | None, Cost]:
        """What is wrong with the exercise's own kernels, and the cost."""
        exercise = self.exercise
        if "technique" in given:
            left = dict(given)
            technique, graph = left.pop("technique"), left.pop("graph")
            gc.collect()  # the memory of the devices before this one
            found = runs.run(technique, graph, device=device, **left)
            return None, Cost(found.counters)
        problem = maker(exercise.folder)(np.random.default_rng(seed), **given)
        run = Runs(device, exercise.folder / FILE, problem, KERNELS)
        return run("lockstep", "")


def _pointed(text: str, words: str) -> str:
    r"""The line that an error of TOML names, with a caret, and what such a line says.

    >>> print(_pointed("a = 1\nb = ten\n", "Invalid value (at line 2, column 5)"))
        b = ten
            ^
      write a number after the sign =, such as 12 or 0.5, and each question once
    """
    hint = "  write a number after the sign =, such as 12 or 0.5, and each question once"
    place = re.search(r"at line (\d+), column (\d+)", words)
    lines = text.splitlines()
    if place is None or int(place[1]) > len(lines):
        return hint
    column = int(place[2]) - 1
    return f"    {lines[int(place[1]) - 1]}\n    {' ' * column}^\n{hint}"


def _too_much(text: str, error: Exception) -> Failure:
    r"""What is TOML, and still more than can be read: a number, or brackets in brackets.

    >>> print(_too_much("a = 1\nb = " + "9" * 5000, ValueError("")).detail)
        b = 99999999999999999999999999999999999999999999999999999999…
            ^
    """
    deep = isinstance(error, RecursionError)
    what = "brackets are nested too deeply" if deep else "a number has too many digits"
    longest = max(re.finditer(r"[\[{= \t\w]{9,}" if deep else r"[0-9_]+", text), key=_length)
    number = text.count("\n", 0, longest.start()) + 1
    line = text.splitlines()[number - 1]
    column = longest.start() - text.rfind("\n", 0, longest.start())
    shown = line if len(line) <= SHOWN else f"{line[:SHOWN]}…"
    caret = f"\n    {' ' * (column - 1)}^" if column <= SHOWN else ""
    words = f"the file cannot be read as TOML: {what} (line {number})"
    return Failure("read", words, detail=f"    {shown}{caret}")


def _length(found: re.Match[str]) -> int:
    return len(found[0])


def _is_number(answer: object) -> bool:
    """Whether it may be what something counted.

    >>> [_is_number(answer) for answer in (3, 2.5, -1, True, "3", float("nan"), 10**400)]
    [True, True, True, False, False, False, False]
    """
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        return False
    return -MOST <= answer <= MOST


def _shown(answer: object) -> str:
    """An answer that is none, in few words.

    >>> _shown("ten"), _shown([0x10**5000])
    ("'ten'", 'a number with too many digits')
    """
    try:
        return f"{answer!r:.60}"
    except ValueError:  # Python writes no integer of more than 4,300 digits
        return "a number with too many digits"


def _asked(given: Mapping[str, Any]) -> str:
    """What is run, in words.

    >>> _asked({"technique": "scan-free", "graph": "toy", "width": 32})
    'scan-free on toy, width=32'
    >>> _asked({"kernel": "odd", "blocks": 2})
    'kernel.cu, kernel=odd, blocks=2'
    """
    left = dict(given)
    words = [FILE]
    if "technique" in given:
        words = [f"{left.pop('technique')} on {left.pop('graph')}"]
    return ", ".join(words + [f"{name}={part}" for name, part in left.items()])
