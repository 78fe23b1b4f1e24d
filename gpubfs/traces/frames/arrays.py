"""The part of a frame that shows arrays: the status array, the queues and how full they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.text import Text

from gpubfs.traces.frames.lanes import shown
from gpubfs.traces.frames.palette import CHANGED, TOUCHED, WEAK, cut, of_level, rule, styled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpubfs.traces.frames.scene import Scene
    from simulator.plan import SharedArray
    from simulator.trace import Array

#: Cells before the elements.
LABEL = 12
#: How many elements decide on the width of all, and the most lines of an array.
LOOKED_AT, MOST = 2048, 8
#: What stands before elements that the warp reads and writes.
MARKS = {None: " ", False: "›", True: "*"}
#: The status array's name, and those of the graph's own arrays, which never change.
STATUS, CSR = "level", ("offsets", "neighbours")


@dataclass(frozen=True)
class Strip:
    """One array as it is drawn.

    `start` is its address; `fill` how many of its elements are a queue's, if it is a queue;
    `grows` says that it is being filled; `block` whose shared memory it is in, -1 for global
    memory.
    """

    name: str
    values: NDArray[Any]
    written: NDArray[np.bool_]
    start: int
    fill: int | None
    grows: bool = False
    block: int = -1


def arrays(scene: Scene, width: int, height: int) -> list[Text]:
    """A heading and the arrays: the status array first, then those that matter most now.

    Each has a line, and more where there is room.
    """
    touched = _touched(scene)
    strips = sorted(_shown(scene, touched), key=lambda strip: _order(strip, touched))
    single = [strip for strip in strips if strip.values.size == 1]
    strips = [strip for strip in strips if strip.values.size != 1]
    room = max(height - 1 - bool(single), 0)
    spare = room - len(strips)
    lines = []
    for strip in strips[:room]:
        drawn = _drawn(strip, touched, width, 1 + max(spare, 0))
        spare -= len(drawn) - 1
        lines += drawn
    lines += [_in_one_line(single, touched, width)] if single else []
    left = len(strips) - room
    return [rule("memory", width, f"and {left} more" if left > 0 else ""), *lines][:height]


def wanted(scene: Scene, width: int, most: int = MOST) -> int:
    """How many lines show all arrays, each in at most so many."""
    touched = _touched(scene)
    strips = _shown(scene, touched)
    rows = [len(_drawn(s, touched, width, most)) for s in strips if s.values.size != 1]
    return 1 + sum(rows) + any(strip.values.size == 1 for strip in strips)


def _shown(scene: Scene, touched: dict[int, bool]) -> list[Strip]:
    """All arrays but the graph's own, which never change, where they are not read now."""
    return [s for s in _strips(scene) if s.name not in CSR or _accessed(s, touched)]


def _in_one_line(strips: list[Strip], touched: dict[int, bool], width: int) -> Text:
    """Arrays of one element."""
    line = Text()
    for strip in strips:
        mark = _marks(strip, touched).get(0)
        style = "" if mark is None else CHANGED if mark else TOUCHED
        line.append(strip.name, "bold" if strip.block < 0 else "italic")
        line.append(MARKS[mark], "bold")
        line.append(_element(strip, 0), style).append("   ")
    return cut(line, width)


def _touched(scene: Scene) -> dict[int, bool]:
    """The bytes that the warp accesses in this step, and whether it writes there."""
    found: dict[int, bool] = {}
    for access in scene.accesses:
        for address in np.unique(access.addresses).tolist():
            for byte in range(address, address + access.site.size):
                found[byte] = found.get(byte, False) or access.site.kind != "load"
    return found


def _order(strip: Strip, touched: dict[int, bool]) -> tuple[bool, ...]:
    """The status array first, then queues and what is accessed, the graph after them."""
    queue = strip.fill is not None
    accessed = _accessed(strip, touched)
    return strip.name != STATUS, not (queue or accessed), strip.name in CSR, not accessed


def _accessed(strip: Strip, touched: dict[int, bool]) -> bool:
    end = strip.start + max(strip.values.nbytes, 1)
    return any(strip.start <= byte < end for byte in touched)


def _strips(scene: Scene) -> list[Strip]:
    cursor, launch = scene.cursor, scene.launch
    result = []
    for array in launch.arrays:
        if array.dtype.fields is None:
            values, written = cursor.contents(array)
            fill, grows = _fill(scene, array)
            result.append(Strip(array.name, values, written, array.address, fill, grows))
    wave = launch.waves[scene.step.wave]
    for shared in launch.shared:
        if shared.dtype.fields is None:
            values, written = cursor.shared(shared, scene.slot)
            start = wave.shared_start + scene.slot * wave.shared_pitch
            start += wave.shared_offset(shared.offset)
            fill = _shared_fill(scene, shared)
            result.append(Strip(shared.name, values, written, start, fill, True, scene.block))
    return result


