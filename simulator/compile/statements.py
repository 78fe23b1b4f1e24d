"""Statements: expressions, declarations, branches, loops, and what leaves them; not switches."""

from __future__ import annotations

from simulator.compile.context import Context, LeavableFrame, LoopFrame, Region, SpinLoop
from simulator.compile.dispatch import (
    become,
    changed,
    close,
    count_statement,
    enter,
    guard,
    leave,
    log,
    log_condition,
    members,
    pick,
    pointer,
    run,
    run_all,
    shrink,
    site,
    standing,
    statement,
    unguard,
    value,
    without_exited,
    write,
)
from simulator.compile.memory import note, store
from simulator.compile.spin_loops import may_spin, spins
from simulator.compile.values import (
    Base,
    Binding,
    Element,
    Register,
    Value,
    constant,
    leaves,
    negated,
)
from simulator.compile.variables import (
    local_array,
    pointer_variable,
    reference,
    shared_variable,
    store_members,
    structure_variable,
    uniform_variable,
    variable,
)
from simulator.ir import tree
from simulator.ir.events import EXIT, ITERATION_COST, SPIN_COST
from simulator.ir.types import INT, Array, Pointer, Scalar, Struct
from simulator.source import Span

# Branches: here lanes part and meet again.


@statement.register(tree.If)
@statement.register(tree.Selection)
def _if(node: tree.If, context: Context) -> None:
    """`if (test) …; else …;`."""
    test = context.keep("test", value(node.test, context))
    selects = isinstance(node, tree.Selection)
    if not selects:
        count_statement(context)
    if test.constant is not None:
        taken = node.then if test.constant else node.other
        if taken is not None:
            run(taken, context)
        return
    if not selects:
        log_condition(test.code, node.test.span, context)
    close(context)
    if test.scalar:
        _uniform(test, node, context)
    elif node.other is None:
        _one_sided(test, node.then, context)
    else:
        _two_sided(test, node.then, node.other, context)


def _uniform(test: Value, node: tree.If, context: Context) -> None:
    """Compile a branch on whose test all lanes agree."""
    lanes = context.lanes
    then, dead = _side(f"if {test.code}:", node.then, "", lanes, context)
    shrunk = then.shrunk
    if node.other is not None:
        other, other_dead = _side("else:", node.other, "", lanes, context)
        shrunk, dead = shrunk or other.shrunk, dead and other_dead
        context.dead = dead
    if shrunk:
        changed(context)
        guard(context)


def _side(
    head: str, node: tree.Statement, selection: str, lanes: str, context: Context
) -> tuple[Region, bool]:
    """Compile one side of a branch in a region of its own; whether all its lanes leave."""
    with context.indented(head):
        enter(selection, lanes, context)
        run(node, context)
        dead, context.dead = context.dead, False
        if dead:
            close(context)
            context.put(f"{lanes} = no_lanes")
            context.region.shrunk = True
        region = leave(context)
        context.put("pass")
    return region, dead


def _one_sided(test: Value, then: tree.Statement, context: Context) -> None:
    """Compile a branch without `else` whose lanes diverge."""
    picked, lanes, count = pick(test, context)
    head = f"if {count}:"
    side, dead = _side(head, then, picked, lanes, context)
    others = f"(~{test.code}).nonzero()[0]"
    if not side.shrunk:
        return
    with context.indented(head):
        if dead:  # the lanes that took it do not come back
            context.put(f"{picked} = {others}")
            shrink(picked, context)
        else:
            context.put(f"{context.lanes} = union({lanes}, {context.lanes}[{others}])")
    if not dead:
        changed(context)
    guard(context)


def _two_sided(test: Value, then: tree.Statement, other: tree.Statement, context: Context) -> None:
    """Compile a branch with `else` whose lanes diverge."""
    picked, lanes, count = pick(test, context)
    left, left_dead = _side(f"if {count}:", then, picked, lanes, context)
    others, other_lanes = context.fresh("pick"), context.fresh("lanes")
    if left.shrunk:
        _else_nobody(lanes, context)
    some = f"{negated(test).code}.nonzero()[0] if 0 < {count} < {context.lanes}.size"
    context.put(f"{others} = {some} else no_lanes if {count} else every")
    head = f"if {count} != {context.lanes}.size:"
    right, right_dead = _side(head, other, others, other_lanes, context)
    if left_dead and right_dead:
        context.dead = True
    elif left.shrunk or right.shrunk:
        if right.shrunk:
            _else_nobody(other_lanes, context)
        ones = lanes if left.shrunk else f"{context.lanes}[{picked}]"
        rest = other_lanes if right.shrunk else f"{context.lanes}[{others}]"
        become(f"union({ones}, {rest})", context)


def _else_nobody(lanes: str, context: Context) -> None:
    context.put("else:")
    context.put(f"    {lanes} = no_lanes")


# Loops: lanes leave them one after another, and go on together behind.


