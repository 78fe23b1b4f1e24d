"""Branches: here lanes part and meet again."""

from __future__ import annotations

from simulator.compile.active_lanes import become, changed, enter, guard, leave, pick, shrink
from simulator.compile.basic_blocks import close, count_statement, log_condition
from simulator.compile.context import Context, Region
from simulator.compile.dispatch import run, statement, value
from simulator.compile.values import Value, negated
from simulator.ir import tree


@statement.register
def _if(node: tree.If, context: Context) -> None:
    """`if (test) …; else …;`."""
    test = context.keep("test", value(node.test, context))
    count_statement(context)
    if test.constant is not None:
        taken = node.then if test.constant else node.other
        if taken is not None:
            run(taken, context)
        return
    log_condition(test.code, node.test.span, context)
    close(context)
    if test.scalar:
        _uniform(test, node, context)
    elif node.other is None:
        _one_sided(test, node.then, context)
    else:
        _two_sided(test, node.then, node.other, context)


def _uniform(test: Value, node: tree.If, context: Context) -> None:
    """All lanes go the same way."""
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
            context.put(f"{lanes} = nobody")
            context.region.shrunk = True
        region = leave(context)
        context.put("pass")
    return region, dead


def _one_sided(test: Value, then: tree.Statement, context: Context) -> None:
    """Some lanes take the branch, the others pass it."""
    picked, lanes, head = pick(test, context)
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
    """Some lanes go one way, the others the other."""
    picked, lanes, head = pick(test, context)
    left, left_dead = _side(head, then, picked, lanes, context)
    others, other_lanes = context.fresh("pick"), context.fresh("lanes")
    if left.shrunk:
        _else_nobody(lanes, context)
    context.put(f"{others} = {negated(test).code}.nonzero()[0]")
    right, right_dead = _side(f"if {others}.size:", other, others, other_lanes, context)
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
    context.put(f"    {lanes} = nobody")
