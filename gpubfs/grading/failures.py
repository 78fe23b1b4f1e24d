"""What the simulator and the verifier raise, as reasons why points are lost."""

from __future__ import annotations

from pathlib import Path

from gpubfs.errors import UsageError
from gpubfs.grading.outcome import Failure
from gpubfs.search.verify import VerificationError
from simulator.execute.faults import MORE, USUAL
from simulator.read.preprocess import BESIDE
from simulator.source import (
    CompileError,
    Fault,
    LaunchError,
    OutOfMemoryError,
    SimulatorError,
    Span,
    render,
)

#: What sanitizers find, without the threads and elements of a run.
SANITIZER_WORDS = {
    "race": "a sanitizer finds a race",
    "init": "a sanitizer finds a read of what nothing has written",
    "sync": "a sanitizer finds a mask that does not name the lanes that are there",
}
ENDLESS = "the kernel does not end, or takes far too many steps"
ENOUGH = "It may take many more steps than the exercise needs."
FULL = "the kernel needs more memory than the device has"
REFUSED = "a kernel cannot be launched as the case does it: look at its parameters and its size"
ONE_FILE = "what you hand in is this one file: write into it what you need of the header"
#: Where to look if the line that is shown is not one of the submission.
ELSEWHERE = (
    "This line of {name} is not yours, and is right where what it works on is right:\n"
    "look at what you pass to it, and at what your own lines have written before."
)


def failure_of(
    error: Exception, called: str = "", file: Path | None = None, hole: str = ""
) -> Failure:
    """Return the failure that an error of a run stands for.

    Parameters
    ----------
    error : Exception
        The error. The whole diagnostic of the simulator's, with the line and a caret, is the
        failure's detail.
    called : str
        What was called.
    file : Path, optional
        The submission: the failure's location is in it, if any of the diagnostic's is.
    hole : str
        The hole in a queue that it comes from: what is said in the place of usual causes.
    """
    if isinstance(error, VerificationError):
        return Failure("result", str(error), called)
    if isinstance(error, UsageError):
        return Failure("result", error.message, called, detail=error.hint)
    if not isinstance(error, SimulatorError):
        raise error
    if hole:
        error.hint = hole
    location = first_location(error, file)
    detail = _diagnostic(error, file, location)
    if isinstance(error, CompileError):
        return Failure("read", error.message, called, detail=detail)
    if isinstance(error, LaunchError):
        return Failure(
            "read", error.message, called, detail=detail, location=location, general=REFUSED
        )
    reason, general = _kind(error)
    return Failure(reason, error.message, called, detail=detail, location=location, general=general)


def _kind(error: SimulatorError) -> tuple[str, str]:
    """Return the reason, and what a hidden case says of it."""
    if not isinstance(error, Fault):
        return "fault", FULL if isinstance(error, OutOfMemoryError) else ""
    if error.sanitizer:
        return "sanitizer", SANITIZER_WORDS.get(error.sanitizer, "")
    return "fault", ENDLESS if error.endless else ""


def _diagnostic(error: SimulatorError, file: Path | None, location: str) -> str:
    """Return the diagnostic; of a fault in no line of the submission, with where to look.

    A bounds check that is missing there is nobody's to write; the device is nobody's to choose.
    """
    error.hint = error.hint.replace(MORE, ENOUGH).replace(BESIDE, ONE_FILE)
    if isinstance(error, Fault) and error.span is not None and file is not None and not location:
        name = Path(error.span.source.name).name
        error.hint = error.hint.replace(USUAL, "").rstrip() + "\n" + ELSEWHERE.format(name=name)
    return str(error)


def first_location(error: SimulatorError, file: Path | None) -> str:
    """Return the first of a diagnostic's locations that is in a file; empty where none is."""
    spans = [error.span, *(span for _, span in error.notes)]
    found = (span for span in spans if span is not None and span.source.name == str(file))
    return location_of(next(found, None))


def location_of(span: Span | None) -> str:
    """Return a location with nothing but its line and a caret.

    >>> from simulator.source import Source
    >>> print(location_of(Span(Source("int x = y;", "k.cu"), 1, 9, 1, 10)))
    k.cu:1:9: note: here
        int x = y;
                ^
    """
    return "" if span is None else render("note", "here", span)