@statement.register
def _loop(node: tree.Loop, context: Context) -> None:
    """`for (…; test; step) …`, `while (test) …`, `do … while (test);`."""
    run_all(node.start, context)
    close(context)
    lanes = context.fresh("lanes")
    context.put(f"{lanes} = {context.lanes}")
    outer = len(context.spins)
    _note_spin_loop(node, lanes, context)
    with context.indented("while True:"):
        region = enter(None, lanes, context)
        loop = LoopFrame(context.fresh("continued"), region)
        context.frame.loops.append(loop)
        _iteration(node, loop, context)
        context.frame.loops.pop()
        del context.spins[outer:]
        leave(context)
    if loop.returned:
        without_exited(context)


def _note_spin_loop(node: tree.Loop, lanes: str, context: Context) -> None:
    """Note that a loop may wait for other threads.

    A gang that comes by twice shows the same `visit` if it is in the same run of the loop.
    """
    plan = context.kernel.plan
    plan.may_spin |= may_spin(node)
    if spins(node):
        context.kernel.frame.exited_used = True  # who still waits, and who has returned
        visit = context.fresh("visit")
        context.put(f"{visit} = []")
        context.spins.append(SpinLoop(len(plan.spin_loops), lanes, visit))
        plan.spin_loops.append(context.library or _head_of(node))


def _head_of(node: tree.Loop) -> Span:
    """Where a loop says how long it goes on."""
    return node.test.span if node.test is not None else node.span


def _iteration(node: tree.Loop, loop: LoopFrame, context: Context) -> None:
    lanes, region = loop.region.lanes, loop.region
    writer = context.writer
    writer.put(lambda: [f"if not {lanes}.size:", "    break"] if region.shrunk else [])
    writer.put(lambda: [f"{loop.continues} = []"] if loop.continued else [])
    if node.kind != "do":
        _test(node, context)
    run(node.body, context)
    if loop.continued:
        _continued(loop, context)
    if context.dead:
        context.dead = False
        close(context)
        context.put("break")
        return
    if node.step is not None:
        run(tree.Evaluate(node.step, span=node.step.span), context)
    if node.kind == "do":
        _test(node, context)
    _spend(lanes, context)


def _continued(loop: LoopFrame, context: Context) -> None:
    """Lanes that said `continue` come back before the step."""
    lanes = loop.region.lanes
    close(context)
    if context.dead:
        context.put(f"{lanes} = no_lanes")
    context.dead = False
    unguard(context)
    context.put(f"if {loop.continues}:")
    context.put(f"    {lanes} = union({lanes}, *{loop.continues})")
    changed(context)
    guard(context)


def _spend(lanes: str, context: Context) -> None:
    """Take an iteration from the steps after which a gang lets others run."""
    close(context)
    spin = context.spins[-1] if context.spins else SpinLoop(-1, lanes, "None")
    cost = SPIN_COST if spin.lanes == lanes and spin.number >= 0 else ITERATION_COST
    context.put(f"budget -= {lanes}.size + {cost}")
    context.put("if budget < 0:")
    event = f"('iteration', {spin.number}, {spin.lanes}, ({cost}, {spin.visit}))"
    context.put(f"    budget = yield {event}")


def _test(node: tree.Loop, context: Context) -> None:
    """Compile the condition of a loop."""
    if node.test is None:
        return
    with standing(node.test.span, context):
        test = context.keep("test", value(node.test, context))
        count_statement(context)
        if test.constant is None:
            log_condition(test.code, node.test.span, context)
            close(context)
            _leave_loop(test, context)
        elif not test.constant:
            close(context)
            context.put("break")


def _leave_loop(test: Value, context: Context) -> None:
    """Lanes whose test is false leave; those that stay keep their cached values."""
    region = context.region
    if test.scalar:
        context.put(f"if not {test.code}:")
        context.put("    break")
        region.last = None
        return
    count, picked = context.fresh("count"), context.fresh("pick")
    context.put(f"{count} = count_nonzero({test.code})")
    with context.indented(f"if {count} != {context.lanes}.size:"):
        context.put(f"if not {count}:")
        context.put("    break")
        context.put(f"{picked} = {test.code}.nonzero()[0]")
        shrunk = region.shrunk
        shrink(picked, context)
        region.shrunk = shrunk


@statement.register
def _block(node: tree.Block, context: Context) -> None:
    """`{ … }`."""
    run_all(node.body, context)


@statement.register
def _assembly(node: tree.AsmBlock, context: Context) -> None:
    """`asm("…" : "=r"(x) : "r"(y));`."""
    run_all(node.body, context)


@statement.register
def _empty(node: tree.Empty, context: Context) -> None:
    """`;`."""


@statement.register
def _evaluate(node: tree.Evaluate, context: Context) -> None:
    """`x;`."""
    value(node.expression, context)
    count_statement(context)


@statement.register
def _break(node: tree.Break, context: Context) -> None:
    """`break;`."""
    count_statement(context)
    context.dead = True


@statement.register
def _continue(node: tree.Continue, context: Context) -> None:
    """`continue;`."""
    count_statement(context)
    close(context)
    loops = context.frame.loops
    switches = [s for s in context.frame.switches if s.depth == len(loops)]
    frames: list[LeavableFrame] = [loops[-1], *switches]
    for left in frames:
        left.continued = True
        context.put(f"{left.continues}.append({context.lanes})")
    context.dead = True


