"""What a trace holds: launches, their arrays, and what was executed in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.memory import Saved
from simulator.execute.wave import Triple, Wave
from simulator.ir.events import CONDITION, EXIT, TARGET, BasicBlock, Operand, SharedArray
from simulator.source import Fault, Span

Lanes = NDArray[np.int64]

#: The number of no block, of the step at which a fault stops a launch.
STOPPED = -1


@dataclass(frozen=True)
class TracedArray:
    """An array that a launch was given.

    Attributes
    ----------
    name : str
        The kernel's parameter.
    label : str
        The name that its host gave it; empty if none did.
    address : int
        Where it begins, in bytes.
    dtype : dtype
        Of its elements.
    length : int
        How many there are as far as its allocation goes.
    """

    name: str
    label: str
    address: int
    dtype: np.dtype[Any]
    length: int


@dataclass(frozen=True)
class TracedStep:
    """One statement, or condition of a loop, executed by the lanes that ran it together.

    Attributes
    ----------
    block : BasicBlock
        What was executed: `block.span` is where, `block.operands` say what `operands` are.
    wave : int
        Which wave of resident blocks it belongs to.
    lanes : int64 array
        The lanes of that wave that took part, ascending.
    operands : tuple
        What was logged, as `simulator.ir.events` describes it.
    written : tuple of (int64 array of shape (n,), uint8 array of shape (n, size))
        Addresses that it wrote, and the bytes there afterwards.
    totals : mapping of str to int
        The launch's counters up to here, this step included; absent ones are 0.
    """

    block: BasicBlock
    wave: int
    lanes: Lanes
    operands: tuple[Any, ...]
    written: tuple[tuple[Lanes, NDArray[np.uint8]], ...]
    totals: Mapping[str, int]

    @property
    def span(self) -> Span:
        """Where it stands in the source."""
        assert self.block.span is not None
        return self.block.span

    @property
    def focus(self) -> Span:
        """The part of it that is executed: of a branch its condition."""
        for operand, _ in self.named(CONDITION, TARGET):
            return operand.site.span
        return self.span

    def named(self, *forms: str) -> Iterator[tuple[Operand, Any]]:
        """Its operands of some forms."""
        for operand, value in zip(self.block.operands, self.operands, strict=True):
            if operand.form in forms:
                yield operand, value

    def part(self, first: int, end: int) -> slice:
        """Where the lanes from `first` to before `end` stand among its lanes."""
        begins, ends = self.lanes.searchsorted((first, end)).tolist()
        return slice(begins, ends)

    def of(self, value: Any, part: slice) -> NDArray[Any]:
        """Select an operand's values for a part of its lanes."""
        if np.ndim(value):
            values: NDArray[Any] = value[part]
            return values
        return np.full(part.stop - part.start, value)

    @property
    def stopped(self) -> bool:
        """Whether it is where a fault stopped its launch, and so did nothing."""
        return self.block.id == STOPPED

    @property
    def ends(self) -> bool:
        """Whether its lanes return from the kernel."""
        return any(operand.form == EXIT for operand in self.block.operands)


@dataclass
class TracedLaunch:
    """One launch.

    Attributes
    ----------
    kernel : str
        The kernel's name.
    grid, block : tuple of 3 ints
        Its sizes.
    warp_size : int
        Lanes of a warp.
    arrays : tuple of Array
        What its pointers point to.
    scalars : mapping
        Its other arguments by name.
    shared : tuple of SharedArray
        The arrays in shared memory that its source declares.
    before : list
        All of device memory when it began.
    device_side : bool
        Whether a kernel launched it.
    waves : list of Wave
        Its waves of resident blocks.
    steps : list of Step
        What they did, in order.
    final : list of int64 arrays of shape (warps,)
        The last step of each warp, by wave; -1 of warps without any.
    ended : int
        How many waves have come to their end; all but one that met a fault.
    dynamic_shared : int
        Bytes of shared memory a block that it asked for.
    """

    kernel: str
    grid: Triple
    block: Triple
    warp_size: int
    arrays: tuple[TracedArray, ...]
    scalars: Mapping[str, Any]
    shared: tuple[SharedArray, ...]
    before: list[Saved] = field(repr=False)
    device_side: bool = False
    waves: list[Wave] = field(default_factory=list, repr=False)
    steps: list[TracedStep] = field(default_factory=list, repr=False)
    final: list[Lanes] = field(default_factory=list, repr=False)
    ended: int = 0
    dynamic_shared: int = 0

    def stop_at(self, fault: Fault) -> None:
        """Add the statement at which a fault has stopped it, as a last step that wrote nothing.

        Parameters
        ----------
        fault : Fault
            What ended the launch; without a location or lanes nothing is added.
        """
        if fault.span is None or not fault.lanes or self.ended == len(self.waves):
            return
        wave, totals = self.waves[-1], self.steps[-1].totals if self.steps else {}
        lanes = np.sort(np.array(fault.lanes, np.int64)) - wave.first_block * wave.padded
        block = BasicBlock(STOPPED, span=fault.span)
        self.final[-1][lanes // self.warp_size] = len(self.steps)
        self.steps.append(TracedStep(block, len(self.waves) - 1, lanes, (), (), totals))

    def part(self, step: TracedStep, warp: int) -> slice:
        """Where the lanes of a warp stand among a step's lanes."""
        return step.part(warp * self.warp_size, (warp + 1) * self.warp_size)

    def warps_of(self, step: TracedStep) -> Lanes:
        """Return the warps of its wave that take part in a step, ascending."""
        warps = step.lanes // self.warp_size  # ascending, as lanes are
        fresh = np.ones(warps.size, np.bool_)
        np.not_equal(warps[1:], warps[:-1], out=fresh[1:])
        found: Lanes = warps[fresh]
        return found
