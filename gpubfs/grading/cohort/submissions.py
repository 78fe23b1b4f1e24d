"""What students submitted: the file for each exercise, and files that fit none.

A file counts that is no link and no pipe.
"""

from __future__ import annotations

import difflib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePosixPath

from gpubfs.errors import UsageError
from gpubfs.grading.exercise import FILE, MAX_BYTES, Exercise
from gpubfs.grading.loading import suffixes
from gpubfs.grading.notebooks.release import HOOKS
from gpubfs.grading.outcome import Grade

#: Why a file is not read.
LINK = "the file is a link; hand in the file itself"


@dataclass(frozen=True)
class Job:
    """What one student submitted for one exercise.

    Attributes
    ----------
    student : str
        The name of the student's folder.
    exercise : Exercise
        The exercise.
    file : Path or None
        The submission; None where there is none.
    refused : str
        Why the file is not read; empty where it is.
    """

    student: str
    exercise: Exercise
    file: Path | None = None
    refused: str = ""

    @property
    def result(self) -> Path:
        """Where its result goes, below the folder for results."""
        lesson, slug = self.exercise.name.split("/")
        return Path(self.student) / f"{lesson}--{slug}.json"


def locations(exercise: Exercise) -> tuple[str, ...]:
    """Return where a file for an exercise may stand in a student's folder, the first one first."""
    lesson, slug = exercise.name.split("/")
    name, starter = f"{slug}{exercise.suffix}", f"exercises/{slug}/{exercise.starter.name}"
    return f"{lesson}/{name}", name, f"{lesson}/{starter}", f"lessons/{lesson}/{starter}"


def find_submission(student: Path, exercise: Exercise) -> Job:
    """Return what a student submitted for an exercise.

    A file counts if neither it nor a folder on its way is a link, and it is no pipe and no device.
    One that counts goes before links.
    """
    found = [pair for pair in (file_at(student, path) for path in locations(exercise)) if pair]
    found.sort(key=lambda pair: bool(pair[1]))
    return Job(student.name, exercise, *(found[0] if found else ()))


def file_at(student: Path, location: str) -> tuple[Path, str] | None:
    """Return the file at a location in a student's folder, and why it is not read, if so."""
    path, mode = student, 0
    try:
        for part in PurePosixPath(location).parts:
            path /= part
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                whole = student / location
                return (whole, LINK) if os.path.lexists(whole) else None
        inside = path.resolve().is_relative_to(student.resolve())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return student / location, f"the file cannot be read: {error.strerror}"
    if not stat.S_ISREG(mode):
        return None
    return path, "" if inside else LINK


def read_beginning(file: Path) -> tuple[bytes, int]:
    """Return as much of a file as grading may look at, and its size; a link is not followed.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    more = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK"))
    with open(file, "rb", opener=lambda path, flags: os.open(path, flags | more)) as stream:
        return stream.read(MAX_BYTES + 1), os.fstat(stream.fileno()).st_size


@dataclass(frozen=True)
class Marked:
    """A job and its grade."""

    student: str
    grade: Grade


def make_jobs(folder: Path, exercises: Iterable[Exercise]) -> list[Job]:
    """Return what there is to grade: for every student, every exercise.

    Parameters
    ----------
    folder : Path
        A folder for each student. A file stands in it as ``LESSON/SLUG.cu``, as ``SLUG.cu``, or
        as the starter in a copy of the lessons: ``[lessons/]LESSON/exercises/SLUG/starter.cu``.
    exercises : iterable of Exercise
        The exercises; one that is there twice counts once.

    Raises
    ------
    UsageError
        If there are no students, or two exercises have one name.
    """
    students = [path for path in folders(folder) if not path.is_symlink()]
    if not students:
        raise UsageError(
            f"{folder} has no folders", "make one for each student; links are not followed"
        )
    kept = _different(exercises)
    return [find_submission(student, exercise) for student in students for exercise in kept]


def folders(parent: Path) -> list[Path]:
    """Return the folders in a class's folder, and the links to folders, which are not followed."""
    return sorted(p for p in parent.iterdir() if p.is_dir() and not p.name.startswith("."))


