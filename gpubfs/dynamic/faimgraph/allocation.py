"""faimGraph's one allocation as the host drives it: regions, temporaries, the manager's words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from gpubfs.dynamic.dynamic_graph import Memory
from gpubfs.dynamic.faimgraph.image import Image
from gpubfs.dynamic.faimgraph.layout import ERRORS, LINE, MANAGER, NONE, Layout, aligned
from gpubfs.dynamic.operation import Effect
from gpubfs.errors import UsageError
from gpubfs.host import DeviceArray, Host

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Allocation:
    """The allocation, and what the host knows of it.

    Parameters
    ----------
    host : Host
        With the structure's kernels.
    layout : Layout
        Where everything lies.
    vertices : int
        How many there are at first.

    Attributes
    ----------
    memory : int32 device array
        All of it.
    state : dict of str to int
        The words of the manager, as the host last read them.
    """

    def __init__(self, host: Host, layout: Layout, vertices: int) -> None:
        self.host = host
        self.layout = layout
        self.memory = host.empty("memory", layout.words)
        self._temporaries_end = 0
        host.write(self.memory[:LINE], 0)
        host.write(self.memory[layout.page_queue_at : layout.vertices_at], NONE)
        at = MANAGER["next_vertex"]
        host.write(self.memory[at : at + 1], vertices)
        self.state = dict.fromkeys(MANAGER, 0) | {"next_vertex": vertices}

    def part(self, name: str) -> DeviceArray:
        """Return the allocation from where a region begins, pages from where page 0 does."""
        layout = self.layout
        begins = {
            "manager": 0,
            "page_queue": layout.page_queue_at,
            "vertex_queue": layout.vertex_queue_at,
            "vertices": layout.vertices_at,
            "pages": layout.page_at(0),
        }
        return self.memory[begins[name] :]

    @property
    def page_limit(self) -> int:
        """How many pages there can be beside vertices and temporaries."""
        vertices = self.layout.vertices_end(self.state["next_vertex"])
        return self.layout.page_limit(max(self._temporaries_end, vertices))

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What kernels that change the graph get of it first."""
        queue = self.part("page_queue"), self.layout.page_slots
        return (
            self.part("manager"),
            *queue,
            self.part("vertices"),
            self.part("pages"),
            self.page_limit,
        )

    @property
    def vertex_queue(self) -> tuple[Any, ...]:
        """What those get, too, that take vertices or give them back."""
        return self.part("vertex_queue"), self.layout.vertex_slots

    @contextmanager
    def temporaries(
        self, what: str, *parts: NDArray[np.int32], room_for: int = 0
    ) -> Iterator[list[DeviceArray]]:
        """Have copies of host arrays behind the last vertex, as long as the context lasts.

        Parameters
        ----------
        what : str
            What they are, for messages.
        *parts : int32 arrays
            The arrays.
        room_for : int
            How many vertices may come to be meanwhile.

        Yields
        ------
        list of int32 device arrays
            One for each.

        Raises
        ------
        UsageError
            If they would reach into the pages.
        """
        begin = aligned(self.layout.vertices_end(self.state["next_vertex"] + room_for))
        starts = np.cumsum([begin, *(aligned(len(part)) for part in parts)]).tolist()
        self._check_room(what, begin, starts[-1])
        places = [
            self.memory[start : start + len(part)]
            for start, part in zip(starts, parts, strict=False)
        ]
        for place, part in zip(places, parts, strict=True):
            if len(part):
                self.host.copy_to(place, np.ascontiguousarray(part))
        self._temporaries_end = starts[-1]
        try:
            yield places
        finally:
            self._temporaries_end = 0

    def _check_room(self, what: str, begin: int, end: int) -> None:
        pages = self.layout.page_at(self.state["next_page"] - 1)
        if end > pages:
            raise UsageError(
                f"memory is exhausted: {what} of {4 * (end - begin):,} bytes would reach into the "
                f"pages, which leave {4 * max(pages - begin, 0):,}; no update took effect",
                "give more memory=BYTES, or smaller batches",
            )

    def effect(self, attempts: int = 0) -> Effect:
        """Read the manager: what a batch did, and what it took; then begin to count anew.

        Parameters
        ----------
        attempts : int
            How many locks were taken, beside those that were tried in vain.
        """
        before = self.state["next_page"] - self.state["free_pages"]
        now = self.read_manager()
        at = MANAGER["applied"]
        self.host.write(self.memory[at : at + 4], 0)
        more = now["next_page"] - now["free_pages"] - before
        facts = {"lock_attempts": attempts + now["retries"]} if attempts else {}
        facts |= {"pages_taken": max(more, 0), "pages_freed": max(-more, 0)}
        return Effect(now["applied"], now["unchanged"], now["no_room"], facts)

    def read_manager(self) -> dict[str, int]:
        """Read the manager, which the host waits for."""
        words = self.host.read(self.memory[:LINE])
        self.state = {name: int(words[at]) for name, at in MANAGER.items()}
        return self.state

    def image(self, mode: str) -> Image:
        """Return a copy of the allocation as far as it is used."""
        layout, state = self.layout, self.state
        front = self.memory[: layout.vertices_end(state["next_vertex"])]
        back = self.memory[layout.words - state["next_page"] * layout.page_words :]
        return Image(layout, mode, self.host.read(front), self.host.read(back))

    @property
    def errors(self) -> tuple[str, ...]:
        """What the error word has said so far: names of `ERRORS`."""
        return tuple(name for name, bit in ERRORS.items() if self.state["errors"] & bit)

    def regions(self) -> Memory:
        """Return the bytes of each region, and how many pages are used and free."""
        layout, state = self.layout, self.state
        taken, end = state["next_page"], layout.vertices_end(state["next_vertex"])
        words = {
            "manager": LINE,
            "page_queue": layout.page_slots,
            "vertex_queue": layout.vertex_slots,
            "vertices": end - layout.vertices_at,
            "pages": taken * layout.page_words,
        }
        words["free"] = layout.words - sum(words.values())
        used = taken - state["free_pages"]
        free = layout.page_limit(end) - used
        return Memory({name: 4 * size for name, size in words.items()}, used, free)
