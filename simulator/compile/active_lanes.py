"""Which lanes are active: regions begin and end, and lose lanes on the way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from simulator.compile.basic_blocks import close
from simulator.compile.context import Context
from simulator.compile.frames import Region, Shrink
from simulator.compile.values import Value


def enter(selection: str | None, lanes: str, context: Context) -> Region:
    """Begin a region.

    `selection` "" means the parent's lanes, under a condition that all of them share.
    """
    close(context)
    context.region = Region(lanes, context.region, selection)
    return context.region


def leave(context: Context) -> Region:
    """End the region and its guards, and go on with its parent."""
    close(context)
    unguard(context)
    region = context.region
    assert region.parent is not None
    context.region = region.parent
    return region


@contextmanager
def where(test: Value, context: Context) -> Iterator[str]:
    """What is written meanwhile is for the lanes where `test` holds.

    Gives the name of their positions among the active lanes, "" where all lanes agree on `test`.
    """
    close(context)
    outer, picked, lanes, head = context.lanes, "", context.lanes, f"if {test.code}:"
    if not test.scalar:
        picked, lanes, head = pick(test, context)
    with context.indented(head):
        enter(picked, lanes, context)
        if picked:
            context.put(f"{lanes} = {outer}[{picked}]")
        yield picked
        leave(context)
        context.put("pass")


def pick(test: Value, context: Context) -> tuple[str, str, str]:
    """Pick the lanes where `test` holds: names for their positions and for them, and the branch."""
    picked, lanes = context.fresh("pick"), context.fresh("lanes")
    context.put(f"{picked} = {test.code}.nonzero()[0]")
    return picked, lanes, f"if {picked}.size:"


def shrink(selection: str, context: Context) -> None:
    """The region goes on with the lanes that `selection` picks.

    Cached values follow as far as they are used.
    """
    region, record = context.region, Shrink(selection)
    lanes = region.lanes
    context.writer.put(
        lambda: [f"{name} = {name}[{selection}]" for name in dict.fromkeys([lanes, *record.names])]
    )
    for entry in region.cache.values():
        entry.pending.append(record)
    _others(region)


def become(lanes: str, context: Context) -> None:
    """The region goes on with other `lanes`, if there are any."""
    context.put(f"{context.lanes} = {lanes}")
    changed(context)
    guard(context)


def without_exited(context: Context) -> None:
    """Lanes that have returned do not go on here."""
    context.frame.asked = True
    become(f"{context.lanes}[~{context.frame.exited}[{context.lanes}]]", context)


def changed(context: Context) -> None:
    """The active lanes of the region are others from here on."""
    context.region.cache.clear()
    _others(context.region)


def _others(region: Region) -> None:
    region.last = None
    region.full = False
    region.shrunk = True
    region.selection = None


def guard(context: Context) -> None:
    """What follows in this region is only for iterations in which it has lanes left."""
    unguard(context)
    context.put(f"if {context.lanes}.size:")
    context.writer.indent += 1
    context.region.guarded = True


def unguard(context: Context) -> None:
    """End the region's guard, if it has one."""
    if context.region.guarded:
        context.writer.indent -= 1
        context.region.guarded = False
