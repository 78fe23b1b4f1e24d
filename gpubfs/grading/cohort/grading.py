"""Grading a class: every submission once, in parallel, resumed where it stopped."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from pathlib import Path
from typing import Any

from gpubfs.grading.cohort.cluster import Cluster
from gpubfs.grading.cohort.packing import (
    Packed,
    files_of,
    grade_packed,
    pack,
    package_digest,
    plugin_files,
)
from gpubfs.grading.cohort.submissions import Job, Marked, read_beginning
from gpubfs.grading.errors import NotGradedError, raise_ungraded
from gpubfs.grading.outcome import Failure, Grade, Outcome
from gpubfs.grading.writing import shown, write

#: Where results stand in the folder for them, and those that tell costs.
RESULTS, MEASURED = "results", "measured"


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
    measure : bool
        Whether results tell what cases have cost, for a leaderboard; limits are left out then.
    """

    def __init__(self, jobs: list[Job], to: Path, secret: str, measure: bool = False) -> None:
        self.jobs = jobs
        self.to = to
        self.secret = secret
        self.measure = measure
        self._package = package_digest()
        self._exercises = {job.exercise.folder: files_of(job.exercise) for job in jobs}
        self._marks = {job.result: self._mark(job) for job in jobs}

    def _mark(self, job: Job) -> str:
        """Return what a result depends on."""
        made = hashlib.blake2b(digest_size=16)
        files = self._exercises[job.exercise.folder]
        files = files | plugin_files()
        named = (part for name, content in files.items() for part in (name.encode(), content))
        for part in (self._package.encode(), self.secret.encode(), *_content(job), *named):
            made.update(len(part).to_bytes(8) + part)
        return made.hexdigest()

    def _place(self, job: Job) -> Path:
        return self.to / (MEASURED if self.measure else RESULTS) / job.result

    def _known(self, job: Job) -> dict[str, Any]:
        """Return what is written of a job, for whatever file it was."""
        try:
            data = json.loads(self._place(job).read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return data if isinstance(data, dict) else {}

    def done(self, job: Job) -> Grade | None:
        """Return the grade of a job, if it has been graded."""
        data = self._known(job)
        try:
            return Grade.of(data) if data["of"] == self._marks[job.result] else None
        except (KeyError, TypeError):
            return None

    def with_hidden(self) -> int:
        """Return how many results have hidden cases that were graded, whatever they depend on."""
        return sum(map(_has_hidden, map(self._known, self.jobs)))

    def remember(self, job: Job, grade: Grade) -> None:
        """Write a grade down, whole or not at all."""
        text = json.dumps({"of": self._marks[job.result]} | grade.as_dict(), indent=1)
        write(self._place(job), text)

    def run(
        self,
        workers: int = 1,
        scheduler: str = "",
        at_job: Callable[[Job], None] = lambda job: None,
        say: Callable[[str], None] = lambda words: print(words, file=sys.stderr),
    ) -> list[Marked]:
        """Grade what has not been graded; all grades, in the order of the jobs.

        Parameters
        ----------
        workers : int
            How many are graded at the same time on this machine.
        scheduler : str
            The address of a Dask scheduler whose workers grade instead.
        at_job : callable, optional
            Called with each job when it is done, with those that were done before at once.
        say : callable, optional
            Called with words for what is being waited for; by default they are printed on standard
            error.
        """
        grades = {job.result: self.done(job) for job in self.jobs}
        left = [job for job in self.jobs if grades[job.result] is None]
        for job in self.jobs:
            if grades[job.result] is not None:
                at_job(job)
        how = self.secret, self.measure
        run = _on_cluster(left, *how, Cluster(scheduler, say)) if scheduler else None
        with closing(run or _here(left, *how, workers)) as found:
            for job, grade in found:  # which raises at its end, if some were not graded
                self.remember(job, grade)
                grades[job.result] = grade
                at_job(job)
        pairs = ((job.student, grades[job.result]) for job in self.jobs)
        return [Marked(student, grade) for student, grade in pairs if grade is not None]


def _content(job: Job) -> tuple[bytes, ...]:
    """Return what a result depends on of a file: as much as is looked at, and the size."""
    if job.file is None or job.refused:
        return (job.refused.encode(),)
    try:
        content, size = read_beginning(job.file)
    except OSError as error:
        return (str(error.strerror).encode(),)
    return content, str(size).encode()


def _has_hidden(result: dict[str, Any]) -> bool:
    """Return whether hidden cases of a submission have been graded."""
    try:
        outcomes = Grade.of(result).outcomes if result["file"] else ()
    except (KeyError, TypeError):
        return False
    return any(outcome.hidden and not outcome.skipped for outcome in outcomes)


def _ungraded(job: Job, failure: Failure, secret: str) -> Grade:
    """Return the grade of what is not looked at; without a secret hidden cases are skipped."""
    exercise, file = job.exercise, job.file.name if job.file else ""
    outcomes = (
        Outcome(case.name, case.points, True, skipped=True)
        if case.hidden and not secret
        else Outcome(case.name, case.points, case.hidden, failure)
        for case in exercise.cases
    )
    return Grade(exercise.name, exercise.title, file, tuple(outcomes))


def _pack(job: Job, secret: str, measure: bool) -> Packed | Grade:
    """Return what is to be graded, or the grade where there is nothing to grade."""
    if job.file is None:
        return _ungraded(job, Failure("missing", "nothing was handed in"), secret)
    if job.refused:
        return _ungraded(job, Failure("read", job.refused), secret)
    try:
        return pack(job.exercise, job.file, secret, measure)
    except OSError as error:
        words = f"the file cannot be read: {error.strerror}"
        return _ungraded(job, Failure("read", words), secret)


def _here(left: list[Job], secret: str, measure: bool, workers: int) -> Generated:
    """Grade on this machine, several at a time."""

    def graded(job: Job) -> Grade:
        packed = _pack(job, secret, measure)
        return packed if isinstance(packed, Grade) else Grade.of(grade_packed(packed))

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
    raise_ungraded(failed)


def _on_cluster(left: list[Job], secret: str, measure: bool, cluster: Cluster) -> Generated:
    """Grade on a cluster."""
    sent: list[tuple[Job, Packed]] = []
    for job in left:
        packed = _pack(job, secret, measure)
        if isinstance(packed, Grade):
            yield job, packed
        else:
            sent.append((job, packed))
    if sent:
        with closing(cluster.graded([packed for _, packed in sent])) as found:
            for index, grade in found:
                yield sent[index][0], Grade.of(grade)
