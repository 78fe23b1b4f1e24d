"""What students get back: for each a text with the feedback on all exercises."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console

from gpubfs.grading.cohort.jobs import Marked
from gpubfs.grading.feedback import Feedback
from gpubfs.grading.outcome import Grade
from gpubfs.grading.writing import fitting, write

#: Where the texts stand in the folder for results, and their width.
FEEDBACK, WIDTH = "feedback", 100


def hand_back(marked: Iterable[Marked], to: Path) -> None:
    """Write ``feedback/STUDENT.txt`` for every student, as `gpubfs grade` would print it."""
    texts: dict[str, list[str]] = {}
    for one in marked:
        texts.setdefault(one.student, []).append(text(one.grade))
    for student, own in texts.items():
        write(to / FEEDBACK / fitting(student, ".txt"), "\n".join(own))


def text(grade: Grade) -> str:
    """The feedback on one exercise, without colours.

    Examples
    --------
    >>> from gpubfs.grading.outcome import Grade, Outcome
    >>> print(text(Grade("00-warp/sum", "Sum", "sum.cu", (Outcome("a", 2),))), end="")
    Sum (00-warp/sum)
    ✓ a  2 of 2
    2 of 2 points
    >>> print(text(Grade("00-warp/sum", "Sum", "", (Outcome("a", 2),))), end="")
    Sum (00-warp/sum)
    nothing was handed in
    0 of 2 points
    """
    if not grade.file:
        rows = [f"{grade.title} ({grade.exercise})", "nothing was handed in"]
        return "\n".join([*rows, f"0 of {grade.points:g} points", ""])
    file = io.StringIO()
    Console(
        file=file,
        width=WIDTH,
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
        highlight=False,
        legacy_windows=False,
    ).print(Feedback(grade))
    return "".join(f"{line.rstrip()}\n" for line in file.getvalue().splitlines())
