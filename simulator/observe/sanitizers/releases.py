"""Volatile writes as messages: which are behind a fence, and who has waited for what came later."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from simulator.ir.events import BasicBlock, Site
from simulator.observe.sanitizers.clashes import Event, Thread
from simulator.observe.sanitizers.knowledge import Knowledge
from simulator.observe.sanitizers.rows import TELL, kind_of

Fences = tuple[int, int]


def any_tells(blocks: Iterable[BasicBlock]) -> bool:
    """Whether a kernel writes anything as volatile."""
    return any(kind_of(o.site) == TELL for block in blocks for o in block.operands)


class Releases:
    """Follows what threads have waited for, and since when each has passed no fence.

    Parameters
    ----------
    padded : int
        Threads of a block, padded to whole warps.

    Attributes
    ----------
    followed : Knowledge
        The events that must have happened by what threads have waited for, fences or not.
    """

    def __init__(self, padded: int) -> None:
        self.followed = Knowledge(padded)
        self._touched: dict[tuple[Thread, int], Fences] = {}
        self._trails: dict[int, int] = defaultdict(int)

    def released(self, event: Event, where: int, fences: Fences) -> str:
        """For whom a volatile write is released; its thread has passed so many fences."""
        gridwide, near = self._touched.get((event.thread, where), (0, 0))
        self._touched[event.thread, where] = fences
        if event.kind != TELL or fences[1] == near:
            return ""
        return "grid" if fences[0] > gridwide else "block"

    def follow(self, site: Site, thread: Thread, where: int) -> int:
        """A thread looks at a location: what it had followed before that."""
        before = self.followed.of(*thread)
        if site.polls:
            self.followed.learn(*thread, self._trails.get(where, 0))
        return before

    def lead(self, thread: Thread, where: int, known: int) -> None:
        """A thread writes what others may wait for; it knows of some events besides."""
        self._trails[where] |= self.followed.of(*thread) | known
