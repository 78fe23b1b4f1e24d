"""A fault as a person reads it.

Which thread, which array and index, where in the source, which lanes were active.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import numpy as np

from simulator.compile.compiled import CompiledKernel, Origin
from simulator.execute.barriers import Endless, Livelock, OutOfSteps
from simulator.execute.launch_config import Budget
from simulator.execute.wave import POISON, VERBS, Wave
from simulator.ir.events import BasicBlock, EventSite
from simulator.lanes.arithmetic import LaneError
from simulator.source import Fault, called_from

_NO_DYNAMIC = "The launch decides its size: pass shared_mem=BYTES."
USUAL = "Usually a missing bounds check: compare the index with the array's length before using it."
#: What helps whoever may choose the device.
MORE = "If it does and the work is meant, allow more: simulator.Device(steps=…)."
_UNSET = (
    "The index was computed from what memory holds that nothing has written yet: is a barrier\n"
    "missing between those who write it and those who read it? The sanitizers find the place."
)
#: The int that unwritten memory holds, and how far from it an index may be that is made of it.
_NONSENSE = int.from_bytes(bytes([POISON] * 4), "little", signed=True)
_NEAR = 1 << 16
#: Characters of an expression in a message.
_SHOWN = 60


def shortened(text: str) -> str:
    """Shorten an expression for messages.

    >>> shortened("a[i]")
    'a[i]'
    """
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def explain(problem: Exception, kernel: CompiledKernel, wave: Wave, first: int = 0) -> Fault | None:
    """Return the fault behind an exception of generated code.

    The code counts lanes from the wave's lane `first`. None if the exception is of another making.
    """
    found = _generated_frame(problem.__traceback__, kernel)
    if found is None:
        return None
    origin, names = found
    lanes = names.get(origin.lanes, np.zeros(1, np.int64)) + first
    if isinstance(problem, LaneError):
        return _undefined(problem, origin, names, lanes, kernel, wave)
    if isinstance(problem, IndexError) and origin.site is not None:
        return _out_of_bounds(origin, names, lanes, kernel, wave)
    return None


def endless(
    end: Livelock | OutOfSteps,
    kernel: CompiledKernel,
    wave: Wave,
    later_blocks: int,
    budget: Budget,
) -> Fault:
    """Return the fault of a launch that would not end; `later_blocks` wait for its wave to end."""
    lanes = end.lanes + end.gang.first
    if isinstance(end, Livelock):
        what = f"livelock: {_waiting(lanes.size)} in this loop, and nothing changes any more"
        hint = _livelock_hint(end, lanes, wave, later_blocks)
        origin = Origin(kernel.plan.spin_loops[end.loop], "")
    else:
        what, hint = f"no end after {budget.limit:,} lane steps", f"Does this loop ever end? {MORE}"
        if isinstance(end, Endless):
            what = "no end: all is as it was some iterations of this loop before"
            hint = "Which statement changes what the loop's condition asks?"
        steps = end.gang.steps
        frame = None if steps is None else steps.gi_frame
        found = None if frame is None else kernel.origins.get(frame.f_lineno)
        origin = found or Origin(kernel.span, "")
    return _endless(_fault(what, hint, int(lanes[0]), lanes, origin, kernel, wave))


def _livelock_hint(end: Livelock, lanes: Any, wave: Wave, later_blocks: int) -> str:
    """Return the likeliest reason: the lanes' own warp, blocks that have not begun, or others."""
    gang, warp = end.gang, lanes[0] // wave.warp_size
    live = gang.lanes[~gang.exited[gang.lanes]] + gang.first
    others = np.count_nonzero(live // wave.warp_size == warp)
    others -= np.count_nonzero(lanes // wave.warp_size == warp)
    if others > 0:
        return (
            f"{others} of the warp's lanes {'has' if others == 1 else 'have'} left the loop and "
            "cannot go on before the others do. If it is for a lock,\nfree that inside the loop: "
            "while (!done) if (atomicCAS(lock, 0, 1) == 0) { …; done = true; }"
        )
    if later_blocks:
        return (
            f"{later_blocks:,} blocks of the grid begin only when these have ended: "
            "wait for resident blocks alone, or launch fewer."
        )
    return (
        "Who should set what it waits for? All other threads have ended or wait, too.\n"
        "If it waits for nobody: which statement of the loop changes what its condition asks?"
    )


def _endless(fault: Fault) -> Fault:
    fault.endless = True
    return fault


def _waiting(threads: int) -> str:
    return "1 thread waits" if threads == 1 else f"{threads:,} threads wait"


def too_many_steps(kernel: CompiledKernel, budget: Budget) -> Fault:
    """Return the fault of a grid before which the steps were used up."""
    what = f"kernel {kernel.name}: no end after {budget.limit:,} lane steps"
    usual = (
        "Do the kernels that launch each other ever end? If they do, allow more: "
        "simulator.Device(steps=…)."
    )
    return _endless(Fault(what, kernel.span, usual))


def interrupted(
    problem: Exception, kernel: CompiledKernel
) -> tuple[list[tuple[Any, ...]], list[BasicBlock]] | None:
    """Return what the basic block of an exception had done before it, as a log of its own.

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
) -> tuple[Origin, Mapping[str, Any]] | None:
    """Find the line of the innermost call that failed, and the values of its names."""
    found: Origin | None = None
    names: ChainMap[str, Any] = ChainMap()
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == kernel.filename:
            found = kernel.origins.get(trace.tb_lineno, found)
            names = names.new_child(trace.tb_frame.f_locals)
        trace = trace.tb_next
    return None if found is None else (found, names)


def _out_of_bounds(
    origin: Origin, names: Mapping[str, Any], lanes: Any, kernel: CompiledKernel, wave: Wave
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
    what = f"{VERBS[site.kind]} {site.array}[{int(signed[first]) - shift}], but {site.array} "
    if shift:
        what += f"is a slice whose array goes from {-shift} to {length - shift - 1}"
    else:
        what += f"has {length} element{'s' if length != 1 else ''}"
    usual = _NO_DYNAMIC if site.space == "shared" and not length else USUAL
    if abs(int(signed[first]) - _NONSENSE) < _NEAR:
        usual = _UNSET
    return _fault(what, usual, int(lanes[first]), lanes, origin, kernel, wave)


def _shift(site: EventSite, names: Mapping[str, Any], kernel: CompiledKernel) -> int:
    """Return how many elements before the array that was passed its allocation begins."""
    if site.view not in kernel.bases:
        return 0
    number, _ = kernel.bases[site.view]
    return int(names["arguments"][number].shift)


def _undefined(
    problem: LaneError,
    origin: Origin,
    names: Mapping[str, Any],
    lanes: Any,
    kernel: CompiledKernel,
    wave: Wave,
) -> Fault:
    bad = np.broadcast_to(True if problem.bad is None else problem.bad, lanes.shape)
    first = int(np.argmax(bad))
    what = problem.what
    if origin.site is not None and origin.index in names and origin.site.space == "generic":
        address = np.broadcast_to(names[origin.index], lanes.shape)
        text = shortened(origin.site.span.text)
        what = f"{VERBS[origin.site.kind]} by `{text}`: {what} (address {int(address[first]):#x})"
    fault = _fault(what, problem.hint, int(lanes[first]), lanes, origin, kernel, wave)
    fault.sanitizer = problem.sanitizer
    return fault


def _fault(
    what: str,
    usual: str,
    lane: int,
    lanes: Any,
    origin: Origin,
    kernel: CompiledKernel,
    wave: Wave,
) -> Fault:
    block, thread = wave.thread(lane)
    warp = lane // wave.warp_size
    active = set((lanes[lanes // wave.warp_size == warp] % wave.warp_size).tolist())
    row = "".join("#" if lane in active else "." for lane in range(wave.warp_size))
    who = f"kernel {kernel.name}, block {block}, thread {thread}, lane {lane % wave.warp_size}"
    separator = " " if what.split()[0] in VERBS.values() else ": "
    hint = f"active lanes of the warp: {row}\n{usual}"
    notes = called_from(origin.span, origin.calls)
    fault = Fault(f"{who}{separator}{what}", origin.span, hint, notes)
    others = (other for other in lanes.tolist() if other != lane)
    fault.lanes = tuple(wave.first_block * wave.padded + at for at in (lane, *others))
    return fault
