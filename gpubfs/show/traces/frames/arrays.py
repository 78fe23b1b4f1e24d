"""The part of a frame that shows arrays: the status array, the queues and how full they are."""

from __future__ import annotations

import numpy as np
from rich.text import Text

from gpubfs.machines.unwritten import UNKNOWN, unwritten
from gpubfs.show.traces.frames.accessed import Strip, strips_of
from gpubfs.show.traces.frames.lanes import shown
from gpubfs.show.traces.frames.palette import CHANGED, TOUCHED, WEAK, cut, of_level, rule, styled
from gpubfs.show.traces.frames.scene import Scene

#: Cells before the elements.
LABEL = 12
#: How many elements decide on the width of all, and the most lines of an array.
LOOKED_AT, MOST = 2048, 8
#: What stands before elements that the warp reads, it writes, and other warps write.
MARKS = {False: "›", True: "*", None: "+"}
#: The status array's name, and those of the graph's own arrays, which never change.
STATUS, CSR = "level", ("offsets", "neighbours")


def arrays(scene: Scene, width: int, height: int) -> list[Text]:
    """Return a heading and the arrays: the status array first, then those that matter most now.

    Each has a line, and more where there is room.
    """
    touched = touched_bytes(scene)
    strips = sorted(shown_strips(scene, touched), key=lambda strip: order_of(strip, touched))
    single = _singles(scene, [s for s in strips if s.values.size == 1], touched, width)
    strips = [strip for strip in strips if strip.values.size != 1]
    room = max(height - 1 - len(single), 0)
    spare = room - len(strips)
    lines = []
    for strip in strips[:room]:
        drawn = _drawn(strip, touched, width, 1 + max(spare, 0))
        spare -= len(drawn) - 1
        lines += drawn
    lines += single
    left = len(strips) - room
    return [rule("memory", width, f"and {left} more" if left > 0 else ""), *lines][:height]


def wanted(scene: Scene, width: int, most: int = MOST) -> int:
    """How many lines show all arrays, each in at most so many."""
    touched = touched_bytes(scene)
    strips = shown_strips(scene, touched)
    rows = [len(_drawn(s, touched, width, most)) for s in strips if s.values.size != 1]
    return 1 + sum(rows) + bool(scene.launch.scalars or any(s.values.size == 1 for s in strips))


def shown_strips(scene: Scene, touched: dict[int, bool | None]) -> list[Strip]:
    """All arrays but the graph's own, which never change, where they are not read now."""
    return [s for s in strips_of(scene) if s.name not in CSR or _accessed(s, touched)]


def _singles(
    scene: Scene, strips: list[Strip], touched: dict[int, bool | None], width: int
) -> list[Text]:
    """Return a line for arrays of one element, and for the kernel's parameters that are numbers."""
    line = Text()
    for strip in strips:
        line.append(strip.name, "bold" if strip.block < 0 else "italic")
        marks = marks_of(strip, touched)
        line.append(mark_of(marks, 0), "bold")
        line.append(element(strip, 0), touch_of(marks, 0)).append("  ")
    for name, value in scene.launch.scalars.items():
        line.append(f"{name} {shown(value)}  ", WEAK)
    line.rstrip()
    return [cut(line, width)] if line.plain else []


def touched_bytes(scene: Scene) -> dict[int, bool | None]:
    """Return the bytes that a step touches: True where the warp wrote, False read, None others."""
    found: dict[int, bool | None] = {}
    if sum(content.size for _, content in scene.step.written) <= LOOKED_AT:
        for addresses, content in scene.step.written:
            every = addresses[:, None] + np.arange(content.shape[1])
            found |= dict.fromkeys(every.reshape(-1).tolist())
    for access in scene.accesses:
        for address in np.unique(access.addresses).tolist():
            for byte in range(address, address + access.site.size):
                found[byte] = bool(found.get(byte)) or access.site.kind != "load"
    return found


def mark_of(marks: dict[int, bool | None], at: int) -> str:
    """Return what stands before an element; a blank if nothing touches it."""
    return MARKS[marks[at]] if at in marks else " "


def touch_of(marks: dict[int, bool | None], at: int) -> str:
    """Return how a touched element looks; empty if it is not, or by other warps only."""
    how = marks.get(at)
    return "" if how is None else CHANGED if how else TOUCHED


def order_of(strip: Strip, touched: dict[int, bool | None]) -> tuple[bool, int, bool]:
    """Order arrays: the status array, queues, then what is accessed; of these the graph last."""
    rank = 0 if strip.queue else 1 if _accessed(strip, touched) else 2
    return strip.name != STATUS, rank, strip.name in CSR


