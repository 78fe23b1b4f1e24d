"""What the simulator and the verifier raise, as reasons why points are lost."""

from __future__ import annotations

from pathlib import Path

from gpubfs.errors import UsageError
from gpubfs.grading.outcome import Failure
from gpubfs.verify import VerificationError
from simulator.source import CompileError, Fault, LaunchError, SimulatorError, Span, render

#: What sanitizers find, without the threads and elements of a run.
FOUND = {
    "race": "a sanitizer finds a race",
    "init": "a sanitizer finds a read of what nothing has written",
    "sync": "a sanitizer finds a mask that does not name the lanes that are there",
}
REFUSED = "a kernel cannot be launched as the case does it: look at its parameters and its size"


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
    told, place = str(error), place_in(error, file)
    if isinstance(error, CompileError):
        return Failure("read", error.message, called, detail=told)
    if isinstance(error, LaunchError):
        return Failure("read", error.message, called, detail=told, place=place, general=REFUSED)
    found = error.sanitizer if isinstance(error, Fault) else ""
    reason, general = "sanitizer" if found else "fault", FOUND.get(found, "")
    return Failure(reason, error.message, called, detail=told, place=place, general=general)


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
