"""Which races are meant: all those on an array, or only those of two writes to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from simulator.observe.sanitizers.race import Race
from simulator.source import SimulatorError

#: Behind an array's name: what is declared are races of two writes, and none of a read and a write.
WRITES = ":writes"

#: A colon that is none of two, as in names of namespaces.
_COLON = re.compile(r"(?<!:):(?!:)")


def declaration(allow: Mapping[str, str], names: Iterable[str], race: Race) -> str | None:
    """Return the key of `allow` that covers a race, or None.

    Parameters
    ----------
    allow : mapping
        Arrays, perhaps with `WRITES` behind the name, and the reasons.
    names : iterable of str
        What the array of the race is called.
    race : Race
        What was found.
    """
    written = all(access.site.kind == "store" for access in (race.first, race.second))
    keys = [name + scope for name in sorted(names) for scope in ("", *[WRITES] * written)]
    return next((key for key in keys if key in allow), None)


def array_of(key: str) -> str:
    """Return the name of the array that a key of `allow` is about.

    Parameters
    ----------
    key : str
        The name, perhaps with `WRITES` behind it.

    Examples
    --------
    >>> array_of("tile:writes"), array_of("tile"), array_of("mine::tile")
    ('tile', 'tile', 'mine::tile')
    """
    return key.removesuffix(WRITES)


def check_declarations(allow: object) -> None:
    """Raise SimulatorError for what declares no races.

    Parameters
    ----------
    allow : object
        What was given to `sanitize`.
    """
    if not isinstance(allow, Mapping | None):
        words = f"allow is something of type {type(allow).__name__}, not a mapping"
        raise SimulatorError(words, hint='give the reason of each array: {"a": "any thread"}')
    for key in allow or {}:
        if isinstance(key, str) and _COLON.search(array_of(key)):
            raise SimulatorError(
                f"allow has {key!r}, which is no array",
                hint='give "a" for all races on an array, or "a:writes" for those of two writes',
            )
