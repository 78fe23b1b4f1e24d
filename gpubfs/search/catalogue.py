"""All techniques that there are, found in their folder; and one of them by its name."""

from __future__ import annotations

from functools import cache

from gpubfs.errors import UsageError, unknown
from gpubfs.search.discovery import Catalogue, discover
from gpubfs.search.technique import Technique

#: Where the drivers are.
DRIVERS = "gpubfs.techniques"


@cache
def techniques() -> Catalogue[Technique]:
    """All techniques by name, in the order of family and year.

    A module that is broken is left out, with a warning that names the file and the field.

    Examples
    --------
    >>> "scan-free" in techniques()
    True
    """
    found = discover(DRIVERS, Technique, lambda t: t.name, check_kernel, expected=True)
    ordered = sorted(found.members, key=lambda t: (t.family, t.year, t.name))
    known = Catalogue((t.name, t) for t in ordered)
    known.broken = found.broken
    return known


def check_kernel(technique: Technique) -> None:
    """Raise UsageError if the kernel file cannot be read."""
    try:
        _ = technique.source
    except OSError as error:
        why = f"{technique.path} cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        why = f"{technique.path} is not UTF-8"
    else:
        return
    raise UsageError(f"the field kernel is {technique.kernel!r}, and {why}", "give a CUDA file")


def find(name: str) -> Technique:
    """The technique called `name`.

    Raises
    ------
    UsageError
        If there is none, and the remedy names the nearest; or if its module is broken.
    """
    known = techniques()
    spelled = str(name).replace("_", "-")
    if spelled not in known:
        raise known.problem(spelled) or unknown("technique", spelled, known)
    return known[spelled]
