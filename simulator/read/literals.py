"""Numbers and characters of the source as typed constants, by C++'s rules."""

from __future__ import annotations

import re

from simulator.ir import tree
from simulator.ir.constants import rounded
from simulator.ir.types import CHAR, DOUBLE, FLOAT, INT, LLONG, LONG, UINT, ULLONG, ULONG, Scalar
from simulator.source import CompileError, Span

_INTEGER = re.compile(
    r"(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<binary>[01]+)|(?P<octal>0[0-7]*)|(?P<decimal>[1-9][0-9]*))"
    r"(?P<suffix>[uU](?:l|L|ll|LL)?|(?:ll|LL|l|L)[uU]?|)"
)
_FLOAT = re.compile(
    r"(?P<hex>0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?[0-9]+)(?P<hex_suffix>[fFlL]?)"
    r"|(?P<decimal>(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?)(?P<suffix>[fFlL]?)"
)
#: Between digits C++14 takes `'`, for the reader.
_SEPARATOR = re.compile(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])")
_BASES = {"hex": 16, "binary": 2, "octal": 8, "decimal": 10}
_ESCAPES = {
    "n": 10,
    "t": 9,
    "r": 13,
    "0": 0,
    "a": 7,
    "b": 8,
    "f": 12,
    "v": 11,
    "\\": 92,
    "'": 39,
    '"': 34,
    "?": 63,
}


def number(text: str, span: Span) -> tree.Literal:
    """Return the constant that `text` writes.

    Examples
    --------
    >>> from simulator.source import Source
    >>> span = Span(Source("0xffffffff"), 1, 1, 1, 11)
    >>> for text in ("0xffffffff", "4294967295", "1e3f"):
    ...     print(number(text, span).type)
    unsigned int
    long
    float
    """
    plain = _SEPARATOR.sub("", text)
    if match := _INTEGER.fullmatch(plain):
        return _integer(match, text, span)
    if match := _FLOAT.fullmatch(plain):
        return _float(match, span)
    raise CompileError(f"`{text}` is not a number", span, _meant(text))


def _meant(text: str) -> str:
    """Return what a number that is none was meant to be."""
    if re.fullmatch(r"0[0-9]+", text):
        return f"a 0 in front makes it octal, with the digits 0 to 7: write `{text.lstrip('0')}`"
    if match := re.fullmatch(r"([0-9]+)[fF]", text):
        return f"a float has a point: write `{match[1]}.0f`"
    if re.fullmatch(r"[0-9]+(_[0-9]+)+", text):
        return f"write `{text.replace('_', '')}`"
    if match := re.fullmatch(r"([0-9]+)([A-Za-z_]\w*)", text):
        return f"for a product, write `{match[1]} * {match[2]}`"
    return "a number has one point" if text.count(".") > 1 else ""


def _integer(match: re.Match[str], text: str, span: Span) -> tree.Literal:
    base = next(name for name in _BASES if match[name])
    if len(match[base]) > 100:
        raise CompileError("this number is too large for every integer type", span)
    value = int(match[base], _BASES[base])
    for ctype in _candidates(match["suffix"].lower(), base == "decimal"):
        if value < 2 ** (8 * ctype.size - ctype.is_signed):
            return tree.Literal(value, span=span, type=ctype)
    hint = "the largest integer is 18446744073709551615, `ULLONG_MAX`"
    raise CompileError(f"`{text}` is too large for every integer type", span, hint)


def _candidates(suffix: str, decimal: bool) -> tuple[Scalar, ...]:
    """Return the types that C++ tries for a suffix, in order; decimals are unsigned only with u."""
    signed, unsigned = {
        "": ((INT, LONG), (UINT, ULONG)),
        "l": ((LONG,), (ULONG,)),
        "ll": ((LLONG,), (ULLONG,)),
    }[suffix.replace("u", "")]
    if "u" in suffix:
        return unsigned
    if decimal:
        return signed
    return tuple(ctype for pair in zip(signed, unsigned, strict=True) for ctype in pair)


def _float(match: re.Match[str], span: Span) -> tree.Literal:
    try:
        value = float.fromhex(match["hex"]) if match["hex"] else float(match["decimal"])
    except (OverflowError, ValueError):
        raise CompileError("this is not a floating-point number", span) from None
    single = "f" in (match["hex_suffix"] or match["suffix"] or "").lower()
    return tree.Literal(
        rounded(value) if single else value, span=span, type=FLOAT if single else DOUBLE
    )


def character(text: str, span: Span) -> tree.Literal:
    """Return the char that `text`, with its quotes, writes."""
    body = text[1:-1]
    if len(body) == 1:
        value = ord(body)
    elif match := re.fullmatch(r"\\x([0-9a-fA-F]{1,2})", body):
        value = int(match[1], 16)
    elif match := re.fullmatch(r"\\([0-7]{1,3})", body):
        value = int(match[1], 8)
    elif len(body) == 2 and body[0] == "\\" and body[1] in _ESCAPES:
        value = _ESCAPES[body[1]]
    else:
        hint = "single quotes hold one character"
        raise CompileError(f"{text} is not one character", span, hint)
    if value > 255 or (body[0] != "\\" and value > 127):
        raise CompileError(f"{text} does not fit a char", span)
    return tree.Literal(value - 256 if value > 127 else value, span=span, type=CHAR)


_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_ESCAPE = re.compile(r"\\(?:x(?P<hex>[0-9a-fA-F]+)|(?P<octal>[0-7]{1,3})|(?P<other>.))")


def string(text: str, span: Span) -> str:
    r"""Return the characters that `text` writes: one or several literals, with their quotes.

    Examples
    --------
    >>> from simulator.source import Source
    >>> text = r'"one\n" "\x41\102"'
    >>> string(text, Span(Source(text), 1, 1, 1, 19))
    'one\nAB'
    """

    def character_of(match: re.Match[str]) -> str:
        code = _code(match)
        if code is None or code > 255:
            raise CompileError(f"`{match[0]}` in a string is no character", span)
        return chr(code)

    return "".join(_ESCAPE.sub(character_of, part[1]) for part in _STRING.finditer(text))


def _code(match: re.Match[str]) -> int | None:
    if match["other"]:
        return _ESCAPES.get(match["other"])
    return int(match["hex"], 16) if match["hex"] else int(match["octal"], 8)
