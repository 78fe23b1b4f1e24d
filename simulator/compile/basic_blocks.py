"""Basic blocks, which generated code logs, and the sites of their operands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from simulator.compile.context import Context
from simulator.ir.events import CONDITION, VIEW, BasicBlock, Operand, Site
from simulator.source import Span


def site(kind: str, span: Span, context: Context, space: str = "", **facts: Any) -> Site:
    """A new site of the plan."""
    sites = context.kernel.plan.sites
    polls = context.polling and kind in ("load", "atomic")
    made = Site(len(sites), kind, span, space, polls=polls, calls=context.calls, **facts)
    sites.append(made)
    return made


def log(form: str, at: Site, code: str, context: Context) -> None:
    """Note an operand of the current basic block."""
    block = _current(context)
    block.operands.append(Operand(form, at, at.view if form == VIEW else ""))
    block.codes.append(code)


def log_condition(test: str, span: Span, context: Context) -> None:
    """Note that the lanes part by `test`, which stands at `span`."""
    log(CONDITION, site("branch", span, context), test, context)


def count_statement(context: Context) -> None:
    """One C statement is executed by the active lanes."""
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
    context.put("fuse -= 1")
    context.put("if fuse < 0:")
    context.put(f"    fuse = yield ('switch', -1, {context.lanes}, None)")
