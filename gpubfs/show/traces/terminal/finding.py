"""Finding steps: by a line, a level, a warp, their number, or by text of the source."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gpubfs.show.traces.steppable import Steppable
    from simulator.observe.trace import TracedLaunch, TracedStep
    from simulator.source import Source

#: What is asked for where nothing has been typed.
WHAT = "type text of the source, a line, level 2, warp 1 or step 12"

_NUMBERED = re.compile(r"(step|level|line|warp|#|:)?\s*(\d+)")


class Found(NamedTuple):
    """A step and perhaps a warp to follow, or what there is to say."""

    to: int | None = None
    message: str = ""
    warp: int | None = None


class Finder:
    """Finds steps of one trace, or of two beside each other.

    Parameters
    ----------
    show : Steppable
        What is stepped through.
    """

    def __init__(self, show: Steppable) -> None:
        self.show = show
        self.tracks = [
            ([(launch, step) for launch in traced.launches for step in launch.steps], steps)
            for traced, steps in show.tracks
        ]

    def find(self, query: str, at: int, way: int = 1) -> Found:
        """Return the next step on a way that is what is asked for, from the other end after this.

        Parameters
        ----------
        query : str
            A line's number, or one with a word such as `level 2`; or text of the source.
        at : int
            Where to begin.
        way : int
            1 for onward, -1 for back.
        """
        text = query.strip().lower()
        if not text:
            return Found(message=WHAT)
        match = _NUMBERED.fullmatch(text)
        if match is None:
            return self._next(at, way, self._shows(text), f"no step shows “{query.strip()}”")
        kind, number = match[1], int(match[2])
        if kind == "level":
            to = next((n for n, level in enumerate(self.show.levels) if level == number), None)
            return Found(to, "" if to is not None else f"the trace has no level {number}")
        if kind in ("step", "#"):
            inside = 1 <= number <= len(self.show)
            return Found(number - 1) if inside else Found(message=f"there is no step {number}")
        if kind == "warp":
            return self._warp(at, way, number)
        return self.line(at, number, way)

    def line(self, at: int, line: int, way: int = 1, source: Source | None = None) -> Found:
        """Return the next step at a line, of any source or of one."""

        def is_there(launch: TracedLaunch, step: TracedStep) -> bool:
            focus = step.focus
            return focus.line == line and source in (None, focus.source)

        return self._next(at, way, is_there, f"no step is at line {line}")

    def _warp(self, at: int, way: int, warp: int) -> Found:
        def takes_part(launch: TracedLaunch, step: TracedStep) -> bool:
            part = launch.part(step, warp)
            return bool(part.start < part.stop)

        message = f"warp {warp} takes part in no step"
        found = self._next(at - way, way, takes_part, message)
        return found if found.to is None else Found(found.to, warp=warp)

    def _shows(self, text: str) -> Callable[[TracedLaunch, TracedStep], bool]:
        """Return whether a statement, its line, its memory operations or its kernel have a text."""
        known: dict[int, bool] = {}

        def shows(launch: TracedLaunch, step: TracedStep) -> bool:
            if id(step.block) not in known:
                line = step.focus.source.line(step.focus.line)
                asked = [f"{o.site.kind} {o.site.array}" for o in step.block.operands]
                whole = "\n".join([step.span.text, line, *asked]).lower()
                known[id(step.block)] = text in whole
            return known[id(step.block)] or text in launch.kernel.lower()

        return shows

    def _next(
        self,
        at: int,
        way: int,
        holds: Callable[[TracedLaunch, TracedStep], bool],
        message: str,
    ) -> Found:
        count = len(self.show)
        for by in range(1, count + 1):
            to = (at + way * by) % count
            if any(holds(*own[steps[to]]) for own, steps in self.tracks):
                return Found(to)
        return Found(message=message)


def differences_in_words(found: Sequence[tuple[str, int | None]]) -> str:
    """Return where two traces differ first, in each respect."""
    return ", ".join(
        f"{what}: {'no step' if at is None else f'step {at + 1:,}'}" for what, at in found
    )
