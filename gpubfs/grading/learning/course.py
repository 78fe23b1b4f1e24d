"""A course on a student's disk: its exercises in the order in which they are done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from gpubfs.errors import UsageError, unknown
from gpubfs.grading.exercise import FILE, Exercise
from gpubfs.grading.loading import FIRST, load

#: Kinds of exercises in the order in which those of a lesson are done, and what there is to do.
TASKS = {
    "predict": "write numbers that you worked out on paper",
    "write": "fill in a kernel",
    "mend": "find the bug that somebody planted",
    "limit": "the kernel is right and wasteful: bring a counter under a limit",
    "drive": "write the host's side of a search in Python",
}
#: Where exercises are below a lesson's folder, a course's, and that of the exercises themselves.
PLACES = (f"exercises/*/{FILE}", f"*/exercises/*/{FILE}", f"*/{FILE}")
#: Where a course may be, as seen from where somebody stands.
USUAL = (".", "release", "course/release", "lessons")
MAKE_ONE = "make a course: gpubfs release course, and then: gpubfs learn course/release"


@dataclass(frozen=True)
class Course:
    """The exercises of a folder, and which of them comes first.

    Attributes
    ----------
    folder : Path
        Where they are.
    exercises : tuple of Exercise
        In the order in which they are done, lesson by lesson.
    first : str
        The name of the exercise that somebody has asked for; empty if none.
    """

    folder: Path
    exercises: tuple[Exercise, ...]
    first: str = ""

    def lessons(self) -> Iterator[tuple[str, list[Exercise]]]:
        """Yield each lesson's name and its exercises."""
        for name, own in groupby(self.exercises, lesson_of):
            yield name, list(own)

    @property
    def solved(self) -> bool:
        """Whether solutions stand beside the exercises, as where they are written."""
        return any(one.solution.is_file() for one in self.exercises)


def lesson_of(exercise: Exercise) -> str:
    """Return the name of the lesson of an exercise."""
    return exercise.name.partition("/")[0]


def find(wanted: str = "") -> Course:
    """Return the course that somebody means.

    Parameters
    ----------
    wanted : str
        A folder: of a course, a lesson or an exercise; or the name of a lesson or an exercise of
        the course that is here, or how it begins. By default that course.

    Raises
    ------
    UsageError
        If there is none, or an exercise is not as it must be.
    """
    if wanted and Path(wanted).is_dir():
        return _at(Path(wanted)) or _below(Path(wanted))
    here = _below(Path())
    return _part(here, wanted) if wanted else here


def _below(folder: Path) -> Course:
    """Return the course that is in a folder, or at a usual place below it."""
    found = next(filter(None, (_at(folder / place) for place in USUAL)), None)
    if found is None:
        raise UsageError(f"there is no exercise in {folder}", MAKE_ONE)
    return found


def _at(folder: Path) -> Course | None:
    """Return the course in a folder; that of one exercise brings those beside it."""
    if (folder / FILE).is_file():
        own = load(folder)
        beside = _at(own.folder.parent)
        return beside and Course(beside.folder, beside.exercises, own.name)
    found = {path for place in PLACES for path in folder.glob(place)}
    made = [load(path.parent) for path in sorted(found)]
    return Course(folder, tuple(sorted(made, key=_order))) if made else None


def _order(exercise: Exercise) -> tuple[bool, str, int, str]:
    """Return what exercises are sorted by: by lesson; in it by number, or else by kind."""
    kinds = list(TASKS)
    rank = kinds.index(exercise.kind) if exercise.kind in kinds else len(kinds)
    if exercise.folder.name[0].isdigit():
        rank = -1
    lesson = lesson_of(exercise)
    return lesson != FIRST, lesson, rank, exercise.name


def _part(course: Course, wanted: str) -> Course:
    """Return the lesson of this name; or the course, beginning with the exercise of this name."""
    lessons = dict(course.lessons())
    name = wanted.strip("/")
    for matches in (str.__eq__, str.startswith):
        own = [lesson for lesson in lessons if matches(lesson, name)]
        if len(own) == 1:
            return Course(course.folder, tuple(lessons[own[0]]))
        those = [
            one.name
            for one in course.exercises
            if matches(one.name, name) or matches(one.folder.name, name)
        ]
        if len(those) == 1:
            return Course(course.folder, course.exercises, those[0])
    known = [*lessons, *(one.folder.name for one in course.exercises)]
    raise unknown("folder, lesson or exercise", wanted, known)
