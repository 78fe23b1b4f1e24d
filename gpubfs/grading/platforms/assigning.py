"""Files of one student's, each assigned to the exercise that its name means."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from gpubfs.grading.cohort.submissions import LINK, MAX_FILES, Job, files_below, may_be_meant
from gpubfs.grading.exercise import Exercise
from gpubfs.grading.platforms.names import Meanings
from gpubfs.grading.writing import shown

#: How many files are named that are meant for one exercise.
NAMED = 5


@dataclass(frozen=True)
class Assigned:
    """What was made of a student's files.

    Attributes
    ----------
    jobs : tuple of Job
        One for each exercise. Where two files are as good as each other, neither is read.
    left : tuple of (PurePosixPath, str)
        The other files, each with the reason for which it is not graded.
    """

    jobs: tuple[Job, ...]
    left: tuple[tuple[PurePosixPath, str], ...]


def assign(
    student: str, files: Mapping[PurePosixPath, Path], exercises: Iterable[Exercise]
) -> Assigned:
    """Assign files to exercises.

    Parameters
    ----------
    student : str
        Whose they are.
    files : mapping of PurePosixPath to Path
        The files, by the names that the student gave them.
    exercises : iterable of Exercise
        What could be handed in.

    Returns
    -------
    Assigned
        The jobs, and what is left.
    """
    kept = list(exercises)
    meanings = Meanings(kept)
    meant: dict[str, list[tuple[int, PurePosixPath]]] = {}
    left: list[tuple[PurePosixPath, str]] = []
    for name in files:
        found = meanings.of(name)
        if found is None:
            left.append((name, "its name is no exercise's"))
        else:
            meant.setdefault(found[0].name, []).append((found[1], name))
    jobs = []
    for exercise in kept:
        best, others = _best(meant.get(exercise.name, []))
        left += [(name, f"{shown(str(best[0]))} goes before it") for name in others]
        jobs.append(_job(student, exercise, [(name, files[name]) for name in best]))
    return Assigned(tuple(jobs), tuple(left))


def _best(
    candidates: list[tuple[int, PurePosixPath]],
) -> tuple[list[PurePosixPath], list[PurePosixPath]]:
    """Return the files that are the best ones, and the others."""
    first = min((way for way, _ in candidates), default=0)
    best = sorted(name for way, name in candidates if way == first)
    return best, sorted(name for way, name in candidates if way != first)


def _job(student: str, exercise: Exercise, best: list[tuple[PurePosixPath, Path]]) -> Job:
    if not best:
        return Job(student, exercise)
    path = best[0][1]
    if len(best) > 1:
        names = ", ".join(shown(str(name)) for name, _ in best[:NAMED])
        names += f" and {len(best) - NAMED} more" if len(best) > NAMED else ""
        return Job(student, exercise, path, f"more than one file is meant: {names}; hand in one")
    return Job(student, exercise, path, "" if is_regular(path) else LINK)


def is_regular(path: Path) -> bool:
    """Tell whether a path is a file, and no link, pipe or device."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def files_of_folder(folder: Path) -> dict[PurePosixPath, Path]:
    """Return the files below a folder that have an exercise's ending; of very many, the first."""
    found = islice(files_below(folder), MAX_FILES)
    kept = (
        path for path in found if may_be_meant(path) and (is_regular(path) or path.is_symlink())
    )
    return {PurePosixPath(path.relative_to(folder).as_posix()): path for path in kept}
