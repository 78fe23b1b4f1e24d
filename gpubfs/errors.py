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
    """Return the error for a name that is not in `known`; its remedy is the nearest and the list.

    Examples
    --------
    >>> print(unknown("technique", "scanfree", ["scan-free", "status-array"]))
    error: there is no technique "scanfree"
      did you mean scan-free? known: scan-free, status-array
    """
    names = list(known)
    return UsageError(
        f'there is no {kind} "{name}"',
        f"{nearest(str(name), names)}known: {', '.join(names) or 'none'}",
    )


def no_field(name: str, known: Iterable[str]) -> UsageError:
    """Return the error for a field that nothing of `known` is called by.

    >>> print(no_field("sizes", ["name", "size"]))
    error: there is no field sizes
      did you mean size? known: name, size
    """
    names = list(known)
    return UsageError(
        f"there is no field {name}", f"{nearest(name, names)}known: {', '.join(names)}"
    )


def nearest(word: str, candidates: Iterable[str]) -> str:
    """Return a question that names the candidate most like `word`, or nothing if none is like it.

    Case does not count.

    >>> nearest("krom", ["kron", "grid"])
    'did you mean kron? '
    >>> nearest("zzz", ["kron", "grid"])
    ''
    """
    import difflib  # which takes longer than the rest of a help text

    folded = {candidate.casefold(): candidate for candidate in candidates}
    close = difflib.get_close_matches(word.casefold(), folded, n=1)
    return f"did you mean {folded[close[0]]}? " if close else ""
