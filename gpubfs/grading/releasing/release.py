"""Trees for nbgrader: of each lesson what instructors keep, and what students get."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError
from gpubfs.grading.exercises.exercise import FILE, PROBLEM, Exercise
from gpubfs.grading.exercises.loading import exercises, refuse_strays
from gpubfs.grading.exercises.regions import starter_of
from gpubfs.grading.releasing import cells, nbgrader

#: The two trees, by nbgrader's names.
SOURCE, RELEASE = "source", "release"

#: What makes pytest grade exercises, beside the lessons and in each that is released.
HOOKS = "conftest.py"

#: What notebooks show and launch: kernels that lie beside them.
KERNELS = "*.cu*"

#: What students get of an exercise besides its starter, where it is there.
GIVEN = (FILE, PROBLEM, "kernel.cu")


@dataclass(frozen=True)
class Lesson:
    """One lesson, checked and ready to be written.

    Attributes
    ----------
    folder : Path
        Where it is.
    notebooks : mapping of Path to dict
        Its notebooks, and what students get of each.
    starters : mapping of Path to str
        The paths of its starters, and what they say, made from the solutions anew.
    """

    folder: Path
    notebooks: dict[Path, dict[str, Any]]
    starters: dict[Path, str]

    def write(self, to: Path) -> None:
        """Write it into both trees below a folder."""
        for tree in (SOURCE, RELEASE):
            target = to / tree / self.folder.name
            target.mkdir(parents=True)
            self._write_exercises(target)
            for kernel in sorted(self.folder.glob(KERNELS)):
                shutil.copyfile(kernel, target / kernel.name)
            for path, made in self.notebooks.items():
                if tree == SOURCE:
                    shutil.copyfile(path, target / path.name)
                else:
                    cells.write(target / path.name, made)

    def _write_exercises(self, target: Path) -> None:
        hooks = self.folder.parent / HOOKS
        if hooks.is_file():
            shutil.copyfile(hooks, target / HOOKS)
        for starter, text in self.starters.items():
            own = target / starter.parent.relative_to(self.folder.resolve())
            own.mkdir(parents=True)
            (own / starter.name).write_text(text, encoding="utf-8", newline="\n")
            for name in GIVEN:
                if (starter.parent / name).is_file():
                    shutil.copyfile(starter.parent / name, own / name)


def release(lessons: Path, to: Path, force: bool = False) -> list[Path]:
    """Write ``source`` and ``release`` of all lessons into a folder.

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
    found = read(lessons)
    targets = [to / tree / one.folder.name for tree in (SOURCE, RELEASE) for one in found]
    there = [target for target in targets if target.exists()]
    if there and not force:
        raise UsageError(f"{there[0]} is there already", "name another folder, or replace: --force")
    for target in there:
        shutil.rmtree(target)
    for one in found:
        one.write(to)
    return targets


def read(lessons: Path) -> list[Lesson]:
    """The lessons in a folder, checked one by one and together.

    Raises
    ------
    UsageError
        If there is none, one is not as it must be, or the folder is that of one lesson.
    """
    _check_place(lessons)
    refuse_strays(lessons)
    folders = [path for path in sorted(lessons.iterdir()) if path.is_dir()]
    found = {folder: _notebooks(folder) for folder in folders}
    pairs = (pair for own in found.values() for pair in own.items())
    nbgrader.check_together([cell for pair in pairs for cell in cells.cells(*pair)])
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
    wrong = next((place for place in found if place != above), None)
    if wrong is not None:
        message = f"{lessons} is not the folder of the lessons, each a folder with its exercises"
        raise UsageError(message, f"name the folder of the lessons: --lessons {_near(wrong)}")


def _near(path: Path) -> str:
    """A path as it is seen from here, if it is below."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _notebooks(folder: Path) -> dict[Path, dict[str, Any]]:
    return {path: cells.read(path) for path in sorted(folder.glob("*.ipynb"))}


def _lesson(folder: Path, notebooks: dict[Path, dict[str, Any]]) -> Lesson:
    students = {path: nbgrader.for_students(path, made) for path, made in notebooks.items()}
    return Lesson(folder, students, dict(map(_starter, exercises(folder))))


def _starter(one: Exercise) -> tuple[Path, str]:
    """Where an exercise's starter is, and what its solution makes of it."""
    solution = one.solution
    if not solution.is_file():
        raise UsageError(f"{solution} is not there", "release from the instructors' lessons")
    return one.starter, starter_of(solution.read_text(encoding="utf-8"), str(solution))
