"""What runs on Gradescope: grades one submission for all exercises, and writes results.json.

Students' files are graded as `gpubfs grade-all` grades them, each in a process of its own. Only
this process writes results, at its end, when those are gone.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError
from gpubfs.grading.cohort.grading import Cohort
from gpubfs.grading.exercise import Exercise
from gpubfs.grading.feedback import gradescope_results
from gpubfs.grading.loading import exercises
from gpubfs.grading.outcome import Grade
from gpubfs.grading.platforms.assigning import Assigned, assign, files_of_folder
from gpubfs.grading.platforms.autograder_zip import LESSONS, PLUGINS, SECRET_FILE
from gpubfs.grading.writing import shown, write
from gpubfs.search.plugins import VARIABLE, load_plugins

#: How many files are named that are for no exercise.
NAMED = 20


def results_of(folder: Path, found: Iterable[Exercise], secret: str) -> dict[str, Any]:
    """Grade what one student handed in.

    Parameters
    ----------
    folder : Path
        What was handed in; links in it are not followed.
    found : iterable of Exercise
        The exercises. One for which there is no file gets 0.
    secret : str
        On which hidden cases depend; without one they are left out.

    Returns
    -------
    dict
        The content of results.json, as Gradescope documents it.

    Raises
    ------
    UsageError
        If an exercise or the machine is at fault: then nobody loses points.
    """
    assigned = assign("submission", files_of_folder(folder), found)
    with tempfile.TemporaryDirectory(prefix="gpubfs-") as results:
        marked = Cohort(list(assigned.jobs), Path(results), secret).run(1)
    return described([one.grade for one in marked], assigned)


def described(grades: list[Grade], assigned: Assigned) -> dict[str, Any]:
    """Return the content of results.json for the grades of a submission."""
    made = gradescope_results(grades)
    names = {job.exercise.name: _expected(job.exercise) for job in assigned.jobs}
    missing = {grade.exercise for grade in grades if not grade.file}
    for test in made["tests"]:
        test.setdefault("visibility", "visible")
        exercise = test["name"].partition(": ")[0]
        if exercise in missing:
            test["output"] = f"nothing was handed in: name the file {names[exercise]}"
    return made | {
        "output": _summary(grades, assigned),
        "output_format": "text",
        "test_output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
    }


def _expected(exercise: Exercise) -> str:
    return f"{exercise.folder.name}{exercise.suffix}"


def _summary(grades: list[Grade], assigned: Assigned) -> str:
    """Return in lines what was graded for which exercise, and which files were not."""
    lines = []
    for grade, job in zip(grades, assigned.jobs, strict=True):
        file = shown(Path(grade.file).name) if grade.file else "no file"
        lines.append(f"{grade.exercise}: {grade.got:g} of {grade.points:g} points, {file}")
        if not grade.file:
            lines[-1] += f" (it must be named {_expected(job.exercise)})"
    files = [f"not graded: {shown(str(name))} ({why})" for name, why in sorted(assigned.left)]
    more = len(files) - NAMED
    return "\n".join([*lines, *files[:NAMED], *([f"and {more} more"] if more > 0 else [])])


def main() -> None:
    """Grade ``submission`` in Gradescope's folder, which is the argument."""
    root = Path(sys.argv[1])
    results = root / "results" / "results.json"
    results.unlink(missing_ok=True)  # one of an earlier run would be taken for this one's
    source = root / "source"
    plugins = [str(path) for path in sorted((source / PLUGINS).glob("*/*.py"))]
    os.environ[VARIABLE] = os.pathsep.join(plugins)
    secret = source / SECRET_FILE
    try:
        load_plugins()
        found = exercises(source / LESSONS)
        text = secret.read_text("utf-8") if secret.is_file() else ""
        made = results_of(root / "submission", found, text)
    except UsageError as error:
        sys.exit(str(error))
    write(results, json.dumps(made, indent=2) + "\n")


if __name__ == "__main__":
    main()