def _different(exercises: Iterable[Exercise]) -> list[Exercise]:
    named: dict[str, Exercise] = {}
    for exercise in exercises:
        other = named.setdefault(exercise.name, exercise)
        if other.folder != exercise.folder:
            both = f"{other.folder} and {exercise.folder}"
            raise UsageError(f"two exercises are called {exercise.name}: {both}", "name one")
    return list(named.values())


#: How many files of a student are looked at, and how many are shown of those that fit no exercise.
MAX_FILES, MAX_SHOWN = 10_000, 100
#: Files that take their name from their folder.
_NAMELESS = ("starter", "solution")


@dataclass(frozen=True)
class Unmatched:
    """A file of a student's that was taken for no exercise, by its path in the student's folder.

    `why` says what may have been meant, and is empty where nobody knows.
    """

    student: str
    file: str
    why: str


def unmatched_files(folder: Path, jobs: Iterable[Job]) -> list[Unmatched]:
    """Return what all students of a class submitted besides what is graded, by student."""
    exercises: dict[Path, Exercise] = {}
    taken: dict[str, set[Path]] = {}
    for job in jobs:
        exercises[job.exercise.folder] = job.exercise
        files = taken.setdefault(job.student, set())
        if job.file is not None:
            files.add(job.file)
    finder = UnmatchedFinder(exercises.values())
    return [row for name, files in taken.items() for row in finder.of(folder / name, files)]


class UnmatchedFinder:
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
        self.graded = {path: e for e in self.exercises for path in locations(e)}

    @cached_property
    def _others(self) -> set[str]:
        """Names, with and without the lesson, of exercises that are not graded now."""
        folders = {path.parent for r in self.roots for path in r.glob(f"*/exercises/*/{FILE}")}
        others = folders - {exercise.folder for exercise in self.exercises}
        return {n for f in others for n in (f.name, f"{f.parent.parent.name}/{f.name}")}

    def of(self, student: Path, taken: Iterable[Path]) -> list[Unmatched]:
        """Return a student's files, by name; where there are very many, the last row says so."""
        matched = set(taken)
        files = list(islice(files_below(student), MAX_FILES + 1))
        left = [f for f in files[:MAX_FILES] if f not in matched and may_be_meant(f)]
        below = sorted(PurePosixPath(f.relative_to(student).as_posix()) for f in left)
        rows = [
            Unmatched(student.name, str(path), self._why(path))
            for path in below
            if not self._elsewhere(path)
        ]
        if len(rows) > MAX_SHOWN or len(files) > MAX_FILES:
            rows[MAX_SHOWN:] = [Unmatched(student.name, "…", "there are more files")]
        return rows

    def _elsewhere(self, path: PurePosixPath) -> bool:
        """Return whether it is a file of the course, if not among what is graded."""
        own = path.relative_to("lessons") if path.parts[0] == "lessons" else path
        if own.name == HOOKS and any((root / own.parent).is_dir() for root in self.roots):
            return True  # released lessons have one each
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


def files_below(folder: Path) -> Iterator[Path]:
    """Yield all files below a folder but hidden ones; links to folders are not followed."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(n for n in folders if not n.startswith((".", "__")))
        yield from (Path(parent) / name for name in sorted(names) if not name.startswith("."))


def may_be_meant(file: Path) -> bool:
    """Return whether it has the ending of an exercise's file, perhaps with another one behind."""
    return not {suffix.casefold() for suffix in file.suffixes}.isdisjoint(suffixes())


def _words(path: PurePosixPath) -> str:
    """Return what a file may be called for, in the way of slugs.

    >>> _words(PurePosixPath("a/Level_Loop (1).py")), _words(PurePosixPath("sum/starter.cu"))
    ('level-loop', 'sum')
    """
    stem = path.name.partition(".")[0]
    if stem in _NAMELESS:
        stem = path.parent.name
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"\(\d+\)", "", stem.casefold())).strip("-")
