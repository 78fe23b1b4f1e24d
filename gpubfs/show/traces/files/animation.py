"""Several steps as one picture in SVG that shows one after another."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gpubfs.show.traces.files.picture import svg
from gpubfs.show.traces.files.styled import HEIGHT, WIDTH, seen
from gpubfs.show.traces.steppable import Steppable

#: Seconds for which a step is shown.
SECONDS = 1.2


def animation(
    show: Steppable,
    steps: Sequence[int],
    seconds: float = SECONDS,
    width: int = WIDTH,
    height: int = HEIGHT,
) -> str:
    """Draw steps as a picture that moves, the same every time; at rest it shows the first.

    Parameters
    ----------
    show : Steppable
        What is stepped through.
    steps : sequence of int
        Which steps, at least one.
    seconds : float
        For how long each is shown.
    width, height : int
        Characters of a line and most lines.

    Returns
    -------
    str
        The picture, on light paper. Who asks their system for less motion sees the first step.
    """
    frames = [svg(show, at, width, height) for at in steps]
    whole, share = seconds * len(frames), 100 / len(frames)
    view = frames[0].partition("viewBox=")[2].split('"')[1]
    moving = "".join(
        f"<g class='step' style='animation-delay:{number * seconds:.2f}s'>{frame}</g>\n"
        for number, frame in enumerate(frames[1:], 1)
    )
    change = f"0% {{ visibility: visible; }} {share:.4f}% {{ visibility: hidden; }}"
    return (
        f'<svg viewBox="{view}" xmlns="http://www.w3.org/2000/svg" role="img">\n'
        f"<title>{escape(seen(show.title))}</title>\n"
        f"<style>.step {{ visibility: hidden; animation: step {whole:.2f}s step-end infinite; }}\n"
        f"@keyframes step {{ {change} }}\n"
        "@media (prefers-reduced-motion: reduce) { .step { animation: none; } }</style>\n"
        f"{frames[0]}\n{moving}</svg>\n"
    )
