"""Where somebody stands in a course: how far each exercise is, and which one is next."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpubfs.grading.exercise import MAX_BYTES, Exercise
from gpubfs.grading.learning.course import Course, lesson_of
from gpubfs.grading.learning.progress import Progress
from gpubfs.grading.learning.record import Record
from gpubfs.grading.processes.sandbox import SECRET

#: How far an exercise is.
DONE, BEGUN, NOT_BEGUN = "done", "begun", "not begun"


@dataclass(frozen=True)
class Standing:
    """How far somebody is in an exercise.

    Attributes
    ----------
    exercise : Exercise
        The exercise.
    record : Record
        What was reached in it.
    state : str
        DONE with all points; BEGUN if the file is not as it was at first; else NOT_BEGUN.
    """

    exercise: Exercise
    record: Record
    state: str

    @property
    def points(self) -> float:
        """The points that can be reached: without a secret hidden cases do not count."""
        every = bool(os.environ.get(SECRET))
        return sum(case.points for case in self.exercise.cases if every or not case.hidden)

    def as_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        exercise, record = self.exercise, self.record
        about = {"exercise": exercise.name, "title": exercise.title, "kind": exercise.kind}
        graded = record.graded_once
        marks = {
            "state": self.state,
            "best": record.best if graded else None,
            "last": record.last if graded else None,
            "points": self.points,
            "best_sha256": record.best_sha256 or None,
        }
        spent = {"tries": record.tries, "seconds": record.seconds}
        return about | {"file": str(exercise.starter)} | marks | spent


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a submission, as far as it is looked at; empty if it is not there."""
    try:
        with file.open("rb") as opened:
            return hashlib.sha256(opened.read(MAX_BYTES + 1)).hexdigest()
    except OSError:
        return ""


def standing(exercise: Exercise, progress: Progress) -> Standing:
    """Return how far somebody is in an exercise."""
    record = progress.record(exercise)
    if record.done:
        return Standing(exercise, record, DONE)
    edited = record.tries > 1 or sha256_of(exercise.starter) not in ("", record.first_sha256)
    begun = record.graded_once and edited
    return Standing(exercise, record, BEGUN if begun else NOT_BEGUN)


def standings(course: Course, progress: Progress) -> list[Standing]:
    """Return how far somebody is in each exercise of a course."""
    return [standing(one, progress) for one in course.exercises]


def next_of(found: Sequence[Standing], after: str = "") -> Exercise | None:
    """Return the exercise that is to be done next; None if all are done.

    Parameters
    ----------
    found : sequence of Standing
        How far its exercises are.
    after : str
        The name of the exercise behind which it is looked for, and from the beginning then.
    """
    names = [one.exercise.name for one in found]
    begin = names.index(after) + 1 if after else 0
    ordered = [*found[begin:], *found[:begin]]
    return next((one.exercise for one in ordered if one.state != DONE), None)


def first_of(course: Course, progress: Progress) -> Exercise:
    """Return the exercise to begin with: that which was asked for, or the first not done."""
    asked = [one for one in course.exercises if one.name == course.first]
    coming = None if asked else next_of(standings(course, progress))
    return asked[0] if asked else coming or course.exercises[0]


def as_dict(course: Course, found: Sequence[Standing]) -> dict[str, Any]:
    """Return all that is known of somebody's progress, ready for JSON."""
    coming = next_of(found)
    lessons = [
        {
            "lesson": name,
            "best": sum(one.record.best for one in found if lesson_of(one.exercise) == name),
            "points": sum(one.points for one in found if lesson_of(one.exercise) == name),
            "exercises": [one.as_dict() for one in found if lesson_of(one.exercise) == name],
        }
        for name, _ in course.lessons()
    ]
    return {
        "folder": str(course.folder.resolve()),
        "best": sum(one.record.best for one in found),
        "points": sum(one.points for one in found),
        "done": sum(one.state == DONE for one in found),
        "exercises": len(found),
        "next": coming and coming.name,
        "lessons": lessons,
    }
