"""Watches one launch: every logged block becomes a step, with what it left in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.execute.geometry import Wave
from simulator.execute.memory import Memory
from simulator.execute.observer import LaunchObserver
from simulator.ir.events import MEMORY, BasicBlock, Operand
from simulator.observe.counters.tally import Tally
from simulator.observe.log import Decoder
from simulator.observe.trace.steps import Lanes, Step, TracedLaunch

#: Sites of these kinds change memory.
CHANGING = frozenset(("store", "atomic"))


class Recorder(LaunchObserver):
    """The steps of one launch.

    Parameters
    ----------
    launch : TracedLaunch
        Gets the steps.
    memory : Memory
        The device's.
    blocks : list of BasicBlock
        The kernel's.
    recorded : callable
        Told of each step how many values it has; raises where they are too many.
    drop : callable
        Takes the launch if it begins anew, and forgets it.
    """

    stepwise = True

    def __init__(
        self,
        launch: TracedLaunch,
        memory: Memory,
        blocks: list[BasicBlock],
        recorded: Callable[[int], None],
        drop: Callable[[TracedLaunch], None],
    ) -> None:
        self.launch = launch
        self.recorded = recorded
        self.drop = drop
        self.memory = memory
        self.blocks = blocks
        self.tally = Tally(launch.warp_size)
        self.decoder = Decoder()

    def start(self, wave: Wave) -> None:
        """A new wave of blocks begins."""
        self.wave = wave
        self.launch.waves.append(wave)
        self.launch.final.append(np.full(wave.warps, -1))
        self.tally.start(wave)
        self.decoder = Decoder()

    def finish_wave(self) -> None:
        """All threads of the wave have returned."""
        self.launch.ended += 1

    def abandon(self) -> None:
        """It begins anew."""
        self.drop(self.launch)

    def watch(self, entry: tuple[Any, ...]) -> None:
        """One basic block has been executed, or another gang has its turn."""
        self.tally.consume([entry], self.blocks)
        for number, lanes, operands in self.decoder.each([entry]):
            if lanes.size:
                self._record(self.blocks[number], lanes, operands)

    def _record(self, block: BasicBlock, lanes: Lanes, operands: tuple[Any, ...]) -> None:
        written = tuple(self._written(block, lanes, operands))
        step = Step(
            block, len(self.launch.waves) - 1, lanes, operands, written, self.tally.totals()
        )
        self.launch.final[-1][lanes // self.launch.warp_size] = len(self.launch.steps)
        self.launch.steps.append(step)
        self.recorded(lanes.size * (1 + len(operands)))

    def _written(
        self, block: BasicBlock, lanes: Lanes, operands: tuple[Any, ...]
    ) -> list[tuple[Lanes, NDArray[np.uint8]]]:
        """What stands now where the block has written."""
        found = []
        for operand, value in zip(block.operands, operands, strict=True):
            if operand.form in MEMORY and operand.site.kind in CHANGING:
                address = self._addresses(operand, lanes, value)
                places = address[:, None] + np.arange(operand.site.size)
                found.append((address, self.memory.arena[places]))
        return found

    def _addresses(self, operand: Operand, lanes: Lanes, value: Any) -> Lanes:
        values = np.asarray(value)
        found = self.wave.addresses(operand, lanes, values)
        return found if found.ndim else np.full(lanes.size, found)
