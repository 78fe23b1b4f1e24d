"""`python -m tests.lessons.cohort FOLDER`: write a class's submissions, to time grading with.

Each student hands in, exercise by exercise, the solution or another right answer, a solution with
one change, a wrong answer of `submissions/`, the starter as it was given, or nothing. The same seed
writes the same class.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from gpubfs.grading.exercise import Exercise
from tests.lessons.mutants.grading import made
from tests.lessons.submitted import EXERCISES, of

#: What students hand in, and how many of a hundred do.
SHARES = {"right": 55, "mutant": 15, "wrong": 15, "starter": 5, "nothing": 10}


def main(given: Sequence[str] | None = None) -> None:
    """Write the class that the command line describes."""
    parser = argparse.ArgumentParser(prog="python -m tests.lessons.cohort", description=__doc__)
    parser.add_argument("folder", type=Path, help="a new folder; a folder in it for each student")
    parser.add_argument("--students", type=int, default=300, metavar="N")
    parser.add_argument("--exercises", type=int, default=21, metavar="N", help="the first N")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(given)
    exercises = [one for one in EXERCISES if one.name[0].isdigit()][: options.exercises]
    options.folder.mkdir(parents=True)
    for number in range(options.students):
        write_student(options.folder / f"student-{number:03}", exercises, options.seed)


def write_student(folder: Path, exercises: Sequence[Exercise], seed: int) -> None:
    """Write what one student hands in; it depends on the folder's name and on the seed."""
    folder.mkdir()
    chosen = random.Random(f"{seed} {folder.name}")
    for exercise in exercises:
        (kind,) = chosen.choices(list(SHARES), list(SHARES.values()))
        texts = possible(exercise.name)[kind]
        if texts:
            file = folder / f"{exercise.name}{exercise.suffix}"
            file.parent.mkdir(exist_ok=True)
            file.write_text(chosen.choice(texts), encoding="utf-8")


@cache
def possible(name: str) -> dict[str, list[str]]:
    """Return the texts of each kind that may be handed in; none where there is no such kind."""
    (exercise,) = (one for one in EXERCISES if one.name == name)
    solution, starter = (one.read_text("utf-8") for one in (exercise.solution, exercise.starter))
    right = [one.file.read_text("utf-8") for one in of(exercise) if one.right]
    return {
        "right": [solution, solution, *right],
        "mutant": [one.text for one in made(exercise)],
        "wrong": [one.file.read_text("utf-8") for one in of(exercise) if not one.right],
        "starter": [starter],
        "nothing": [],
    }


if __name__ == "__main__":
    main()
