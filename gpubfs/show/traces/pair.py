"""Two traces side by side, always at the same level of the search."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from gpubfs.show.traces.frames.accessed import computed
from gpubfs.show.traces.frames.frame import beside, levels_now
from gpubfs.show.traces.frames.lanes import shown
from gpubfs.show.traces.frames.palette import cut
from gpubfs.show.traces.showing import Showing, own_begin
from gpubfs.show.traces.trace import LaunchTrace

if TYPE_CHECKING:
    from rich.text import Text

    from gpubfs.show.traces.frames.scene import Scene


#: In which respects two traces may differ, as the page names them.
RESPECTS = ("statement", "state of lanes", "computed values", "levels of vertices")


def _respects(scene: Scene) -> dict[str, object]:
    """Return what a step is in each respect."""
    values = [(c.name, c.lanes.tolist(), [shown(v) for v in c.values]) for c in computed(scene)]
    status = None if scene.graph is None else levels_now(scene, scene.graph)
    levels = None if status is None else status.tolist()
    return dict(
        zip(RESPECTS, (scene.focus.text, scene.lanes.tolist(), values, levels), strict=True)
    )


class Pair(Showing):
    """Two traces, of searches of one graph or of a launch each, as one.

    A step is a step of both; who is done with a level waits for the other.

    Parameters
    ----------
    left, right : LaunchTrace
        The traces.
    """

    def __init__(self, left: LaunchTrace, right: LaunchTrace) -> None:
        self.left = left
        self.right = right
        self.title = f"{left.title} beside {right.title}"
        self._pairs: list[tuple[int, int]] = []
        self.levels: list[int] = []
        for level in sorted({*left.levels, *right.levels}):
            self._add(level)

    def _add(self, level: int) -> None:
        """Add the steps of one level; a search without any stays where it is."""
        last = self._pairs[-1] if self._pairs else (0, 0)
        ways = [
            range(*(bisect_left(trace.levels, to) for to in (level, level + 1))) or [before]
            for trace, before in zip((self.left, self.right), last, strict=True)
        ]
        for at in range(max(map(len, ways))):
            a, b = (way[min(at, len(way) - 1)] for way in ways)
            self._pairs.append((a, b))
            self.levels.append(level)

    def __repr__(self) -> str:
        return f"<traces of {self.title}: {len(self):,} steps>"

    def __len__(self) -> int:
        return len(self._pairs)

    @cached_property
    def tracks(self) -> list[tuple[LaunchTrace, list[int]]]:
        """Both traces, each with the step of it at every step."""
        left, right = (list(steps) for steps in zip(*self._pairs, strict=True))
        return [(self.left, left), (self.right, right)]

    def as_dict(self) -> dict[str, Any]:
        """Both traces, and which step of the one is beside which of the other, for JSON."""
        both = {"left": self.left.as_dict(), "right": self.right.as_dict()}
        return both | {"pairs": [list(pair) for pair in self._pairs]}

    def frame(self, at: int, width: int = 160, height: int = 24) -> list[Text]:
        """Return the pictures of both, one beside the other."""
        a, b = self._pairs[at]
        half = (width - 3) // 2
        left, right = (
            self.left.frame(a, half, height),
            self.right.frame(b, width - 3 - half, height),
        )
        rows = beside(left, right, half)
        return [cut(row, width) for row in rows][:height]

    # Where the two differ.

    @cached_property
    def begin(self) -> int:
        """The first step in both kernels at which the two differ in any respect.

        If they do not differ, the first in both kernels.
        """
        own = own_begin(self.left), own_begin(self.right)
        inside = (
            at for at, pair in enumerate(self._pairs) if pair[0] >= own[0] and pair[1] >= own[1]
        )
        first = next(inside, 0)
        ways = range(first, len(self))
        return next((at for at in ways if any(self._differ(at).values())), first)

    @property
    def beginning(self) -> str:
        """Why it begins there, in words."""
        if not any(self._differ(self.begin).values()):
            return "the two kernels differ in no step"
        return f"the two kernels differ from step {self.begin + 1:,} on"

    @property
    def first_printed(self) -> int:
        """The step with which printing begins: the first at which the two differ."""
        return self.begin

    def differences(self) -> dict[str, int | None]:
        """Return in which respects the two differ, and at which step first; None for at none."""
        found: dict[str, int | None] = dict.fromkeys(RESPECTS)
        for at in range(len(self)):
            for respect, differs in self._differ(at).items():
                if differs and found[respect] is None:
                    found[respect] = at
            if None not in found.values():
                break
        return found

    def _differ(self, at: int) -> dict[str, bool]:
        """Return whether the two differ at a step, in each respect."""
        left, right = (
            _respects(trace.scene(step))
            for trace, step in zip((self.left, self.right), self._pairs[at], strict=True)
        )
        return {name: left[name] != right[name] for name in RESPECTS}

    def onward(self, at: int) -> int:
        """Return the step after `at`; the last one stays."""
        return min(at + 1, len(self) - 1)

    def back(self, at: int) -> int:
        """Return the step before `at`; the first one stays."""
        return max(at - 1, 0)

    def at_line(self, at: int, line: int) -> int | None:
        """Return the next step after `at` in which one of them is at this line, or None."""
        ways = chain(range(at + 1, len(self)), range(at + 1))
        return next((to for to in ways if line in self._lines(to)), None)

    def _lines(self, at: int) -> tuple[int, int]:
        a, b = self._pairs[at]
        return self.left.lines[a], self.right.lines[b]

    def next_warp(self) -> str:
        """Follow the next warp in both; says which, in a few words."""
        return self._both(self.left.next_warp(), self.right.next_warp())

    def follow(self, warp: int | None) -> str:
        """Follow a warp in both, or whichever is at work; says which, in a few words."""
        return self._both(self.left.follow(warp), self.right.follow(warp))

    def _both(self, *both: str) -> str:
        return both[0] if both[0] == both[1] else f"left {both[0]}, right {both[1]}"
