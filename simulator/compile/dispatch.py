"""Compile nodes for the active lanes: the ways into the tree, and what all handlers do there.

`value`, `members`, `lvalue`, `location`, `pointer` and `run` call the handler of a kind of node.
Handlers register themselves with `expression`, `structure`, `lvalue`, `pointed` and `statement`;
none of them is known here. They log with `site` and `log`, narrow the active lanes with
`predicated` and `shrink`, and keep values in registers with `read` and `write`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import singledispatch
from typing import Any

from simulator.compile.context import CachedValue, Context, Region, Shrink
from simulator.compile.values import (
    AtAddress,
    Element,
    Location,
    Lvalue,
    Members,
    Register,
    StructureVariable,
    Value,
    nothing,
    pointee,
    typed,
)
from simulator.ir import tree
from simulator.ir.events import CONDITION, VIEW, BasicBlock, EventSite, Operand
from simulator.ir.types import CType, Struct
from simulator.source import Span

# Basic blocks, which generated code logs, and the sites of their operands.


def site(kind: str, span: Span, context: Context, space: str = "", **facts: Any) -> EventSite:
    """Add a new site to the plan; that of an own text of the simulator is where it is called."""
    sites = context.kernel.plan.sites
    if context.library is not None:
        span = context.library
    polls = context.polling and kind in ("load", "atomic")
    made = EventSite(len(sites), kind, span, space, polls=polls, calls=context.calls, **facts)
    sites.append(made)
    return made


def log(form: str, at: EventSite, code: str, context: Context) -> None:
    """Note an operand of the current basic block."""
    block = _current(context)
    block.operands.append(Operand(form, at, at.view if form == VIEW else ""))
    block.codes.append(code)


# What counts as a branch, and where it is logged:
#
# 1. It is logged behind the code of its condition and before lanes part, in the basic block whose
#    lanes evaluated it: these are the lanes that met the branch.
# 2. A condition that is constant is none: compilers leave such branches out.
# 3. Nor is one between sides of `?:`, `&&` and `||` that every lane may evaluate (`is_pure`): GPUs
#    evaluate both and select.
# 4. That of `&&` and `||` is where the right side stands, so that each has a line and a column of
#    its own in tables and records: in `a && b && c` both left sides begin at `a`. Builds that log
#    steps have it where the left side stands, whose truth they show.
# 5. A loop meets its condition once more than its body: lanes that it ends are still among those
#    that met it, and lanes that have left before are not.
# 6. A condition that is one number and no array is the same for all lanes: it cannot diverge.


def log_condition(test: str, span: Span, context: Context) -> None:
    """Note that the lanes part by `test`, which stands at `span`."""
    if context.library is not None:
        return
    log(CONDITION, site("branch", span, context), test, context)


def count_statement(context: Context) -> None:
    """One C statement is executed by the active lanes; those of own texts are none."""
    if context.library is not None:
        return
    _current(context).statements += 1


def _current(context: Context) -> BasicBlock:
    if context.block is None:
        context.block = BasicBlock(-1, span=context.statement)
    return context.block


def close(context: Context) -> None:
    """End the current basic block: log it, or add its statements to the one just before it."""
    block, last = context.block, context.region.last
    if block is None:
        return
    context.block = None
    alike = last is not None and (last.span == block.span or not context.build.steps)
    if not block.operands and last is not None and alike:
        last.statements += block.statements
        return
    block.id, block.lanes = len(context.kernel.plan.blocks), context.lanes
    context.kernel.plan.blocks.append(block)
    context.region.last = block
    context.put(f"log(({', '.join([str(block.id), block.lanes, *block.codes])}))")


@contextmanager
def standing(span: Span, context: Context) -> Iterator[None]:
    """Compile what stands at `span`: in builds for traces, a basic block of its own."""
    if context.library is not None:
        yield
        return
    outer = context.span, context.statement
    if context.build.steps:
        close(context)
    context.span = context.statement = span
    yield
    if context.build.steps:
        close(context)
    context.span, context.statement = outer


def preempt(context: Context) -> None:
    """Let others run before a memory operation, where the build is made for that."""
    if not context.build.preemptive:
        return
    close(context)
    context.put("preempt_after -= 1")
    context.put("if preempt_after < 0:")
    context.put(f"    preempt_after = yield ('switch', -1, {context.lanes}, None)")


# Regions, each with its active lanes, and registers: C variables as arrays, an element a lane.


def enter(selection: str | None, lanes: str, context: Context) -> Region:
    """Begin a region.

    `selection` picks its lanes out of its parent's; "" means all of them, under a condition that
    they share, None that its lanes change, as those of a loop do.
    """
    close(context)
    outer, context.region = context.lanes, Region(lanes, context.region, selection)
    if selection:
        context.put(f"{lanes} = {outer}[{selection}]")
    return context.region


def leave(context: Context) -> Region:
    """End the region and its guards, and go on with its parent."""
    close(context)
    unguard(context)
    region = context.region
    assert region.parent is not None
    context.region = region.parent
    return region


@contextmanager
def predicated(test: Value, context: Context) -> Iterator[str]:
    """Write what follows for the lanes where `test` holds.

    Gives the name of their positions among the active lanes, "" where all lanes agree on `test`.
    """
    close(context)
    picked, lanes, head = "", context.lanes, f"if {test.code}:"
    if not test.scalar:
        picked, lanes, count = pick(test, context)
        head = f"if {count}:"
    with context.indented(head):
        enter(picked, lanes, context)
        yield picked
        leave(context)
        context.put("pass")


def pick(test: Value, context: Context) -> tuple[str, str, str]:
    """Pick the lanes where `test` holds: names for their positions, for them and their number.

    Positions are `every` where it holds for all lanes: what is picked by that is not copied.
    """
    test = context.keep("test", test)
    picked, lanes, count = context.fresh("pick"), context.fresh("lanes"), context.fresh("count")
    context.put(f"{count} = count_nonzero({test.code})")
    some = f"{test.code}.nonzero()[0] if 0 < {count} < {context.lanes}.size"
    context.put(f"{picked} = {some} else every if {count} else no_lanes")
    return picked, lanes, count


def shrink(selection: str, context: Context) -> None:
    """Continue the region with the lanes that `selection` picks.

    Cached values follow as far as they are used.
    """
    region, record = context.region, Shrink(selection)
    lanes = region.lanes
    context.writer.put(
        lambda: [f"{name} = {name}[{selection}]" for name in dict.fromkeys([lanes, *record.names])]
    )
    for entry in region.cache.values():
        entry.pending.append(record)
    _others(region)


def become(lanes: str, context: Context) -> None:
    """Continue the region with other `lanes`, if there are any."""
    context.put(f"{context.lanes} = {lanes}")
    changed(context)
    guard(context)


def without_exited(context: Context) -> None:
    """Lanes that have returned do not go on here."""
    context.frame.exited_used = True
    become(f"staying({context.lanes}, {context.frame.exited})", context)


def changed(context: Context) -> None:
    """Note that the active lanes of the region are others from here on."""
    context.region.cache.clear()
    _others(context.region)


def _others(region: Region) -> None:
    region.last = None
    region.full = False
    region.shrunk = True
    region.selection = None


def guard(context: Context) -> None:
    """Guard the rest of the region by a test for lanes that are left."""
    unguard(context)
    context.put(f"if {context.lanes}.size:")
    context.writer.indent += 1
    context.region.guarded = True


def unguard(context: Context) -> None:
    """End the region's guard, if it has one."""
    if context.region.guarded:
        context.writer.indent -= 1
        context.region.guarded = False