def _accessed(strip: Strip, touched: dict[int, bool | None]) -> bool:
    end = strip.start + max(strip.values.nbytes, 1)
    return any(strip.start <= byte < end for byte in touched)


def _drawn(strip: Strip, touched: dict[int, bool | None], width: int, most: int) -> list[Text]:
    """Name, elements, in at most so many lines, and how full it is."""
    end = styled(fullness(strip), WEAK)
    room = width - LABEL - end.cell_len
    result = []
    for number, cells in enumerate(_cells(strip, touched, room, most)):
        name = "" if number else _named(strip)
        line = styled(f"{name:<{LABEL - 1}}", "bold" if strip.block < 0 else "italic")
        line.append_text(cells)
        if not number:
            line.append(" " * max(room - cells.cell_len, 0)).append(" ").append_text(end)
        result.append(cut(line, width))
    return result


def marks_of(strip: Strip, touched: dict[int, bool | None]) -> dict[int, bool | None]:
    """Return the elements that are touched, and how."""
    found: dict[int, bool | None] = {}
    size = strip.values.dtype.itemsize
    for byte, how in touched.items():
        at = (byte - strip.start) // size
        if 0 <= at < strip.values.size:
            found[at] = _both(found[at], how) if at in found else how
    return found


def _both(one: bool | None, other: bool | None) -> bool | None:
    """How bytes of one element are touched: what the warp does counts more than what others do."""
    if one is None or other is None:
        return other if one is None else one
    return one or other


def _named(strip: Strip) -> str:
    """Return the name, shortened in front of the number of a part."""
    room, (name, slash, part) = LABEL - 2, strip.name.partition("/")
    if len(strip.name) > room:
        name = f"{name[: room - 1 - len(slash + part)]}…"
    return name + slash + part


def fullness(strip: Strip) -> str:
    """Return how many elements there are, and of a queue how many of them it has now."""
    if strip.fill is None or strip.values.size == 1:
        return f"{strip.values.size:,}" if strip.values.size > 1 else ""
    return f"{strip.fill:,} of {strip.values.size:,}"


def _cells(strip: Strip, touched: dict[int, bool | None], room: int, most: int) -> list[Text]:
    """As many elements as have room in `most` lines, around those that are accessed."""
    size, marks = strip.values.size, marks_of(strip, touched)
    accessed = [at for at, how in marks.items() if how is not None]
    used = size if strip.fill is None else max(strip.fill, max(accessed, default=-1) + 1)
    used = min(used, size)
    wide = 1 + _widest(strip, min(used, LOOKED_AT))
    each = max((room - 8) // wide, 1)
    rows = max(1, min(most, -(-used // each)))
    first = first_shown(strip, accessed, used, rows * each)
    result = []
    for begin in range(first, max(used, first + 1), each)[:rows]:
        line = styled(f"[{begin}]…" if begin and begin == first else "", WEAK)
        for at in range(begin, min(begin + each, used)):
            text = element(strip, at)
            line.append(mark_of(marks, at), "bold")
            line.append(text, touch_of(marks, at) or style_of(strip, at))
            line.append(" " * (wide - 1 - len(text)))
        result.append(line)
    if strip.fill is not None and first + rows * each >= used and strip.values.size > 1:
        result[-1].append(" │", WEAK)
    return result


def _widest(strip: Strip, count: int) -> int:
    """Return how many cells the longest of the first elements takes."""
    values = strip.values[:count]
    if values.dtype.kind not in "iu":
        return max((len(element(strip, at)) for at in range(count)), default=1)
    known = values[strip.written[:count] & ~unwritten(values)]  # all others take one cell
    if strip.name == STATUS:
        known = known[known >= 0]
    return max(len(str(known.min())), len(str(known.max()))) if known.size else 1


def first_shown(strip: Strip, accessed: list[int], used: int, count: int) -> int:
    """Return the first of `count` elements that are shown."""
    if accessed and max(accessed) >= count:
        return max(0, min(min(accessed) - count // 4, strip.values.size - count))
    return max(used - count, 0) if strip.grows and not accessed else 0


def element(strip: Strip, at: int) -> str:
    """Return an element as it is shown."""
    if not strip.written[at]:
        return UNKNOWN
    value = strip.values[at]
    return "·" if strip.name == STATUS and value < 0 else shown(value)


def style_of(strip: Strip, at: int) -> str:
    """Return the style of an element that the warp does not touch."""
    if not strip.written[at]:
        return WEAK
    return of_level(int(strip.values[at])) if strip.name == STATUS else ""
