"""Runs many cases in a process of their own, each under a clock, and sums up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter

from gpubfs.machines.corpus.clocked import ClockedProcess
from gpubfs.machines.corpus.judging import Settings, programs
from gpubfs.machines.corpus.summary import files_in
from tests.kernels.published.case import Case
from tests.kernels.published.running import Outcome, outcome_of


def outcomes(
    cases: Sequence[Case], folder: Path, gpu: bool, limit: float
) -> Iterator[tuple[Case, Outcome, float]]:
    """Yield what comes of each case in a process of its own, and its seconds."""
    process = ClockedProcess(partial(_answer, folder, gpu))
    try:
        for case in cases:
            started = perf_counter()
            found = process.ask(case, limit)
            yield case, _judged(case, found, limit, gpu), perf_counter() - started
    finally:
        process.close()


def _answer(folder: Path, gpu: bool, case: Case) -> Outcome:
    try:
        return outcome_of(case, folder, gpu)
    except Exception as error:  # a mistake in the case itself
        return Outcome("fault", f"{type(error).__name__}: {error}")


def _judged(case: Case, found: Outcome | str | None, limit: float, gpu: bool) -> Outcome:
    if found is None:
        found = Outcome("fault", f"it takes more than {limit:g} seconds")
    elif isinstance(found, str):
        found = Outcome("fault", "its process ended")
    if not case.wrong or found.word == "skipped":
        return found
    if found.word == "equal" and not gpu:  # a GPU may be lucky
        return Outcome("fault", f"equal, though the source is said to be wrong: {case.wrong}")
    return Outcome("wrong", f"as said: {case.wrong}")


def summary(found: Sequence[tuple[Case, Outcome]], folder: Path | None = None) -> str:
    """Return how many cases there are of each word, and how many kernels, of those in a folder."""
    words = Counter(outcome.word for _, outcome in found)
    counts = ", ".join(f"{count} {word}" for word, count in words.most_common())
    equal = {(c.source, c.file, c.kernel.partition("<")[0]) for c, o in found if o.word == "equal"}
    there = f" of the {kernels_in(folder)} there" if folder is not None else ""
    share = f"{len(equal)} kernels{there} give NumPy's results"
    return f"{len(found)} cases: {counts}\n{share}"


def kernels_in(folder: Path) -> int:
    """Return how many kernels there are in the files below a folder."""
    files = files_in(folder)
    return sum(len(one.kernels) for file in files for one in programs(file, Settings()))
