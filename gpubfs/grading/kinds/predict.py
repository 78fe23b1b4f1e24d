"""Exercises that ask for numbers: what a run counts, without running it."""

from __future__ import annotations

import json
import re
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gpubfs.errors import UsageError
from gpubfs.grading import names
from gpubfs.grading.errors import HINT, ExerciseError, describe
from gpubfs.grading.exercise import Case, Exercise, ExerciseKind, exercise_kind, is_number
from gpubfs.grading.kinds import garbage
from gpubfs.grading.kinds.kernel import ProblemRun
from gpubfs.grading.kinds.schedules import Ran
from gpubfs.grading.limits.costs import Cost
from gpubfs.grading.outcome import Failure
from gpubfs.grading.problems.problem import load_make
from gpubfs.kernels import KERNELS
from gpubfs.search import runs
from gpubfs.search.counters import plain, value

#: What a case gives besides what is run: the counter, and by how much an answer may differ.
ASKED = ("counter", "within")
#: No counter is more than this.
MAX_ANSWER = 10**18
#: Characters of a line that are shown.
SHOWN = 60
#: The kernels of an exercise that asks about its own; students have it, too.
KERNEL = "kernel.cu"


@exercise_kind("predict")
class PredictKind(ExerciseKind):
    """Compare submitted numbers, one for each case by its name, with what a run counts.

    A question that names a technique is about a search. Any other is about the exercise's
    `kernel.cu`, which may include the package's headers: `make` in its `problem.py` gets what the
    case gives, as for kernels that are submitted, and says which launches are counted.
    """

    suffix = ".toml"
    files = (KERNEL,)
    instead = (
        "step through what a question is about, once you have written down your numbers:\n"
        "gpubfs trace TECHNIQUE --graph SPEC"
    )

    def __init__(self, exercise: Exercise, file: Path) -> None:
        super().__init__(exercise, file)
        self.problem: Failure | None = None
        self.answers: dict[str, Any] = {}
        try:
            text = file.read_text(encoding="utf-8")
            self.answers = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            words = f"the file cannot be read as TOML: {error}"
            self.problem = Failure("read", words, detail=_toml_location(text, str(error)))
        except (ValueError, RecursionError) as error:
            self.problem = _too_large(text, error)

    @classmethod
    def validate(cls, exercise: Exercise, path: Path) -> None:
        """Refuse questions about what does not exist."""
        names.check_frontiers(path, exercise)
        for case in exercise.cases:
            _check_question(path, exercise, case)

    def grade_case(self, case: Case, seed: int) -> Failure | None:
        """Return why a case is lost; None if it is not."""
        if self.problem is not None:
            return self.problem
        answer = self.answers.get(case.name)
        if not _is_number(answer):
            words = f"there is no number for {case.name!r}"
            got = "nothing" if answer is None else _shown(answer)
            return Failure("answer", words, expected="a number, without quotes", got=got)
        given = {**self.exercise.search, **case.given}
        left = {name: part for name, part in given.items() if name not in ASKED}
        if case.name not in self.known:
            failure, cost, _ = self._run(left, seed, self.exercise.device_of(case))
            if failure is not None:
                return failure
            self.known[case.name] = plain(value(cost.counters, given["counter"]))
        counted: Any = self.known[case.name]
        if abs(answer - counted) <= given.get("within", 0) * abs(counted) + 1e-9:
            return None
        much = "too much" if answer > counted else "too little"
        called = f"{given['counter']} of {_describe_run(left)}"
        return Failure("answer", f"{answer:,} is {much}", called, got=f"{answer:,}")

    def rehearse(self, case: Case, seed: int, failure: Failure | None) -> None:
        """Count what is asked, and compare it with some number."""
        if failure is not None and failure.reason == "answer":
            return
        with tempfile.TemporaryDirectory(prefix="gpubfs-") as folder:
            blank = Path(folder) / "answers.toml"
            name = json.dumps(case.name, ensure_ascii=False)
            blank.write_text(f"{name} = 0\n", encoding="utf-8")
            try:
                failure = type(self)(self.exercise, blank).grade_case(case, seed)
            except (MemoryError, OSError, ExerciseError):
                raise
            except Exception as error:
                counter = {**self.exercise.search, **case.given}["counter"]
                words = f"{counter} cannot be compared with a number: {describe(error)}"
                raise ExerciseError(words, HINT) from error
        if failure is not None and failure.reason != "answer":
            words = f"its own kernel fails: {failure.message}"
            raise ExerciseError(words, failure.detail or HINT)

    def _run(self, given: dict[str, Any], seed: int, device: str) -> Ran:
        """Return what is wrong with the exercise's own kernels, and the cost."""
        exercise = self.exercise
        if "technique" in given:
            left = dict(given)
            technique, graph = left.pop("technique"), left.pop("graph")
            garbage.collect()  # the memory of the devices before this one
            found = runs.run(technique, graph, device=device, **left)
            return Ran(None, Cost(found.counters))
        problem = load_make(exercise.folder)(np.random.default_rng(seed), **given)
        run = ProblemRun(device, exercise.folder / KERNEL, problem, KERNELS)
        return run("lockstep", "", True)


