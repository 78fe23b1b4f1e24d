"""Grading: exercises, what is handed in, and marks with reasons that a student can act on.

An exercise is a folder with `exercise.toml`; what is handed in is run in a process of its own,
under several schedules, with sanitizers and limits on counters. `grade` does it; `gpubfs grade`
shows it. What an exercise's `problem.py` needs is here, too: `Problem` and `Launch`.
"""

from gpubfs.grading.exercise import Case, Exercise, load
from gpubfs.grading.outcome import Failure, Grade, Outcome
from gpubfs.grading.problem import Launch, Problem

__all__ = [
    "Case",
    "Exercise",
    "Failure",
    "Grade",
    "Launch",
    "Outcome",
    "Problem",
    "load",
]
