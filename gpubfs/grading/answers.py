"""Checks of answers to questions about counters: they are counted, and compared."""

from __future__ import annotations

import gc
import tomllib
from typing import TYPE_CHECKING, Any

from gpubfs import runs
from gpubfs.counters import value
from gpubfs.grading.outcome import Failure

if TYPE_CHECKING:
    from pathlib import Path

    from gpubfs.grading.exercise import Case, Exercise

#: What a case gives besides the search: the counter, and by how much an answer may differ.
OWN = ("counter", "within")


class AnswerChecks:
    """Compares numbers with what a run counts.

    Parameters
    ----------
    exercise : Exercise
        Its `search` has what all questions have in common.
    file : Path
        What was handed in: TOML, a number for each case, by its name.
    """

    def __init__(self, exercise: Exercise, file: Path) -> None:
        self.exercise = exercise
        self.problem: Failure | None = None
        self.answers: dict[str, Any] = {}
        try:
            self.answers = tomllib.loads(file.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            self.problem = Failure("read", f"the file cannot be read as TOML: {error}")

    def check(self, case: Case, seed: int) -> Failure | None:
        """Why a case is lost; None if it is not."""
        if self.problem is not None:
            return self.problem
        answer = self.answers.get(case.name)
        if isinstance(answer, bool) or not isinstance(answer, int | float):
            words = f"there is no number for {case.name!r}"
            return Failure("answer", words, expected="a number", got=repr(answer))
        given = {**self.exercise.search, **case.given}
        counted = value(self._counters(given), given["counter"])
        if abs(answer - counted) <= given.get("within", 0) * abs(counted) + 1e-9:
            return None
        much = "too much" if answer > counted else "too little"
        return Failure("answer", f"{answer:,} is {much}", _asked(given), got=f"{answer:,}")

    def _counters(self, given: dict[str, Any]) -> Any:
        left = {name: part for name, part in given.items() if name not in OWN}
        technique, graph = left.pop("technique"), left.pop("graph")
        gc.collect()  # the memory of the devices before this one
        return runs.run(technique, graph, device=self.exercise.device, **left).counters


def _asked(given: dict[str, Any]) -> str:
    return f"{given['counter']} of {given['technique']} on {given['graph']}"
