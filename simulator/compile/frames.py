"""What is being compiled: regions of active lanes, functions, and the loops and switches in them.

A region is a part of the kernel with an active-lane array of its own. Variables live in registers,
arrays with one element a lane; inside a region the values of the active lanes are kept by name
(`cache`), so that most reads cost nothing and most registers are never stored at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from simulator.compile.facts import Facts
from simulator.compile.lvalues import Members, StructureVariable
from simulator.compile.values import Value
from simulator.compile.writer import Register
from simulator.ir import tree
from simulator.ir.events import BasicBlock


@dataclass
class Shrink:
    """A point where a region lost lanes: the cached values used after it must lose them too."""

    selection: str
    names: list[str] = field(default_factory=list)


@dataclass
class Entry:
    """A cached value and the shrinkings that it has not yet been put through."""

    value: Value
    pending: list[Shrink] = field(default_factory=list)

    def use(self) -> Value:
        """The value; from here on it must have followed its region's lanes."""
        if not self.value.scalar:
            for shrink in self.pending:
                shrink.names.append(self.value.code)
        self.pending = []
        return self.value


@dataclass
class Region:
    """`lanes` names the array of active lanes.

    `selection` picks them out of the parent's; it is empty where they are the same, and None where
    nothing does. `guarded` says that what is written stands under a test for lanes left.
    """

    lanes: str
    parent: Region | None = None
    selection: str | None = None
    full: bool = False
    cache: dict[Register, Entry] = field(default_factory=dict)
    last: BasicBlock | None = None
    guarded: bool = False
    shrunk: bool = False


@dataclass
class Frame:
    """A function being compiled.

    `exited` names a mask over all lanes of those that have returned, kept only if it is `asked`
    for; `result` holds the value of early returns, `value` that of a return at the end, `structure`
    and `members` the same for structures; `loops` are those around the current statement.
    """

    function: tree.Function
    facts: Facts
    exited: str = ""
    asked: bool = False
    result: Register | None = None
    value: Value | None = None
    members: Members = field(default_factory=dict)
    structure: StructureVariable | None = None
    loops: list[LoopFrame] = field(default_factory=list)
    switches: list[SwitchFrame] = field(default_factory=list)


@dataclass
class LeavableFrame:
    """A loop or a switch being compiled, and whether lanes leave it by `continue` or `return`.

    `continues` names the list of lane arrays that left for the next iteration of the loop.
    """

    continues: str
    continued: bool = field(default=False, kw_only=True)
    returned: bool = field(default=False, kw_only=True)


@dataclass
class LoopFrame(LeavableFrame):
    """A loop being compiled, in a `region` of its own."""

    region: Region


@dataclass
class SwitchFrame(LeavableFrame):
    """A switch being compiled, inside `depth` loops of its function."""

    depth: int


@dataclass(frozen=True)
class SpinLoop:
    """A loop that may wait for other threads.

    Its number in the plan, and the names of its lanes and of what tells one run from the next.
    """

    number: int
    lanes: str
    visit: str
