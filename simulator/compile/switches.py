"""Switches: each lane enters at its label, and those that fall through join those that enter.

The body is cut at its labels into sections. A section that no lane falls into is like a branch; one
that lanes may fall into goes on in the region of the section before, joined by those that enter.
`break` ends a lane's way through the sections, `continue` and `return` take it away for longer.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from simulator.compile.context import Context, SwitchFrame
from simulator.compile.dispatch import (
    become,
    changed,
    close,
    count_statement,
    enter,
    guard,
    leave,
    log,
    run,
    run_all,
    site,
    statement,
    unguard,
    value,
)
from simulator.compile.dtypes import dtype_name
from simulator.compile.memory import note
from simulator.compile.values import (
    Value,
)
from simulator.ir import tree
from simulator.ir.events import TARGET


@dataclass
class _Section:
    """A run of labels, whose values it has, and the statements up to the next label."""

    values: list[int] = field(default_factory=list)
    default: bool = False
    body: list[tree.Statement] = field(default_factory=list)


@statement.register
def _switch(node: tree.Switch, context: Context) -> None:
    """`switch (selector) { case 0: … }`."""
    selector = context.keep("selector", value(node.selector, context))
    count_statement(context)
    sections = _sections(node.body, context)
    switches = context.frame.switches
    frame = SwitchFrame(context.fresh("continued"), len(context.frame.loops))
    switches.append(frame)
    context.writer.put(lambda: [f"{frame.continues} = []"] if frame.continued else [])
    if selector.constant is not None:
        _known_switch(int(selector.constant), sections, context)
    else:
        _unknown_switch(selector, sections, node, context)
    switches.pop()
    _go_on(frame, context)


def _sections(body: tree.Block, context: Context) -> list[_Section]:
    """Cut the body at its labels; what it declares without a value is bound first."""
    sections: list[_Section] = []
    previous: tree.Statement | None = None
    for child in body.body:
        if isinstance(child, tree.CaseLabel):
            if not isinstance(previous, tree.CaseLabel):
                sections.append(_Section())
            if isinstance(child.value, tree.Literal):
                sections[-1].values.append(int(child.value.value))
            else:
                sections[-1].default = True
        elif isinstance(child, tree.Declaration) and child.value is None and not child.values:
            run(child, context)
        elif sections:
            sections[-1].body.append(child)
        previous = child
    return sections


def _default(sections: list[_Section]) -> int:
    """Return the section for values without a label, one past the last if there is none."""
    return next((at for at, s in enumerate(sections) if s.default), len(sections))


def _known_switch(selector: int, sections: list[_Section], context: Context) -> None:
    """All lanes go to one label, which is known now: only what follows it is compiled."""
    labelled = (at for at, s in enumerate(sections) if selector in s.values)
    first = next(labelled, _default(sections))
    if first == len(sections):
        return
    close(context)
    lanes = context.fresh("lanes")
    context.put(f"{lanes} = {context.lanes}")
    enter("", lanes, context)
    for section in sections[first:]:
        run_all(tuple(section.body), context)
    leave(context)
    context.dead = False


def _unknown_switch(
    selector: Value, sections: list[_Section], node: tree.Switch, context: Context
) -> None:
    target = _target(selector, sections, context)
    log(TARGET, site("branch", node.selector.span, context), target, context)
    note(node.selector.span.text, selector, context)
    close(context)
    falling = False
    for number, section in enumerate(sections):
        entering = f"({target} == {number}).nonzero()[0]"
        if falling:
            _join(entering, context)
        else:
            _enter_section(entering, context)
        run_all(tuple(section.body), context)
        falling, context.dead = not context.dead, False
        if not falling:
            leave(context)
    if falling:
        leave(context)


def _target(selector: Value, sections: list[_Section], context: Context) -> str:
    """Write the section that each lane enters, and return its name."""
    pairs = [(value, at) for at, section in enumerate(sections) for value in section.values]
    values, numbers = (tuple(column) for column in zip(*pairs, strict=True)) if pairs else ((), ())
    table, target = context.fresh("labels"), context.fresh("target")
    kind = dtype_name(selector.type)
    context.kernel.prologue.append(f"{table} = label_table({values!r}, {numbers!r}, {kind})")
    each = context.broadcast(selector).code
    context.put(f"{target} = labels_of({each}, {table}, {_default(sections)})")
    return target


def _enter_section(entering: str, context: Context) -> None:
    """Begin a section that no lane falls into."""
    picked, lanes = context.fresh("pick"), context.fresh("lanes")
    context.put(f"{picked} = {entering}")
    enter(picked, lanes, context)
    guard(context)


def _join(entering: str, context: Context) -> None:
    """Go on with those that fall through and those that enter here."""
    close(context)
    unguard(context)
    parent = context.region.parent
    assert parent is not None
    become(f"union({context.lanes}, {parent.lanes}[{entering}])", context)


def _go_on(frame: SwitchFrame, context: Context) -> None:
    """Lanes that left for a loop's next iteration, or for good, do not go on behind a switch."""
    lanes = context.lanes
    if frame.continued:
        context.put(f"{lanes} = without({lanes}, {frame.continues})")
    if frame.returned:
        context.frame.exited_used = True
        context.put(f"{lanes} = staying({lanes}, {context.frame.exited})")
    if frame.continued or frame.returned:
        changed(context)
        guard(context)
