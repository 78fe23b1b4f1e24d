"""The state of one compilation, which the handler of every kind of node is given.

A region is a part of the kernel with an active-lane array of its own. Variables live in registers,
arrays with one element a lane; inside a region the values of the active lanes are kept by name
(`cache`), so that most reads cost nothing and most registers are never stored at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from simulator.compile.facts import Facts, facts_of
from simulator.compile.lvalues import Base, Binding, Members, StructureVariable
from simulator.compile.values import Value, dtype_name
from simulator.compile.writer import Line, Origin, Register, Writer
from simulator.ir import tree
from simulator.ir.events import BasicBlock, Build, Plan, Site
from simulator.source import Span


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


@dataclass
class Kernel:
    """What a kernel has once, whichever of its functions is being compiled.

    `prologue` are the lines before its statements, `callee_lines` those of the generator functions
    that `callees` name; `constants` are objects that the text names, `tables` arrays of the launch;
    `shared` are the shared arrays, `shared_bytes` long; `bases` give for every view of a
    parameter's array the parameter's number and a byte offset; `aliases` name views of members of
    structures. `may_mark` says that there are shared arrays by which addresses could be marked,
    `marked` that some are; `inlined` counts calls.
    """

    frame: Frame
    plan: Plan = field(default_factory=Plan)
    prologue: list[str] = field(default_factory=list)
    callees: dict[tree.Function, str] = field(default_factory=dict)
    callee_lines: list[Line] = field(default_factory=list)
    constants: dict[str, Any] = field(default_factory=dict)
    tables: dict[str, Register] = field(default_factory=dict)
    shared: dict[tree.Symbol, Base] = field(default_factory=dict)
    shared_bytes: int = 0
    bases: dict[str, tuple[int, int]] = field(default_factory=dict)
    aliases: dict[tuple[str, str], str] = field(default_factory=dict)
    may_mark: bool = False
    marked: bool = False
    inlined: int = 0


@dataclass
class Context:
    """How far the compilation is.

    `region` has the active lanes, `block` is the basic block that is being written; `dead` says
    that no lane comes to the next statement. `calls` are those, the outermost first, of the
    functions that are being inlined; `statement` is the statement, or the condition of a loop.
    In a function that calls itself `depth` names how deep it is, and `stack` has the lines that
    make a call's local arrays, and those that give them back. `spins` are the loops around that may
    wait for other threads.

    Of what is being computed: `unneeded` says that lanes take part that do not need it, `polling`
    that it decides how long a loop waits for other threads, `copying` that it is a whole structure,
    some of which may never have been written.
    """

    build: Build
    kernel: Kernel
    frame: Frame
    writer: Writer = field(default_factory=Writer)
    bindings: dict[tree.Symbol, Binding] = field(default_factory=dict)
    registers: list[Register] = field(default_factory=list)
    region: Region = field(default_factory=lambda: Region("lanes_0", full=True))
    block: BasicBlock | None = None
    dead: bool = False
    span: Span | None = None
    calls: tuple[Span, ...] = ()
    statement: Span | None = None
    spins: list[SpinLoop] = field(default_factory=list)
    depth: str = "0"
    stack: list[tuple[str, str]] | None = None
    unneeded: bool = False
    polling: bool = False
    copying: bool = False

    @property
    def lanes(self) -> str:
        """The name of the active lanes."""
        return self.region.lanes

    def fresh(self, hint: str) -> str:
        """A Python name that nothing else uses."""
        return self.writer.fresh(hint)

    def put(self, text: str, site: Site | None = None, index: str = "") -> None:
        """Write one line that belongs to the current statement."""
        origin = None
        if self.span:
            origin = Origin(self.span, self.region.lanes, site, index, self.calls)
        self.writer.put(text, origin)

    @contextmanager
    def indented(self, head: str) -> Iterator[None]:
        """What is written meanwhile stands under the line `head`."""
        self.put(head)
        with self.writer.indented():
            yield

    def keep(self, hint: str, value: Value) -> Value:
        """Give `value` a name, so that its code is evaluated once."""
        if value.constant is not None or value.code.isidentifier():
            return value
        name = self.fresh(hint)
        self.put(f"{name} = {value.code}")
        return Value(name, value.type, value.scalar)

    def spread(self, value: Value) -> Value:
        """A scalar as an array over the active lanes."""
        if not value.scalar:
            return value
        code = f"np.full({self.lanes}.size, {value.code}, {dtype_name(value.type)})"
        return self.keep("spread", Value(code, value.type))

    def constant_object(self, hint: str, held: Any) -> str:
        """A name by which generated code finds an object."""
        name = self.fresh(hint)
        self.kernel.constants[name] = held
        return name


def context_of(kernel: tree.Function, build: Build) -> Context:
    """The state in which the compilation of a kernel begins."""
    frame = Frame(kernel, facts_of(kernel), "gone")
    return Context(build, Kernel(frame), frame, span=kernel.span)