def new_register(name: str, code: str, context: Context, uniform: bool = False) -> Register:
    """Make a register of NumPy type `code`."""
    register = Register(context.fresh("R_" + name), code, label=name, uniform=uniform)
    context.registers.append(register)
    return register


def lane_table(name: str, context: Context) -> Register:
    """Return a read-only array of the launch with one element a lane."""
    tables = context.kernel.tables
    if name not in tables:
        # Not as names end that the writer makes of variables: theirs is a number.
        tables[name] = Register(f"{name}_table", "", table=True)
    return tables[name]


def read(register: Register, ctype: CType, context: Context) -> Value:
    """Read a register for the active lanes."""
    region = context.region
    value = _known(region, register, context)
    if value is None:
        register.gathered = True
        value = Value(context.fresh(register.name.split("_", 1)[1]), ctype, register.uniform)
        context.put(f"{value.code} = {_gathered(register, region.lanes)}")
        region.cache[register] = CachedValue(value)
    return replace(value, type=ctype)


def _gathered(register: Register, lanes: str) -> str:
    """Return the code of a register's values for some lanes, which no later write changes.

    All lanes of a large gang are copied much sooner than picked.
    """
    if register.uniform:
        return register.name
    all_values = register.name if register.table else f"{register.name}.copy()"
    return f"{all_values} if {lanes}.size == lane_count else {register.name}[{lanes}]"


