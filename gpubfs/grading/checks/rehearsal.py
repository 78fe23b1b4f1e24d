"""Cases done over without what was handed in: what goes wrong then is a mistake of the exercise.

It is done where a case is lost. A problem's own mistakes show before its kernels are run; those of
a search or of a question look like a student's, unless the same thing happens without the student.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from gpubfs.grading.checks.answers import AnswerChecks
from gpubfs.grading.costs.cost import Cost
from gpubfs.grading.costs.derived import value_of
from gpubfs.grading.exercises.exercise import Case, Exercise
from gpubfs.grading.exercises.mistakes import HINT, MistakeError, described
from gpubfs.grading.outcome import Failure
from gpubfs.machines import open_machine
from gpubfs.search import runs


def rehearse(exercise: Exercise, case: Case, seed: int, failure: Failure | None = None) -> None:
    """Do a case without what was handed in.

    Parameters
    ----------
    exercise, case
        What was lost.
    seed : int
        The case's.
    failure : Failure, optional
        Why, unless by an exception.

    Raises
    ------
    MistakeError
        If it cannot be done then, either.
    """
    if exercise.kind == "predict":
        if failure is None or failure.reason != "answer":
            _question(exercise, case, seed)
    elif exercise.search:
        _search(exercise, case, seed, failure)


def _question(exercise: Exercise, case: Case, seed: int) -> None:
    """Count what is asked, and compare it with some number."""
    with tempfile.TemporaryDirectory(prefix="gpubfs-") as folder:
        blank = Path(folder) / "answers.toml"
        blank.write_text(f"{json.dumps(case.name, ensure_ascii=False)} = 0\n", encoding="utf-8")
        try:
            failure = AnswerChecks(exercise, blank).check(case, seed)
        except (MemoryError, OSError, MistakeError):
            raise
        except Exception as error:
            counter = {**exercise.search, **case.given}["counter"]
            words = f"{counter} cannot be compared with a number: {described(error)}"
            raise MistakeError(words, HINT) from error
    if failure is not None and failure.reason != "answer":
        raise MistakeError(f"its own kernel fails: {failure.message}", failure.detail or HINT)


def _search(exercise: Exercise, case: Case, seed: int, failure: Failure | None) -> None:
    """Prepare the search; run the technique itself if it may be what it refuses."""
    asked: dict[str, Any] = {**exercise.search, **case.given}
    asked.pop("frontiers", None)
    technique, spec = str(asked.pop("technique")), str(asked.pop("graph"))
    graph = spec.replace("{seed}", str(seed % 1_000_000))
    try:
        opened = open_machine("sim", device=exercise.device_of(case))
        search = runs.prepared(technique, graph, asked.pop("source", None), opened, asked)
        missing = _missing(case, search.on(opened, None)) if _refused(failure) else ""
    except (MemoryError, OSError):
        raise
    except Exception as error:
        # Hidden graphs are called as the exercise calls them.
        hint = getattr(error, "hint", "") or HINT
        raise MistakeError(described(error).replace(graph, spec), hint) from error
    if missing and exercise.kind != "drive":  # a driver's arrays are its own
        raise MistakeError(f"{missing} is limited, and is not counted here", "limit another")


def _refused(failure: Failure | None) -> bool:
    """Whether a failure may be the technique's refusal, or a limit on what is not counted.

    Results that are wrong have no hint as their detail, and limits not kept say what was expected.
    """
    if failure is None:
        return False
    told = failure.detail if failure.reason == "result" else failure.reason == "limit"
    return bool(told) and not failure.expected


def _missing(case: Case, found: Any) -> str:
    """The first limited counter that a run has not counted."""
    cost = Cost(found.counters, found.sites or ())
    names = (name for name in case.limits if value_of(name, cost) is None)
    return next(names, "")
