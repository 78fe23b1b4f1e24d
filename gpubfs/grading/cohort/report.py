"""A class's marks: a table for a spreadsheet, what a report says, and feedback for each student."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from gpubfs.grading.cohort.grading import RESULTS
from gpubfs.grading.cohort.minutes import Minutes
from gpubfs.grading.cohort.page import ReportPage
from gpubfs.grading.cohort.submissions import Marked, Unmatched, folders
from gpubfs.grading.feedback import Feedback, plain_text
from gpubfs.grading.outcome import Grade
from gpubfs.grading.writing import fitting, shown, write
from gpubfs.render.sheets import Column, Sheet, percentage

#: What a cell of a spreadsheet begins with that is a formula.
FORMULA = tuple("=+-@＝＋－＠")
#: The reason of who handed nothing in, and what each of the others means.
MISSING = "missing"
MEANINGS = {
    "result": "a result is wrong",
    "schedule": "right in the first order of warps, but not in some other one",
    "fault": "undefined, such as a read beyond an array's end",
    "sanitizer": "a race, or a read of what nothing has written",
    "limit": "right, but a counter is above its limit",
    "answer": "no answer, or a wrong one",
    "read": "the file cannot be read, or not compiled or launched",
    "driver": "the driver raises an error, or asks for what it must not",
    "time": "it took longer than the exercise allows",
    "memory": "it took more memory than there is for it",
    "crash": "the process ended before its time",
}
#: Where files are looked for.
WHERE = (
    "A file is found as SLUG.cu or LESSON/SLUG.cu (or .py, .toml) in the student's folder, or where"
    " the lessons have its starter."
)

#: Why a hidden case is lost by a file that holds the results of the other cases.
WRONG = ("result", "schedule", "fault")
#: What such a file, and an honest one, have in common.
OTHER_NUMBERS = (
    "Hidden cases ask the same of other numbers. Look at these files: they may hold the results of "
    "the cases that students can read, or have a mistake that only other numbers show."
)


def marks_table(marked: Iterable[Marked]) -> str:
    """Return CSV: a row for each student, a column for each exercise, and the sum.

    The cell of an exercise without a submission is empty, and counts as 0 in the sum.
    Names that a spreadsheet would take for formulas begin with a single quote.

    Examples
    --------
    >>> from gpubfs.grading.outcome import Grade, Outcome
    >>> one = Grade("00-warp/sum", "Sum", "sum.cu", (Outcome("a", 2), Outcome("b", 3)))
    >>> none = Grade("00-warp/sum", "Sum", "", (Outcome("a", 2, skipped=True),))
    >>> print(marks_table([Marked("ada", one), Marked("=bob", none)]), end="")
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
    """Return a name as a cell that is no formula."""
    text = shown(name)
    return f"'{text}" if text.startswith(FORMULA) else text


def report_sheets(marked: Iterable[Marked], most: int | None = None) -> tuple[Sheet, ...]:
    """Return how the class did: exercises, and the cases lost most often, with the reasons.

    Parameters
    ----------
    marked : iterable of Marked
        The grades.
    most : int, optional
        How many cases are shown at most; a note says how many more there are.
    """
    kept = list(marked)
    return _exercises(kept), _cases(kept, most)


def count_skipped(marked: Iterable[Marked]) -> int:
    """Return how many hidden cases were not graded."""
    pairs = ((one.grade.exercise, outcome) for one in marked for outcome in one.grade.outcomes)
    return len({(exercise, outcome.case) for exercise, outcome in pairs if outcome.skipped})


def unmatched_sheets(
    marked: Iterable[Marked], untaken: Iterable[Unmatched], most: int | None = None
) -> tuple[Sheet, ...]:
    """Return files that were taken for no exercise, and students of whom nothing was found.

    Parameters
    ----------
    marked : iterable of Marked
        The grades.
    untaken : iterable of Unmatched
        The files.
    most : int, optional
        How many rows a table has at most; a note says how many more there are.
    """
    found: dict[str, bool] = {}
    for one in marked:
        found[one.student] = found.get(one.student, False) or bool(one.grade.file)
    files = [(shown(u.student), shown(u.file), u.why) for u in untaken]
    students = [(shown(student),) for student, any_file in found.items() if not any_file]
    columns = Column("student"), Column("file", text=True), Column("remark", text=True)
    tables = (
        ("files that were taken for no exercise", columns, files, (WHERE,)),
        ("nothing was found of these students", (Column("student"),), students, ()),
    )
    return tuple(
        Sheet(title, heads, tuple(rows[:most]), _more(rows, most) + notes)
        for title, heads, rows, notes in tables
        if rows
    )


