"""What users can get wrong: one exception, one message, one remedy."""

from __future__ import annotations

from collections.abc import Iterable


class UsageError(ValueError):
    """Something was asked for that cannot be done.

    Parameters
    ----------
    message : str
        One sentence naming what is wrong.
    hint : str, optional
        What to do instead.

    Examples
    --------
    >>> print(UsageError("block=0 is below the minimum of 1", "give at least 1"))
    error: block=0 is below the minimum of 1
      give at least 1
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return "\n".join(
            [f"error: {self.message}", *(f"  {part}" for part in self.hint.splitlines())]
        )


class ModuleWarning(UserWarning):
    """A module of a package that is searched is broken, and left out."""


def unknown(kind: str, name: object, known: Iterable[str]) -> UsageError:
    """The error for a name that is not one of `known`; the remedy is the nearest and the list.

    Examples
    --------
    >>> print(unknown("technique", "scanfree", ["scan-free", "status-array"]))
    error: there is no technique "scanfree"
      did you mean scan-free? known: scan-free, status-array
    """
    from gpubfs.graphs.errors import nearest  # graphs are slow to import: only now

    names = list(known)
    return UsageError(
        f'there is no {kind} "{name}"',
        f"{nearest(str(name), names)}known: {', '.join(names) or 'none'}",
    )
