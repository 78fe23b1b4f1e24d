"""Grading: exercises, what is handed in, and marks with reasons that a student can act on.

An exercise is a folder with `exercise.toml`; what is handed in is run in a process of its own,
under several schedules, with sanitizers and limits on counters. `grade` does it; `gpubfs grade`
shows it. What an exercise's `problem.py` needs is here, too: `Problem`, `Launch` and `Unwritten`.
"""

from gpubfs.grading.exercises.exercise import Case, Exercise
from gpubfs.grading.exercises.loading import load
from gpubfs.grading.exercises.problem import Launch, Problem, Unwritten
from gpubfs.grading.outcome import Failure, Grade, Outcome

__all__ = [
    "Case",
    "Exercise",
    "Failure",
    "Grade",
    "Launch",
    "Outcome",
    "Problem",
    "Unwritten",
    "load",
]
