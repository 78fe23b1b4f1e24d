"""What the simulator and the verifier raise, as reasons why points are lost."""

from __future__ import annotations

from pathlib import Path

from gpubfs.errors import UsageError
from gpubfs.grading.outcome import Failure
from gpubfs.search.verify import VerificationError
from simulator.execute.faults import MORE, USUAL
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
FOUND = {
    "race": "a sanitizer finds a race",
    "init": "a sanitizer finds a read of what nothing has written",
    "sync": "a sanitizer finds a mask that does not name the lanes that are there",
}
ENDLESS = "the kernel does not end, or takes far too many steps"
ENOUGH = "It may take many more steps than the exercise needs."
FULL = "the kernel needs more memory than the device has"
REFUSED = "a kernel cannot be launched as the case does it: look at its parameters and its size"
#: Where to look if the line that is shown is not one of what was handed in.
ELSEWHERE = (
    "This line of {name} is not yours, and is right where what it works on is right:\n"
    "look at what you pass to it, and at what your own lines have written before."
)


def of_error(error: Exception, called: str = "", file: Path | None = None) -> Failure:
    """The failure that an error of a run stands for.

    Parameters
    ----------
    error : Exception
        The error. The whole diagnostic of the simulator's, with the line and a caret, is the
        failure's detail.
    called : str
        What was called.
    file : Path, optional
        What was handed in: the failure's place is in it, if any of the diagnostic's places is.
    """
    if isinstance(error, VerificationError):
        return Failure("result", str(error), called)
    if isinstance(error, UsageError):
        return Failure("result", error.message, called, detail=error.hint)
    if not isinstance(error, SimulatorError):
        raise error
    place = place_in(error, file)
    told = _with_the_hint(error, file, place)
    if isinstance(error, CompileError):
        return Failure("read", error.message, called, detail=told)
    if isinstance(error, LaunchError):
        return Failure("read", error.message, called, detail=told, place=place, general=REFUSED)
    reason, general = _kind(error)
    return Failure(reason, error.message, called, detail=told, place=place, general=general)


def _kind(error: SimulatorError) -> tuple[str, str]:
    """The reason, and what a hidden case says of it."""
    if not isinstance(error, Fault):
        return "fault", FULL if isinstance(error, OutOfMemoryError) else ""
    if error.sanitizer:
        return "sanitizer", FOUND.get(error.sanitizer, "")
    return "fault", ENDLESS if error.endless else ""


def _with_the_hint(error: SimulatorError, file: Path | None, place: str) -> str:
    """The diagnostic; of a fault that is in no line of what was handed in, with where to look.

    A bounds check that is missing there is nobody's to write; the device is nobody's to choose.
    """
    error.hint = error.hint.replace(MORE, ENOUGH)
    if isinstance(error, Fault) and error.span is not None and file is not None and not place:
        name = Path(error.span.source.name).name
        error.hint = error.hint.replace(USUAL, "").rstrip() + "\n" + ELSEWHERE.format(name=name)
    return str(error)


def place_in(error: SimulatorError, file: Path | None) -> str:
    """The first of a diagnostic's places that is in a file; empty where none is."""
    spans = [error.span, *(span for _, span in error.notes)]
    found = (span for span in spans if span is not None and span.source.name == str(file))
    return pointed(next(found, None))


def pointed(span: Span | None) -> str:
    """A place with nothing but its line and a caret.

    >>> from simulator.source import Source
    >>> print(pointed(Span(Source("int x = y;", "k.cu"), 1, 9, 1, 10)))
    k.cu:1:9: note: here
        int x = y;
                ^
    """
    return "" if span is None else render("note", "here", span)
