"""The state of one compilation, which the handler of every kind of node is given.

A region is a part of the kernel with an active-lane array of its own. Variables live in registers,
arrays with one element a lane; inside a region the values of the active lanes are kept by name
(`cache`), so that most reads cost nothing and most registers are never stored at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from simulator.compile.facts import Facts, facts_of
from simulator.compile.values import (
    Base,
    Binding,
    Members,
    Register,
    StructureVariable,
    Value,
    dtype_name,
)
from simulator.ir import tree
from simulator.ir.events import BasicBlock, Build, EventSite, Plan
from simulator.source import Span

# The generated Python text: lines that may be dropped or completed later, and where each came from.


def python_name(text: str) -> str:
    """`text` with all that cannot stand in a name made underscores."""
    return re.sub(r"\W", "_", text, flags=re.ASCII)


@dataclass(frozen=True)
class Origin:
    """What a line of generated code does: for faults.

    `index` and `lanes` name Python variables; `calls` are those that led to it, as in `EventSite`.
    """

    span: Span
    lanes: str
    site: EventSite | None = None
    index: str = ""
    calls: tuple[Span, ...] = ()


@dataclass
class Line:
    """One line, or some that are known at the end only; what it does, and what it only stores."""

    indent: int
    text: str | Callable[[], list[str]]
    origin: Origin | None
    register: Register | None


@dataclass
class Writer:
    """Collects lines, then joins those that are needed; `numbers` make names unlike all others."""

    lines: list[Line] = field(default_factory=list)
    indent: int = 1
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def fresh(self, hint: str) -> str:
        """Return an unused Python name: no helper's name ends in `_` and a number."""
        return f"{python_name(hint)}_{next(self.numbers)}"

    @contextmanager
    def indented(self) -> Iterator[None]:
        """Indent what is written meanwhile by one level."""
        self.indent += 1
        yield
        self.indent -= 1

    def put(
        self,
        text: str | Callable[[], list[str]],
        origin: Origin | None = None,
        register: Register | None = None,
    ) -> None:
        """Add a line; one that only stores `register` is dropped unless something gathers it."""
        self.lines.append(Line(self.indent, text, origin, register))

    def finish(self, head: str) -> tuple[str, dict[int, Origin]]:
        """Return the whole text under its `head` line, and the origin of each line by number."""
        out, origins = [head], {}
        for line in self.lines:
            if line.register is not None and not line.register.gathered:
                continue
            for text in [line.text] if isinstance(line.text, str) else line.text():
                full = "    " * line.indent + text
                if out[-1].endswith(":") and _depth(full) <= _depth(out[-1]):
                    out.append(" " * _depth(out[-1]) + "    pass")
                out.append(full)
                if line.origin is not None:
                    origins[len(out)] = line.origin
        return "\n".join(out) + "\n", origins


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


@dataclass
class Shrink:
    """A point where a region lost lanes: the cached values used after it must lose them too."""

    selection: str
    names: list[str] = field(default_factory=list)


@dataclass
class CachedValue:
    """A cached value and the shrinkings that it has not yet been put through."""

    value: Value
    pending: list[Shrink] = field(default_factory=list)

    def use(self) -> Value:
        """Return the value, which from here on follows its region's lanes."""
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
    cache: dict[Register, CachedValue] = field(default_factory=dict)
    last: BasicBlock | None = None
    guarded: bool = False
    shrunk: bool = False


@dataclass
class FunctionFrame:
    """A function being compiled.

    `exited` names a mask over all lanes of those that have returned, kept only if `exited_used`;
    `result` holds the value of early returns, `value` that of a return at the end, `structure`
    and `members` the same for structures; `loops` are those around the current statement.
    """

    function: tree.Function
    facts: Facts
    exited: str = ""
    exited_used: bool = False
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

    Its number in the plan, and the names of its lanes and of an object that identifies each run.
    """

    number: int
    lanes: str
    visit: str


@dataclass
class KernelState:
    """What a kernel has once, whichever of its functions is being compiled.

    `prologue` are the lines before its statements, `callee_lines` those of the generator functions
    that `callees` name; `constants` are objects that the text names, `tables` arrays of the launch;
    `shared` are the shared arrays, `shared_bytes` long; `bases` give for every view of a
    parameter's array the parameter's number and a byte offset; `aliases` name views of members of
    structures. `may_tag` says that there are shared arrays by which addresses could be tagged,
    `tagged` that some are; `inlined` counts calls.
    """

    frame: FunctionFrame
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
    may_tag: bool = False
    tagged: bool = False
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
    kernel: KernelState
    frame: FunctionFrame
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
        """Return a Python name that nothing else uses."""
        return self.writer.fresh(hint)

    def put(self, text: str, site: EventSite | None = None, index: str = "") -> None:
        """Write one line that belongs to the current statement."""
        origin = None
        if self.span:
            origin = Origin(self.span, self.region.lanes, site, index, self.calls)
        self.writer.put(text, origin)

    @contextmanager
    def indented(self, head: str) -> Iterator[None]:
        """Write what follows under the line `head`."""
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

    def broadcast(self, value: Value) -> Value:
        """Return a scalar as an array over the active lanes."""
        if not value.scalar:
            return value
        code = f"np.full({self.lanes}.size, {value.code}, {dtype_name(value.type)})"
        return self.keep("broadcast", Value(code, value.type))

    def constant_object(self, hint: str, held: Any) -> str:
        """Return a name by which generated code finds an object."""
        name = self.fresh(hint)
        self.kernel.constants[name] = held
        return name


def context_of(kernel: tree.Function, build: Build) -> Context:
    """Return the state in which the compilation of a kernel begins."""
    frame = FunctionFrame(kernel, facts_of(kernel), "exited")
    return Context(build, KernelState(frame), frame, span=kernel.span)
