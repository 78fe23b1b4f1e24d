"""Grading a class: every submission once, in parallel, resumed where it stopped."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError
from gpubfs.grading.exercise import Exercise
from gpubfs.grading.outcome import Failure, Grade, Outcome
from gpubfs.grading.packed import Packed, grade_packed, pack

#: Where results stand in the folder for them.
RESULTS = "results"


@dataclass(frozen=True)
class Job:
    """What one student handed in for one exercise; `file` is None where that is nothing."""

    student: str
    exercise: Exercise
    file: Path | None

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
        The exercises.

    Raises
    ------
    UsageError
        If there are no students.
    """
    students = sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith("."))
    if not students:
        raise UsageError(f"{folder} has no folders", "make one for each student")
    kept = list(exercises)
    return [Job(s.name, exercise, handed_in(s, exercise)) for s in students for exercise in kept]


def handed_in(student: Path, exercise: Exercise) -> Path | None:
    """The file that a student handed in for an exercise."""
    lesson, slug = exercise.name.split("/")
    name, starter = f"{slug}{exercise.suffix}", f"exercises/{slug}/{exercise.starter.name}"
    places = (f"{lesson}/{name}", name, f"{lesson}/{starter}", f"lessons/{lesson}/{starter}")
    return next((student / place for place in places if (student / place).is_file()), None)


Generated = Generator[tuple[Job, Grade], None, None]


class Cohort:
    """A class's jobs, and the folder that remembers what has been graded.

    Parameters
    ----------
    jobs : list of Job
        What is to be graded.
    to : Path
        The folder for results; what stands there already, of the same file, exercise and secret,
        is not graded again.
    secret : str
        On which hidden cases depend.
    """

    def __init__(self, jobs: list[Job], to: Path, secret: str) -> None:
        self.jobs = jobs
        self.to = to
        self.secret = secret
        self._marks = {job.result: self._mark(job) for job in jobs}

    def _mark(self, job: Job) -> str:
        """What a result depends on."""
        parts = [b"" if job.file is None else job.file.read_bytes(), self.secret.encode()]
        parts += [p.read_bytes() for p in sorted(job.exercise.folder.iterdir()) if p.is_file()]
        return hashlib.blake2b(b"\0".join(parts), digest_size=16).hexdigest()

    def done(self, job: Job) -> Grade | None:
        """The grade of a job, if it has been graded."""
        try:
            data = json.loads((self.to / RESULTS / job.result).read_text("utf-8"))
            return Grade.of(data) if data["of"] == self._marks[job.result] else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def remember(self, job: Job, grade: Grade) -> None:
        """Write a grade down, whole or not at all."""
        path = self.to / RESULTS / job.result
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"of": self._marks[job.result]} | grade.as_dict(), indent=1)
        new = path.with_name(f".{path.name}.{os.getpid()}")
        new.write_text(text, encoding="utf-8")
        new.replace(path)

    def run(
        self,
        workers: int = 1,
        scheduler: str = "",
        told: Callable[[Job], None] = lambda job: None,
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
        """
        grades = {job.result: self.done(job) for job in self.jobs}
        left = [job for job in self.jobs if grades[job.result] is None]
        for job in self.jobs:
            if grades[job.result] is not None:
                told(job)
        run = _on_cluster(left, self.secret, scheduler) if scheduler else None
        with closing(run or _here(left, self.secret, workers)) as found:
            for job, grade in found:
                self.remember(job, grade)
                grades[job.result] = grade
                told(job)
        pairs = ((job.student, grades[job.result]) for job in self.jobs)
        return [Marked(student, grade) for student, grade in pairs if grade is not None]


def nothing(exercise: Exercise) -> Grade:
    """The grade of who handed in nothing."""
    failure = Failure("missing", "nothing was handed in")
    lost = (Outcome(case.name, case.points, case.hidden, failure) for case in exercise.cases)
    return Grade(exercise.name, exercise.title, "", tuple(lost))


def _packed(job: Job, secret: str) -> Packed | None:
    return None if job.file is None else pack(job.exercise, job.file, secret)


def _graded(packed: Packed) -> Grade:
    return Grade.of(grade_packed(packed))


def _here(left: list[Job], secret: str, workers: int) -> Generated:
    """Grade on this machine, several at a time."""
    with ThreadPoolExecutor(workers) as pool:
        running: dict[Any, Job] = {}
        for job in left:
            packed = _packed(job, secret)
            if packed is None:
                yield job, nothing(job.exercise)
            else:
                running[pool.submit(_graded, packed)] = job
        try:
            for future in as_completed(running):
                yield running[future], future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _on_cluster(left: list[Job], secret: str, address: str) -> Generated:
    """Grade on the workers of a Dask cluster, which need the package and nothing else."""
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise UsageError(
            "dask.distributed is not installed", 'python3 -m pip install "gpubfs[cluster]"'
        ) from None
    try:
        client = distributed.Client(address, timeout=20)
    except (OSError, ValueError) as error:
        raise UsageError(f"there is no Dask scheduler at {address}: {error}") from None
    with client:
        running = {}
        for job in left:
            packed = _packed(job, secret)
            if packed is None:
                yield job, nothing(job.exercise)
            else:
                running[client.submit(grade_packed, packed, pure=False)] = job
        for future in distributed.as_completed(list(running)):
            yield running[future], Grade.of(future.result())