def _fill(scene: Scene, array: Array) -> tuple[int | None, bool]:
    """How many vertices a queue has, what its kernel calls `queue_size`, and whether it grows."""
    names = (f"{array.name}_size", "size" if array.name == "queue" else "")
    for name in names:
        if name in scene.launch.scalars:
            return int(scene.launch.scalars[name]), False
        for other in scene.launch.arrays:
            if other.name == name:
                return int(scene.cursor.contents(other)[0][0]), True
    return None, False


def _shared_fill(scene: Scene, array: SharedArray) -> int | None:
    """The same of a queue in shared memory: in `size`, if it is the block's only one."""
    if array.length is not None or "queue" not in array.name:
        return None
    for other in scene.launch.shared:
        if other.name in ("size", f"{array.name}_size"):
            values, written = scene.cursor.shared(other, scene.slot)
            return int(values[0]) if written[0] else 0
    return None


def _drawn(strip: Strip, touched: dict[int, bool], width: int, most: int) -> list[Text]:
    """Name, elements, in at most so many lines, and how full it is."""
    end = styled(_fullness(strip), WEAK)
    room = width - LABEL - end.cell_len
    accessed = _marks(strip, touched)
    rows = _cells(strip, accessed, room, most)
    result = []
    for number, cells in enumerate(rows):
        name = "" if number else _named(strip)
        line = styled(f"{name:<{LABEL - 1}}", "bold" if strip.block < 0 else "italic")
        line.append_text(cells)
        if not number:
            line.append(" " * max(room - cells.cell_len, 0)).append(" ").append_text(end)
        result.append(cut(line, width))
    return result


def _marks(strip: Strip, touched: dict[int, bool]) -> dict[int, bool]:
    """The elements that are accessed, and whether they are written."""
    found: dict[int, bool] = {}
    for byte, writes in touched.items():
        at = (byte - strip.start) // strip.values.dtype.itemsize
        if 0 <= at < strip.values.size:
            found[at] = found.get(at, False) or writes
    return found


def _named(strip: Strip) -> str:
    return strip.name if len(strip.name) < LABEL - 1 else f"{strip.name[: LABEL - 3]}…"


def _fullness(strip: Strip) -> str:
    if strip.fill is None or strip.values.size == 1:
        return f"{strip.values.size:,}" if strip.values.size > 1 else ""
    return f"{strip.fill:,} of {strip.values.size:,}"


def _cells(strip: Strip, accessed: dict[int, bool], room: int, most: int) -> list[Text]:
    """As many elements as have room in `most` lines, around those that are accessed."""
    size = strip.values.size
    used = size if strip.fill is None else max(strip.fill, max(accessed, default=-1) + 1)
    used = min(used, size)
    wide = 1 + max((len(_element(strip, at)) for at in range(min(used, LOOKED_AT))), default=1)
    each = max((room - 8) // wide, 1)
    rows = max(1, min(most, -(-used // each)))
    first = _first(strip, accessed, used, rows * each)
    result = []
    for begin in range(first, max(used, first + 1), each)[:rows]:
        line = styled(f"[{begin}]…" if begin and begin == first else "", WEAK)
        for at in range(begin, min(begin + each, used)):
            text, mark = _element(strip, at), MARKS[accessed.get(at)]
            style = _style(strip, at, accessed)
            line.append(mark, "bold").append(text, style).append(" " * (wide - 1 - len(text)))
        result.append(line)
    if strip.fill is not None and first + rows * each >= used and strip.values.size > 1:
        result[-1].append(" │", WEAK)
    return result


def _first(strip: Strip, accessed: dict[int, bool], used: int, count: int) -> int:
    """The first of `count` elements that are shown."""
    if accessed and max(accessed) >= count:
        return max(0, min(min(accessed) - count // 4, strip.values.size - count))
    return max(used - count, 0) if strip.grows and not accessed else 0


def _element(strip: Strip, at: int) -> str:
    if not strip.written[at]:
        return "?"
    value = strip.values[at]
    return "·" if strip.name == STATUS and value < 0 else shown(value)


def _style(strip: Strip, at: int, accessed: dict[int, bool]) -> str:
    if at in accessed:
        return CHANGED if accessed[at] else TOUCHED
    if not strip.written[at]:
        return WEAK
    return of_level(int(strip.values[at])) if strip.name == STATUS else ""