def _known(region: Region, register: Register, context: Context) -> Value | None:
    """Return the value that a region keeps by name, or one around it."""
    if register in region.cache:
        return region.cache[register].use()
    if region.parent is None or region.selection is None:
        return None
    value = _known(region.parent, register, context)
    if value is None:
        return None
    if not value.scalar and (region.selection or region.lanes != region.parent.lanes):
        name = context.fresh(value.code.rsplit("_", 1)[0])
        picked = f"[{region.selection}]" if region.selection else ""
        context.put(f"{name} = {value.code}{picked}")
        value = Value(name, value.type)
    if region is context.region:
        region.cache[register] = CachedValue(value)
    return value


def write(register: Register, value: Value, context: Context) -> None:
    """Set a register for the active lanes."""
    value = context.keep(register.name.split("_", 1)[1].rsplit("_", 1)[0], value)
    lanes = f"{context.lanes} if {context.lanes}.size != lane_count else every"
    line = f"{register.name}[{lanes}] = {value.code}"
    if register.uniform:
        assert value.scalar
        line = f"{register.name} = {typed(value)}"
    context.writer.put(line, None, register)
    region: Region | None = context.region
    while region is not None:
        region.cache.pop(register, None)
        region = region.parent
    context.region.cache[register] = CachedValue(value)


def allocations(registers: list[Register]) -> list[str]:
    """Return the lines that make those registers that something reads."""
    return [
        f"{register.name} = np.zeros(lane_count, {register.code.replace('?', 'b1')})"
        for register in registers
        if register.gathered and not register.uniform
    ]


@singledispatch
def expression(node: tree.Expression, context: Context) -> Value:
    """Compile an expression whose value is a number or a pointer."""
    raise NotImplementedError(type(node).__name__)


@singledispatch
def structure(node: tree.Expression, context: Context) -> Members:
    """Compile an expression of structure type: the values of its leaves."""
    raise NotImplementedError(type(node).__name__)


@singledispatch
def lvalue(node: tree.Expression, context: Context) -> Lvalue:
    """Where an lvalue is."""
    raise NotImplementedError(type(node).__name__)


@singledispatch
def pointed(node: tree.Expression, context: Context) -> Element | AtAddress:
    """Compile a pointer: what it points to."""
    return AtAddress(value(node, context), pointee(node.type))


@singledispatch
def statement(node: tree.Statement, context: Context) -> None:
    """Compile one statement for the active lanes."""
    raise NotImplementedError(type(node).__name__)


# `dispatch(type(node))` finds the handler as a plain call does, but takes no frame of Python's
# stack of its own: how deep programs may be nested depends on that.


def value(node: tree.Expression, context: Context) -> Value:
    """Compile an expression for the active lanes; a structure has no value of its own."""
    outer = context.span, context.polling
    context.polling |= node in context.frame.facts.polled
    if isinstance(node.type, Struct):
        members(node, context)
        result = nothing(node.type)
    else:
        context.span = context.library or node.span
        result = expression.dispatch(type(node))(node, context)
    context.span, context.polling = outer
    return result


def members(node: tree.Expression, context: Context) -> Members:
    """Compile an expression of structure type: the values of its leaves, by their paths."""
    outer, context.span = context.span, context.library or node.span
    result = structure.dispatch(type(node))(node, context)
    context.span = outer
    return result


def location(node: tree.Expression, context: Context) -> Location:
    """Where an lvalue is that is no structure in registers."""
    found = lvalue.dispatch(type(node))(node, context)
    assert not isinstance(found, StructureVariable), node
    return found


def pointer(node: tree.Expression, context: Context) -> Element | AtAddress:
    """Return what a pointer points to.

    An element of a known array if the source tells, else an address.
    """
    outer, context.span = context.span, context.library or node.span
    result = pointed.dispatch(type(node))(node, context)
    context.span = outer
    return result


def run(node: tree.Statement, context: Context) -> None:
    """Compile one statement for the active lanes."""
    with standing(node.span, context):
        statement.dispatch(type(node))(node, context)


def run_all(statements: tuple[tree.Statement, ...], context: Context) -> None:
    """Compile statements until none is reachable."""
    for node in statements:
        if context.dead:
            return
        run(node, context)
