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
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError


@dataclass(frozen=True)
class Cell:
    """One cell, and where it is.

    Attributes
    ----------
    notebook : Path
        The file.
    name : str
        Its id, or its number from 1 where it has none.
    data : dict
        What the file says of it.
    """

    notebook: Path
    name: str
    data: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.notebook}, cell {self.name}"

    @property
    def code(self) -> bool:
        """Whether it is a code cell."""
        return bool(self.data["cell_type"] == "code")

    @property
    def source(self) -> str:
        """Its text."""
        return source_of(self.data)

    @property
    def mark(self) -> dict[str, Any]:
        """What nbgrader's metadata say; empty where there are none."""
        found = self.data.get("metadata", {}).get("nbgrader", {})
        return found if isinstance(found, dict) else {"": found}

    def error(self, what: str, hint: str) -> UsageError:
        """Return an error that names it."""
        return UsageError(f"{self}: {what}", hint)


def source_of(cell: dict[str, Any]) -> str:
    """Return a cell's text, which a file holds whole or in lines."""
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def read_notebook(path: Path) -> dict[str, Any]:
    """Return a notebook's content.

    Raises
    ------
    UsageError
        If the file is no notebook of version 4.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is no notebook: {error}", "save it again from Jupyter") from None
    if not isinstance(data, dict) or data.get("nbformat") != 4 or "cells" not in data:
        raise UsageError(f"{path} is no notebook of version 4", "save it again from Jupyter")
    return data


def write_notebook(path: Path, notebook: dict[str, Any]) -> None:
    """Write a notebook as Jupyter does, its cells' text in lines."""
    rows = [cell | {"source": source_of(cell).splitlines(True)} for cell in notebook["cells"]]
    whole = notebook | {"cells": rows}
    text = json.dumps(whole, indent=1, ensure_ascii=False, sort_keys=True)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def cells_of(path: Path, notebook: dict[str, Any]) -> list[Cell]:
    """Return a notebook's cells."""
    rows = enumerate(notebook["cells"], 1)
    return [Cell(path, repr(cell["id"]) if "id" in cell else f"{n}", cell) for n, cell in rows]


def regions_of(cell: Cell, name: str) -> list[list[str]]:
    """Return the lines of each region between ``BEGIN name`` and ``END name``.

    Raises
    ------
    UsageError
        If one is not ended, or ended without being begun.
    """
    found = []

    def keep(region: list[str]) -> list[str]:
        found.append(region)
        return []

    replace_regions(cell, name, keep)
    return found


def replace_regions(cell: Cell, name: str, stub: Callable[[list[str]], list[str]]) -> str:
    r"""Return a cell's text with `stub(lines)` instead of each region, as far to the right.

    Raises
    ------
    UsageError
        If one is not ended, or ended without being begun.

    Examples
    --------
    >>> cell = Cell(Path("a"), "b", {"source": "  # BEGIN IT\n  c\n  # END IT\nd"})
    >>> print(replace_regions(cell, "IT", lambda lines: ["e"]))
      e
    d
    """
    kept: list[str] = []
    region: list[str] | None = None
    indent = ""
    for line in cell.source.split("\n"):
        begins, ends = f"BEGIN {name}" in line, f"END {name}" in line
        if (begins or ends) and begins != (region is None):
            what = "begins inside another" if begins else "is ended that was not begun"
            raise cell.error(f"a region {name} {what}", "regions come in pairs")
        if begins:
            region, indent = [], line[: len(line) - len(line.lstrip())]
        elif region is None:
            kept.append(line)
        elif ends:
            kept += [indent + row for row in stub(region)]
            region = None
        else:
            region.append(line)
    if region is not None:
        raise cell.error(f"a region {name} is not ended", f"write ### END {name}")
    return "\n".join(kept)


#: The version of nbgrader's metadata.
SCHEMA = 3

#: What students find instead of a solution.
STUB, STUB_WORDS = "# YOUR CODE HERE", "YOUR ANSWER HERE"
REFUSAL = "raise NotImplementedError()"

_SOLUTION, _TESTS = "SOLUTION", "HIDDEN TESTS"
_FLAGS = ("grade", "locked", "solution")
_KEYS = {*_FLAGS, "schema_version", "task", "grade_id", "points", "checksum", "cell_type"}
_ID = re.compile(r"[a-zA-Z0-9_\-]+")


def check_cell(cell: Cell) -> None:
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
        if regions_of(cell, name) and not mark.get(flag):
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


def check_cells(all_cells: list[Cell]) -> None:
    """Check cells of all notebooks, and that no grade_id is there twice.

    Raises
    ------
    UsageError
        The message names both cells.
    """
    seen: dict[str, Cell] = {}
    for cell in all_cells:
        check_cell(cell)
        name = cell.mark.get("grade_id")
        if name in seen:
            raise cell.error(f"{seen[name]} has the grade_id {name}, too", "rename one of them")
        if name is not None:
            seen[name] = cell


def student_version(path: Path, notebook: dict[str, Any]) -> dict[str, Any]:
    """Return the version of a notebook that students get: no solutions, hidden tests or outputs.

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
    for cell in cells_of(path, made):
        data = cell.data
        if cell.mark.get("solution"):
            solutions += [(cell, region) for region in regions_of(cell, _SOLUTION)]
            data["source"] = _without_solution(cell)
        if cell.mark.get("grade"):
            data["source"] = replace_regions(cell, _TESTS, lambda region: [])
        if cell.code:
            data |= {"outputs": [], "execution_count": None}
    for cell in cells_of(path, made):
        for solved, region in solutions:
            if _shows(cell.source, region):
                raise cell.error(
                    f"it shows the solution of cell {solved.name}", "take it away from there"
                )
    return made


def _without_solution(cell: Cell) -> str:
    if regions_of(cell, _SOLUTION):
        return replace_regions(cell, _SOLUTION, lambda region: _stub(cell.code, region))
    return "\n".join(_stub(cell.code, []))


def _stub(code: bool, region: list[str]) -> list[str]:
    if not code:
        return [STUB_WORDS]
    names = _names("\n".join(region))
    return [STUB, *([f"{name} = None" for name in names] or [REFUSAL])]


def _names(text: str) -> list[str]:
    r"""Return the names of a text that does nothing but give names to values.

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
    """Return whether the lines of a region stand in a text, one below the other."""
    rows, wanted = (
        [line.strip() for line in lines if line.strip()] for lines in (source.split("\n"), region)
    )
    starts = range(len(rows) - len(wanted) + 1)
    return bool(wanted) and any(rows[at : at + len(wanted)] == wanted for at in starts)
