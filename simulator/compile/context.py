"""The state of one kernel's compilation to NumPy code, which each handler of a node works on.

That is the code written so far (`Writer`), the function, the loops and the region around the node
(frames), and what is read off a function before it is compiled (`Facts`): `Context` has all of it.

A region is a part of the kernel with an active-lane array of its own. Variables live in registers,
arrays with one element a lane; inside a region the values of the active lanes are kept by name
(`cache`), so that most reads cost nothing and most registers are never stored at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import Any

from simulator.builtins import lowering_of
from simulator.builtins.lowerings import Atomic, LaneTable, TileSize, WarpFunction
from simulator.compile.chased_links import links, waited
from simulator.compile.compiled import Origin
from simulator.compile.dtypes import dtype_name
from simulator.compile.spin_loops import choice, exits, may_spin, mentions, settings, spins
from simulator.compile.values import (
    Base,
    Binding,
    Element,
    Members,
    Register,
    StructureVariable,
    Value,
)
from simulator.ir import tree
from simulator.ir.conversions import variable_in
from simulator.ir.events import BasicBlock, Build, EventSite, Plan
from simulator.ir.tree import children, walk
from simulator.ir.types import SHARED_UNIT, Pointer, Scalar, Struct
from simulator.source import Span

# What can be read off a function before it is compiled: which variables change, how it returns, and
# what accesses mean to other threads: which of them poll, which atomics build on what they find.
#
# A thread polls where the result of a load or of an atomic decides whether a loop goes on that only
# memory can end: a flag that is waited for, a lock that is tried again, the state of a tile that a
# look-back waits for.


Names = set[tree.Symbol]


def combines(how: Atomic, node: tree.Call) -> bool:
    """Whether what an atomic leaves in memory is made of what it finds there."""
    if how.replaces:
        return False
    given = node.arguments[-1]
    zero = isinstance(given, tree.Literal) and given.value == 0
    return not (zero and how.neutral_zero)


def polled_in(function: tree.Function) -> frozenset[tree.Expression]:
    """Return the expressions whose values decide whether loops go on that may wait."""
    found: set[tree.Expression] = set()
    for node in walk(function.body):
        if isinstance(node, tree.Loop) and (spins(node) or may_spin(node)):
            found |= _polled_by(node, function)
    return frozenset(found)


def _polled_by(loop: tree.Loop, function: tree.Function) -> set[tree.Expression]:
    """Return what decides about one loop: conditions, and what the variables in them are set to.

    Also before the loop: a value that is read once more if it will not do is read first there. Of
    links that it follows only what else is read for them is waited for.
    """
    found = {*exits(loop), *_skips(loop.body)}
    followed = links(loop)
    leading: Names = set().union(*followed.values())
    names: Names = set().union(*map(mentions, found))
    inside = list(_settings_below(loop, ()))
    known = -1
    while known != len(names):
        known = len(names)
        for symbol, expressions in inside:
            if symbol in names:
                found.update(expressions)
                names |= set().union(*map(mentions, expressions))
    for symbol, expressions in _settings_below(function.body, ()):
        if symbol in names and symbol not in leading:
            found.add(expressions[0])
    return {part for node in found for part in waited(node, followed)}


def _settings_below(
    node: tree.Node, choices: tuple[tree.Expression, ...]
) -> Iterator[tuple[tree.Symbol, tuple[tree.Expression, ...]]]:
    """Yield the variables set below, each with the expression that sets it and what decides."""
    for symbol, value in settings(node):
        source = node if isinstance(node, tree.Expression) else value
        if source is not None:
            yield symbol, (source, *choices)
    test = None if isinstance(node, tree.Loop) else choice(node)
    inner = choices if test is None else (*choices, test)
    for child in children(node):
        yield from _settings_below(child, choices if child is test else inner)


def _skips(body: tree.Node) -> Iterator[tree.Expression]:
    """Yield the conditions under which an iteration is given up by `continue`."""
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tree.Loop):  # whose iterations are others
            continue
        test = choice(node)
        if test is not None and any(isinstance(n, tree.Continue) for n in walk(node)):
            yield test
        waiting += children(node)


#: What sets a variable, once an iteration.
Setting = tree.Assign | tree.CompoundAssign | tree.Increment


@dataclass(frozen=True)
class Facts:
    """`written`: variables assigned after their declaration; `addressed`.

    Variables that are no arrays and whose address is taken. `shuffled`: those whose value a shuffle
    takes, by itself; lanes that nobody reads from need not have one. `counters`: variables that a
    loop declares and only its step sets, by what.

    `early_return`: some return is not the last statement; `return_in_loop`: some return stands in a
    loop. `polled`: expressions that decide how long loops wait for other threads.
    """

    written: frozenset[tree.Symbol]
    addressed: frozenset[tree.Symbol]
    shuffled: frozenset[tree.Symbol]
    counters: Mapping[tree.Symbol, Setting]
    early_return: bool
    return_in_loop: bool
    polled: frozenset[tree.Expression]


@lru_cache(maxsize=256)
def facts_of(function: tree.Function) -> Facts:
    """Read the facts off a checked function."""
    written, addressed = set(), set()
    references: list[tree.Declaration] = []
    nodes = tuple(walk(function.body))
    for node in tree.with_closures(nodes):
        if isinstance(node, (tree.Assign, tree.CompoundAssign, tree.Increment)):
            written |= _variable(node.target)
        elif isinstance(node, tree.AddressOf):
            named = _variable(node.operand)
            written |= named
            addressed |= {s for s in named if isinstance(s.type, (Scalar, Pointer, Struct))}
        elif isinstance(node, tree.Declaration) and node.symbol.reference and node.value:
            written |= _variable(node.value)
            references.append(node)
        elif isinstance(node, tree.Call) and node.function is not None:
            for parameter, argument in zip(node.function.parameters, node.arguments, strict=True):
                if parameter.reference:
                    written |= _variable(argument)
                    if node.function.recursive or parameter in facts_of(node.function).addressed:
                        addressed |= _variable(argument)
    addressed |= _referred(references, addressed)
    returns = [n for n in nodes if isinstance(n, tree.Return)]
    last = function.body.body[-1] if function.body.body else None
    loops = [n for n in nodes if isinstance(n, tree.Loop)]
    in_loop = any(isinstance(n, tree.Return) for loop in loops for n in walk(loop))
    early = any(r is not last for r in returns)
    sets = frozenset(written), frozenset(addressed), _shuffled(nodes), _counters(nodes)
    return Facts(*sets, early, in_loop, polled_in(function))


def _counters(nodes: tuple[tree.Node, ...]) -> dict[tree.Symbol, Setting]:
    """Return the variables of loops that nothing but their steps may set, and what does."""
    found: dict[tree.Symbol, Setting] = {}
    for loop in (n for n in nodes if isinstance(n, tree.Loop) and n.step is not None):
        declared = {n.symbol for n in loop.start if isinstance(n, tree.Declaration)}
        for part in _commas(loop.step):
            if isinstance(part, Setting) and isinstance(part.target, tree.Name):
                symbol = part.target.symbol
                if symbol in declared and not symbol.reference:
                    found[symbol] = part
    settings = set(found.values())
    for node in tree.with_closures(nodes):
        if found and node not in settings:
            for symbol in _may_set(node):
                found.pop(symbol, None)
    return found


def _commas(node: tree.Expression | None) -> Iterator[tree.Expression]:
    """Yield the parts of `x, y, z`."""
    if isinstance(node, tree.Binary) and node.op == ",":
        yield from _commas(node.left)
        yield from _commas(node.right)
    elif node is not None:
        yield node


def _may_set(node: tree.Node) -> Iterator[tree.Symbol]:
    """Yield the variables that a node itself may set, now or later."""
    for lvalue in _given_away(node):
        yield from _variable(lvalue)


def _shuffled(nodes: tuple[tree.Node, ...]) -> frozenset[tree.Symbol]:
    found: set[tree.Symbol] = set()
    for node in nodes:
        how = lowering_of(node)
        if isinstance(node, tree.Call) and isinstance(how, WarpFunction) and how.shuffles:
            value = node.arguments[1]
            found |= _variable(value.operand if isinstance(value, tree.Cast) else value)
    return frozenset(found)


def _referred(references: list[tree.Declaration], addressed: set[tree.Symbol]) -> set[tree.Symbol]:
    """Return what local references refer to whose address is taken."""
    found = set(addressed)
    for node in reversed(references):
        if node.symbol in found and node.value is not None:
            found |= _variable(node.value)
    return found


def _variable(node: tree.Expression) -> set[tree.Symbol]:
    """Return the variable that an lvalue is, or is a member of."""
    while isinstance(node, tree.Member):
        node = node.base
    return {node.symbol} if isinstance(node, tree.Name) and node.symbol is not None else set()


def may_change(function: tree.Function, symbol: tree.Symbol) -> bool:
    """Whether arrays in the structure `symbol` may be written: assigned to, or used as pointers."""
    nodes = tree.with_closures(tuple(walk(function.body)))
    indexed = {id(node.base) for node in nodes if isinstance(node, tree.Index)}
    for node in nodes:
        if isinstance(node, tree.Decay) and id(node) not in indexed and variable_in(node) is symbol:
            return True
        if any(variable_in(lvalue) is symbol for lvalue in _given_away(node)):
            return True
    return False


def _given_away(node: tree.Node) -> tuple[tree.Expression, ...]:
    """Return the lvalues that a node itself writes, or lets others write."""
    if isinstance(node, tree.Assign | tree.CompoundAssign | tree.Increment):
        return (node.target,)
    if isinstance(node, tree.AddressOf):
        return (node.operand,)
    if isinstance(node, tree.Declaration) and node.symbol.reference and node.value is not None:
        return (node.value,)
    if isinstance(node, tree.Call) and node.function is not None:
        pairs = zip(node.function.parameters, node.arguments, strict=True)
        return tuple(argument for parameter, argument in pairs if parameter.reference)
    return ()


def is_pure(node: tree.Node) -> bool:
    """Whether lanes that do not need `node` may evaluate it: no accesses, effects or faults."""
    if isinstance(node, tree.Name):
        assert node.symbol is not None
        held = node.symbol.storage in (tree.Storage.LOCAL, tree.Storage.PARAMETER)
        return held and not node.symbol.reference
    if isinstance(node, tree.Call):
        return isinstance(lowering_of(node), LaneTable | TileSize)
    if isinstance(node, tree.Member):
        return node.name.startswith("group ") and is_pure(node.base)
    if isinstance(node, tree.Binary) and node.op in ("/", "%"):  # of integers by zero: a fault
        floats = isinstance(node.type, Scalar) and node.type.is_float
        return floats and is_pure(node.left) and is_pure(node.right)
    return isinstance(node, _PURE) and all(map(is_pure, children(node)))


#: What is pure if all its parts are.
_PURE = (
    *(tree.Literal, tree.Builtin, tree.Unary, tree.Cast),
    *(tree.Binary, tree.Logical, tree.Conditional),
)


# The generated Python text: lines that may be dropped or completed later, and where each came from.


def python_name(text: str) -> str:
    """`text` with all that cannot stand in a name made underscores."""
    return re.sub(r"\W", "_", text, flags=re.ASCII)


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
    structure: StructureVariable | Element | None = None
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
    that `callees` name; `constants` are objects that the text names, `tables` arrays of the launch,
    `computed` those of expressions of them;
    `shared` are the shared arrays, `shared_bytes` long, which begin at a multiple of
    `shared_align`, the dynamic ones of `dynamic_align`; `bases` give for every view of a
    parameter's array the parameter's number and a byte offset; `aliases` name views of members of
    structures. `may_tag` says that there are shared arrays by which addresses could be tagged,
    `tagged` that some are; `inlined` counts calls; `may_copy` says that there are asynchronous
    copies somewhere, `copies` that one has been compiled.
    """

    frame: FunctionFrame
    plan: Plan = field(default_factory=Plan)
    prologue: list[str] = field(default_factory=list)
    callees: dict[tree.Function, str] = field(default_factory=dict)
    callee_lines: list[Line] = field(default_factory=list)
    constants: dict[str, Any] = field(default_factory=dict)
    tables: dict[str, Register] = field(default_factory=dict)
    computed: dict[str, Register] = field(default_factory=dict)
    shared: dict[tree.Symbol, Base] = field(default_factory=dict)
    shared_bytes: int = 0
    shared_align: int = SHARED_UNIT
    dynamic_align: int = 1
    bases: dict[str, tuple[int, int]] = field(default_factory=dict)
    aliases: dict[tuple[str, str], str] = field(default_factory=dict)
    may_tag: bool = False
    tagged: bool = False
    inlined: int = 0
    may_copy: bool = False
    copies: bool = False


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
    some of which may never have been written. `library` is the program's call of a function of the
    simulator's own texts that is being inlined.
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
    past_l1: int = 0
    library: Span | None = None

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
