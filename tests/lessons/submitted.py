"""Submissions that are test data: what each must lose, or that it must not.

They stand in `submissions/LESSON/EXERCISE/`, and begin with a comment. A right one says
``right: how it differs``. A wrong one says what is wrong, the reason why points are lost (one of
`gpubfs.grading.outcome.REASONS`), and words that its feedback must have::

    // wrong: off by one
    // loses: result
    // says: out[0] is wrong
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from gpubfs.grading.exercise import Exercise
from gpubfs.grading.loading import exercises

LESSONS = Path(__file__).parents[2] / "lessons"
FOLDER = Path(__file__).parent / "submissions"
EXERCISES = exercises(LESSONS)

_HEAD = re.compile(r"^(?://|#) (right|wrong|loses|says): (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Submitted:
    """One file, and what it says of itself."""

    exercise: Exercise
    file: Path
    right: bool
    what: str
    loses: str = ""
    says: str = ""

    @property
    def id(self) -> str:
        return f"{self.exercise.name}/{self.file.stem}"


def read(exercise: Exercise, file: Path) -> Submitted:
    head = dict(_HEAD.findall(file.read_text("utf-8")[:600]))
    right = "right" in head
    what = head["right" if right else "wrong"]
    return Submitted(exercise, file, right, what, head.get("loses", ""), head.get("says", ""))


def of(exercise: Exercise) -> list[Submitted]:
    files = sorted((FOLDER / exercise.name).glob(f"*{exercise.suffix}"))
    return [read(exercise, file) for file in files]


ALL = [submitted for exercise in EXERCISES for submitted in of(exercise)]
