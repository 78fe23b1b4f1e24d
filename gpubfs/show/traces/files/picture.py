"""One step of a trace as a picture in SVG, which brings everything but the font."""

from __future__ import annotations

import io
import re
import zlib
from html import escape
from importlib import resources

from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from gpubfs.show.traces.files.paint import LIGHT, painted
from gpubfs.show.traces.files.styled import HEIGHT, WIDTH, runs, seen
from gpubfs.show.traces.steppable import Steppable

#: What is printed has a style of its own everywhere, and so a theme's other colours are not used.
THEME = TerminalTheme(LIGHT.paper, LIGHT.ink, [LIGHT.ink] * 8)

#: The width of a character to the height of letters that rich reckons with, which is 20. In the
#: template they are 21 high, so that lines of boxes meet those of the next line.
ASPECT = 0.602 * 21 / 20

#: Where rich cuts lines off, a name for which it does not define the last one.
_CUT = re.compile(r' clip-path="[^"]*"')


def svg(show: Steppable, at: int, width: int = WIDTH, height: int = HEIGHT) -> str:
    """One step as a picture, the same every time.

    Parameters
    ----------
    show : Steppable
        What is stepped through.
    at : int
        The step.
    width, height : int
        Characters of a line and most lines of the picture.

    Returns
    -------
    str
        The picture, on light paper.
    """
    console = Console(
        record=True,
        file=io.StringIO(),
        width=width,
        height=height,
        force_jupyter=False,
        legacy_windows=False,
    )
    lines = [_line(line) for line in show.frame(at, width, height)]
    for line in lines:
        console.print(line, soft_wrap=True)
    drawn = console.export_svg(
        theme=THEME,
        code_format=_template(show.title),
        font_aspect_ratio=ASPECT,
        unique_id=f"step-{zlib.crc32(repr([show.title, *lines]).encode()):08x}",
    )
    # Quotation marks of the text are escaped: these are attributes. Other fonts have other widths.
    return _CUT.sub("", drawn).replace(
        ' textLength="', ' lengthAdjust="spacingAndGlyphs" textLength="'
    )


def _line(line: Text) -> Text:
    """Return the line in the colours of light paper, characters of other fonts by themselves."""
    return Text.assemble(*((run.text, _style(run.style)) for run in runs(line)))


def _style(style: Style) -> Style:
    front, behind = painted(style, LIGHT)
    return Style(
        color=Color.from_triplet(front),
        bgcolor=Color.from_triplet(behind) if behind else None,
        bold=style.bold,
        italic=style.italic,
        underline=style.underline,
        strike=style.strike,
    )


def _template(title: str) -> str:
    """Return what rich fills in, with all but its own names in it."""
    literal = escape(seen(title)).replace("{", "{{").replace("}", "}}")
    own = {"{title}": literal, "{ink}": LIGHT.ink.hex, "{paper}": LIGHT.paper.hex}
    text = (
        resources.files("gpubfs.show.traces.files")
        .joinpath("picture.svg")
        .read_text(encoding="utf-8")
    )
    return re.sub("|".join(own), lambda name: own[name[0]], text)
