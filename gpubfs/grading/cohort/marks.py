"""A class's marks: a table for a spreadsheet, and a report of what went wrong where."""

from __future__ import annotations

import csv
import html
import io
from collections import Counter
from collections.abc import Iterable, Sequence

from gpubfs.grading.cohort.jobs import Marked
from gpubfs.grading.cohort.leftovers import Untaken
from gpubfs.grading.writing import shown
from gpubfs.render.sheets import Column, Sheet, percentage

#: What a cell of a spreadsheet begins with that is a formula.
FORMULA = tuple("=+-@＝＋－＠")
#: Where files are looked for.
WHERE = (
    "A file is found as SLUG.cu or LESSON/SLUG.cu (or .py, .toml) in the student's folder, or where"
    " the lessons have its starter."
)


def table(marked: Iterable[Marked]) -> str:
    """CSV: a row for each student, a column for each exercise, and the sum.

    The cell of an exercise for which nothing was handed in is empty, and counts as 0 in the sum.
    Names that a spreadsheet would take for formulas begin with a single quote.

    Examples
    --------
    >>> from gpubfs.grading.outcome import Grade, Outcome
    >>> one = Grade("00-warp/sum", "Sum", "sum.cu", (Outcome("a", 2), Outcome("b", 3)))
    >>> none = Grade("00-warp/sum", "Sum", "", (Outcome("a", 2, skipped=True),))
    >>> print(table([Marked("ada", one), Marked("=bob", none)]), end="")
    student,00-warp/sum,total
    ada,5,5
    '=bob,,0
    """
    grades: dict[str, dict[str, float]] = {}
    names: dict[str, None] = {}
    for one in marked:
        own = grades.setdefault(one.student, {})
        names[one.grade.exercise] = None
        if one.grade.file:
            own[one.grade.exercise] = one.grade.got
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["student", *map(_cell, names), "total"])
    for student, own in grades.items():
        points = (f"{own[name]:g}" if name in own else "" for name in names)
        writer.writerow([_cell(student), *points, f"{sum(own.values()):g}"])
    return text.getvalue()


def _cell(name: str) -> str:
    """A name as a cell that is no formula."""
    text = shown(name)
    return f"'{text}" if text.startswith(FORMULA) else text


def report(marked: Iterable[Marked]) -> tuple[Sheet, ...]:
    """How the class did: exercises, and the cases that were lost most often, with the reasons."""
    kept = list(marked)
    return _exercises(kept), _cases(kept)


def left_out(marked: Iterable[Marked]) -> int:
    """How many hidden cases were not graded."""
    pairs = ((one.grade.exercise, outcome) for one in marked for outcome in one.grade.outcomes)
    return len({(exercise, outcome.case) for exercise, outcome in pairs if outcome.skipped})


def not_found(
    marked: Iterable[Marked], untaken: Iterable[Untaken], most: int | None = None
) -> tuple[Sheet, ...]:
    """Files that were taken for no exercise, and students of whom nothing was found.

    Parameters
    ----------
    marked : iterable of Marked
        The grades.
    untaken : iterable of Untaken
        The files.
    most : int, optional
        How many rows a table has at most; a note says how many more there are.
    """
    found: dict[str, bool] = {}
    for one in marked:
        found[one.student] = found.get(one.student, False) or bool(one.grade.file)
    files = [(shown(u.student), shown(u.file), u.why) for u in untaken]
    students = [(shown(student),) for student, any_file in found.items() if not any_file]
    columns = Column("student"), Column("file", text=True), Column("", text=True)
    tables = (
        ("files that were taken for no exercise", columns, files, (WHERE,)),
        ("nothing was found of these students", (Column("student"),), students, ()),
    )
    return tuple(
        Sheet(title, heads, tuple(rows[:most]), _more(rows, most) + notes)
        for title, heads, rows, notes in tables
        if rows
    )


def _more(rows: Sequence[object], most: int | None) -> tuple[str, ...]:
    more = 0 if most is None else len(rows) - most
    return (f"and {more} more",) if more > 0 else ()


def page(sheets: Iterable[Sheet], notes: Iterable[str]) -> str:
    """A page in HTML: notes, then tables."""
    above = "".join(f"<p><strong>{html.escape(note)}</strong></p>" for note in notes)
    below = "".join(sheet.html() for sheet in sheets)
    return f"<!DOCTYPE html><meta charset='utf-8'><title>report</title>{above}{below}\n"


def _exercises(marked: list[Marked]) -> Sheet:
    rows = []
    for name in dict.fromkeys(one.grade.exercise for one in marked):
        grades = [one.grade for one in marked if one.grade.exercise == name]
        there = sum(bool(grade.file) for grade in grades)
        full = sum(bool(grade.file) and grade.full for grade in grades) / len(grades)
        mean = sum(grade.got for grade in grades) / len(grades)
        figures = f"{mean:.1f}", f"{grades[0].points:g}", percentage(full)
        rows.append((name, str(len(grades)), str(there), *figures))
    titles = "students", "handed in", "mean", "of", "full marks"
    columns = (Column(title, figures=True) for title in titles)
    return Sheet("exercises", (Column("exercise"), *columns), tuple(rows))


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
