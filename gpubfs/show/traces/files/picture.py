"""The picture of a step as SVG, in the colours of light paper."""

from __future__ import annotations

import io
import re
import zlib
from dataclasses import dataclass
from html import escape
from importlib import resources

from rich.color import Color, blend_rgb
from rich.color_triplet import ColorTriplet
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, TerminalTheme
from rich.text import Text

from gpubfs.show.traces.files.styled import HEIGHT, WIDTH, runs, seen
from gpubfs.show.traces.steppable import Steppable

# Colours that can be read: what a terminal's style looks like on light and on dark paper.


#: The least contrast of text and what is behind it, by the definition of WCAG 2.
CONTRAST = 4.5

#: How far dim text goes towards what is behind it.
DIM = 0.4

BLACK, WHITE = ColorTriplet(0, 0, 0), ColorTriplet(255, 255, 255)


@dataclass(frozen=True)
class Scheme:
    """Paper, and the ink of text that has no colour of its own."""

    ink: ColorTriplet
    paper: ColorTriplet


LIGHT = Scheme(ink=ColorTriplet(27, 31, 36), paper=WHITE)
DARK = Scheme(ink=ColorTriplet(225, 228, 232), paper=ColorTriplet(22, 25, 30))


def painted(style: Style, scheme: Scheme) -> tuple[ColorTriplet, ColorTriplet | None]:
    """Return the colours of text and of what is behind it; None is the paper.

    Terminals differ in their colours, and so styles are chosen for contrast with unknown ones. Here
    a colour goes towards black or white as far as it takes to be read.

    Examples
    --------
    >>> from rich.style import Style
    >>> yellow = Style.parse("bright_yellow")
    >>> [painted(yellow, scheme)[0].hex for scheme in (LIGHT, DARK)]
    ['#666600', '#ffff00']
    >>> [colour.hex for colour in painted(Style.parse("reverse"), LIGHT)]
    ['#ffffff', '#1b1f24']
    """
    own = _rgb(style.bgcolor)
    behind = own or scheme.paper
    front = readable(_rgb(style.color) or scheme.ink, behind)
    if style.dim:
        front = readable(blend_rgb(front, behind, DIM), behind)
    return (behind, front) if style.reverse else (front, own)


def readable(colour: ColorTriplet, behind: ColorTriplet) -> ColorTriplet:
    """Return the colour, or the nearest one towards black or white that can be read on `behind`."""
    goal = max(BLACK, WHITE, key=lambda end: contrast(end, behind))
    for step in range(10):
        mixed = blend_rgb(colour, goal, step / 10)
        if contrast(mixed, behind) >= CONTRAST:
            return mixed
    return goal


def contrast(one: ColorTriplet, other: ColorTriplet) -> float:
    """How much two colours differ in lightness, from 1 to 21, as WCAG 2 defines it.

    >>> round(contrast(BLACK, WHITE), 6)
    21.0
    """
    dark, light = sorted([_luminance(one), _luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: ColorTriplet) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _rgb(colour: Color | None) -> ColorTriplet | None:
    if colour is None or colour.is_default:
        return None
    return colour.get_truecolor(DEFAULT_TERMINAL_THEME)


# One step of a trace as a picture in SVG, which brings everything but the font.


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
