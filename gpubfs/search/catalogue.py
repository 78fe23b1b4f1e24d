"""All techniques that there are, and one of them: by its name, or by the file of its driver."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from gpubfs.errors import UsageError, unknown
from gpubfs.kernels import KERNELS
from gpubfs.search.discovery import Catalogue, discover, load
from gpubfs.search.technique import Technique

#: Where the drivers are.
DRIVERS = "gpubfs.techniques"
#: Entry points of other packages: each names a module that describes techniques.
GROUP = "gpubfs.techniques"


@cache
def techniques() -> Catalogue[Technique]:
    """All techniques by name, in the order of family and year: ours, and those that are installed.

    A module that is broken is left out, with a warning that names the file and the field.

    Examples
    --------
    >>> "scan-free" in techniques()
    True
    """
    found = discover(DRIVERS, Technique, lambda t: t.name, check_kernel, expected=True, group=GROUP)
    ordered = sorted(found.members, key=lambda t: (t.family, t.year or 9999, t.name))
    known = Catalogue((t.name, t) for t in ordered)
    known.broken = found.broken
    return known


def check_kernel(technique: Technique) -> None:
    """Raise UsageError if the kernel file cannot be read."""
    try:
        _ = technique.source
    except FileNotFoundError:
        why = f"there is no such file in {technique.folder} or {KERNELS}"
    except OSError as error:
        why = f"{technique.path} cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        why = f"{technique.path} is not UTF-8"
    else:
        return
    raise UsageError(f"the field kernel is {technique.kernel!r}, and {why}", "give a CUDA file")


def find(name: str) -> Technique:
    """Find the technique called `name`, or whose driver is that file, such as mine/my_search.py.

    Raises
    ------
    UsageError
        If there is none, and the remedy names the nearest; or if its module is broken.
    """
    if str(name).endswith(".py") or os.sep in str(name):
        return described_in(Path(name).expanduser())
    known = techniques()
    spelled = str(name).replace("_", "-")
    if spelled not in known:
        raise known.problem(spelled) or unknown("technique", spelled, known)
    return known[spelled]


def described_in(path: Path) -> Technique:
    """Read the technique that a driver's file describes, wherever that is, anew each time.

    Raises
    ------
    UsageError
        If there is no such file, it is broken, or it describes none or several.
    """
    found = load(path, Technique)
    if len(found) != 1:
        names = " and ".join(technique.name for technique in found)
        what = f"describes {names}" if names else "describes no technique"
        hint = "decorate one function with @technique(…); `gpubfs new-technique` writes an example"
        raise UsageError(f"{path} {what}", hint)
    try:
        check_kernel(found[0])
    except UsageError as error:
        raise UsageError(f"{path}: {error.message}", error.hint) from None
    return found[0]
