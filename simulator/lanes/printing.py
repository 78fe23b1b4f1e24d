"""What kernels print: values formatted by C's rules, kept until the launch ends."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import numpy as np

from simulator.ir.format_strings import FLOATS, SIGNED, Conversion, Pieces

#: Characters that one launch may print, as the buffer of a GPU holds by default.
MOST = 1 << 20


@dataclass(frozen=True)
class Format:
    """A checked format: its pieces, and the texts that the values of `%s` number."""

    pieces: Pieces
    texts: tuple[str, ...] = ()

    def filled(self, values: Iterator[Any]) -> str:
        """Format what one thread prints; `values` has a Python number for each argument.

        Examples
        --------
        >>> from simulator.ir.format_strings import pieces
        >>> Format(pieces("%3d|%-6.2f|%#x|%s"), ("yes", "no")).filled(iter([7, 2.5, 255, 1]))
        '  7|2.50  |0xff|no'
        """
        return "".join(
            piece if isinstance(piece, str) else self._shown(piece, values) for piece in self.pieces
        )

    def _shown(self, piece: Conversion, values: Iterator[Any]) -> str:
        width, flags = piece.width, piece.flags
        if width == "*":
            width = int(next(values))
            width, flags = abs(width), flags + "-" * (width < 0)
        value = next(values)
        if piece.kind == "s" and not isinstance(value, str):
            value = self.texts[value]
        sign, body = shown(piece, value)
        missing = int(width or 0) - len(sign) - len(body)
        if missing <= 0:
            return sign + body
        if "-" in flags:
            return sign + body + " " * missing
        if "0" in flags and _padded_by_zeros(piece, value):
            return sign + "0" * missing + body
        return " " * missing + sign + body


def _padded_by_zeros(piece: Conversion, value: Any) -> bool:
    """Whether the flag 0 counts: not for text, not beside a precision of integers, not for inf."""
    if piece.kind in "csp":
        return False
    return math.isfinite(value) if piece.kind in FLOATS else piece.precision is None


def shown(piece: Conversion, value: Any) -> tuple[str, str]:
    """Sign or prefix, and digits or text, of a value before it is brought to its width.

    Examples
    --------
    >>> shown(Conversion("#", None, None, "", "o"), -1)
    ('', '037777777777')
    >>> shown(Conversion("+", None, 4, "hh", "d"), 257)
    ('+', '0001')
    """
    if piece.kind == "s":
        return "", value if piece.precision is None else value[: piece.precision]
    if piece.kind == "c":
        return "", chr(int(value) & 0xFF)
    if piece.kind == "p":
        return ("0x", f"{int(value) & (1 << 64) - 1:x}") if value else ("", "(nil)")
    return (_float if piece.kind in FLOATS else _integer)(piece, value)


def _integer(piece: Conversion, value: int) -> tuple[str, str]:
    bits = 8 * piece.size
    value = int(value) & ((1 << bits) - 1)
    sign = ""
    if piece.kind in SIGNED:
        value -= (value >> (bits - 1)) << bits
        sign = _sign(piece, value < 0)
    digits = f"{abs(value):{'d' if piece.kind in 'diu' else piece.kind}}"
    if piece.precision is not None:
        digits = digits.rjust(piece.precision, "0") if value or piece.precision else ""
    if "#" in piece.flags and piece.kind in "xX" and value:
        sign = f"0{piece.kind}"
    if "#" in piece.flags and piece.kind == "o" and not digits.startswith("0"):
        digits = f"0{digits}"
    return sign, digits


def _sign(piece: Conversion, negative: bool) -> str:
    return "-" if negative else "+" if "+" in piece.flags else " " if " " in piece.flags else ""


def _float(piece: Conversion, value: float) -> tuple[str, str]:
    """Format a float; NaN has no sign, as those that a GPU computes."""
    sign = _sign(piece, not math.isnan(value) and math.copysign(1, value) < 0)
    if not math.isfinite(value):
        text = "nan" if math.isnan(value) else "inf"
        return sign, text.upper() if piece.kind.isupper() else text
    return sign, _plain(piece) % abs(value)


def _plain(piece: Conversion) -> str:
    """Write the conversion without sign and width, in which Python and C agree."""
    alternative = "#" if "#" in piece.flags else ""
    precision = "" if piece.precision is None else f".{piece.precision}"
    return f"%{alternative}{precision}{piece.kind}"


@dataclass
class Printed:
    """The text that a launch has printed so far, at most `most` characters of it."""

    most: int = MOST
    parts: list[str] = field(default_factory=list)
    size: int = 0
    dropped: int = 0

    def add(self, form: Format, count: int, columns: tuple[Any, ...]) -> None:
        """One call by `count` threads, in the order of their lanes.

        Each column holds a value a thread, or one for all.
        """
        rows = zip(*map(_values, columns), strict=False) if columns else repeat(())
        for _, row in zip(range(count), rows, strict=False):
            if self.dropped or self.size >= self.most:
                self.dropped += 1
                continue
            text = form.filled(iter(row))
            self.size += len(text)
            self.parts.append(text)

    def checkpoint(self) -> tuple[int, int, int]:
        """Return how much there is, for `rollback`."""
        return len(self.parts), self.size, self.dropped

    def rollback(self, checkpoint: tuple[int, int, int]) -> None:
        """Forget what was printed since `checkpoint`."""
        parts, self.size, self.dropped = checkpoint
        del self.parts[parts:]

    def flush(self, write: Callable[[str], object] | None = None) -> None:
        """Write it to `sys.stdout`, and say how much is missing; then begin anew."""
        if not self.parts:
            return
        text = "".join(self.parts)
        if self.dropped:
            end = "" if text.endswith("\n") else "\n"
            calls = "call" if self.dropped == 1 else "calls"
            text += f"{end}[printf: cut after {self.size:,} characters; "
            text += f"{self.dropped:,} more {calls} printed nothing]\n"
        (write or sys.stdout.write)(text)
        self.parts, self.size, self.dropped = [], 0, 0


def _values(column: Any) -> Any:
    """Python's numbers of a column; one that all lanes share comes for ever."""
    values = np.asarray(column).tolist()
    return values if isinstance(values, list) else repeat(values)
