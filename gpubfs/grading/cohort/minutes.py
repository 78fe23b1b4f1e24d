"""How long exercises took: what the progress says that students handed in with their files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from gpubfs.grading.cohort.submissions import Job, file_at, read_beginning
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
    for place in (f"{lesson}/exercises/{FILE}", f"lessons/{lesson}/exercises/{FILE}"):
        file, refused = file_at(student, place) or (None, "")
        if file is None or refused:
            continue
        try:
            entries = read(read_beginning(file)[0])
        except (OSError, NotUnderstoodError):
            continue
        return {slug: record_of(entry) for slug, entry in entries.items()}
    return {}
