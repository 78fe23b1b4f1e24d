"""The exercise that somebody has before them: its marks, its hints, and the way to the others."""

from __future__ import annotations

from collections.abc import Callable

from gpubfs.grading.exercise import Exercise
from gpubfs.grading.learning.course import Course
from gpubfs.grading.learning.progress import Progress
from gpubfs.grading.learning.saves import Saves
from gpubfs.grading.learning.standing import Standing, next_of, sha256_of, standing, standings
from gpubfs.grading.learning.stopwatch import Stopwatch
from gpubfs.grading.outcome import Grade


class Desk:
    """An exercise of a course, which is worked on.

    Parameters
    ----------
    course : Course
        The course.
    progress : Progress
        What was reached in it.
    exercise : Exercise
        The one to begin with.

    Attributes
    ----------
    exercise : Exercise
        That which is worked on.
    grade : Grade or None
        Its marks, as soon as they are known.
    saves : Saves
        Tells when its file is saved.
    """

    def __init__(self, course: Course, progress: Progress, exercise: Exercise) -> None:
        self.course = course
        self.progress = progress
        self._watch = Stopwatch()
        self._hints: dict[str, int] = {}
        self._open(exercise)

    def _open(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.grade: Grade | None = None
        self.saves = Saves(exercise.starter)

    @property
    def standing(self) -> Standing:
        """How far the exercise is."""
        return standing(self.exercise, self.progress)

    @property
    def standings(self) -> list[Standing]:
        """How far all exercises are."""
        return standings(self.course, self.progress)

    @property
    def coming(self) -> Exercise | None:
        """The next exercise that is not done, behind this one or else from the beginning."""
        found = next_of(self.standings, self.exercise.name)
        return None if found == self.exercise else found

    @property
    def hints(self) -> tuple[str, ...]:
        """The hints that were asked for."""
        return self.exercise.hints[: self._hints.get(self.exercise.name, 0)]

    def next_hint(self) -> str:
        """Return one hint more; empty if there is none."""
        shown = len(self.hints)
        if shown == len(self.exercise.hints):
            return ""
        self._hints[self.exercise.name] = shown + 1
        return self.exercise.hints[shown]

    def graded(self, grading: Callable[[], Grade]) -> Grade:
        """Grade the file and keep the marks, unless it was changed meanwhile.

        Parameters
        ----------
        grading : callable
            Does it. What it raises is raised.
        """
        self.grade = None
        before = sha256_of(self.exercise.starter)
        made = grading()
        self.grade = made
        if before == sha256_of(self.exercise.starter):
            seconds = self._watch.lap()
            self.progress.change(
                self.exercise,
                lambda record: record.graded(made.got, made.points, made.full, before).worked(
                    seconds
                ),
            )
        return made

    def keep_time(self) -> None:
        """Keep the time since that was done last: somebody is working."""
        seconds = self._watch.lap()
        if self.standing.record.graded_once:
            self.progress.change(self.exercise, lambda record: record.worked(seconds))

    def step(self, by: int) -> bool:
        """Go to the exercise so many places on; return whether there is one."""
        to = self.course.exercises.index(self.exercise) + by
        if not 0 <= to < len(self.course.exercises):
            return False
        self.go(self.course.exercises[to])
        return True

    def go(self, exercise: Exercise) -> None:
        """Go to an exercise."""
        self.keep_time()
        self._open(exercise)
