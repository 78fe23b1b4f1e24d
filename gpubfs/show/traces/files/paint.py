"""Colours that can be read: what a terminal's style looks like on light and on dark paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.color import Color, blend_rgb
from rich.color_triplet import ColorTriplet
from rich.terminal_theme import DEFAULT_TERMINAL_THEME

if TYPE_CHECKING:
    from rich.style import Style

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
