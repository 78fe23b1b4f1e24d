"""The pane of the warp: a grid of lanes with their values, the other warps, and who waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from gpubfs.show.traces.frames.accessed import AccessedArrays, Computed, computed
from gpubfs.show.traces.frames.lanes import at_work, idle, shown, warps
from gpubfs.show.traces.frames.palette import HERE, LANES, TOUCHED, WEAK, WORDS, styled
from gpubfs.show.traces.terminal.panes.flow import flow, words
from gpubfs.show.traces.terminal.panes.moment import Content, Moment, clickable
from simulator.observe.counters.counters import SECTOR

if TYPE_CHECKING:
    from gpubfs.show.traces.frames.scene import Scene
    from simulator.observe.trace import Access

#: Of more warps only the first have a shape.
MOST_WARPS = 256


def warp(moment: Moment, width: int, height: int) -> Content:
    """Return the grid of lanes, idle lanes, the lane that is chosen, and the other warps."""
    scene = moment.scene
    lane = min(moment.lane, scene.lanes.size - 1)
    lines = grid(scene, lane, width)
    for state, text in idle(scene):
        mark = styled(f"{LANES[state].shape} ", LANES[state].style)
        lines += words(mark.append(text), width, 2)
    lines += words(styled(described(scene, lane), WEAK), width, 2)
    lines += _others(scene, width)
    return Content(lines, at_work(scene), range(len(lines[:1])))


def grid(scene: Scene, chosen: int, width: int) -> list[Text]:
    """Return the lanes in rows: their numbers, what they do, and a row for each value.

    A value's name stands at the left of its row, or above the grid if it is long.
    """
    found = computed(scene)
    names = [value.name for value in found]
    label = max(map(len, ["lane", *names])) + 1
    lines = []
    if label > max(width // 4, 6):
        label = 5
        lines = words(styled("computes ", WEAK).append(" · ".join(names), "bold"), width, 2)
        names = [""] * len(names)
    texts = [_by_lane(value) for value in found]
    count = scene.lanes.size
    wide = _wide(texts, count)
    if wide * count > width - label:
        texts = [_in_letters(own) for own in texts]
        wide = _wide(texts, count)
    each = _each(count, max((width - label) // wide, 1))
    for first in range(0, count, each):
        row = range(first, min(first + each, count))
        lines += _row(scene, row, chosen, label, wide)
        lines += [
            styled(f"{name:<{label}}", "bold").append_text(_cells(own, row, wide))
            for name, own in zip(names, texts, strict=True)
            if any(lane in own for lane in row)
        ]
    return lines


def _wide(texts: list[dict[int, str]], count: int) -> int:
    """Return the cells of a lane: for its number or its longest value, and a blank."""
    return 1 + max(len(str(count - 1)), *(len(t) for own in texts for t in own.values()), 1)


def _in_letters(texts: dict[int, str]) -> dict[int, str]:
    """Return y and n for yes and no, where there is nothing else."""
    if set(texts.values()) <= {"yes", "no"}:
        return {lane: text[0] for lane, text in texts.items()}
    return texts


def _each(count: int, room: int) -> int:
    """How many lanes are in a row: all, or a multiple of 8 if there is room for it.

    >>> _each(32, 40), _each(32, 20), _each(32, 6), _each(2, 1)
    (32, 16, 6, 1)
    """
    if count <= room:
        return count
    return max(room // 8 * 8, min(room, 8), 1)


def _by_lane(value: Computed) -> dict[int, str]:
    return {int(n): shown(v) for n, v in zip(value.lanes, value.values, strict=True)}


def _row(scene: Scene, row: range, chosen: int, label: int, wide: int) -> list[Text]:
    """Return the numbers of lanes, which can be clicked, and below each what it does."""
    numbers = styled(f"{'lane':<{label}}", WEAK)
    shapes = Text(" " * label)
    for lane in row:
        look = LANES[int(scene.lanes[lane])]
        number = Text(str(lane), TOUCHED if lane == chosen else WEAK)
        number.stylize(clickable("lane", lane))
        numbers.append_text(number).append(" " * (wide - len(number)))
        shapes.append(look.shape, look.style).append(" " * (wide - 1))
    return [numbers, shapes]


def _cells(texts: dict[int, str], row: range, wide: int) -> Text:
    return Text("".join(f"{texts.get(lane, ''):<{wide}}" for lane in row).rstrip())


def described(scene: Scene, lane: int) -> str:
    """Return all that is known of a lane, in a sentence."""
    parts = [f"lane {lane}: {WORDS[int(scene.lanes[lane])]}"]
    for value in computed(scene):
        if lane in value.lanes:
            parts.append(f"{value.name} is {_by_lane(value)[lane]}")
    for access in scene.accesses:
        if lane in access.lanes:
            parts.append(_asked(scene, access, int(np.flatnonzero(access.lanes == lane)[0])))
    return "; ".join(parts)


def _asked(scene: Scene, access: Access, index: int) -> str:
    """Return what one lane asks of memory."""
    arrays, address = AccessedArrays(scene, access), int(access.addresses[index])
    extent = arrays.found[address]
    values = access.stored if access.stored is not None else access.found
    verb = "leaves" if access.stored is not None else "finds"
    value = "" if values is None else f", {verb} {shown(values[index])}"
    where = "shared memory" if access.shared else f"sector {address // SECTOR}"
    return f"{access.site.kind} {extent.name}[{extent.element(address)}], {where}{value}"


def _others(scene: Scene, width: int) -> list[Text]:
    """Return a shape for each warp of the wave, where there are several; this one is marked."""
    states = warps(scene)
    if states.size < 2:
        return []
    parts = [styled("warps ", WEAK)]
    for number, state in enumerate(states[:MOST_WARPS].tolist()):
        look = LANES[state]
        parts.append(styled(look.shape, TOUCHED if number == scene.warp else look.style))
    if states.size > MOST_WARPS:
        parts.append(styled(f" and {states.size - MOST_WARPS:,} more", WEAK))
    parts.append(styled(f"  this is warp {scene.warp}", HERE))
    return flow(parts, width, 6)
