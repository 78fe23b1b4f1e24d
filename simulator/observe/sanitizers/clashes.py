"""Which accesses of two threads clash if nothing orders them.

Plain accesses clash as soon as one of them writes. Volatile accesses are plain ones that do take
place: they clash like these, with each other, too. They do not if they are a message:

* the reader polls, that is, what it finds decides whether a loop goes on that only memory can end;
* or the write is released: its thread has passed a fence since it last accessed the location. Then
  who looks may find it sooner or later. It must not find it too late: a volatile read clashes with
  a released write after all if its thread has already waited for something that the writer did
  later, without a fence between the two.

The reader of a message is a volatile read or an atomic that does not build on what it finds: an
exchange, a compare-and-swap, or one that adds 0. What others add may be lost in a volatile write.

Atomics and volatile accesses are indivisible among each other only if they touch the same bytes,
and atomics of a block only within it.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulator.ir.events import Site
from simulator.observe.sanitizers.rows import LOOK, READ, TELL, UPDATE, WRITE

#: A block, and a place in it.
Thread = tuple[int, int]

RACE, HARMLESS = "race", "harmless"

_READING = {READ, LOOK}
_WRITING = {WRITE, TELL}
_PLAIN = {READ, WRITE}


@dataclass(frozen=True)
class Event:
    """One access of one grain of memory, whose number among all is `bit`.

    `first` is the first grain of the access; `value` is what was stored here; `released` says for
    whom a volatile write stands behind a fence: "", "block" or "grid".
    """

    site: Site
    thread: Thread
    kind: int
    value: int
    first: int
    released: str = ""
    bit: int = 0

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two events of one grain the same for all that follows, but for their order."""
        return self.thread, self.kind, self.value, self.site.id, self.first, self.released


def clash(one: Event, other: Event, overtaken: bool) -> str:
    """RACE, HARMLESS or nothing, for two accesses of different threads that nothing orders.

    `overtaken` if one of them looks although its thread has waited for what the thread of the
    other did later.
    """
    kinds = {one.kind, other.kind}
    if kinds <= _READING:
        return ""
    if kinds <= _WRITING:
        return HARMLESS if one.value == other.value else RACE
    if kinds & _PLAIN or divided(one, other):
        return RACE
    if TELL not in kinds:
        return ""
    tell, reader = (one, other) if one.kind == TELL else (other, one)
    return "" if _is_message(tell, reader, overtaken) else RACE


def divided(one: Event, other: Event) -> bool:
    """Whether two accesses are not indivisible for each other: other bytes, or another scope."""
    if (one.first, one.site.size) != (other.first, other.site.size):
        return True
    return one.thread[0] != other.thread[0] and "block" in (one.site.scope, other.site.scope)


def _is_message(tell: Event, reader: Event, overtaken: bool) -> bool:
    if reader.kind == UPDATE and reader.site.combines:
        return False
    near = tell.released == "block" and tell.thread[0] == reader.thread[0]
    return reader.site.polls or ((near or tell.released == "grid") and not overtaken)
