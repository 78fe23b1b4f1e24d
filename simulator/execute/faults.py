"""A fault as a person reads it.

Which thread, which array and index, where in the source, which lanes were active.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

import numpy as np

from simulator.compile.kernel import CompiledKernel
from simulator.compile.writer import Origin
from simulator.execute.arithmetic import LaneError
from simulator.execute.geometry import Gang
from simulator.plan import BasicBlock, Site
from simulator.source import Fault

_VERBS = {"load": "reads", "store": "writes", "atomic": "updates"}
_NO_DYNAMIC = "The launch decides its size: pass shared_mem=BYTES."
_USUAL = (
    "Usually a missing bounds check: compare the index with the array's length before using it."
)


def explain(problem: Exception, kernel: CompiledKernel, gang: Gang) -> Fault | None:
    """The fault behind an exception of generated code.

    None if the exception is of another making.
    """
    found = _generated_frame(problem.__traceback__, kernel)
    if found is None:
        return None
    origin, names = found
    lanes = names.get(origin.lanes, gang.lanes())
    if isinstance(problem, LaneError):
        return _undefined(problem, origin, names, lanes, kernel, gang)
    if isinstance(problem, IndexError) and origin.site is not None:
        return _out_of_bounds(origin, names, lanes, kernel, gang)
    return None


def interrupted(
    problem: Exception, kernel: CompiledKernel
) -> tuple[list[tuple[Any, ...]], list[BasicBlock]] | None:
    """What the basic block in which an exception arose had done before, as a log of its own.

    With the blocks of the plan and, as the last, the part of that block. None if it had done
    nothing.
    """
    found = _generated_frame(problem.__traceback__, kernel)
    if found is None or found[0].site is None:
        return None
    origin, names = found
    for block in kernel.plan.blocks:
        sites = [o.site for o in block.operands]
        if origin.site in sites and (done := sites.index(origin.site)):
            known = kernel.function.__globals__
            values = [eval(code, known, names) for code in block.codes[:done]]
            number = len(kernel.plan.blocks)
            part = BasicBlock(number, 0, block.operands[:done])
            return [(number, names[block.lanes], *values)], [*kernel.plan.blocks, part]
    return None


def _generated_frame(
    trace: TracebackType | None, kernel: CompiledKernel
) -> tuple[Origin, dict[str, Any]] | None:
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == kernel.filename:
            origin = kernel.origins.get(trace.tb_lineno)
            if origin is not None:
                return origin, trace.tb_frame.f_locals
        trace = trace.tb_next
    return None


def _out_of_bounds(
    origin: Origin, names: dict[str, Any], lanes: Any, kernel: CompiledKernel, gang: Gang
) -> Fault:
    site = origin.site
    assert site is not None
    length = int(names[site.view].shape[-1])
    index = names[origin.index] if origin.index in names else int(origin.index)
    every = np.broadcast_to(np.asarray(index, np.int64), lanes.shape)
    signed = np.where((every >= 1 << 31) & (every < 1 << 32), every - (1 << 32), every)
    bad = (signed < 0) | (signed >= length)
    first = int(np.argmax(bad))
    shift = _shift(site, names, kernel)
    what = f"{_VERBS[site.kind]} {site.array}[{int(signed[first]) - shift}], but {site.array} "
    if shift:
        what += f"is a slice whose array goes from {-shift} to {length - shift - 1}"
    else:
        what += f"has {length} element{'s' if length != 1 else ''}"
    usual = _USUAL if length or site.space != "shared" else _NO_DYNAMIC
    return _fault(what, usual, int(lanes[first]), lanes, origin, kernel, gang)


def _shift(site: Site, names: dict[str, Any], kernel: CompiledKernel) -> int:
    """How many elements before the array that was passed its allocation begins."""
    if site.view not in kernel.bases:
        return 0
    place, _ = kernel.bases[site.view]
    return int(names["arguments"][place].shift)


def _undefined(
    problem: LaneError,
    origin: Origin,
    names: dict[str, Any],
    lanes: Any,
    kernel: CompiledKernel,
    gang: Gang,
) -> Fault:
    bad = np.broadcast_to(True if problem.bad is None else problem.bad, lanes.shape)
    first = int(np.argmax(bad))
    what = problem.what
    if origin.site is not None and origin.index in names and origin.site.space == "generic":
        address = np.broadcast_to(names[origin.index], lanes.shape)
        what = f"{_VERBS[origin.site.kind]} address {int(address[first]):#x}: {what}"
    return _fault(what, problem.hint, int(lanes[first]), lanes, origin, kernel, gang)


def _fault(
    what: str,
    usual: str,
    lane: int,
    lanes: Any,
    origin: Origin,
    kernel: CompiledKernel,
    gang: Gang,
) -> Fault:
    block, thread = gang.thread(lane)
    warp = lane // gang.warp_size
    active = set((lanes[lanes // gang.warp_size == warp] % gang.warp_size).tolist())
    row = "".join("#" if place in active else "." for place in range(gang.warp_size))
    who = f"kernel {kernel.name}, block {block}, thread {thread}, lane {lane % gang.warp_size}"
    separator = " " if what.split()[0] in _VERBS.values() else ": "
    return Fault(
        f"{who}{separator}{what}", origin.span, f"active lanes of the warp: {row}\n{usual}"
    )
