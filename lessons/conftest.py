"""pytest grades the exercises beside this file, or below it, as you edited them: a test a case."""

from gpubfs.grading.collecting import pytest_addoption, pytest_collect_file

__all__ = ["pytest_addoption", "pytest_collect_file"]
