"""Exercises as pytest's tests: one for each case, of what students edited.

`lessons/conftest.py` imports the hooks, and so ``pytest lessons/02-memory`` grades that lesson.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gpubfs.errors import UsageError
from gpubfs.grading.exercise import FILE, Case, Exercise
from gpubfs.grading.feedback import CaseFeedback, plain_text, printed_lines
from gpubfs.grading.loading import load
from gpubfs.grading.outcome import Outcome
from gpubfs.grading.processes.sandbox import SECRET, grade
from gpubfs.search.plugins import load_plugins

__all__ = ["pytest_addoption", "pytest_collect_file"]

#: Why hidden cases are skipped.
NO_SECRET = f"a hidden case: it is graded where the secret is in {SECRET}"

#: Characters of a line of feedback, so many that none is broken and carets stay where they are.
WIDE = 10_000


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--hints``."""
    words = "show the first N hints of each exercise in which a case is lost"
    with suppress(ValueError):  # another lesson's conftest.py has added it
        parser.getgroup("gpubfs").addoption("--hints", type=int, default=0, metavar="N", help=words)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect an exercise by its `exercise.toml`, or by its starter if that is asked for."""
    if file_path.name == FILE:
        return ExerciseFile.from_parent(parent, path=file_path)
    asked = file_path.stem == "starter" and parent.session.isinitpath(file_path)
    if asked and (file_path.parent / FILE).is_file():
        return ExerciseFile.from_parent(parent, path=file_path)
    return None


class ExerciseFile(pytest.File):
    """An exercise, with a test for each of its cases."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the cases in their order."""
        try:
            load_plugins()
            self.exercise = load(self.path.parent)
        except UsageError as error:
            raise self.CollectError(str(error)) from None
        self.outcomes: dict[str, Outcome] = {}
        for case in self.exercise.cases:
            item = CaseItem.from_parent(self, name=case.name, case=case)
            if case.hidden and not os.environ.get(SECRET):
                item.add_marker(pytest.mark.skip(reason=NO_SECRET))
            yield item

    def outcome(self, item: CaseItem) -> Outcome:
        """Return what becomes of a case.

        To grade several costs little more than one: all that are going to run are graded at once.
        Where xdist gives them to several processes, nobody knows who runs which.
        """
        if item.name not in self.outcomes:
            alone = hasattr(self.config, "workerinput")
            mates = [item] if alone else [i for i in self.session.items if i.parent is self]
            cases = tuple(mate.case for mate in mates if isinstance(mate, CaseItem))
            made = grade(dataclasses.replace(self.exercise, cases=cases))
            self.outcomes |= {outcome.case: outcome for outcome in made.outcomes}
        return self.outcomes[item.name]


class LostError(Exception):
    """A case is lost."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.case)
        self.outcome = outcome


class CaseItem(pytest.Item):
    """A case: it passes, or fails with its feedback."""

    def __init__(self, *, case: Case, **node: Any) -> None:
        super().__init__(**node)
        self.case = case

    @property
    def exercise(self) -> Exercise:
        """The exercise that it belongs to."""
        assert isinstance(self.parent, ExerciseFile)
        return self.parent.exercise

    def runtest(self) -> None:
        """Grade it."""
        assert isinstance(self.parent, ExerciseFile)
        outcome = self.parent.outcome(self)
        if outcome.printed:
            self.add_report_section("call", "stdout", _section(outcome))
        if outcome.failure is not None:
            raise LostError(outcome)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the feedback of a case that is lost; anything else as pytest does it."""
        if not isinstance(excinfo.value, LostError):
            return super().repr_failure(excinfo, style)
        outcome = excinfo.value.outcome
        count = self.config.getoption("--hints", 0)
        of = len(self.exercise.hints)
        hints = [
            f"hint {number} of {of}: {hint}"
            for number, hint in enumerate(self.exercise.hints[:count], 1)
        ]
        failure = outcome.failure
        # pytest has a section for what is printed, and lines are not wrapped.
        text = plain_text(CaseFeedback(dataclasses.replace(outcome, printed="")), WIDE)
        return Report(
            "\n".join([text.removesuffix("\n"), *hints]), failure.message if failure else ""
        )

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return what was edited, and what the case is called."""
        return self.exercise.starter, 0, f"{self.exercise.name}: {self.name}"


def _section(outcome: Outcome) -> str:
    """Return what was printed; no line of it looks like one of pytest's own."""
    own = ("=", "_", "-", "FAILED", "PASSED", "ERROR", "SKIPPED")
    lines = printed_lines(outcome.printed)
    return "\n".join(f"  {line}" if line.startswith(own) else line for line in lines)


class Report:
    """Feedback as pytest prints it.

    Parameters
    ----------
    text : str
        All of it.
    message : str
        What the summary says.
    """

    def __init__(self, text: str, message: str) -> None:
        self.text = text
        self.reprcrash = SimpleNamespace(message=message)

    def __str__(self) -> str:
        return self.text

    def toterminal(self, writer: Any) -> None:
        """Print it."""
        writer.line(self.text)
