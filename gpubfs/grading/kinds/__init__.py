"""The kinds of exercises that this package brings, each in a module that registers it."""

from gpubfs.grading.exercise import KINDS
from gpubfs.grading.kinds import drive, kernel, predict

__all__ = ["KINDS", "drive", "kernel", "predict"]
