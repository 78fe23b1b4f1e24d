"""What a student reads in the frames of a trace: the plain text of a terminal of 80 by 24."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from gpubfs.show.traces import Trace

WIDTH, HEIGHT = 80, 24
#: What reads steps on pages, where that is asked for, instead of frames of text.
READER: Any = None
#: Cells of a line that name what stands behind them.
LABEL = 11


@dataclass(frozen=True)
class Frame:
    """One frame: the number of its step, from 0, and its lines."""

    at: int
    lines: tuple[str, ...]

    def row(self, name: str) -> str:
        """What stands behind a name, the spaces in it one cell wide each."""
        fitting = {name, f"{name[: LABEL - 1]}…", f"{name[: LABEL - 2]}…"}
        for line in self.lines:
            if line[:LABEL].strip() in fitting:
                return " ".join(line[LABEL:].split())
        raise AssertionError(f"no line for {name} in\n" + "\n".join(self.lines))

    def single(self, name: str) -> str:
        """An array of one element, with a star before it if it is written now."""
        found = self._found(rf"^(?:.*  )?{name}([ *›])(\S+)(?:  |$)")
        return found[0].strip() + found[1]

    def queue(self, name: str) -> tuple[list[int], str]:
        """The vertices of a queue, and how full it is."""
        vertices, fill = self.row(name).split("│")
        return numbers(vertices), fill.strip()

    @property
    def lanes(self) -> str:
        """A shape for each lane of the warp: at work, masked, returned."""
        after = next(b for a, b in pairwise(self.lines) if re.match(r"lane +0", a))
        return after.replace(" ", "")

    @property
    def warp(self) -> str:
        """Which warp it is, and what it does."""
        return self._found(r"^── (block \d+, warp \d+: .*?) ─")[0]

    @property
    def warps(self) -> str:
        """A shape for each of several warps."""
        return self._found(r"^── block .*─ warps (\S+)$")[0]

    @property
    def asked(self) -> list[str]:
        """What is asked of memory: the kind and the array."""
        return self._all(r"^── ((?:load|store|atomic) \S+) ─")

    @property
    def requests(self) -> list[str]:
        """How many requests and sectors that is."""
        return self._all(r"^── (?:load|store|atomic) .*─ (.*)$")

    @property
    def elements(self) -> str:
        """Which lanes go to which element, and what they find or store there."""
        found = self._found(r"^lane→element  (.*?)(?: … \d+ more.*)?$")[0]
        return " ".join(found.split())

    @property
    def served(self) -> list[str]:
        """Who is served by an atomic, in which order."""
        return self._all(r"^(\S+\[\d+\] ← .*)$")

    @property
    def edges(self) -> list[str]:
        """The edges whose ends the warp loads now."""
        return re.findall(r"\d+→\d+", self._found(r"^── graph: .*─(.*)$")[0])

    def level(self, number: int) -> str:
        """The vertices of a level, as far as they have been found."""
        return self._found(rf"^[▶ ] level {number} +(.*)$")[0]

    def _all(self, pattern: str) -> list[str]:
        return re.findall(pattern, "\n".join(self.lines), re.MULTILINE)

    def _found(self, pattern: str) -> tuple[str, ...]:
        found = re.search(pattern, "\n".join(self.lines), re.MULTILINE)
        assert found, f"nothing fits {pattern} in\n" + "\n".join(self.lines)
        return found.groups()


def numbers(row: str) -> list[int]:
    """The numbers in a row."""
    return [int(number) for number in re.findall(r"-?\d+", row)]


def frame(trace: Trace, at: int, warp: int | None = None) -> Frame:
    """The frame of a step, as the first warp that takes part sees it, or a certain one."""
    if READER is not None:
        return READER.frame(trace, at, warp)
    words = whichever = "following whichever warp is at work"
    for _ in range(0 if warp is None else warp + 1):
        words = trace.next_warp()
    assert words in (whichever, f"following warp {warp}"), words
    lines = tuple(line.plain.rstrip() for line in trace.frame(at, WIDTH, HEIGHT))
    while words != whichever:
        words = trace.next_warp()
    return Frame(at, lines)


def steps(
    trace: Trace, level: int, text: str = "", *, kernel: str = "", warp: int | None = None
) -> Iterator[int]:
    """The steps of a level that execute what begins with this text of the source."""
    for at in range(len(trace)):
        if trace.levels[at] == level and trace.step(at).span.text.startswith(text):
            scene = trace.scene(at)
            took_part = warp is None or warp in scene.launch.warps_of(scene.step)
            if took_part and kernel in ("", scene.launch.kernel):
                yield at


def frames(
    trace: Trace,
    level: int,
    text: str = "",
    *,
    kernel: str = "",
    warp: int | None = None,
    shows: str = "",
) -> list[Frame]:
    """Their frames; where a statement takes several steps, those with a line that begins so."""
    found = [frame(trace, at, warp) for at in steps(trace, level, text, kernel=kernel, warp=warp)]
    begins = re.compile(rf"(?:── )?{re.escape(shows)}(?: |$)")
    return [f for f in found if not shows or any(map(begins.match, f.lines))]
