"""The machine that runs random kernels one thread after the other, from barrier to barrier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from tests.reference.expressions import Memory, Thread
from tests.reference.statements import Program, Run


@dataclass
class Machine:
    """Runs a program over a grid; `arguments` are lists for pointers and numbers for values."""

    program: Program
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: dict[str, Any]
    fuel: int = 20_000

    def run(self) -> None:
        """One thread after the other, from barrier to barrier."""
        for threads in self.blocks():
            in_turns([(self.program.body.run(t), None) for t in threads])

    def blocks(self) -> Iterator[list[Thread]]:
        """The threads of one block after the other."""
        for block in product(*(range(n) for n in reversed(self.grid))):
            shared = {
                name: (Memory([0] * size, "shared"), 0)
                for name, (_, size) in self.program.shared.items()
            }
            yield [
                Thread(self._frame(block[::-1], thread[::-1]) | shared, fuel=self.fuel)
                for thread in product(*(range(n) for n in reversed(self.block)))
            ]

    def _frame(self, block: tuple[int, ...], thread: tuple[int, ...]) -> dict[str, Any]:
        frame: dict[str, Any] = {}
        sizes = {
            "blockIdx": block,
            "threadIdx": thread,
            "blockDim": self.block,
            "gridDim": self.grid,
        }
        for name, triple in sizes.items():
            frame |= {f"{name}.{axis}": ([v], 0) for axis, v in zip("xyz", triple, strict=True)}
        for parameter in self.program.parameters:
            value = self.arguments[parameter.name]
            if parameter.mode == "pointer":
                value = (value, 0)
            frame[parameter.name] = ([value], 0)
        return frame


def in_turns(live: list[tuple[Run, Any]]) -> int:
    """Resume all until none is left, each as far as its next barrier; how many there were."""
    barriers = 0
    while live:
        waiting = []
        for run, reply in live:
            try:
                waiting.append((run, run.send(reply)))
            except StopIteration:
                continue
        votes = [vote for _, mine in waiting for vote in mine]
        live = [(run, votes) for run, _ in waiting]
        barriers += bool(live)
    return barriers
