"""Loops: lanes leave them one after another, and go on together behind."""

from __future__ import annotations

from simulator.compile.active_lanes import (
    changed,
    enter,
    guard,
    leave,
    shrink,
    unguard,
    without_exited,
)
from simulator.compile.basic_blocks import close, count_statement, log_condition, standing
from simulator.compile.context import Context, LoopFrame, SpinLoop
from simulator.compile.dispatch import run, run_all, statement, value
from simulator.compile.spin_loops import may_listen, may_wait
from simulator.compile.values import Value
from simulator.ir import tree
from simulator.ir.events import TURN_COST, WAIT_COST
from simulator.source import Span


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
        loop = LoopFrame(context.fresh("waiting"), region)
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
    plan.listens |= may_listen(node)
    if may_wait(node):
        context.kernel.frame.asked = True  # who still waits, and who has returned
        visit = context.fresh("visit")
        context.put(f"{visit} = []")
        context.spins.append(SpinLoop(len(plan.waits), lanes, visit))
        plan.waits.append(_head_of(node))


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
        context.put(f"{lanes} = nobody")
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
    cost = WAIT_COST if spin.lanes == lanes and spin.number >= 0 else TURN_COST
    context.put(f"budget -= {lanes}.size + {cost}")
    context.put("if budget < 0:")
    turn = f"('turn', {spin.number}, {spin.lanes}, ({cost}, {spin.visit}))"
    context.put(f"    budget = yield {turn}")


def _test(node: tree.Loop, context: Context) -> None:
    """The condition of a loop."""
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
