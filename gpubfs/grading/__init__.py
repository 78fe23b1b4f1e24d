"""Grading: exercises, submissions, and marks with reasons that a student can act on.

An exercise is a folder with `exercise.toml`; a submission is run in a process of its own, under
several schedules, with sanitizers and limits on counters. `gpubfs grade` does it. What an
exercise's `problem.py` needs is here (`Problem`, `Launch`, `Queue` and `Unwritten`), and what adds
a kind of exercise: `exercise_kind`, `ExerciseKind` and `Field`.
"""

from gpubfs.grading.errors import ExerciseError
from gpubfs.grading.exercise import (
    POSITIVE,
    TABLE,
    TEXT,
    Case,
    Exercise,
    ExerciseKind,
    Field,
    UnreadableError,
    exercise_kind,
)
from gpubfs.grading.loading import load
from gpubfs.grading.outcome import Failure, Grade, Outcome
from gpubfs.grading.problems.problem import Launch, Problem, Unwritten
from gpubfs.grading.problems.queues import Queue

__all__ = [
    "POSITIVE",
    "TABLE",
    "TEXT",
    "Case",
    "Exercise",
    "ExerciseError",
    "ExerciseKind",
    "Failure",
    "Field",
    "Grade",
    "Launch",
    "Outcome",
    "Problem",
    "Queue",
    "UnreadableError",
    "Unwritten",
    "exercise_kind",
    "load",
]
