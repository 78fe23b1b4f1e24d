"""All techniques that there are, and one of them: by its name, or by the file of its driver."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError
from gpubfs.kernels import KERNELS
from gpubfs.search.discovery import Catalogue, discover, load
from gpubfs.search.option import TAKEN, parse
from gpubfs.search.plugins import until_loaded
from gpubfs.search.technique import Technique

#: Where the drivers are.
DRIVERS = "gpubfs.techniques"
#: The order of families, one building on the other; those of plugins come behind them, by name.
FAMILIES = ("frontier generation", "work distribution", "direction", "main loop", "combination")
#: Entry points of other packages: each names a module that describes techniques.
GROUP = "gpubfs.techniques"


@until_loaded
def techniques() -> Catalogue[Technique]:
    """Return all techniques by name, in the order of family and year.

    They are this package's, those that are installed and those of plugins. A module that is broken
    is left out, with a warning that names the file and the field.

    Returns
    -------
    Catalogue
        A dictionary; its `broken` are the modules that were left out.

    Raises
    ------
    UsageError
        If a technique of a plugin cannot be used, or has the name of another.

    Examples
    --------
    >>> "scan-free" in techniques()
    True
    """
    by = "technique", DRIVERS, Technique
    return discover(*by, _order, check_kernel, expected=True, group=GROUP)


def _order(technique: Technique) -> tuple[object, ...]:
    known = technique.family in FAMILIES
    family = FAMILIES.index(technique.family) if known else len(FAMILIES)
    return family, technique.family, technique.year or 9999, technique.name


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
    """Return the technique of that name, or that the file `name` describes, as mine/my_search.py.

    Raises
    ------
    UsageError
        If there is none, and the remedy names the nearest; or if its module is broken.
    """
    if str(name).endswith(".py") or os.sep in str(name):
        return described_in(Path(name).expanduser())
    return techniques().find(name)


def parse_call(spec: str, pairs: Iterable[str] = ()) -> tuple[str, dict[str, Any]]:
    """Parse a technique's name and its options, which `run` or `trace` is then called with.

    Raises
    ------
    UsageError
        As `parse` does, and for an option that has the name of a parameter of these functions.
    """
    name, given = parse(spec, pairs)
    if given.keys() & set(TAKEN):
        find(name).complete(given)  # which refuses it: no option is called so
    return name, given


def described_in(path: Path) -> Technique:
    """Return the technique that a driver's file describes; the file is read anew each time.

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