@statement.register
def _return(node: tree.Return, context: Context) -> None:
    """`return x;`."""
    if node.value is not None:
        _keep_result(node.value, node, context)
    count_statement(context)
    frame = context.frame
    if frame.function.kind == "__global__" or frame.facts.early_return:
        _exit(node, context)


def _keep_result(result: tree.Expression, node: tree.Return, context: Context) -> None:
    """Keep what is returned for the call."""
    frame = context.frame
    if isinstance(result.type, Struct):
        parts = members(result, context)
        if frame.structure is not None:
            store_members(frame.structure, parts, node.span, context)
        else:
            frame.members = {n: context.keep(n, v) for n, v in parts.items()}
        return
    found = context.keep("result", value(result, context))
    found = note(f"{frame.function.name}()", found, context)
    if frame.result is not None:
        write(frame.result, found, context)
    else:
        frame.value = found


def _exit(node: tree.Return, context: Context) -> None:
    """Let the active lanes leave the function."""
    frame = context.frame
    if context.build.steps and frame is context.kernel.frame:
        log(EXIT, site("exit", node.span, context), "None", context)
    close(context)
    line = f"{frame.exited}[{context.lanes}] = True"
    context.writer.put(lambda: [line] if frame.exited_used else [])
    frames: list[LeavableFrame] = [*frame.loops, *frame.switches]
    for left in frames:
        left.returned = True
    context.dead = True


@statement.register
def _declaration(node: tree.Declaration, context: Context) -> None:
    """`int x = y;`, `float a[4] = {1};`, `__shared__ int s[32];`, `int &r = x;`."""
    symbol = node.symbol
    if symbol.storage is tree.Storage.SHARED:
        context.bindings[symbol] = shared_variable(symbol, context)
    elif symbol.reference and node.value is not None:
        context.bindings[symbol] = reference(node.value, context)
    elif isinstance(symbol.type, Array):
        context.bindings[symbol] = base = local_array(symbol.name, symbol.type, context)
        if node.values is not None:
            _initialise(base, node, node.values, context)
            count_statement(context)
    else:
        context.bindings[symbol] = _declared(symbol, node.value, context)
        if node.value is not None:
            count_statement(context)


def _declared(symbol: tree.Symbol, init: tree.Expression | None, context: Context) -> Binding:
    """Bind a variable that is no array, set to its first value."""
    facts, ctype = context.frame.facts, symbol.type
    if isinstance(ctype, Struct):
        values = None if init is None else members(init, context)
        return structure_variable(symbol, values, facts, symbol.span, context)
    if init is None:
        return variable(symbol, None, facts, context)
    if isinstance(ctype, Pointer) and symbol not in facts.written:
        return pointer_variable(symbol, pointer(init, context), context)
    first = value(init, context)
    if first.scalar and symbol not in facts.written:
        return note(symbol.name, context.keep(symbol.name, first), context)
    if first.scalar and _counts_alike(symbol, context):
        return uniform_variable(symbol, first, context)
    return variable(symbol, first, facts, context)


def _counts_alike(symbol: tree.Symbol, context: Context) -> bool:
    """Whether lanes that a loop still has all give a variable of it the same value.

    Those that leave the loop do not read it again; those that said `continue` are back when its
    step sets it. Builds that draw which lane's value is stored, or that show the steps, keep a
    value for each.
    """
    if context.build.shuffled or context.build.steps:
        return False
    setting = context.frame.facts.counters.get(symbol)
    whole = isinstance(symbol.type, Scalar) and symbol.type.is_integer
    if setting is None or not whole:
        return False
    given = () if isinstance(setting, tree.Increment) else (setting.value,)
    return all(_alike(part, symbol, context) for part in given)


def _alike(node: tree.Node, symbol: tree.Symbol, context: Context) -> bool:
    """Whether all lanes get the same from an expression of numbers and variables."""
    if isinstance(node, tree.Name):
        binding = None if node.symbol is None else context.bindings.get(node.symbol)
        alike = isinstance(binding, Value) and binding.scalar
        return node.symbol is symbol or alike or (isinstance(binding, Register) and binding.uniform)
    if isinstance(node, tree.Builtin):
        return node.name not in ("threadIdx", "blockIdx")
    simple = isinstance(node, tree.Literal | tree.Cast | tree.Unary | tree.Binary)
    return simple and all(_alike(child, symbol, context) for child in tree.children(node))


def _initialise(
    base: Base, node: tree.Declaration, values: tuple[tree.Expression, ...], context: Context
) -> None:
    """Set the elements of an array; those without a value to zero."""
    of = base.element
    for at in range(base.length or 0):
        where = Element(base, constant(at, INT))
        given = values[at] if at < len(values) else None
        if isinstance(of, Struct):
            zeros = {leaf.path: constant(0, leaf.type) for leaf in leaves(of)}
            parts = zeros if given is None else members(given, context)
            store_members(where, parts, node.span, context)
        else:
            number = constant(0, of) if given is None else value(given, context)
            store(where, number, node.span, context)
