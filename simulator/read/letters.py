r"""The letters of names: which characters C++ has in them, and how they may be written.

Names are made of the letters and digits of any alphabet (Unicode's XID_Start and XID_Continue), and
are the same if they are in the normal form NFC. C++ also writes a character as `\u00e4`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import normalize

from simulator.hints.foreign import MEANT

_WRITTEN = re.compile(r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}|.", re.DOTALL)


def is_plain(text: str) -> bool:
    """Whether a word of the lexer is a name as it stands."""
    return text.isascii() and "\\" not in text


def parts(text: str) -> Iterator[tuple[str, int, int]]:
    r"""The names in what the lexer took for one, and the characters between them.

    Each with its first and last place in `text`.

    Examples
    --------
    >>> list(parts("größe")), list(parts(r"\u00e4b"))
    ([('größe', 0, 5)], [('äb', 0, 7)])
    >>> list(parts("n×3"))
    [('n', 0, 1), ('×', 1, 2), ('3', 2, 3)]
    """
    name, start, end = "", 0, 0
    for match in _WRITTEN.finditer(text):
        character = _character(match[0])
        if _continues(character):
            start = start if name else match.start()
            name, end = name + character, match.end()
            continue
        if name:
            yield normalize("NFC", name), start, end
            name = ""
        yield match[0], match.start(), match.end()
    if name:
        yield normalize("NFC", name), start, end


def _character(written: str) -> str:
    if written[0] != "\\":
        return written
    code = int(written[2:], 16)
    return chr(code) if code < 0x110000 else "\\"


def _continues(character: str) -> bool:
    """Whether a name may have this character behind its first one."""
    return f"_{character}".isidentifier() and character not in MEANT


def escaped(text: str) -> str:
    r"""A name in ASCII, as every compiler takes it.

    Examples
    --------
    >>> print(escaped("größe"))
    gr\u00f6\u00dfe
    """
    return "".join(c if c.isascii() else _escape(ord(c)) for c in text)


def _escape(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
