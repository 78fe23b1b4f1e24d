"""What the simulator and the verifier raise, as reasons why points are lost."""

from __future__ import annotations

from gpubfs.errors import UsageError
from gpubfs.grading.outcome import Failure
from gpubfs.verify import VerificationError
from simulator.source import CompileError, Fault, LaunchError, SimulatorError


def of_error(error: Exception, called: str = "") -> Failure:
    """The failure that an error of a run stands for.

    The whole diagnostic, with the line and a caret, is its detail.
    """
    if isinstance(error, VerificationError):
        return Failure("result", str(error), called)
    if isinstance(error, UsageError):
        return Failure("result", error.message, called, detail=error.hint)
    if isinstance(error, CompileError | LaunchError):
        return Failure("read", error.message, called, detail=str(error))
    if isinstance(error, SimulatorError):
        found = isinstance(error, Fault) and error.sanitizer
        return Failure("sanitizer" if found else "fault", error.message, called, detail=str(error))
    raise error
