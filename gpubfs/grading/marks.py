"""A class's marks: a table for a spreadsheet, and a report of what went wrong where."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable

from gpubfs.grading.cohort import Marked
from gpubfs.render import Column, Sheet, percentage


def table(marked: Iterable[Marked]) -> str:
    """CSV: a row for each student, a column for each exercise, and the sum.

    Examples
    --------
    >>> from gpubfs.grading.outcome import Grade, Outcome
    >>> one = Grade("00-warp/sum", "Sum", "sum.cu", (Outcome("a", 2), Outcome("b", 3)))
    >>> print(table([Marked("ada", one)]), end="")
    student,00-warp/sum,total
    ada,5,5
    """
    marks: dict[str, dict[str, float]] = {}
    for one in marked:
        marks.setdefault(one.student, {})[one.grade.exercise] = one.grade.got
    names = list(dict.fromkeys(name for own in marks.values() for name in own))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["student", *names, "total"])
    for student, own in marks.items():
        points = [own.get(name, 0.0) for name in names]
        writer.writerow([student, *(f"{p:g}" for p in points), f"{sum(points):g}"])
    return text.getvalue()


def report(marked: Iterable[Marked]) -> tuple[Sheet, ...]:
    """How the class did: exercises, and the cases that were lost most often, with the reasons."""
    kept = list(marked)
    return _exercises(kept), _cases(kept)


def _exercises(marked: list[Marked]) -> Sheet:
    rows = []
    for name in dict.fromkeys(one.grade.exercise for one in marked):
        grades = [one.grade for one in marked if one.grade.exercise == name]
        full = sum(grade.full for grade in grades) / len(grades)
        mean = sum(grade.got for grade in grades) / len(grades)
        rows.append(
            (name, str(len(grades)), f"{mean:.1f}", f"{grades[0].points:g}", percentage(full))
        )
    figures = (Column(title, figures=True) for title in ("students", "mean", "of", "full marks"))
    return Sheet("exercises", (Column("exercise"), *figures), tuple(rows))


def _cases(marked: list[Marked]) -> Sheet:
    lost: dict[tuple[str, str], Counter[str]] = {}
    for one in marked:
        for outcome in one.grade.outcomes:
            if outcome.failure is not None:
                key = one.grade.exercise, outcome.case
                lost.setdefault(key, Counter())[outcome.failure.reason] += 1
    ordered = sorted(lost.items(), key=lambda item: -item[1].total())
    rows = tuple(
        (exercise, case, str(reasons.total()), ", ".join(f"{n} {r}" for r, n in _most(reasons)))
        for (exercise, case), reasons in ordered
    )
    columns = (Column("exercise"), Column("case", text=True), Column("lost", figures=True))
    return Sheet("lost cases", (*columns, Column("reasons", text=True)), rows)


def _most(reasons: Counter[str]) -> list[tuple[str, int]]:
    return reasons.most_common()
