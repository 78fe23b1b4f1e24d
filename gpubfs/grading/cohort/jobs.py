"""Grading a class: every submission once, in parallel, resumed where it stopped."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError
from gpubfs.grading.cohort.cluster import Cluster
from gpubfs.grading.cohort.handed_in import beginning, find
from gpubfs.grading.cohort.packed import Packed, files_of, grade_packed, pack
from gpubfs.grading.cohort.sources import digest
from gpubfs.grading.exercises.exercise import Exercise
from gpubfs.grading.infrastructure import NotGradedError, tell
from gpubfs.grading.outcome import Failure, Grade, Outcome
from gpubfs.grading.writing import shown, write

#: Where results stand in the folder for them.
RESULTS = "results"


@dataclass(frozen=True)
class Job:
    """What one student handed in for one exercise.

    Attributes
    ----------
    student : str
        The name of the student's folder.
    exercise : Exercise
        The exercise.
    file : Path or None
        What was handed in; None where that is nothing.
    refused : str
        Why the file is not read; empty where it is.
    """

    student: str
    exercise: Exercise
    file: Path | None
    refused: str = ""

    @property
    def result(self) -> Path:
        """Where its result goes, below the folder for results."""
        lesson, slug = self.exercise.name.split("/")
        return Path(self.student) / f"{lesson}--{slug}.json"


@dataclass(frozen=True)
class Marked:
    """A job and its grade."""

    student: str
    grade: Grade


def jobs(folder: Path, exercises: Iterable[Exercise]) -> list[Job]:
    """What there is to grade: for every student, every exercise.

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
    pairs = ((s, exercise, find(s, exercise)) for s in students for exercise in kept)
    return [Job(s.name, exercise, found.file, found.refused) for s, exercise, found in pairs]


def folders(place: Path) -> list[Path]:
    """The folders in a class's folder, and the links to folders, which are not followed."""
    return sorted(p for p in place.iterdir() if p.is_dir() and not p.name.startswith("."))


def _different(exercises: Iterable[Exercise]) -> list[Exercise]:
    named: dict[str, Exercise] = {}
    for exercise in exercises:
        other = named.setdefault(exercise.name, exercise)
        if other.folder != exercise.folder:
            places = f"{other.folder} and {exercise.folder}"
            raise UsageError(f"two exercises are called {exercise.name}: {places}", "name one")
    return list(named.values())


Generated = Generator[tuple[Job, Grade], None, None]


