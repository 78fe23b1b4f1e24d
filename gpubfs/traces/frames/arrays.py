"""The part of a frame that shows arrays: the status array, the queues and how full they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from gpubfs.traces.frames.lanes import shown
from gpubfs.traces.frames.palette import CHANGED, TOUCHED, WEAK, cut, of_level, rule, styled
from gpubfs.traces.frames.strips import Strip, strips_of

if TYPE_CHECKING:
    from gpubfs.traces.frames.scene import Scene

#: Cells before the elements.
LABEL = 12
#: How many elements decide on the width of all, and the most lines of an array.
LOOKED_AT, MOST = 2048, 8
#: What stands before elements that the warp reads and writes.
MARKS = {None: " ", False: "›", True: "*"}
#: The status array's name, and those of the graph's own arrays, which never change.
STATUS, CSR = "level", ("offsets", "neighbours")


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
    return [s for s in strips_of(scene) if s.name not in CSR or _accessed(s, touched)]


def _in_one_line(strips: list[Strip], touched: dict[int, bool], width: int) -> Text:
    """Arrays of one element."""
    line = Text()
    for strip in strips:
        style = CHANGED if touched.get(strip.start) else TOUCHED if strip.start in touched else ""
        line.append(strip.name, "bold" if strip.block < 0 else "italic")
        line.append(MARKS[touched.get(strip.start)], "bold")
        line.append(_element(strip, 0), style).append("   ")
    return cut(line, width)


def _touched(scene: Scene) -> dict[int, bool]:
    """The addresses that the warp accesses in this step, and whether it writes there."""
    found: dict[int, bool] = {}
    for access in scene.accesses:
        for address in access.addresses.tolist():
            found[address] = found.get(address, False) or access.site.kind != "load"
    return found


def _order(strip: Strip, touched: dict[int, bool]) -> tuple[bool, ...]:
    """The status array first, then queues and what is accessed, the graph after them."""
    accessed = _accessed(strip, touched)
    empty = not strip.fill
    return (
        strip.name != STATUS,
        not (strip.queue or accessed),
        strip.name in CSR,
        not accessed and empty,
        not accessed,
    )


def _accessed(strip: Strip, touched: dict[int, bool]) -> bool:
    span = range(strip.start, strip.start + max(strip.values.nbytes, 1))
    return any(address in span for address in touched)


def _drawn(strip: Strip, touched: dict[int, bool], width: int, most: int) -> list[Text]:
    """Name, elements, in at most so many lines, and how full it is."""
    end = styled(_fullness(strip), WEAK)
    room = width - LABEL - end.cell_len
    size = strip.values.dtype.itemsize
    accessed = {(a - strip.start) // size: w for a, w in touched.items() if a >= strip.start}
    accessed = {at: w for at, w in accessed.items() if at < strip.values.size}
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


def _named(strip: Strip) -> str:
    """The name, shortened in front of the number of a part."""
    room, (name, slash, part) = LABEL - 2, strip.name.partition("/")
    if len(strip.name) > room:
        name = f"{name[: room - 1 - len(slash + part)]}…"
    return name + slash + part


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
