"""A fuzzed program in the form in which it is made, run thread by thread, and shrunk."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import prod

from tests.reference.blocks import BlockCall
from tests.reference.exchanges import Shuffle
from tests.reference.guards import KNOWN
from tests.reference.job import Array, Job, Launch
from tests.reference.statements import Body, Function, indented
from tests.reference.types import Type
from tests.reference.walk import within

Extent = tuple[int, int, int]


@dataclass
class Shared:
    """A shared array; the dynamic one has its size from the launch."""

    type: Type
    length: int
    dynamic: bool = False

    def line(self, name: str) -> str:
        if self.dynamic:
            return f"extern __shared__ {self.type.name} {name}[];"
        return f"__shared__ {self.type.name} {name}[{self.length}];"


@dataclass
class Global:
    """A global array of the program; `start` as in `Array`."""

    type: Type
    length: int
    start: int


@dataclass
class Kernel:
    """A kernel and how it is launched; `arrays` are its parameters' names, const if True."""

    name: str
    grid: Extent
    block: Extent
    arrays: dict[str, bool]
    numbers: dict[str, tuple[Type, int]]
    shared: dict[str, Shared]
    body: Body

    @property
    def threads(self) -> int:
        return prod(self.block)

    @property
    def blocks(self) -> int:
        return prod(self.grid)

    @property
    def dynamic(self) -> int:
        """Bytes of dynamic shared memory."""
        sizes = (s.length * s.type.dtype.itemsize for s in self.shared.values() if s.dynamic)
        return sum(sizes)

    def lines(self, arrays: dict[str, Global]) -> list[str]:
        shared = [s.line(name) for name, s in self.shared.items()]
        numbers = [f"{of.name} {name}" for name, (of, _) in self.numbers.items()]
        parameters = [self.parameter(a, arrays[a].type) for a in self.arrays] + numbers
        head = f'extern "C" __global__ void {self.name}({", ".join(parameters)})'
        return [head, "{", *indented([*shared, *self.declarations, *self.inner]), "}"]

    def parameter(self, name: str, of: Type) -> str:
        return (
            f"const {of.name} *__restrict__ {name}" if self.arrays[name] else f"{of.name} *{name}"
        )

    @property
    def inner(self) -> list[str]:
        return [line for s in self.body.statements for line in s.lines()]

    @property
    def declarations(self) -> list[str]:
        """The lines of `KNOWN` that the others need."""
        needed, lines = "\n".join(self.inner), []
        for name, line in reversed(KNOWN.items()):
            if re.search(rf"\b{name}\b", needed):
                lines.append(line)
                needed += line.split("=", 1)[1]
        return lines[::-1]

    def launch(self, arrays: dict[str, Global]) -> Launch:
        numbers = [(of.dtype.name, value) for of, value in self.numbers.values()]
        arguments = (*self.arrays, *numbers)
        return Launch(self.name, self.grid, self.block, arguments, self.dynamic)


@dataclass
class Program:
    arrays: dict[str, Global]
    functions: list[Function]
    kernels: list[Kernel]
    order: list[int] = field(default_factory=list)

    def text(self) -> str:
        lines = [line for f in self.functions for line in f.lines()]
        for kernel in self.kernels:
            lines += kernel.lines(self.arrays)
        return "\n".join(lines) + "\n"

    def job(self) -> Job:
        arrays = [Array(n, a.type.dtype.name, a.length, a.start) for n, a in self.arrays.items()]
        launches = [self.kernels[at].launch(self.arrays) for at in self.order]
        return Job(self.text(), tuple(arrays), tuple(launches))


def whole_warps(program: Program, kernel: Kernel) -> bool:
    """Whether a kernel's warps are whole, if lanes read beyond what a short one has."""
    called = {m.function for m in within(kernel.body) if isinstance(m, BlockCall)}
    bodies = [kernel.body] + [f.body for f in program.functions if f.name in called]
    shuffles = [s for body in bodies for s in within(body) if isinstance(s, Shuffle)]
    return kernel.threads % 32 == 0 or not any(s.whole for s in shuffles)
