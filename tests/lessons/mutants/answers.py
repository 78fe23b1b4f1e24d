"""Changes of answers: numbers near them, and what comes of common slips."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.lessons.mutants.mutant import Edit, Place

_ANSWER = re.compile(r"""^(?:[\w-]+|"[^"]*") = ([\d.]+)$""")


def edits(text: str) -> Iterator[Edit]:
    """All single changes of a file of answers."""
    for number, line in enumerate(text.splitlines(), 1):
        if found := _ANSWER.match(line):
            place = Place(number, found.start(1) + 1, number, found.end(1) + 1)
            for other in _near(found[1]):
                yield Edit("answer", place, other)


def _near(number: str) -> list[str]:
    """One more and less, a share more and less, half, double, nothing.

    >>> _near("8")
    ['9', '7', '0', '16', '4', '12']
    >>> _near("2.204")
    ['2.226', '2.182', '3.0', '4.408', '1.102']
    """
    if "." in number:
        value = float(number)
        return [f"{value * f:.3f}" for f in (1.01, 0.99)] + [
            str(round(value) + 1.0),
            f"{value * 2:.3f}",
            f"{value / 2:.3f}",
        ]
    whole = int(number)
    others = [whole + 1, whole - 1, 0, 2 * whole, whole // 2, whole + whole // 2]
    percent = [whole + whole // 100, whole - whole // 100, whole + whole // 32]
    return [str(n) for n in dict.fromkeys(others + percent) if n != whole]
