"""How long exercises took: what the progress says that students handed in with their files."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from gpubfs.grading.cohort.submissions import Job, read_beginning
from gpubfs.grading.learning.progress import FILE
from gpubfs.grading.learning.record import NotUnderstoodError, Record, read, record_of

#: The minutes of those who have done an exercise, by its name.
Minutes = Mapping[str, Sequence[float]]


def minutes_taken(folder: Path, jobs: Iterable[Job]) -> dict[str, list[float]]:
    """Return for each exercise the minutes of the students who have done it.

    Parameters
    ----------
    folder : Path
        The class's folder, with a folder for each student. Their progress is read where
        `gpubfs learn` keeps it in a copy of the lessons; links are not followed, and what cannot be
        understood is passed over: it is the students' own, and no marks depend on it.
    jobs : iterable of Job
        Students and exercises.
    """
    known: dict[tuple[str, str], Mapping[str, Record]] = {}
    found: dict[str, list[float]] = {}
    for job in jobs:
        lesson, slug = job.exercise.name.split("/")
        key = job.student, lesson
        if key not in known:
            known[key] = _records(folder / job.student, lesson)
        record = known[key].get(slug, Record())
        if record.done and record.seconds:
            found.setdefault(job.exercise.name, []).append(record.seconds / 60)
    return found


def _records(student: Path, lesson: str) -> Mapping[str, Record]:
    """Return a student's records of a lesson's exercises, by their folders."""
    for place in (f"{lesson}/exercises", f"lessons/{lesson}/exercises"):
        try:
            entries = read(_content(student, PurePosixPath(place) / FILE))
        except (OSError, NotUnderstoodError):
            continue
        return {slug: record_of(entry) for slug, entry in entries.items()}
    return {}


def _content(student: Path, below: PurePosixPath) -> bytes:
    """Return a file's content; raise OSError where it, or a folder on its way, is a link."""
    path, mode = student, 0
    for part in below.parts:
        path /= part
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            raise FileNotFoundError(path)
    if not stat.S_ISREG(mode):
        raise FileNotFoundError(path)
    content, _ = read_beginning(path)
    return content
