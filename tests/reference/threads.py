"""The reference machine: threads run one at a time, each as far as it must wait for others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.reference.expressions import Cells, Thread
from tests.reference.job import Memory
from tests.reference.program import Extent, Kernel, Program

FUEL = 40_000


class StuckError(Exception):
    """Threads wait for others that never come: the program is wrong."""


@dataclass
class Runner:
    """A thread under way: what it waits for (None while it can go on), and what it is sent next."""

    thread: Thread
    run: Iterator[Any]
    waits: Any = None
    reply: Any = None
    ended: bool = False

    def advance(self) -> None:
        try:
            self.waits = self.run.send(self.reply)  # type: ignore[attr-defined]
        except StopIteration:
            self.ended = True

    def resume(self, reply: Any) -> None:
        self.reply, self.waits = reply, None


@dataclass
class Oracle:
    """Runs a program; `backwards` takes the threads and blocks in falling order."""

    program: Program
    backwards: bool = False
    fuel: int = FUEL
    #: What is counted, if it is: the threads of all blocks, and how often a block was at a barrier.
    recorded: list[tuple[Kernel, list[Thread]]] | None = None
    barriers: int = 0
    memory: dict[str, Cells] = field(init=False)

    def __post_init__(self) -> None:
        arrays = self.program.job().arrays
        self.memory = {a.name: Cells(a.values().tolist(), "global") for a in arrays}

    def run(self) -> Memory:
        """All launches; the arrays afterwards."""
        for at in self.program.order:
            self.launch(self.program.kernels[at])
        arrays = self.program.job().arrays
        return {a.name: np.array(self.memory[a.name], a.dtype) for a in arrays}

    def launch(self, kernel: Kernel) -> None:
        for block in self.ordered(range(kernel.blocks)):
            self.block(kernel, block)

    def ordered(self, of: Any) -> list[Any]:
        return list(of)[::-1] if self.backwards else list(of)

    def block(self, kernel: Kernel, block: int) -> None:
        threads = self.threads(kernel, block)
        if self.recorded is not None:
            self.recorded.append((kernel, threads))
        runners = [Runner(t, kernel.body.run(t)) for t in threads]
        while live := [r for r in runners if not r.ended]:
            for runner in self.ordered(live):
                while runner.waits is None and not runner.ended:
                    runner.advance()
            self.barriers += meet([r for r in live if not r.ended])

    def threads(self, kernel: Kernel, block: int) -> list[Thread]:
        """The threads of a block as they begin."""
        shared = {
            name: (Cells([s.type.convert(0)] * s.length, "shared"), 0)
            for name, s in kernel.shared.items()
        }
        functions = {f.name: f for f in self.program.functions}
        statics: dict[str, Any] = {}
        return [
            Thread(
                self.frame(kernel, block, at) | shared,
                specials(kernel, block, at),
                functions,
                statics,
                None if self.recorded is None else [],
                fuel=self.fuel,
            )
            for at in range(kernel.threads)
        ]

    def frame(self, kernel: Kernel, block: int, tid: int) -> dict[str, Any]:
        """What a thread sees at first."""
        first, threads = tid - tid % 32, kernel.threads
        live = min(32, threads - first)
        gid = block * threads + tid
        known = {"tid": tid, "T": threads, "bid": block, "gid": gid, "seg": block * threads}
        known |= {"G": threads * kernel.blocks, "lane": tid % 32, "first": first, "live": live}
        known |= {"warp": tid // 32, "mine": gid * 4, "wmask": (1 << live) - 1}
        known |= {n: v for n, (_, v) in kernel.numbers.items()}
        frame: dict[str, Any] = {name: ([value], 0) for name, value in known.items()}
        frame |= {name: ([(self.memory[name], 0)], 0) for name in kernel.arrays}
        return frame


def specials(kernel: Kernel, block: int, tid: int) -> dict[str, int]:
    """threadIdx.x and its kind."""
    extents = {"gridDim": kernel.grid, "blockDim": kernel.block}
    extents |= {"blockIdx": axes(block, kernel.grid), "threadIdx": axes(tid, kernel.block)}
    return {f"{n}.{axis}": v for n, e in extents.items() for axis, v in zip("xyz", e, strict=True)}


def axes(at: int, extent: Extent) -> Extent:
    """Where number `at` is in three dimensions."""
    return at % extent[0], at // extent[0] % extent[1], at // extent[0] // extent[1]


def meet(waiting: list[Runner]) -> bool:
    """Let those go on who are all there: lanes of an exchange, or else a whole block.

    Gives whether it was the block, at a barrier.
    """
    groups: dict[Any, list[Runner]] = {}
    for runner in waiting:
        if isinstance(runner.waits, tuple):
            key = runner.thread.known("first"), runner.waits[0]
            groups.setdefault(key, []).append(runner)
    complete = [(key, g) for key, g in groups.items() if len(g) == key[1].bit_count()]
    for _, group in complete:
        values = {r.thread.known("lane"): r.waits[1] for r in group}
        for runner in group:
            runner.resume(values)
    if complete or not waiting:
        return False
    if groups:
        raise StuckError("lanes wait for others that never come")
    votes = [vote for runner in waiting for vote in runner.waits]
    for runner in waiting:
        runner.resume(votes)
    return True
