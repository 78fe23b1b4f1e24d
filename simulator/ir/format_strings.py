"""printf's format strings: the pieces of one, and what each conversion takes."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Bytes of the integer that each length word announces; narrower ones travel as int.
SIZES = {"": 4, "hh": 1, "h": 2, "l": 8, "ll": 8, "j": 8, "z": 8, "t": 8}
SIGNED, UNSIGNED, FLOATS = "di", "uoxX", "eEfFgG"

_CONVERSION = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\*|[0-9]+)?(?:\.(?P<precision>\*|[0-9]*))?"
    r"(?P<length>hh|h|ll|l|j|z|t|L)?(?P<kind>.)?",
    re.DOTALL,
)
_WIDEST = 4096


class FormatError(ValueError):
    """A format string that C or CUDA does not have; the second argument is the remedy."""


@dataclass(frozen=True)
class Conversion:
    """One `%…` of a format: C's flags, width (None, a number or "*"), precision, length, kind."""

    flags: str
    width: int | str | None
    precision: int | None
    length: str
    kind: str

    @property
    def size(self) -> int:
        """Bytes of the integer that it shows."""
        return SIZES[self.length]

    def __str__(self) -> str:
        width = "" if self.width is None else self.width
        precision = "" if self.precision is None else f".{self.precision}"
        return f"%{self.flags}{width}{precision}{self.length}{self.kind}"


Pieces = tuple[str | Conversion, ...]


def pieces(text: str) -> Pieces:
    """Split a format into plain parts and conversions, in their order; `%%` is plain.

    Raises
    ------
    FormatError
        for what is no conversion of CUDA's

    Examples
    --------
    >>> [str(piece) for piece in pieces("100%% of %-5ld, %.3f")]
    ['100% of ', '%-5ld', ', ', '%.3f']
    """
    found: list[str | Conversion] = []
    plain, at = "", 0
    for match in _CONVERSION.finditer(text):
        plain += text[at : match.start()]
        at = match.end()
        if match[0] == "%%":
            plain += "%"
            continue
        found += [*([plain] if plain else []), _conversion(match)]
        plain = ""
    plain += text[at:]
    return (*found, *([plain] if plain else []))


def _conversion(match: re.Match[str]) -> Conversion:
    kind, length, precision = match["kind"], match["length"] or "", match["precision"]
    if kind is None:
        raise FormatError(f"`{match[0]}` at its end is no conversion", "write `%%` for a percent")
    if precision == "*":
        raise FormatError(f"`{match[0]}`: CUDA has no `.*`", "write the precision as a number")
    width = _size(match["width"]) if (match["width"] or "").isdigit() else match["width"]
    digits = None if precision is None else _size(precision or "0")
    if any(isinstance(size, int) and size > _WIDEST for size in (width, digits)):
        raise FormatError(f"`{match[0]:.40}` is wider than {_WIDEST:,} characters", "choose less")
    if kind not in SIGNED + UNSIGNED + FLOATS + "csp" or not _allowed(length, kind):
        raise FormatError(f"`{match[0]}` is not supported", _remedy(kind, length))
    return Conversion(match["flags"], width, digits, length, kind)


def _size(digits: str) -> int:
    """Read the number of some digits; what has too many is as wide."""
    return int(digits) if len(digits) <= len(str(_WIDEST)) else _WIDEST + 1


def _allowed(length: str, kind: str) -> bool:
    if kind in FLOATS:
        return length in ("", "l")
    return length in SIZES if kind in SIGNED + UNSIGNED else not length


def _remedy(kind: str, length: str) -> str:
    if kind in "aA":
        return "use %.17g, which gives every digit of a double"
    if kind == "n":
        return "CUDA has no %n"
    if length == "L":
        return "device code has no long double: leave the L out"
    return "it has %d %i %u %o %x %X %e %f %g %c %s %p and %%"