def hidden_only_sheets(marked: Iterable[Marked], most: int | None = None) -> tuple[Sheet, ...]:
    """Return who is right in all cases but hidden ones, in whose results something is wrong.

    Parameters
    ----------
    marked : iterable of Marked
        The grades.
    most : int, optional
        How many rows the table has at most; a note says how many more there are.

    Returns
    -------
    tuple of Sheet
        One table, or none where there is nobody.
    """
    rows = []
    for one in marked:
        grade = one.grade
        shown_cases = [outcome for outcome in grade.outcomes if not outcome.hidden]
        lost = [o for o in grade.outcomes if o.hidden and o.failure and o.failure.reason in WRONG]
        if lost and shown_cases and not any(outcome.failure for outcome in shown_cases):
            cases = ", ".join(outcome.case for outcome in lost)
            points = f"{grade.got:g} of {grade.points:g}"
            rows.append((shown(one.student), grade.exercise, points, cases))
    first = Column("student"), Column("exercise"), Column("points", figures=True)
    columns = (*first, Column("hidden cases that are lost", text=True))
    notes = (*_more(rows, most), OTHER_NUMBERS)
    sheet = Sheet("right in all cases but hidden ones", columns, tuple(rows[:most]), notes)
    return (sheet,) if rows else ()


def _more(rows: Sequence[object], most: int | None) -> tuple[str, ...]:
    more = 0 if most is None else len(rows) - most
    return (f"and {more} more",) if more > 0 else ()


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


def _cases(marked: list[Marked], most: int | None) -> Sheet:
    """Return the cases by how many lose them who handed something in; others stand behind them."""
    lost: dict[tuple[str, str], Counter[str]] = {}
    for one in marked:
        for outcome in one.grade.outcomes:
            if outcome.failure is not None:
                key = one.grade.exercise, outcome.case
                lost.setdefault(key, Counter())[outcome.failure.reason] += 1
    absent = {key: reasons.pop(MISSING, 0) for key, reasons in lost.items()}
    ordered = [key for key in sorted(lost, key=lambda key: -lost[key].total()) if lost[key]]
    rows = tuple(
        (*key, str(lost[key].total()), _reasons(lost[key], absent[key])) for key in ordered
    )
    there = [reason for reason in MEANINGS if any(lost[key][reason] for key in ordered)]
    words = ("; ".join(f"{reason}: {MEANINGS[reason]}" for reason in there),) if there else ()
    columns = (Column("exercise"), Column("case", text=True), Column("lost", figures=True))
    heads = (*columns, Column("reasons", text=True))
    return Sheet("lost cases", heads, rows[:most], _more(rows, most) + words)


def _reasons(reasons: Counter[str], absent: int) -> str:
    """Return how many lose a case for which reason, and how many handed nothing in.

    >>> _reasons(Counter(result=2, read=1), 3)
    '2 result, 1 read; 3 missing'
    """
    words = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    return f"{words}; {absent} {MISSING}" if absent else words


def notes(folder: Path, marked: Iterable[Marked], why: str) -> list[str]:
    """Return what stands above a report: hidden cases left out, links, nothing found of anybody."""
    hidden = count_skipped(marked)
    cases = "1 hidden case was" if hidden == 1 else f"{hidden} hidden cases were"
    made = [f"{cases} left out: {why}"] if hidden else []
    made += [
        f"{shown(path.name)} in {folder} is a link, and was not followed"
        for path in folders(folder)
        if path.is_symlink()
    ]
    if not any(one.grade.file for one in marked):
        made.append(f"nothing was found of anybody: has {folder} a folder for each student?")
    return made


def write_report(
    marked: list[Marked],
    unmatched: list[Unmatched],
    notes: list[str],
    minutes: Minutes,
    to: Path,
) -> list[Path]:
    """Write ``marks.csv``, ``report.html`` and the feedback; return where these and results are."""
    _, cases = report_sheets(marked)
    tables = (cases, *hidden_only_sheets(marked), *unmatched_sheets(marked, unmatched))
    write(to / "marks.csv", marks_table(marked))
    write(to / "report.html", str(ReportPage(marked, tables, notes, minutes, FEEDBACK)))
    write_feedback(marked, to)
    return [to / name for name in ("marks.csv", "report.html", FEEDBACK, RESULTS)]


#: Where the texts stand in the folder for results, and their width.
FEEDBACK, WIDTH = "feedback", 100


def write_feedback(marked: Iterable[Marked], to: Path) -> None:
    """Write ``feedback/STUDENT.txt`` for every student, as `gpubfs grade` would print it."""
    texts: dict[str, list[str]] = {}
    for one in marked:
        texts.setdefault(one.student, []).append(feedback_text(one.grade))
    for student, own in texts.items():
        write(to / FEEDBACK / fitting(student, ".txt"), "\n".join(own))


def feedback_text(grade: Grade) -> str:
    """Return the feedback on one exercise, without colours.

    Examples
    --------
    >>> from gpubfs.grading.outcome import Grade, Outcome
    >>> print(feedback_text(Grade("00-warp/sum", "Sum", "sum.cu", (Outcome("a", 2),))), end="")
    Sum (00-warp/sum)
    ✓ a  2 of 2
    2 of 2 points
    >>> print(feedback_text(Grade("00-warp/sum", "Sum", "", (Outcome("a", 2),))), end="")
    Sum (00-warp/sum)
    nothing was handed in
    0 of 2 points
    """
    if not grade.file:
        rows = [f"{grade.title} ({grade.exercise})", "nothing was handed in"]
        return "\n".join([*rows, f"0 of {grade.points:g} points", ""])
    return plain_text(Feedback(grade), WIDTH)
