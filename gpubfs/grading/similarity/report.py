"""The similarity of a class's submissions for one exercise: files in, a page out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gpubfs.errors import UsageError
from gpubfs.grading.cohort.submissions import Job, read_beginning
from gpubfs.grading.exercise import MAX_BYTES, Exercise
from gpubfs.grading.platforms.downloads import class_jobs
from gpubfs.grading.similarity.page import page
from gpubfs.grading.similarity.pairs import Comparison, Pair
from gpubfs.grading.similarity.winnowing import Thresholds
from gpubfs.grading.writing import shown, write

#: Endings of submissions that are programs.
PROGRAMS = (".cu", ".py")


@dataclass(frozen=True)
class Report:
    """What was found.

    Attributes
    ----------
    compared : Comparison
        The submissions.
    texts : dict of str to str
        Their texts, by students.
    pairs : list of Pair
        All pairs that share something, those that share most first.
    notes : list of str
        Files that were not compared, and why.
    """

    compared: Comparison
    texts: dict[str, str]
    pairs: list[Pair]
    notes: list[str]

    def write(self, title: str, most: int, to: Path) -> None:
        """Write the page with so many pairs at most."""
        count, pairs = len(self.texts), len(self.pairs)
        thresholds = self.compared.thresholds
        summary = (
            f"{count} submissions, {pairs} pairs that share something; who has the same "
            "fingerprints stands in one pair with the others. Passages of at least "
            f"{thresholds.guarantee} words that are not given are always found, those of fewer "
            f"than {thresholds.noise} never."
        )
        notes = [summary, *self.notes]
        write(to, page(title, self.compared, self.pairs[:most], self.texts, notes))


def compare_class(
    folder: Path,
    exercise: Exercise,
    given: Iterable[Path] = (),
    thresholds: Thresholds | None = None,
    common: int | None = None,
) -> Report:
    """Compare all submissions of a class for one exercise.

    Parameters
    ----------
    folder : Path
        The class, as for `gpubfs grade-all`.
    exercise : Exercise
        The exercise; its starter does not count.
    given : iterable of Path
        Other files that everybody has.
    thresholds, common
        As `Comparison` takes them.

    Raises
    ------
    UsageError
        If it is no exercise that asks for a program, or there are no students.
    """
    if exercise.suffix not in PROGRAMS:
        raise UsageError(
            f"{exercise.name} asks for {exercise.suffix} files, and those are not compared",
            "name an exercise that asks for a kernel or a driver",
        )
    texts: dict[str, str] = {}
    notes: list[str] = []
    for job in class_jobs(folder, [exercise])[0]:
        text, why = _text(job)
        if why:
            notes.append(f"not compared: {shown(job.student)}: {why}")
        elif text.strip():
            texts[job.student] = text
    files = [exercise.starter, *given]
    known = [path.read_bytes().decode("utf-8-sig", "replace") for path in files if path.is_file()]
    compared = Comparison(texts, exercise.suffix, known, thresholds, common)
    return Report(compared, texts, compared.pairs(), notes)


def _text(job: Job) -> tuple[str, str]:
    """Return a submission's text, and why it is not compared, if so."""
    if job.file is None or job.refused:
        return "", job.refused
    try:
        content, _ = read_beginning(job.file)
    except OSError as error:
        return "", f"the file cannot be read: {error.strerror}"
    if len(content) > MAX_BYTES:
        return "", f"the file has more than {MAX_BYTES:,} bytes"
    return content.decode("utf-8-sig", "replace"), ""
