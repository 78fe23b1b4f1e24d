"""Numbers of a question that are other ones for each student, taken from the student's name.

Whoever looks up another's answer has that of another question. The name stands in a cell of the
notebook, and so goes with it when it is handed in: a grader that runs the notebook asks the same.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from gpubfs.errors import UsageError

#: The variable of the environment that says the name instead of the notebook.
STUDENT = "GPUBFS_STUDENT"
#: Its value where the name is that of the student's folder, in which nbgrader runs a notebook.
BY_FOLDER = "@folder"


def student_name(written: str = "") -> str:
    """Return whose numbers are asked for; "" for the ones of everybody.

    Parameters
    ----------
    written : str
        What stands in the notebook.

    Returns
    -------
    str
        What `GPUBFS_STUDENT` says, else what is written, in small letters and with single blanks:
        so no one has other numbers for a slip. If `GPUBFS_STUDENT` is ``@folder``, the name of the
        folder above that of the lesson, which nbgrader calls as the student.

    Examples
    --------
    >>> student_name("  Ada   Lovelace ")
    'ada lovelace'
    """
    name = os.environ.get(STUDENT) or written
    if name == BY_FOLDER:
        name = Path.cwd().parent.name
    return " ".join(name.casefold().split())


def given(
    question: str,
    low: int,
    high: int,
    *,
    student: str = "",
    usual: int | None = None,
    step: int = 1,
) -> int:
    """Return a number for a question: the same for a student always, another one for others.

    Parameters
    ----------
    question : str
        The prediction's grade_id; where it needs several numbers, with something behind it.
    low, high : int
        The least and the largest that it may be.
    student : str
        The name in the notebook, as of `student_name`.
    usual : int, optional
        The number without a name; the least, unless given.
    step : int
        It is `low` or some steps above.

    Raises
    ------
    UsageError
        If there are less than two numbers to choose from.

    Examples
    --------
    >>> given("00-divergent", 64, 256, step=32, usual=64)
    64
    >>> given("00-divergent", 64, 256, step=32, usual=64, student="Ada")
    160
    >>> given("00-divergent", 64, 256, step=32, usual=64, student="Grace")
    224
    """
    numbers = range(low, high + 1, step)
    if len(numbers) < 2:
        raise UsageError(
            f"{question} has no two numbers from {low} to {high} in steps of {step}",
            "give a wider range",
        )
    name = student_name(student)
    if not name:
        return low if usual is None else usual
    digest = hashlib.sha256(f"{question}\n{name}".encode()).digest()
    return numbers[int.from_bytes(digest[:8], "big") % len(numbers)]
