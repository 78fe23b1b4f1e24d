"""Panes for terminals that have ASCII alone: a character for each that panes are made of."""

from __future__ import annotations

from rich.text import Text

from gpubfs.show.traces.terminal.panes.canvas import BRAILLE

_PAIRS = {
    **dict(zip("─│┊▏▕▌", "-|:|||", strict=True)),
    **dict(zip("■□▲·●•", "#o^..*", strict=True)),
    **dict(zip("▶›→←↑↓", ">>><^v", strict=True)),
    **dict(zip("▁▂▃▄▅▆▇█", "_.-=+*%#", strict=True)),
    **dict(zip("…×Σ━↪", "~xS=>", strict=True)),
}
_TABLE = {ord(sign): own for sign, own in _PAIRS.items()}
_TABLE |= {BRAILLE + dots: "." if dots else " " for dots in range(256)}


def in_ascii(line: Text) -> Text:
    """Return a line with a character of ASCII for each; of others a question mark.

    >>> in_ascii(Text("■ 0→1 │")).plain
    '# 0>1 |'
    """
    found = line.copy()
    text = line.plain.translate(_TABLE)
    found.plain = text.encode("ascii", "replace").decode()
    return found
