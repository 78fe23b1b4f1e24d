"""Statements without parts of their own, and those that leave loops and functions."""

from __future__ import annotations

from simulator.compile.basic_blocks import close, count_statement, log, site
from simulator.compile.context import Context
from simulator.compile.copies import store_members
from simulator.compile.dispatch import members, run_all, statement, value
from simulator.compile.frames import LeavableFrame
from simulator.compile.memory import note
from simulator.compile.registers import write
from simulator.ir import tree
from simulator.ir.events import EXIT
from simulator.ir.types import Struct


@statement.register
def _block(node: tree.Block, context: Context) -> None:
    """`{ … }`."""
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
    """The active lanes leave the function."""
    frame = context.frame
    if context.build.steps and frame is context.kernel_frame:
        log(EXIT, site("exit", node.span, context), "None", context)
    close(context)
    line = f"{frame.exited}[{context.lanes}] = True"
    context.writer.put(lambda: [line] if frame.asked else [])
    frames: list[LeavableFrame] = [*frame.loops, *frame.switches]
    for left in frames:
        left.returned = True
    context.dead = True
