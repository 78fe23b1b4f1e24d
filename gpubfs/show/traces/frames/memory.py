"""The part of a frame that shows what memory sees: lanes, addresses, sectors, and who waits."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from gpubfs.show.traces.frames.accessed import AccessedArrays
from gpubfs.show.traces.frames.lanes import numbers, shown
from gpubfs.show.traces.frames.palette import CHANGED, TOUCHED, WEAK, cut, rule, styled
from gpubfs.show.traces.frames.scene import Scene
from simulator.observe.counters.counters import SECTOR

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.observe.trace import Access


def memory(scene: Scene, width: int, height: int) -> list[Text]:
    """Return a heading for each memory operation of the warp, and below it what it touches."""
    found = scene.accesses
    result: list[Text] = []
    for number, access in enumerate(found):
        room = (height - len(result)) // (len(found) - number)
        if room < 1:
            break
        result += _access(scene, access, width, room)
    return result


def _access(scene: Scene, access: Access, width: int, height: int) -> list[Text]:
    arrays = AccessedArrays(scene, access)
    result = [rule(f"{access.site.kind} {arrays.title}", width, figures(access))]
    if access.site.kind == "atomic":
        rows = served(access, arrays)
    else:
        rows = [_arrows(access, arrays), *_tiles(access, arrays, width)]
    return _fitting(result, rows, width, height)


def _fitting(head: list[Text], rows: list[Text], width: int, height: int) -> list[Text]:
    room = height - len(head)
    if len(rows) > room and room > 0:
        more = len(rows) - room
        end = styled(f" … {more} more line{'' if more == 1 else 's'}", WEAK)
        last = cut(rows[room - 1], width - end.cell_len).copy().append_text(end)
        rows = [*rows[: room - 1], last]
    return [cut(row, width) for row in [*head, *rows[: max(room, 0)]]]


def figures(access: Access) -> str:
    """Return how many requests and sectors an access is, or what it costs in shared memory."""
    if access.shared:
        extra = f", {access.conflicts} bank conflicts" if access.conflicts else ""
        return f"shared memory, 1 request{extra}"
    plural = "" if access.sectors == 1 else "s"
    extra = ": one lane does it for all" if access.merged and access.lanes.size > 1 else ""
    return f"1 request, {access.sectors} sector{plural}{extra}"


def _arrows(access: Access, arrays: AccessedArrays) -> Text:
    """Which lane goes to which element; lanes with one element together."""
    return styled("lane→element  ", WEAK).append_text(Text().join(arrows(access, arrays)))


def arrows(access: Access, arrays: AccessedArrays) -> list[Text]:
    """Return for each element which lanes go to it, and what they find or leave there."""
    verb = "=" if access.stored is not None else ":"
    values = access.stored if access.stored is not None else access.found
    found = []
    for address, indices in access.groups():
        part = Text(f"{numbers(np.sort(access.lanes[indices]))}→{arrays.label(address)}")
        if values is not None:
            part.append(f"{verb}{shown(values[indices[-1]])}", "bold")
        found.append(part.append("  "))
    return found


def _tiles(access: Access, arrays: AccessedArrays, width: int) -> list[Text]:
    """Return the sectors in rows, as many in each as have room."""
    rows, line = [], Text()
    for tile in tiles(access, arrays):
        if line.cell_len and line.cell_len + tile.cell_len > width:
            rows.append(line)
            line = Text()
        line.append_text(tile)
    return [*rows, line]


def tiles(access: Access, arrays: AccessedArrays) -> list[Text]:
    """Return the sectors, a cell for each element in them: how many lanes want it.

    Of a sector that an array begins in there are only the cells of the array. In shared memory,
    which has no sectors, there are as many bytes of the array together.
    """
    groups: dict[tuple[int, int], list[int]] = {}
    for address in access.addresses.tolist():
        start = arrays.found[address].start if access.shared else 0
        groups.setdefault((start, (address - start) // SECTOR), []).append(address)
    return [
        _tile(access, arrays, start + number * SECTOR, addresses)
        for (start, number), addresses in sorted(groups.items())
    ]


def _tile(access: Access, arrays: AccessedArrays, begin: int, addresses: list[int]) -> Text:
    """One sector, which begins at a byte."""
    extent = arrays.found[addresses[0]]
    size = access.site.stride or access.site.size or 1
    style = CHANGED if access.site.kind == "store" else TOUCHED
    wanted = Counter((address - extent.start) // size for address in addresses)
    first = max((begin - extent.start) // size, 0)
    label = f"{extent.name if arrays.several else ''} {first * size // extent.size}"
    tile = styled(f"{label:>5} ", WEAK).append("▕", WEAK)
    tile.append(" " * max((extent.start - begin) // size, 0))
    for at in range(first, (begin + SECTOR - 1 - extent.start) // size + 1):
        tile.append(str(min(wanted[at], 9)) if wanted[at] else "·", style if wanted[at] else WEAK)
    return tile.append("▏", WEAK)


def served(access: Access, arrays: AccessedArrays) -> list[Text]:
    """Return the addresses of an atomic, those with most lanes first, and who is served there."""
    rows = [_served(access, arrays, at, lanes) for at, lanes in access.groups()]
    return sorted(rows, key=len, reverse=True)


def _served(access: Access, arrays: AccessedArrays, address: int, lanes: NDArray[np.int64]) -> Text:
    """One address of an atomic: its lanes in the order in which they are served."""
    extent = arrays.found[address]
    line = styled(f"{extent.name}[{extent.element(address)}]", "bold")
    line.append(" ← ")
    for number, lane in enumerate(lanes):
        line.append(", then " if number else "", WEAK)
        line.append(f"lane {access.lanes[lane]}")
        if access.found is not None:
            line.append(f" finds {shown(access.found[lane])}")
        if access.swapped is not None:
            line.append(", swaps" if access.swapped[lane] else ", fails", "bold")
    return line
