"""Lines of frames, cut into runs of one style: what pages, pictures and text files write."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text

#: Characters and lines of a frame, where nothing else is asked for.
WIDTH, HEIGHT = 100, 40

#: What has no picture, or would turn a line around or break it; stand-ins for broken bytes, too.
_UNSEEN = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)

#: Characters that every monospaced font has in its own width, or else a single other one.
_PIECE = re.compile("([\t -~\xa0-\xff–—…─-╬▀▄█▌▐░▒▓■□▲●○←-↓]+)|.")


class Run(NamedTuple):
    """Text of one style.

    Attributes
    ----------
    text : str
        One or more characters.
    style : rich.style.Style
        The style of all of them.
    cells : int
        How many cells a single character fills that a font may lack, so that another font, with
        characters of another width, stands in; 0 for text without such characters.
    """

    text: str
    style: Style
    cells: int


def runs(line: Text) -> Iterator[Run]:
    """Yield the runs of a line, from left to right; what cannot be shown is U+FFFD.

    Examples
    --------
    >>> [(run.text, run.cells) for run in runs(Text("a ↳ b"))]
    [('a ', 0), ('↳', 1), (' b', 0)]
    """
    whole = Text.assemble(line, end="")  # which makes the line's own style one of its parts
    for text, style, _ in whole.render(_styles()):
        for piece in _PIECE.finditer(seen(text)):
            cells = 0 if piece[1] else cell_len(piece[0])
            yield Run(piece[0], style or Style.null(), cells)


def plain(line: Text) -> str:
    """Return a line without its styles.

    >>> plain(Text("two words", style="bold"))
    'two words'
    """
    return "".join(run.text for run in runs(line))


def seen(text: str) -> str:
    r"""Return the text with U+FFFD for every character that cannot be shown.

    >>> seen("tab\t, bell \a")
    'tab\t, bell �'
    """
    return _UNSEEN.sub("\ufffd", text)


def step_of(at: int, count: int) -> str:
    """Which step it is; for people, steps are numbered from 1.

    >>> step_of(2, 10)
    'step 3 of 10'
    """
    return f"step {at + 1} of {count}"


@cache
def _styles() -> Console:
    """Return a console that knows what styles are called and writes nowhere."""
    return Console(file=io.StringIO(), force_jupyter=False)
