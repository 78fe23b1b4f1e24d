"""`pytest lessons/02-memory` grades that lesson's exercises as you edited them, a test a case."""

from gpubfs.grading.collecting import pytest_addoption, pytest_collect_file

__all__ = ["pytest_addoption", "pytest_collect_file"]
