"""What a compiled kernel says about itself.

The sites that touch memory and the basic blocks that hold them.

Execution logs one tuple a basic block and turn, `(block id, lanes, operand, operand, ...)`. `lanes`
is the ascending array of active lanes; the operands follow `BasicBlock.operands`. Whoever counts,
checks or draws reads such tuples and these tables, and never the kernel.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from simulator.source import Span

#: Operand forms: element index into a view of one allocation, or into an array of the own block,
#: byte address, truth of a branch's condition, truth of a compare-and-swap's success, nothing.
#: TARGET is the number of the label that a switch goes to.
TARGET = "target"
VIEW, SHARED, ADDRESS, CONDITION, SWAPPED, BARRIER = (
    "view",
    "shared",
    "address",
    "condition",
    "swapped",
    "barrier",
)


@dataclass(frozen=True)
class Site:
    """One place in the source where warps access memory or branch.

    `kind` is load, store, atomic, branch or barrier; `space` is global, shared or generic; `size`
    counts bytes of one element; `array` is the name that the source gives what is accessed and
    `view` the generated code; `offset` is where a shared array starts in its block's shared memory.
    """

    id: int
    kind: str
    span: Span
    space: str = ""
    size: int = 0
    array: str = ""
    view: str = ""
    offset: int = 0
    stride: int = 0


@dataclass(frozen=True)
class Operand:
    """How to read one operand of a logged tuple.

    Its form, its site, and for VIEW the parameter it indexes.
    """

    form: str
    site: Site
    base: str = ""


@dataclass
class BasicBlock:
    """A straight stretch of code that one set of lanes executes from end to end.

    `statements` are the C statements in it; `operands` describe the logged tuple from its third
    place on.
    """

    id: int
    statements: int = 0
    operands: list[Operand] = field(default_factory=list)

    @property
    def accesses(self) -> int:
        """Memory operations that each lane does in this block."""
        return sum(o.form in (VIEW, SHARED, ADDRESS) for o in self.operands)


@dataclass
class Plan:
    """All sites and basic blocks of a kernel."""

    sites: list[Site] = field(default_factory=list)
    blocks: list[BasicBlock] = field(default_factory=list)
