"""What a return, a break or a continue must know of the function or loop that it leaves."""

from __future__ import annotations

from dataclasses import dataclass, field

from simulator.compile.active_lanes import Region
from simulator.compile.bindings import StructureVariable
from simulator.compile.facts import Facts
from simulator.compile.values import Value
from simulator.compile.writer import Register
from simulator.ir import tree


@dataclass
class Frame:
    """A function being compiled.

    `gone` names a mask over all lanes of those that have returned, kept only if it is `asked` for;
    `result` holds the value of early returns, `value` that of a return at the end, `structure` and
    `members` the same for structures; `loops` are those around the current statement.
    """

    function: tree.Function
    facts: Facts
    gone: str = ""
    asked: bool = False
    result: Register | None = None
    value: Value | None = None
    members: dict[str, Value] = field(default_factory=dict)
    structure: StructureVariable | None = None
    loops: list[LoopFrame] = field(default_factory=list)
    switches: list[SwitchFrame] = field(default_factory=list)


@dataclass
class LoopFrame:
    """A loop being compiled.

    `continues` names the list of lane arrays that wait for the next turn.
    """

    region: Region
    continues: str
    continued: bool = False
    returned: bool = False


@dataclass
class SwitchFrame:
    """A switch being compiled, inside `depth` loops of its function.

    `continues` names the list of lane arrays that left it for the next turn of the loop around.
    """

    depth: int
    continues: str
    continued: bool = False
    returned: bool = False
