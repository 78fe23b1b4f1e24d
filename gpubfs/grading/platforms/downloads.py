"""A class's folder as Canvas or Moodle lets it be downloaded: what there is to grade in it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from gpubfs.grading.cohort.submissions import (
    Job,
    Unmatched,
    folders,
    make_jobs,
    may_be_meant,
    unmatched_files,
)
from gpubfs.grading.exercise import Exercise
from gpubfs.grading.platforms.assigning import assign, files_of_folder
from gpubfs.grading.platforms.names import downloaded

#: What a Mac puts beside the folders in an archive.
REST = "__MACOSX"


def class_jobs(folder: Path, exercises: Iterable[Exercise]) -> tuple[list[Job], list[Unmatched]]:
    """Return what there is to grade, and files that were taken for no exercise.

    Parameters
    ----------
    folder : Path
        A folder for each student, with the name of their own or that of Moodle's download; or the
        files of Canvas's or Moodle's download, all in one folder. Names of files in downloads may
        be those of copies, such as ``reverse (1).cu``.
    exercises : iterable of Exercise
        What could be handed in.

    Raises
    ------
    UsageError
        If there are no students, or two exercises have one name.
    """
    kept = list(exercises)
    own_folders = [path for path in folders(folder) if path.name != REST]
    students = {} if own_folders else _flat(folder)
    if students:
        return _assigned(students, kept)
    jobs = [job for job in make_jobs(folder, kept) if job.student != REST]
    theirs = {job.student for job in jobs if downloaded(job.student)}
    files = {name: files_of_folder(folder / name) for name in sorted(theirs - _texts(theirs))}
    own = [job for job in jobs if job.student not in theirs]
    made, left = _assigned(files, _unique(jobs))
    return [*own, *made], [*(unmatched_files(folder, own) if own else ()), *left]


def _unique(jobs: Iterable[Job]) -> list[Exercise]:
    return list({job.exercise.name: job.exercise for job in jobs}.values())


def _texts(names: Iterable[str]) -> set[str]:
    """Return the folders with texts of students who have one with files, too."""
    found = {name: one for name in names if (one := downloaded(name))}
    with_files = {one.key for one in found.values() if not one.text}
    return {name for name, one in found.items() if one.text and one.key in with_files}


def _flat(folder: Path) -> dict[str, dict[PurePosixPath, Path]]:
    """Return the students of a download without folders, with their files."""
    found: dict[str, dict[PurePosixPath, Path]] = {}
    for path in sorted(folder.iterdir()):
        one = downloaded(path.name)
        if one is None or path.is_dir() or path.name.startswith("."):
            continue
        own = found.setdefault(one.key, {})
        name = PurePosixPath(one.file)
        if may_be_meant(path):
            own[PurePosixPath(path.name, name) if name in own else name] = path
    return found


def _assigned(
    students: dict[str, dict[PurePosixPath, Path]], exercises: list[Exercise]
) -> tuple[list[Job], list[Unmatched]]:
    jobs: list[Job] = []
    left: list[Unmatched] = []
    for name, files in students.items():
        made = assign(name, files, exercises)
        jobs += made.jobs
        left += [Unmatched(name, str(path), why) for path, why in sorted(made.left)]
    return jobs, left
