"""The pane of memory operations: lanes and elements, sectors, and who is served after whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from gpubfs.show.traces.frames.accessed import AccessedArrays
from gpubfs.show.traces.frames.memory import arrows, figures, served, tiles
from gpubfs.show.traces.frames.palette import WEAK, styled
from gpubfs.show.traces.terminal.panes.flow import flow, words
from gpubfs.show.traces.terminal.panes.moment import Content, Moment

if TYPE_CHECKING:
    from gpubfs.show.traces.frames.scene import Scene
    from simulator.observe.trace import Access

#: What a kind of operation looks like.
KINDS = {"load": "bold cyan", "store": "bold yellow", "atomic": "bold magenta"}


def requests(moment: Moment, width: int, height: int) -> Content:
    """Return every memory operation of the warp."""
    scene = moment.scene
    lines = [line for access in scene.accesses for line in _access(scene, access, width)]
    count = len(scene.accesses)
    note = f"{count} in this step" if count else "none"
    return Content(lines, note)


def _access(scene: Scene, access: Access, width: int) -> list[Text]:
    arrays = AccessedArrays(scene, access)
    head = styled(access.site.kind, KINDS.get(access.site.kind, "bold"))
    head.append(f" {arrays.title}", "bold").append(f"  {figures(access)}", WEAK)
    lines = words(head, width, 2)
    if access.site.kind == "atomic":
        for row in served(access, arrays):
            lines += words(row, width, 4)
        return lines
    what = "bytes    " if access.shared else "sectors  "
    lines += flow([styled(what, WEAK), *tiles(access, arrays)], width, 2)
    return lines + flow([styled("lane→element  ", WEAK), *arrows(access, arrays)], width, 2)
