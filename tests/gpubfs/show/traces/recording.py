"""What is recorded of every technique on the toy graph; run it to write the files anew.

A file has a line for each step: its number, its level, its place, what the lanes of the warp that
is shown do, and a checksum of the whole frame at 80 by 24 without colour. Below stand the frames
with which levels begin, whole.

    python -m tests.gpubfs.show.traces.recording
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import gpubfs
from gpubfs.show.traces import Trace
from gpubfs.show.traces.frames.palette import LANES

FOLDER = Path(__file__).parent / "recorded"
WIDTH, HEIGHT = 80, 24

#: Few threads; those that also launch a block of 1,024 are shown as its first warp sees them.
SMALL: dict[str, Any] = {"block": 4}
QUEUES: dict[str, Any] = {"block": 4, "blocks": 2}
SCANS: dict[str, Any] = {"block": 2, "blocks": 1, "alpha": 0.26}
PASSES: dict[str, Any] = {**SCANS, "width": 1}

#: Every technique and its variants, with the options that make them small, and the warp followed.
RECORDED: dict[str, tuple[str, dict[str, Any], int | None]] = {
    "status-array": ("status-array", SMALL, None),
    "scan-free": ("scan-free", SMALL, None),
    "scan-free-wide": ("scan-free", {**SMALL, "width": 2}, None),
    "single-scan": ("single-scan", {**SMALL, "width": 1}, None),
    "single-scan-prefix-sum": ("single-scan", {**SMALL, "enqueue": "prefix-sum"}, None),
    "block-prefix-sum": ("block-prefix-sum", {**SMALL, "edges_per_thread": 2}, None),
    "hierarchical-queue": ("hierarchical-queue", {**SMALL, "width": 1, "capacity": 4}, None),
    "edge-frontier": ("edge-frontier", {**SMALL, "enqueue": "atomic", "fused": 0}, None),
    "edge-frontier-prefix-sum": ("edge-frontier", {**SMALL, "fused": 0}, None),
    "edge-frontier-fused": ("edge-frontier", SMALL, None),
    "central-queue": ("central-queue", QUEUES, None),
    "central-queue-persistent": ("central-queue", {**QUEUES, "loop": "persistent"}, None),
    "dfq-global": ("dfq-global", {**QUEUES, "capacity": 4}, None),
    "dfq-shared": ("dfq-shared", {**QUEUES, "capacity": 4}, None),
    "double-scan": ("double-scan", SCANS, 0),
    "strided-scan": ("strided-scan", SCANS, 0),
    "no-queue": ("no-queue", SCANS, 0),
    "thread-per-vertex": ("thread-per-vertex", SMALL, None),
    "virtual-warp": ("virtual-warp", {**SMALL, "width": 2}, None),
    "warp-shuffle": ("warp-shuffle", {**SMALL, "width": 2}, None),
    "scan-based": ("scan-based", {**SMALL, "items": 2}, None),
    "supports": ("supports", {**SMALL, "supports": "warp+block"}, None),
    "supports-queues": ("supports", {**SMALL, "supports": "queues", "queue_threshold": 2}, None),
    "binary-search": ("binary-search", {**SMALL, "shared_items": 16}, None),
    "binary-search-ordered": ("binary-search", {**SMALL, "prefix": "ordered"}, None),
    "cta-warp-scan": ("cta-warp-scan", SMALL, None),
    "classified-deferred": ("classified-deferred", {**SMALL, "edges_per_thread": 1}, None),
    "classified-immediate": ("classified-immediate", {**SMALL, "edges_per_thread": 1}, None),
    "dynamic-parallelism": ("dynamic-parallelism", {**SMALL, "threshold": 2}, None),
    "enterprise": ("enterprise", {**SMALL, "blocks": 1, "hubs": 4}, 0),
    "virtual-split": ("virtual-split", {**SMALL, "degree_bound": 2}, None),
    "bottom-up": ("bottom-up", PASSES, 0),
    "bottom-up-async": ("bottom-up-async", PASSES, 0),
    "bottom-up-thread": ("bottom-up-thread", PASSES, 0),
    "bottom-up-warp": ("bottom-up-warp", PASSES, 0),
    "bottom-up-donate": ("bottom-up-donate", PASSES, 0),
    "direction-optimizing": ("direction-optimizing", PASSES, 0),
    "xbfs": ("xbfs", {"block": 2, "blocks": 1, "alpha": 0.26}, 0),
    "host-loop": ("host-loop", {**SMALL, "width": 2}, None),
    "device-loop": ("device-loop", {**SMALL, "width": 2}, None),
    "persistent": ("persistent", {**QUEUES, "width": 2}, None),
    "hierarchical-kernels": ("hierarchical-kernels", {**QUEUES, "width": 2, "capacity": 2}, None),
    "best": ("best", {"block": 4, "stages": "block-bytemap"}, None),
    "best-grid": ("best", {**QUEUES, "stages": "grid"}, None),
    "best-cluster": ("best", {"block": 4, "stages": "cluster+grid", "ranks": 2, "row": 4}, None),
}


def traced(name: str) -> Trace:
    """The trace of one of RECORDED, following the warp that is to be followed."""
    technique, options, warp = RECORDED[name]
    trace = gpubfs.trace(technique, "toy", 0, device="toy2", **options)
    if warp is not None:
        for _ in range(warp + 1):
            trace.next_warp()
    return trace


def text(trace: Trace, at: int) -> str:
    """A frame as it is on a terminal without colour."""
    lines = (line.plain.rstrip() for line in trace.frame(at, WIDTH, HEIGHT))
    return "".join(f"{line}\n" for line in lines)


def steps(trace: Trace) -> list[int]:
    """The steps on the way from the first to the last."""
    way = [0]
    while trace.onward(way[-1]) != way[-1]:
        way.append(trace.onward(way[-1]))
    return way


def line(trace: Trace, at: int) -> str:
    """One step in a line."""
    scene = trace.scene(at)
    place = f"{Path(scene.focus.source.name).name}:{scene.focus.line}"
    lanes = "".join(LANES[int(state)].shape for state in scene.lanes)
    frame = zlib.crc32(text(trace, at).encode())
    warp = f"{scene.block}.{scene.warp_in_block}"
    return f"{at + 1:5} level {scene.position.level} {place:<24} warp {warp:<4} {lanes} {frame:08x}"


def recording(name: str) -> str:
    """What the file of one of RECORDED holds."""
    trace = traced(name)
    way = steps(trace)
    begins = [
        at for n, at in enumerate(way) if not n or trace.levels[at] > trace.levels[way[n - 1]]
    ]
    frames = [f"\nstep {at + 1}\n{text(trace, at)}" for at in begins]
    return "".join(f"{line(trace, at)}\n" for at in way) + "".join(frames)


def main() -> None:
    """Write all files."""
    for name in RECORDED:
        (FOLDER / f"{name}.txt").write_text(recording(name), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
