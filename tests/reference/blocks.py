"""More pieces of fuzzed kernels: matches and sums of warps, functions of blocks, the last block."""

from __future__ import annotations

from dataclasses import dataclass

from tests.reference.expressions import Choice, Expr, Thread, read, write
from tests.reference.guards import KNOWN, called
from tests.reference.statements import Parameter, Run, Stmt, indented
from tests.reference.types import INT, UINT, Type


class Aim(Choice):
    """One of two addresses."""


#: The parameters by which a function of a block knows its thread.
THREAD_PARAMETERS = (
    *(Parameter(INT, name) for name in ("tid", "T", "lane", "warp", "first", "live")),
    Parameter(UINT, "wmask"),
)


@dataclass
class BlockCall(Stmt):
    """`type name = function(arguments, …);`, called by a whole block with its thread."""

    type: Type
    name: str
    function: str
    arguments: list[Expr]

    def lines(self) -> list[str]:
        given = ", ".join([a.c() for a in self.arguments] + [p.name for p in THREAD_PARAMETERS])
        return [f"{self.type.name} {self.name} = {self.function}({given});"]

    def run(self, t: Thread) -> Run:
        function = t.functions[self.function]
        frame = {name: t.frame[name] for name in KNOWN}
        frame |= called(t, function.parameters[: len(self.arguments)], self.arguments)
        t.step(self)
        outer, t.frame = t.frame, frame
        yield from function.body.run(t)
        t.frame = outer
        t.frame[self.name] = ([t.result], 0)
        return None


@dataclass
class LastBlock(Stmt):
    """Every block leaves a number; the one that comes last, and sees them all, adds them up."""

    name: str
    value: Expr

    def lines(self) -> list[str]:
        ticket = f"d{self.name}"
        value = f"(unsigned int){self.value.c()}"
        leave = [f"pt[bid] = {value};", "__threadfence();", f"{ticket} = atomicAdd(&dn[0], 1u);"]
        total = "for (int b = tid; b < G / T; b += T) atomicAdd(&ls[0], pt[b]);"
        return [
            f"unsigned int {ticket} = 0;",
            *["if (tid == 0)", "{", *indented(leave), "}"],
            f"if (__syncthreads_or(tid == 0 && {ticket} == G / T - 1))",
            *[
                "{",
                *indented(["__threadfence();", total, "if (tid == 0) atomicExch(&dn[0], 0u);"]),
                "}",
            ],
        ]

    def run(self, t: Thread) -> Run:
        leader, blocks = t.known("tid") == 0, t.known("G") // t.known("T")
        last = False
        if leader:
            cell(t, "pt", t.known("bid"), UINT.convert(self.value.eval(t), self.value.type))
            last = cell(t, "dn", 0) == blocks - 1
            cell(t, "dn", 0, cell(t, "dn", 0) + 1)
        t.step(self)
        votes = yield [last]
        if leader and any(votes):
            total = cell(t, "ls", 0) + sum(cell(t, "pt", at) for at in range(blocks))
            cell(t, "ls", 0, UINT.convert(total))
            cell(t, "dn", 0, 0)
        return None


def cell(t: Thread, array: str, at: int, value: int | None = None) -> int:
    """An element of a global array, after writing `value` there."""
    storage, start = read(t.frame[array])
    if value is not None:
        write((storage, start + at), value)
    return int(read((storage, start + at)))
