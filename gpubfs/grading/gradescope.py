"""Grades as Gradescope's autograder reads them: results.json."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from gpubfs.grading.outcome import Failure, Grade, Outcome
from gpubfs.grading.writing import encoded, shown
from gpubfs.grading.writing import write as write_whole


def results(grades: Iterable[Grade]) -> dict[str, Any]:
    """The content of results.json.

    A test for each case; hidden ones are shown to students after the due date only.

    Examples
    --------
    >>> grade = Grade("00-warp/sum", "Sum", "sum.cu", (Outcome("one warp", 2),))
    >>> made = results([grade])
    >>> made["score"], made["tests"][0]["name"], made["tests"][0]["status"]
    (2, '00-warp/sum: one warp', 'passed')
    """
    kept = list(grades)
    tests = [_test(g, o) for g in kept for o in g.outcomes if not o.skipped]
    return {"score": sum(g.got for g in kept), "tests": tests}


def write(grades: Iterable[Grade], to: Path) -> None:
    """Write results.json, or print it where `to` is ``-``."""
    text = json.dumps(results(grades), indent=2, ensure_ascii=False) + "\n"
    if str(to) == "-":
        click.echo(text, nl=False)
    else:
        _write_file(to, text)


def _write_file(to: Path, text: str) -> None:
    """Write a file whole or not at all; what is none, such as a pipe, is written as it is."""
    if to.is_symlink() or (to.exists() and not to.is_file()):
        to.write_bytes(encoded(text))
    else:
        write_whole(to, text)


def _test(grade: Grade, outcome: Outcome) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": f"{grade.exercise}: {outcome.case}",
        "score": outcome.got,
        "max_score": outcome.points,
        "status": "failed" if outcome.failure else "passed",
        "output": _output(outcome),
    }
    return test | ({"visibility": "after_due_date"} if outcome.hidden else {})


def _output(outcome: Outcome) -> str:
    failure = outcome.failure
    rows = [] if failure is None else _reasons(failure)
    if outcome.printed:
        rows += ["printed:", *map(shown, outcome.printed.expandtabs().splitlines())]
    return "\n".join(rows).rstrip()


def _reasons(failure: Failure) -> list[str]:
    rows = [failure.message]
    for name in ("called", "expected", "got"):
        if words := getattr(failure, name):
            rows.append(f"{name}: {words}")
    return [*rows, failure.detail] if failure.detail else rows
