"""The first and the last line of a frame: where it is, and what has been counted so far."""

from __future__ import annotations

from rich.text import Text

from gpubfs.render.sheets import short
from gpubfs.show.traces.frames.palette import WEAK, cut, styled
from gpubfs.show.traces.frames.scene import Scene


def heading(scene: Scene, width: int) -> Text:
    """Return what runs, at which level and in which launch."""
    launch = scene.launch
    blocks = launch.grid[0] * launch.grid[1] * launch.grid[2]
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    line = styled(scene.title, "bold")
    if scene.graph is not None:
        line.append(f" · level {scene.position.level}")
    line.append(f" · {launch.kernel}<<<{blocks}, {threads}>>>")
    return cut(line, width)


def totals(scene: Scene, width: int) -> Text:
    """Return requests and sectors so far, divergence and the share of lanes at work."""
    found = scene.totals
    parts = [_pair(found, kind) for kind in ("load", "store", "atomic")]
    line = f"Σ {' '.join(parts)} req/sect"
    apart, branches = found.get("divergent_branches", 0), found.get("branches", 0)
    line += f" · divergent {short(apart)}/{short(branches)}"
    steps = found.get("warp_steps", 0) * scene.launch.warp_size
    if steps:
        line += f" · lanes {100 * found.get('thread_steps', 0) / steps:.0f} %"
    if found.get("shared_requests"):
        line += f" · shared {short(found['shared_requests'])} req"
    return cut(Text(line, WEAK), width)


def _pair(found: dict[str, int], kind: str) -> str:
    requests, sectors = (found.get(f"{kind}_{what}", 0) for what in ("requests", "sectors"))
    return f"{kind} {short(requests)}/{short(sectors)}"
