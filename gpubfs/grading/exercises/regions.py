r"""Starters: a solution without its marked regions.

What stands between ``BEGIN SOLUTION`` and ``END SOLUTION``, each in a comment of its own line, is
left out. A comment inside that begins with a bar, ``//| text`` or ``#| text``, is a line of the
starter there. A region without such lines becomes ``// Your code here.``
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpubfs.errors import UsageError

_MARK = re.compile(r"^(\s*)(//|#)\s*(BEGIN|END) SOLUTION\s*$")
_LINE = re.compile(r"^(\s*)(//|#)\|(?: (.*))?$")


def starter_of(solution: str, name: str = "the solution") -> str:
    """The starter that a solution's text makes.

    Parameters
    ----------
    solution : str
        The whole text.
    name : str
        What messages call it.

    Raises
    ------
    UsageError
        If a region is not ended, or ended without being begun, or there is none.

    Examples
    --------
    >>> print(starter_of('''int i = 0;
    ...   // BEGIN SOLUTION
    ...   return i;
    ...   // END SOLUTION
    ... // BEGIN SOLUTION
    ... //| int wrong;
    ... int right;
    ... // END SOLUTION
    ... '''), end="")
    int i = 0;
      // Your code here.
    int wrong;
    """
    lines = list(_kept(solution.splitlines(), name))
    return "".join(f"{line}\n" for line in lines)


def _kept(lines: list[str], name: str) -> Iterator[str]:
    begun, given, regions = 0, 0, 0
    for number, line in enumerate(lines, 1):
        mark, instead = _MARK.match(line), _LINE.match(line)
        if mark and (mark[3] == "BEGIN") == bool(begun):
            what = "begins inside another" if begun else "is ended that was not begun"
            raise UsageError(f"{name}, line {number}: a region {what}", "regions come in pairs")
        if mark and mark[3] == "BEGIN":
            begun, given, regions = number, 0, regions + 1
        elif mark:
            begun = 0
            if not given:
                yield f"{mark[1]}{mark[2]} Your code here."
        elif begun and instead:
            given += 1
            yield f"{instead[1]}{instead[3] or ''}".rstrip()
        elif not begun:
            yield line
    if begun:
        raise UsageError(f"{name}, line {begun}: a region is not ended", "write // END SOLUTION")
    if not regions:
        raise UsageError(f"{name} has no region to leave out", "mark one: // BEGIN SOLUTION")
