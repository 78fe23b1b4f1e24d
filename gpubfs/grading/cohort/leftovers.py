"""Files of students that fit no exercise, and what may have been meant."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePosixPath

from gpubfs.grading.cohort.handed_in import places
from gpubfs.grading.cohort.jobs import Job
from gpubfs.grading.exercises.exercise import FILE, KINDS, Exercise

#: How many files of a student are looked at, and how many are told of those that fit no exercise.
MOST_FILES, MOST_TOLD = 10_000, 100
#: Files that take their name from their folder.
_NAMELESS = ("starter", "solution")


@dataclass(frozen=True)
class Untaken:
    """A file of a student's that was taken for no exercise, by its place in the student's folder.

    `why` says what may have been meant, and is empty where nobody knows.
    """

    student: str
    file: str
    why: str


def leftovers(folder: Path, jobs: Iterable[Job]) -> list[Untaken]:
    """What all students of a class handed in besides what is graded, by student."""
    exercises: dict[Path, Exercise] = {}
    taken: dict[str, set[Path]] = {}
    for job in jobs:
        exercises[job.exercise.folder] = job.exercise
        files = taken.setdefault(job.student, set())
        if job.file is not None:
            files.add(job.file)
    finder = Leftovers(exercises.values())
    return [row for name, files in taken.items() for row in finder.of(folder / name, files)]


class Leftovers:
    """Finds files with an exercise's ending that were taken for none.

    What belongs to a copy of the course is passed over, and what fits an exercise of the course
    that is not graded now.

    Parameters
    ----------
    exercises : iterable of Exercise
        Those that are graded.
    """

    def __init__(self, exercises: Iterable[Exercise]) -> None:
        self.exercises = list(exercises)
        self.roots = list(dict.fromkeys(e.folder.parent.parent.parent for e in self.exercises))
        self.graded = {place: e for e in self.exercises for place in places(e)}

    @cached_property
    def _others(self) -> set[str]:
        """Names, with and without the lesson, of exercises that are not graded now."""
        folders = {path.parent for r in self.roots for path in r.glob(f"*/exercises/*/{FILE}")}
        others = folders - {exercise.folder for exercise in self.exercises}
        return {n for f in others for n in (f.name, f"{f.parent.parent.name}/{f.name}")}

    def of(self, student: Path, taken: Iterable[Path]) -> list[Untaken]:
        """The files of a student, by name; where there are very many, the last row says so."""
        known = set(taken)
        files = list(islice(_files(student), MOST_FILES + 1))
        left = [f for f in files[:MOST_FILES] if f not in known and _may_be_meant(f)]
        below = sorted(PurePosixPath(f.relative_to(student).as_posix()) for f in left)
        rows = [
            Untaken(student.name, str(path), self._why(path))
            for path in below
            if not self._elsewhere(path)
        ]
        if len(rows) > MOST_TOLD or len(files) > MOST_FILES:
            rows[MOST_TOLD:] = [Untaken(student.name, "…", "there are more files")]
        return rows

    def _elsewhere(self, path: PurePosixPath) -> bool:
        """Whether it has its place in the course, if not among what is graded."""
        own = path.relative_to("lessons") if path.parts[0] == "lessons" else path
        if own.stem != "solution" and any((root / own).is_file() for root in self.roots):
            return True
        return str(path) not in self.graded and str(own.with_suffix("")) in self._others

    def _why(self, path: PurePosixPath) -> str:
        fits = self.graded.get(str(path))
        if fits is not None:
            return f"{fits.name} has another file, or this is none"
        words = _words(path)
        near = self._nearest(words, path)
        if near is None:
            return ""
        hint = f"did you mean {near.name}?"
        wrong = path.suffix.casefold() != near.suffix
        return f"{hint} it ends in {near.suffix}" if wrong else hint

    def _nearest(self, words: str, path: PurePosixPath) -> Exercise | None:
        slugs: dict[str, list[Exercise]] = {}
        for exercise in self.exercises:
            slugs.setdefault(exercise.folder.name.casefold(), []).append(exercise)
        inside = [slug for slug in slugs if f"-{slug}-" in f"-{words}-"]
        close = sorted(inside, key=len)[-1:] or difflib.get_close_matches(words, slugs, n=1)
        if not close:
            return None
        near = slugs[close[0]]
        here = (e for e in near if e.name.split("/")[0] in path.parts)
        return next(here, near[0])


def _files(folder: Path) -> Iterator[Path]:
    """All files below a folder but hidden ones; links to folders are not followed."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(n for n in folders if not n.startswith((".", "__")))
        yield from (Path(place) / name for name in sorted(names) if not name.startswith("."))


def _may_be_meant(file: Path) -> bool:
    """Whether it has the ending of an exercise's file, perhaps with another one behind."""
    return not {suffix.casefold() for suffix in file.suffixes}.isdisjoint(KINDS.values())


def _words(path: PurePosixPath) -> str:
    """What a file may be called for, in the way of slugs.

    >>> _words(PurePosixPath("a/Level_Loop (1).py")), _words(PurePosixPath("sum/starter.cu"))
    ('level-loop', 'sum')
    """
    stem = path.name.partition(".")[0]
    if stem in _NAMELESS:
        stem = path.parent.name
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"\(\d+\)", "", stem.casefold())).strip("-")