def _check_question(path: Path, exercise: Exercise, case: Case) -> None:
    """Refuse a question whose search, counter or tolerance makes no sense."""
    where = f"{path}: case {case.name!r}"
    asked = {**exercise.search, **case.given}
    named = asked.pop("technique", None)
    technique = None
    if named is None:
        names.require_file(path, exercise)
        names.require_file(path, exercise, KERNEL)
    else:
        own = ("counter", "within", "schedule", "sanitize")
        options = {name: part for name, part in asked.items() if name not in own}
        technique = names.check_search(path, exercise, case, named, options)
        if "schedule" in asked:
            names.check_schedule(where, str(asked["schedule"]))
        names.check_sanitizers(f"in {where}", str(asked.get("sanitize", "")))
        with names.located(where):
            names.check_graph(asked["graph"])
    if not isinstance(asked.get("counter"), str):
        hint = 'given = { counter = "launches", … }'
        raise UsageError(f"{where} does not say its counter", hint)
    within = asked.get("within", 0)
    if not is_number(within) or within < 0:
        raise UsageError(f"{where}: within is {within!r}", "give a share, such as 0.01")
    for counter in (asked["counter"], *case.limits):
        names.check_counter(path, case, counter, technique)


def _toml_location(text: str, words: str) -> str:
    r"""Return the line that an error of TOML names, with a caret, and what such a line says.

    >>> print(_toml_location("a = 1\nb = ten\n", "Invalid value (at line 2, column 5)"))
        b = ten
            ^
      write a number after the sign =, such as 12 or 0.5, and each question once
    """
    hint = "  write a number after the sign =, such as 12 or 0.5, and each question once"
    location = re.search(r"at line (\d+), column (\d+)", words)
    lines = text.splitlines()
    if location is None or int(location[1]) > len(lines):
        return hint
    column = int(location[2]) - 1
    return f"    {lines[int(location[1]) - 1]}\n    {' ' * column}^\n{hint}"


def _too_large(text: str, error: Exception) -> Failure:
    r"""Return what is TOML, and still more than can be read: a number, or brackets in brackets.

    >>> print(_too_large("a = 1\nb = " + "9" * 5000, ValueError("")).detail)
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
    """Return whether it may be what something counted.

    >>> [_is_number(answer) for answer in (3, 2.5, -1, True, "3", float("nan"), 10**400)]
    [True, True, True, False, False, False, False]
    """
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        return False
    return -MAX_ANSWER <= answer <= MAX_ANSWER


def _shown(answer: object) -> str:
    """Return an answer that is none, in few words.

    >>> _shown("ten"), _shown([0x10**5000])
    ("'ten'", 'a number with too many digits')
    """
    try:
        return f"{answer!r:.60}"
    except ValueError:  # Python writes no integer of more than 4,300 digits
        return "a number with too many digits"


def _describe_run(given: Mapping[str, Any]) -> str:
    """Return what is run, in words.

    >>> _describe_run({"technique": "scan-free", "graph": "toy", "width": 32})
    'scan-free on toy, width=32'
    >>> _describe_run({"kernel": "odd", "blocks": 2})
    'kernel.cu, kernel=odd, blocks=2'
    """
    left = dict(given)
    words = [KERNEL]
    if "technique" in given:
        words = [f"{left.pop('technique')} on {left.pop('graph')}"]
    return ", ".join(words + [f"{name}={part}" for name, part in left.items()])
