"""The part of a frame that shows what memory sees: lanes, addresses, sectors, and who waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from gpubfs.traces.frames.lanes import numbers, shown
from gpubfs.traces.frames.palette import CHANGED, TOUCHED, WEAK, cut, rule, styled
from gpubfs.traces.frames.strips import holder
from simulator.count.counters import SECTOR

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpubfs.traces.frames.scene import Scene
    from simulator.trace import Access


def memory(scene: Scene, width: int, height: int) -> list[Text]:
    """A heading for each memory operation of the warp, and below it what it touches."""
    found = scene.accesses
    result: list[Text] = []
    for number, access in enumerate(found):
        room = (height - len(result)) // (len(found) - number)
        if room < 1:
            break
        result += _access(scene, access, width, room)
    return result


def _access(scene: Scene, access: Access, width: int, height: int) -> list[Text]:
    name, start = _array(scene, access)
    result = [rule(f"{access.site.kind} {name}", width, _figures(access))]
    if access.site.kind == "atomic":
        rows = [_served(access, name, start, at, lanes) for at, lanes in access.groups()]
        rows.sort(key=len, reverse=True)
    else:
        rows = [_arrows(access, start), *_tiles(access, start, width)]
    return _fitting(result, rows, width, height)


def _fitting(head: list[Text], rows: list[Text], width: int, height: int) -> list[Text]:
    room = height - len(head)
    if len(rows) > room and room > 0:
        more = len(rows) - room
        end = styled(f" … {more} more line{'' if more == 1 else 's'}", WEAK)
        last = cut(rows[room - 1], width - end.cell_len).copy().append_text(end)
        rows = [*rows[: room - 1], last]
    return [cut(row, width) for row in [*head, *rows[: max(room, 0)]]]


def _figures(access: Access) -> str:
    if access.shared:
        extra = f", {access.conflicts} bank conflicts" if access.conflicts else ""
        return f"shared memory, 1 request{extra}"
    plural = "" if access.sectors == 1 else "s"
    extra = ": one lane does it for all" if access.merged and access.lanes.size > 1 else ""
    return f"1 request, {access.sectors} sector{plural}{extra}"


def _array(scene: Scene, access: Access) -> tuple[str, int]:
    """The name of what is accessed, and where its element 0 is."""
    first = int(access.addresses.min())
    found = holder(scene, first)
    if found is not None:
        return found
    return access.site.array or ("shared" if access.shared else "memory"), first


def _index(access: Access, start: int, address: int) -> int:
    return (address - start) // (access.site.stride or access.site.size or 1)


def _arrows(access: Access, start: int) -> Text:
    """Which lane goes to which element; lanes with one element together."""
    line = styled("lane→element  ", WEAK)
    verb = "=" if access.stored is not None else ":"
    values = access.stored if access.stored is not None else access.found
    for address, places in access.groups():
        line.append(f"{numbers(np.sort(access.lanes[places]))}→[{_index(access, start, address)}]")
        if values is not None:
            line.append(f"{verb}{shown(values[places[-1]])}", "bold")
        line.append("  ")
    return line


def _tiles(access: Access, start: int, width: int) -> list[Text]:
    """The sectors, a cell for each element in them: how many lanes want it."""
    size = access.site.stride or access.site.size or 1
    origin = start % SECTOR if access.shared else 0  # shared memory knows no sectors
    style = CHANGED if access.site.kind == "store" else TOUCHED
    rows, line = [], Text()
    for sector in np.unique((access.addresses - origin) // SECTOR) * SECTOR + origin:
        tile = styled(f"{_index(access, start, int(sector)):>5} ", WEAK).append("▕", WEAK)
        for byte in range(0, SECTOR, size):
            at = int(sector) + byte
            wanted = int(((access.addresses >= at) & (access.addresses < at + size)).sum())
            tile.append("·" if not wanted else str(min(wanted, 9)), style if wanted else WEAK)
        tile.append("▏", WEAK)
        if line.cell_len and line.cell_len + tile.cell_len > width:
            rows.append(line)
            line = Text()
        line.append_text(tile)
    return [*rows, line]


def _served(access: Access, name: str, start: int, address: int, lanes: NDArray[np.int64]) -> Text:
    """One address of an atomic: its lanes in the order in which they are served."""
    line = styled(f"{name}[{_index(access, start, address)}]", "bold")
    line.append(" ← ")
    for turn, place in enumerate(lanes):
        line.append(", then " if turn else "", WEAK)
        line.append(f"lane {access.lanes[place]}")
        if access.found is not None:
            line.append(f" finds {shown(access.found[place])}")
        if access.swapped is not None:
            line.append(", swaps" if access.swapped[place] else ", fails", "bold")
    return line
