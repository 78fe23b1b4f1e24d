"""Notebooks as nbgrader knows them: what their cells must say, and the version for students.

In a cell whose metadata say that it holds a solution, what stands between ``### BEGIN SOLUTION``
and ``### END SOLUTION`` is replaced; in a graded cell, what stands between ``### BEGIN HIDDEN
TESTS`` and ``### END HIDDEN TESTS`` is left out. nbgrader does the same, and adds checksums.

References
----------
The nbgrader documentation, "The student version of an assignment" and "nbgrader cell metadata".
"""

from __future__ import annotations

import ast
import copy
import re
from pathlib import Path
from typing import Any

from gpubfs.grading.releasing.cells import Cell, cells, regions, replaced

#: The version of nbgrader's metadata.
SCHEMA = 3

#: What students find in the place of a solution.
STUB, STUB_WORDS = "# YOUR CODE HERE", "YOUR ANSWER HERE"
REFUSAL = "raise NotImplementedError()"

_SOLUTION, _TESTS = "SOLUTION", "HIDDEN TESTS"
_FLAGS = ("grade", "locked", "solution")
_KEYS = {*_FLAGS, "schema_version", "task", "grade_id", "points", "checksum", "cell_type"}
_ID = re.compile(r"[a-zA-Z0-9_\-]+")


def check(cell: Cell) -> None:
    """Refuse a cell that nbgrader would refuse, or that would give a solution away.

    Raises
    ------
    UsageError
        The message names the notebook and the cell.
    """
    mark = cell.mark
    if mark:
        _check_mark(cell, mark)
    for name, flag in ((_SOLUTION, "solution"), (_TESTS, "grade")):
        if regions(cell, name) and not mark.get(flag):
            raise cell.error(
                f"it has a region {name}, and its nbgrader metadata do not say {flag}",
                f'give it {{"nbgrader": {{"{flag}": true, …}}}}, or take the region away',
            )


def _check_mark(cell: Cell, mark: dict[str, Any]) -> None:
    if mark.get("schema_version") != SCHEMA:
        found = mark.get("schema_version", "none")
        raise cell.error(f"its nbgrader schema_version is {found}", f"write {SCHEMA}")
    if strange := sorted(set(mark) - _KEYS):
        raise cell.error(f"nbgrader knows no {strange[0]}", "known: " + ", ".join(sorted(_KEYS)))
    for flag in (*_FLAGS, "task"):
        if not isinstance(mark.get(flag, None if flag in _FLAGS else False), bool):
            raise cell.error(f"its nbgrader metadata do not say {flag}", "write true or false")
    if mark.get("cell_type", cell.data["cell_type"]) != cell.data["cell_type"]:
        raise cell.error("its nbgrader metadata are for another cell_type", "leave cell_type out")
    if any(mark[flag] for flag in _FLAGS) and not _ID.fullmatch(str(mark.get("grade_id", ""))):
        raise cell.error(
            f"its grade_id is {mark.get('grade_id', '')!r}",
            "name it with letters, digits, - and _, beginning with the lesson's number",
        )
    _check_points(cell, mark)
    if not cell.code and not mark.get("task") and mark["grade"] != mark["solution"]:
        raise cell.error("it is no code, and graded or a solution", "such cells are both or none")


def _check_points(cell: Cell, mark: dict[str, Any]) -> None:
    points, worth = mark.get("points"), mark["grade"] or mark.get("task", False)
    number = isinstance(points, int | float) and not isinstance(points, bool)
    if worth and not (number and mark["points"] > 0):
        found = "none" if points is None else repr(points)
        raise cell.error(f"it is graded, and its points are {found}", "write a number above 0")
    if not worth and points is not None:
        raise cell.error("it has points, and is not graded", 'say "grade": true, or no points')


def check_together(all_cells: list[Cell]) -> None:
    """Check cells of all notebooks, and that no grade_id is there twice.

    Raises
    ------
    UsageError
        The message names both cells.
    """
    seen: dict[str, Cell] = {}
    for cell in all_cells:
        check(cell)
        name = cell.mark.get("grade_id")
        if name in seen:
            raise cell.error(f"{seen[name]} has the grade_id {name}, too", "rename one of them")
        if name is not None:
            seen[name] = cell


def for_students(path: Path, notebook: dict[str, Any]) -> dict[str, Any]:
    """The version of a notebook that students get: no solutions, hidden tests or outputs.

    A solution that only gives names to values becomes ``name = None``, so that the cells below can
    say what is missing; any other raises NotImplementedError, as with nbgrader.

    Parameters
    ----------
    path : Path
        What messages call it.
    notebook : dict
        Its content, which is left as it is.

    Raises
    ------
    UsageError
        If regions do not match, or a solution stands in another cell, too.
    """
    made = copy.deepcopy(notebook)
    solutions = []
    for cell in cells(path, made):
        data = cell.data
        if cell.mark.get("solution"):
            solutions += [(cell, region) for region in regions(cell, _SOLUTION)]
            data["source"] = _without_solution(cell)
        if cell.mark.get("grade"):
            data["source"] = replaced(cell, _TESTS, lambda region: [])
        if cell.code:
            data |= {"outputs": [], "execution_count": None}
    for cell in cells(path, made):
        for solved, region in solutions:
            if _shows(cell.source, region):
                raise cell.error(
                    f"it shows the solution of cell {solved.name}", "take it away from there"
                )
    return made


def _without_solution(cell: Cell) -> str:
    if regions(cell, _SOLUTION):
        return replaced(cell, _SOLUTION, lambda region: _stub(cell.code, region))
    return "\n".join(_stub(cell.code, []))


def _stub(code: bool, region: list[str]) -> list[str]:
    if not code:
        return [STUB_WORDS]
    names = _names("\n".join(region))
    return [STUB, *([f"{name} = None" for name in names] or [REFUSAL])]


def _names(text: str) -> list[str]:
    r"""The names of a text that does nothing but give names to values.

    >>> _names("guess = 24"), _names("a, b = [-1], f()  # why\nc = 2"), _names("a = 1\nf(a)")
    (['guess'], ['a', 'b', 'c'], [])
    """
    try:
        statements = ast.parse(text).body
    except SyntaxError:
        return []
    names = []
    for statement in statements:
        if not isinstance(statement, ast.Assign):
            return []
        for target in statement.targets:
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            if not all(isinstance(part, ast.Name) for part in parts):
                return []
            names += [part.id for part in parts if isinstance(part, ast.Name)]
    return names


def _shows(source: str, region: list[str]) -> bool:
    """Whether the lines of a region stand in a text, one below the other."""
    rows, wanted = (
        [line.strip() for line in lines if line.strip()] for lines in (source.split("\n"), region)
    )
    starts = range(len(rows) - len(wanted) + 1)
    return bool(wanted) and any(rows[at : at + len(wanted)] == wanted for at in starts)
