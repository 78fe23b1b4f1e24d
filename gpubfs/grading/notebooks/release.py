"""Starters without solutions, and trees for nbgrader: what instructors keep, what students get."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError
from gpubfs.grading.exercise import FILE, KINDS, PROBLEM, Exercise
from gpubfs.grading.loading import exercises, in_order, refuse_strays
from gpubfs.grading.notebooks import nbgrader
from gpubfs.grading.notebooks.handout import write_handout

_MARK = re.compile(r"^(\s*)(//|#)\s*(BEGIN|END) SOLUTION\s*$")
_LINE = re.compile(r"^(\s*)(//|#)\|(?: (.*))?$")


def starter_of(solution: str, name: str = "the solution") -> str:
    """Return the starter that a solution's text makes.

    Parameters
    ----------
    solution : str
        The whole text.
    name : str
        What messages call it.

    Raises
    ------
    UsageError
        If a region is not ended, or ended without being begun, or there is none.

    Examples
    --------
    >>> print(starter_of('''int i = 0;
    ...   // BEGIN SOLUTION
    ...   return i;
    ...   // END SOLUTION
    ... // BEGIN SOLUTION
    ... //| int wrong;
    ... int right;
    ... // END SOLUTION
    ... '''), end="")
    int i = 0;
      // Your code here.
    int wrong;
    """
    lines = list(_kept(solution.splitlines(), name))
    return "".join(f"{line}\n" for line in lines)


def _kept(lines: list[str], name: str) -> Iterator[str]:
    begun, given, regions = 0, 0, 0
    for number, line in enumerate(lines, 1):
        mark, instead = _MARK.match(line), _LINE.match(line)
        if mark and (mark[3] == "BEGIN") == bool(begun):
            what = "begins inside another" if begun else "is ended that was not begun"
            raise UsageError(f"{name}, line {number}: a region {what}", "regions come in pairs")
        if mark and mark[3] == "BEGIN":
            begun, given, regions = number, 0, regions + 1
        elif mark:
            begun = 0
            if not given:
                yield f"{mark[1]}{mark[2]} Your code here."
        elif begun and instead:
            given += 1
            yield f"{instead[1]}{instead[3] or ''}".rstrip()
        elif not begun:
            yield line
    if begun:
        raise UsageError(f"{name}, line {begun}: a region is not ended", "write // END SOLUTION")
    if not regions:
        raise UsageError(f"{name} has no region to leave out", "mark one: // BEGIN SOLUTION")


#: The two trees, by nbgrader's names.
SOURCE, RELEASE = "source", "release"

#: What makes pytest grade exercises, beside the lessons and in each that is released.
HOOKS = "conftest.py"

#: What notebooks show and launch: kernels that lie beside them.
KERNEL_FILES = "*.cu*"

#: What students get of an exercise besides its starter, where it is there.
GIVEN = (FILE, PROBLEM)


@dataclass(frozen=True)
class Lesson:
    """One lesson, checked and ready to be written.

    Attributes
    ----------
    folder : Path
        Where it is.
    notebooks : mapping of Path to dict
        Its notebooks, and what students get of each.
    starters : list of (Exercise, str)
        Its exercises, and their starters, made from the solutions anew.
    """

    folder: Path
    notebooks: dict[Path, dict[str, Any]]
    starters: list[tuple[Exercise, str]]

    def write(self, to: Path) -> None:
        """Write it into both trees below a folder."""
        for tree in (SOURCE, RELEASE):
            target = to / tree / self.folder.name
            target.mkdir(parents=True)
            self._write_exercises(target)
            for kernel in sorted(self.folder.glob(KERNEL_FILES)):
                shutil.copyfile(kernel, target / kernel.name)
            for path, made in self.notebooks.items():
                if tree == SOURCE:
                    shutil.copyfile(path, target / path.name)
                else:
                    nbgrader.write_notebook(target / path.name, made)

    def _write_exercises(self, target: Path) -> None:
        hooks = self.folder.parent / HOOKS
        if hooks.is_file():
            shutil.copyfile(hooks, target / HOOKS)
        for exercise, text in self.starters:
            own = target / exercise.folder.relative_to(self.folder.resolve())
            own.mkdir(parents=True)
            (own / exercise.starter.name).write_text(text, encoding="utf-8", newline="\n")
            for name in (*GIVEN, *KINDS[exercise.kind].files):
                if (exercise.folder / name).is_file():
                    shutil.copyfile(exercise.folder / name, own / name)


def release(lessons: Path, to: Path, force: bool = False) -> list[Path]:
    """Write ``source`` and ``release`` of all lessons into a folder, the latter with a page.

    Everything is checked before anything is written.

    Parameters
    ----------
    lessons : Path
        The folder of the lessons, each a folder with a notebook or exercises.
    to : Path
        Where the trees are to be.
    force : bool
        Whether lessons that are there already are replaced.

    Returns
    -------
    list of Path
        The lessons' folders in both trees.

    Raises
    ------
    UsageError
        If there is no lesson, a notebook's metadata or an exercise is not as it must be, or a
        lesson is there already.
    """
    if to.resolve().is_relative_to(lessons.resolve()):
        raise UsageError(f"{to} is among the lessons themselves", "name another folder")
    found = read_lessons(lessons)
    targets = [to / tree / one.folder.name for tree in (SOURCE, RELEASE) for one in found]
    there = [target for target in targets if target.exists()]
    if there and not force:
        raise UsageError(f"{there[0]} is there already", "name another folder, or replace: --force")
    for target in there:
        shutil.rmtree(target)
    for one in found:
        one.write(to)
    write_handout(to / RELEASE)
    return targets


def read_lessons(lessons: Path) -> list[Lesson]:
    """Return the lessons in a folder, checked one by one and together.

    Raises
    ------
    UsageError
        If there is none, one is not as it must be, or the folder is that of one lesson.
    """
    _check_place(lessons)
    refuse_strays(lessons)
    folders = [path for path in sorted(lessons.iterdir(), key=in_order) if path.is_dir()]
    found = {folder: _notebooks(folder) for folder in folders}
    pairs = (pair for own in found.values() for pair in own.items())
    nbgrader.check_cells([cell for pair in pairs for cell in nbgrader.cells_of(*pair)])
    made = [_lesson(folder, own) for folder, own in found.items()]
    kept = [one for one in made if one.notebooks or one.starters]
    if not kept:
        raise UsageError(f"there is no lesson in {lessons}", "name the folder of the lessons")
    return kept


def _check_place(lessons: Path) -> None:
    """Raise UsageError for the folder of one lesson or exercise, or one above all lessons.

    Exercises lie in ``LESSON/exercises/SLUG``, and notebooks in ``LESSON``.
    """
    above = lessons.resolve()
    found = [(path.parent / "../../..").resolve() for path in sorted(above.rglob(FILE))]
    if any(lessons.glob("*.ipynb")):
        found.append(above.parent)
    wrong = next((one for one in found if one != above), None)
    if wrong is not None:
        message = f"{lessons} is not the folder of the lessons, each a folder with its exercises"
        raise UsageError(message, f"name the folder of the lessons: --lessons {_relative(wrong)}")


def _relative(path: Path) -> str:
    """Return a path as it is seen from here, if it is below."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _notebooks(folder: Path) -> dict[Path, dict[str, Any]]:
    return {path: nbgrader.read_notebook(path) for path in sorted(folder.glob("*.ipynb"))}


def _lesson(folder: Path, notebooks: dict[Path, dict[str, Any]]) -> Lesson:
    students = {path: nbgrader.student_version(path, made) for path, made in notebooks.items()}
    return Lesson(folder, students, [(one, starter_text(one)) for one in exercises(folder)])


def starter_text(exercise: Exercise) -> str:
    """Return what an exercise's solution makes of its starter.

    Raises
    ------
    UsageError
        If there is no solution, or it has no regions.
    """
    solution = exercise.solution
    if not solution.is_file():
        raise UsageError(f"{solution} is not there", "release from the instructors' lessons")
    return starter_of(solution.read_text(encoding="utf-8"), str(solution))
