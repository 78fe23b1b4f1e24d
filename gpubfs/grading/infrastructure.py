"""Failures of the machine that grades: a full disk, processes that somebody else ends.

They say nothing of what was handed in. So they cost no marks and are not remembered: grading ends
with what happened, and whoever starts it again grades what is left.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

from gpubfs.errors import UsageError

#: The key of a line by which a grading process tells of such a failure.
KEY = "machine"
#: Errors of the system that nothing that is handed in can bring about.
ERRORS = frozenset(
    {
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EIO,
        errno.EROFS,
        errno.EAGAIN,
        errno.EMFILE,
        errno.ENFILE,
        errno.ECHILD,
    }
)
AGAIN = "no points were lost: mend it, and grade again"


class NotGradedError(UsageError):
    """A submission could not be graded, for a reason that is not its own.

    Parameters
    ----------
    message, hint : str
        What happened, and what to do.
    """

    def __init__(self, message: str, hint: str = AGAIN) -> None:
        super().__init__(message, hint)


def tell(failed: Sequence[tuple[str, NotGradedError]]) -> None:
    """Raise one error for all submissions that were not graded, by what they are called."""
    if failed:
        name, error = failed[0]
        more = f", and {len(failed) - 1} more" if len(failed) > 1 else ""
        hint = error.hint if error.hint != AGAIN else "no points were lost"
        words = f"not graded: {name}{more}: {error.message}"
        raise NotGradedError(words, f"{hint}; what was graded is kept: started again, it goes on")


def described(error: OSError) -> str:
    """An error of the system with its file.

    >>> described(OSError(errno.ENOSPC, "No space left on device", "/tmp/a"))
    'No space left on device: /tmp/a'
    """
    words = error.strerror or os.strerror(error.errno or 0)
    return f"{words}: {error.filename}" if error.filename else words