class Cohort:
    """A class's jobs, and the folder that remembers what has been graded.

    Parameters
    ----------
    jobs : list of Job
        What is to be graded.
    to : Path
        The folder for results; what stands there already, of the same file, exercise, secret and
        package, is not graded again.
    secret : str
        On which hidden cases depend; without one they are left out.
    """

    def __init__(self, jobs: list[Job], to: Path, secret: str) -> None:
        self.jobs = jobs
        self.to = to
        self.secret = secret
        self._package = digest()
        self._exercises = {job.exercise.folder: files_of(job.exercise) for job in jobs}
        self._marks = {job.result: self._mark(job) for job in jobs}

    def _mark(self, job: Job) -> str:
        """What a result depends on."""
        made = hashlib.blake2b(digest_size=16)
        files = self._exercises[job.exercise.folder]
        named = (part for name, content in files.items() for part in (name.encode(), content))
        for part in (self._package.encode(), self.secret.encode(), *_content(job), *named):
            made.update(len(part).to_bytes(8) + part)
        return made.hexdigest()

    def _known(self, job: Job) -> dict[str, Any]:
        """What is written of a job, for whatever file it was."""
        try:
            data = json.loads((self.to / RESULTS / job.result).read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return data if isinstance(data, dict) else {}

    def done(self, job: Job) -> Grade | None:
        """The grade of a job, if it has been graded."""
        data = self._known(job)
        try:
            return Grade.of(data) if data["of"] == self._marks[job.result] else None
        except (KeyError, TypeError):
            return None

    def with_hidden(self) -> int:
        """How many results there are whose hidden cases were graded, whatever they depend on."""
        return sum(map(_has_hidden, map(self._known, self.jobs)))

    def remember(self, job: Job, grade: Grade) -> None:
        """Write a grade down, whole or not at all."""
        text = json.dumps({"of": self._marks[job.result]} | grade.as_dict(), indent=1)
        write(self.to / RESULTS / job.result, text)

    def run(
        self,
        workers: int = 1,
        scheduler: str = "",
        told: Callable[[Job], None] = lambda job: None,
        say: Callable[[str], None] = lambda words: print(words, file=sys.stderr),
    ) -> list[Marked]:
        """Grade what has not been graded; all grades, in the order of the jobs.

        Parameters
        ----------
        workers : int
            How many are graded at the same time on this machine.
        scheduler : str
            The address of a Dask scheduler whose workers grade instead.
        told : callable, optional
            Told each job when it is done, those that were done before at once.
        say : callable, optional
            Told what is being waited for; by default it is printed on standard error.
        """
        grades = {job.result: self.done(job) for job in self.jobs}
        left = [job for job in self.jobs if grades[job.result] is None]
        for job in self.jobs:
            if grades[job.result] is not None:
                told(job)
        run = _on_cluster(left, self.secret, Cluster(scheduler, say)) if scheduler else None
        with closing(run or _here(left, self.secret, workers)) as found:
            for job, grade in found:  # which raises at its end, if some were not graded
                self.remember(job, grade)
                grades[job.result] = grade
                told(job)
        pairs = ((job.student, grades[job.result]) for job in self.jobs)
        return [Marked(student, grade) for student, grade in pairs if grade is not None]


def _content(job: Job) -> tuple[bytes, ...]:
    """What a result depends on of a file: as much as is looked at, and the size."""
    if job.file is None or job.refused:
        return (job.refused.encode(),)
    try:
        content, size = beginning(job.file)
    except OSError as error:
        return (str(error.strerror).encode(),)
    return content, str(size).encode()


def _has_hidden(result: dict[str, Any]) -> bool:
    """Whether hidden cases of something that was handed in have been graded."""
    try:
        outcomes = Grade.of(result).outcomes if result["file"] else ()
    except (KeyError, TypeError):
        return False
    return any(outcome.hidden and not outcome.skipped for outcome in outcomes)


def _lost(job: Job, failure: Failure, secret: str) -> Grade:
    """The grade of what is not even looked at; without a secret hidden cases are skipped."""
    exercise, file = job.exercise, job.file.name if job.file else ""
    outcomes = (
        Outcome(case.name, case.points, True, skipped=True)
        if case.hidden and not secret
        else Outcome(case.name, case.points, case.hidden, failure)
        for case in exercise.cases
    )
    return Grade(exercise.name, exercise.title, file, tuple(outcomes))


def _packed(job: Job, secret: str) -> Packed | Grade:
    """What is to be graded, or the grade where there is nothing to grade."""
    if job.file is None:
        return _lost(job, Failure("missing", "nothing was handed in"), secret)
    if job.refused:
        return _lost(job, Failure("read", job.refused), secret)
    try:
        return pack(job.exercise, job.file, secret)
    except OSError as error:
        words = f"the file cannot be read: {error.strerror}"
        return _lost(job, Failure("read", words), secret)


def _graded(packed: Packed) -> Grade:
    return Grade.of(grade_packed(packed))


def _here(left: list[Job], secret: str, workers: int) -> Generated:
    """Grade on this machine, several at a time."""

    def graded(job: Job) -> Grade:
        packed = _packed(job, secret)
        return packed if isinstance(packed, Grade) else _graded(packed)

    failed: list[tuple[str, NotGradedError]] = []
    with ThreadPoolExecutor(workers) as pool:
        running = {pool.submit(graded, job): job for job in left}
        try:
            for future in as_completed(running):
                job = running[future]
                try:
                    grade = future.result()
                except NotGradedError as error:
                    failed.append((f"{job.exercise.name} of {shown(job.student)}", error))
                else:
                    yield job, grade
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    tell(failed)


def _on_cluster(left: list[Job], secret: str, cluster: Cluster) -> Generated:
    """Grade on a cluster."""
    sent: list[tuple[Job, Packed]] = []
    for job in left:
        packed = _packed(job, secret)
        if isinstance(packed, Grade):
            yield job, packed
        else:
            sent.append((job, packed))
    if sent:
        with closing(cluster.graded([packed for _, packed in sent])) as found:
            for place, grade in found:
                yield sent[place][0], Grade.of(grade)
