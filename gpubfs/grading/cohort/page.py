"""The report on a class as a page: how many points, which exercises, who, and what was lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from statistics import mean, median
from urllib.parse import quote_from_bytes

from gpubfs.grading.cohort.document import document, figures
from gpubfs.grading.cohort.minutes import Minutes
from gpubfs.grading.cohort.submissions import Marked
from gpubfs.grading.writing import fitting, shown
from gpubfs.render.sheets import Sheet, percentage

#: Bars of the histogram of points.
BARS = 10
#: How a mark is shown: the least share of the points, and the class of its cell.
SHARES = ((1.0, "full"), (0.75, "most"), (0.5, "half"), (0.25, "some"), (0.0, "few"))
#: What becomes of a submission, with the class of its part of a bar.
PARTS = (
    ("all points", "full"),
    ("some points", "half"),
    ("no points", "few"),
    ("not handed in", "none"),
)


class ReportPage:
    """The page in HTML, without scripts, which prints as it shows.

    Parameters
    ----------
    marked : list of Marked
        The grades.
    tables : iterable of Sheet
        What stands below: lost cases, files that were taken for no exercise.
    notes : iterable of str
        What stands above.
    minutes : Minutes
        The minutes that exercises took.
    feedback : str
        The folder with a text for each student, seen from the page.
    """

    def __init__(
        self,
        marked: Sequence[Marked],
        tables: Iterable[Sheet],
        notes: Iterable[str],
        minutes: Minutes,
        feedback: str,
    ) -> None:
        self.tables, self.notes, self.minutes, self.feedback = tables, notes, minutes, feedback
        self.exercises = list(dict.fromkeys(one.grade.exercise for one in marked))
        self.grades = {(one.student, one.grade.exercise): one.grade for one in marked}
        self.students = list(dict.fromkeys(one.student for one in marked))
        self.points = {one.grade.exercise: one.grade.points for one in marked}
        self.totals = dict.fromkeys(self.students, 0.0)
        for (student, _), grade in self.grades.items():
            self.totals[student] += grade.got if grade.file else 0

    def __str__(self) -> str:
        notes = "".join(f'<p class="note">{escape(note)}</p>' for note in self.notes)
        body = [notes, self._headline(), self._histogram(), self._exercises(), self._matrix()]
        body += [f"<section>{table.html()}</section>" for table in self.tables]
        return document(f"Report: {len(self.students)} students", "Report", body)

    @property
    def _most(self) -> float:
        return sum(self.points.values())

    def _headline(self) -> str:
        """Return the figures that one wants first."""
        handed_in = sum(bool(grade.file) for grade in self.grades.values())
        full = sum(bool(grade.file) and grade.full for grade in self.grades.values())
        pairs = [
            (str(len(self.students)), "students"),
            (str(len(self.exercises)), "exercises"),
            (f"{handed_in:,} of {len(self.grades):,}", "handed in"),
            (percentage(full / handed_in) if handed_in else "–", "of these with all points"),
        ]
        if self.totals:
            totals = list(self.totals.values())
            pairs.append((f"{mean(totals):.1f} of {self._most:g}", "points on average"))
            pairs.append((f"{median(totals):g}", "points, the median"))
        return figures(pairs)

    def _histogram(self) -> str:
        """Return a drawing of how many students have how many points."""
        if len(self.students) < 2 or not self._most:
            return ""
        width = self._most / BARS
        counts = [0] * BARS
        for total in self.totals.values():
            counts[min(int(total / width), BARS - 1)] += 1
        rows = "".join(
            f"<tr><th>{at * width:g}–{(at + 1) * width:g}</th>"
            f'<td><span class="bar" style="width:{100 * count / max(counts):.1f}%"></span></td>'
            f"<td>{count}</td></tr>"
            for at, count in enumerate(counts)
        )
        head = "<tr><th>points</th><th>students</th><td></td></tr>"
        table = f'<table class="points"><caption>points</caption>{head}{rows}</table>'
        return f"<section>{table}</section>"

    def _exercises(self) -> str:
        """Return a row for each exercise, with a bar of what became of it."""
        timed = any(self.minutes.values())
        heads = ["exercise", "", "mean", "of", *(["minutes, median (of)"] if timed else [])]
        rows = "".join(self._exercise(name, timed) for name in self.exercises)
        legend = "".join(
            f'<span><span class="key {name}"></span>{words}</span>' for words, name in PARTS
        )
        note = (
            "<p>Minutes are those of students who have all points, as their own gpubfs learn "
            "has written them down.</p>"
            if timed
            else ""
        )
        head = "".join(f"<th>{title}</th>" if title else "<td></td>" for title in heads)
        return (
            f'<section><table class="exercises"><caption>exercises</caption><tr>{head}</tr>{rows}'
            f'</table><p class="legend">{legend}</p>{note}</section>'
        )

    def _exercise(self, name: str, timed: bool) -> str:
        grades = [self.grades[student, name] for student in self.students]
        counts = dict.fromkeys((part for _, part in PARTS), 0)
        for grade in grades:
            counts[_part(grade.got, grade.full, bool(grade.file))] += 1
        bar = "".join(
            f'<span class="{part}" style="width:{100 * counts[part] / len(grades):.2f}%" '
            f'title="{counts[part]} {words}">{counts[part] or ""}</span>'
            for words, part in PARTS
            if counts[part]
        )
        cells = [f"{mean(grade.got for grade in grades):.1f}", f"{self.points[name]:g}"]
        if timed:
            own = self.minutes.get(name, ())
            cells.append(f"{median(own):.0f} ({len(own)})" if own else "")
        numbers = "".join(f'<td class="figure">{cell}</td>' for cell in cells)
        return f'<tr><th>{escape(name)}</th><td><div class="parts">{bar}</div></td>{numbers}</tr>'

    def _matrix(self) -> str:
        """Return a row for each student, with a link to the feedback, and a cell an exercise."""
        heads = "".join(f"<th><span>{escape(name)}</span></th>" for name in self.exercises)
        rows = "".join(map(self._student, self.students))
        return (
            '<section class="wide"><table class="marks"><caption>marks</caption><thead><tr>'
            f"<th>student</th>{heads}<th>total</th></tr></thead><tbody>{rows}</tbody></table></section>"
        )

    def _student(self, student: str) -> str:
        text = quote_from_bytes(
            f"{self.feedback}/{fitting(student, '.txt')}".encode(errors="surrogateescape")
        )
        cells = "".join(self._cell(student, name) for name in self.exercises)
        link = f'<a href="{escape(text)}">{escape(shown(student))}</a>'
        return f'<tr><th>{link}</th>{cells}<td class="total">{self.totals[student]:g}</td></tr>'

    def _cell(self, student: str, name: str) -> str:
        grade = self.grades[student, name]
        if not grade.file:
            return '<td class="none">·</td>'
        share = grade.got / grade.points if grade.points else 1.0
        look = next(name for least, name in SHARES if share >= least)
        return f'<td class="{look}">{grade.got:g}</td>'


def _part(got: float, full: bool, there: bool) -> str:
    """Return the class of what became of a submission.

    >>> _part(0, False, False), _part(0, False, True), _part(1, False, True), _part(2, True, True)
    ('none', 'few', 'half', 'full')
    """
    if not there:
        return "none"
    return "full" if full else "half" if got else "few"
