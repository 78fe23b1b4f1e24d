"""Messages through volatile variables, and atomics that only the threads of a block take part in.

They are put into a finished program from a random stream of their own, so that the rest of it is
what its seed made without them. What a message says follows from the number of its block, so the
oracle, which runs one block after another in any order, knows it without having waited for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from random import Random
from typing import Any, ClassVar

from tests.reference.blocks import cell
from tests.reference.exchanges import braced
from tests.reference.expressions import Expr, Thread, Variable
from tests.reference.program import Global, Kernel, Program
from tests.reference.statements import Run, Stmt
from tests.reference.types import INT, UINT, Type

#: Arrays of UINT: what each thread received, and for each block its last message and what its
#: atomics made. Blocks count their messages in an array for each kernel.
RECEIVED, SAID, MADE = "mt", "ms", "mb"
BITS = (1 << 32) - 1
FENCES = ("__threadfence", "__threadfence_system")


@dataclass
class Message(Stmt):
    """A statement by which a whole block receives a number; `factor` and `offset` choose it."""

    factor: int
    offset: int
    arguments: list[Expr]
    #: The variables that its lines use.
    uses: ClassVar[dict[str, Type]] = {RECEIVED: UINT, "gid": INT, "bid": INT, "tid": INT, "T": INT}

    @property
    def number(self) -> str:
        return f"(bid * {self.factor}u + {self.offset}u)"

    def of(self, block: int) -> int:
        return block * self.factor + self.offset & BITS

    def receive(self, t: Thread, value: int) -> None:
        """Keep what a thread received, as `keep` writes it."""
        gid = t.known("gid")
        cell(t, RECEIVED, gid, cell(t, RECEIVED, gid) * 31 + value & BITS)
        t.step(self)

    @staticmethod
    def keep(value: str) -> str:
        return f"{RECEIVED}[gid] = {RECEIVED}[gid] * 31u + {value};"


@dataclass
class Chain(Message):
    """Each block adds to what the one before it says, for which it waits; all its threads hear it.

    There is one in a kernel, where no block can have ended: each block has said as many messages
    as the one before it when a launch begins.
    """

    counts: str
    fence: str = FENCES[0]
    plain: bool = False
    uses: ClassVar[dict[str, Type]] = Message.uses | {SAID: UINT}

    def lines(self) -> list[str]:
        before = f"{SAID}[bid - 1]" if self.plain else f"((volatile unsigned int *){SAID})[bid - 1]"
        return [
            "if (tid == 0)",
            *braced(
                f"volatile unsigned int *counts = {self.counts};",
                "unsigned int said = 0;",
                "if (bid > 0)",
                *braced(
                    "while (counts[bid - 1] == counts[bid]) { }",
                    f"{self.fence}();",
                    f"said = {before};",
                ),
                f"{SAID}[bid] = said * 3u + {self.number};",
                f"{self.fence}();",
                "counts[bid] = counts[bid] + 1;",
            ),
            "__syncthreads();",
            self.keep(f"{SAID}[bid]"),
        ]

    def run(self, t: Thread) -> Run:
        block, said = t.known("bid"), 0
        for one in range(block + 1):
            said = said * 3 + self.of(one) & BITS
        if t.known("tid") == 0:
            cell(t, SAID, block, said)
            cell(t, self.counts, block, cell(t, self.counts, block) + 1)
        yield []
        self.receive(t, said)
        return None


@dataclass
class Flag(Message):
    """The first thread of a block sends to the first one of its last warp, if that is another."""

    qualified: bool = False

    def lines(self) -> list[str]:
        word = "volatile unsigned int" if self.qualified else "unsigned int"
        return braced(
            f"__shared__ {word} said;",
            "__shared__ volatile int is_said;",
            "if (tid == 0) is_said = 0;",
            "__syncthreads();",
            "if (tid == 0)",
            *braced(f"said = {self.number};", "__threadfence_block();", "is_said = 1;"),
            "else if (tid == (T - 1) / 32 * 32)",
            *braced("while (!is_said) { }", "__threadfence_block();", self.keep("said")),
            "__syncthreads();",
        )

    def run(self, t: Thread) -> Run:
        yield []
        if t.known("tid") == (t.known("T") - 1) // 32 * 32 != 0:
            self.receive(t, self.of(t.known("bid")))
        yield []
        return None


#: What atomics make of what is there and what they are given.
UPDATES: dict[str, Any] = {
    "Add": lambda a, b: a + b & BITS,
    "Max": max,
    "Xor": lambda a, b: a ^ b,
    "Or": lambda a, b: a | b,
}


@dataclass
class Together(Message):
    """All threads of a block change a word by atomics of the block, then all read it."""

    update: str = "Add"
    uses: ClassVar[dict[str, Type]] = Message.uses | {MADE: UINT}

    def lines(self) -> list[str]:
        return [
            f"atomic{self.update}_block(&{MADE}[bid], {self.number} + tid);",
            "__syncthreads();",
            self.keep(f"{MADE}[bid]"),
            "__syncthreads();",
        ]

    def run(self, t: Thread) -> Run:
        block = t.known("bid")
        value = self.of(block) + t.known("tid") & BITS
        cell(t, MADE, block, UPDATES[self.update](cell(t, MADE, block), value))
        yield []
        self.receive(t, cell(t, MADE, block))
        yield []
        return None


def with_messages(program: Program, seed: int) -> Program:
    """The program, perhaps with messages between its threads."""
    random = Random(f"messages {seed}")
    if random.randrange(3) == 0:
        return program
    threads = max(prod(k.grid) * prod(k.block) for k in program.kernels)
    blocks = max(prod(k.grid) for k in program.kernels)
    program.arrays[RECEIVED] = Global(UINT, threads, random.randint(0, 99))
    program.arrays[MADE] = Global(UINT, blocks, random.randint(0, 99))
    program.arrays[SAID] = Global(UINT, blocks, 0)
    for kernel in program.kernels:
        _put(program, kernel, blocks, random)
    return program


def _put(program: Program, kernel: Kernel, blocks: int, random: Random) -> None:
    """A chain or none, and messages of the other kinds anywhere."""
    made: list[Message] = []
    if random.randrange(2):
        counts = f"m{kernel.name}"
        program.arrays[counts] = Global(UINT, blocks, 0)
        facts = random.choice(FENCES), random.randrange(2) == 0
        made.append(Chain(*_numbers(random), _uses(Chain, counts), counts, *facts))
        kernel.body.statements.insert(0, made[0])
    for _ in range(random.randint(1 - len(made), 2)):
        made.append(_other(random))
        at = random.randint(len(made) > 1, len(kernel.body.statements) - 1)
        kernel.body.statements.insert(at, made[-1])
    used = {one.name for message in made for one in message.arguments if isinstance(one, Variable)}
    kernel.arrays |= {name: False for name in program.arrays if name in used}


def _numbers(random: Random) -> tuple[int, int]:
    return random.choice((1, 7, 4099)), random.randint(0, 99)


def _uses(kind: type[Message], *arrays: str) -> list[Expr]:
    return [Variable(of, name) for name, of in (kind.uses | dict.fromkeys(arrays, UINT)).items()]


def _other(random: Random) -> Message:
    if random.randrange(2):
        return Flag(*_numbers(random), _uses(Flag), random.randrange(2) == 0)
    return Together(*_numbers(random), _uses(Together), random.choice(sorted(UPDATES)))
