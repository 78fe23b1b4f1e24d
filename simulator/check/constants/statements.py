"""Evaluate calls of `constexpr` functions, and the statements in them."""

from __future__ import annotations

from typing import Any

from simulator.check.constants.dispatch import place, run, value
from simulator.check.constants.storage import (
    Evaluation,
    Frame,
    NotConstant,
    Place,
    array_of,
    copied,
    unset,
)
from simulator.ir import tree
from simulator.ir.types import Pointer, Scalar, Struct
from simulator.source import Span

#: How many calls may be inside one another, as in CUDA's compiler.
MOST_CALLS = 512


# Calls.


@value.register
def _call(node: tree.Call, evaluation: Evaluation) -> Any:
    function = node.function
    if node.name == tree.NO_VALUE:
        raise NotConstant("the function ends here without a value", node.span)
    if function is None:
        what = f"`{node.span.text}` calls a function of CUDA's, which has no constant values"
        raise NotConstant(what, node.span)
    if not (function.constant or function.is_closure):
        what = f"`{node.span.text}` calls a function that is not `constexpr`"
        raise NotConstant(what, node.span, inside=True)
    if evaluation.calls >= MOST_CALLS:
        raise NotConstant(f"more than {MOST_CALLS} calls are inside one another here", node.span)
    around = evaluation.frame
    inside = Frame(around=around if function.takes_closures else None)
    for parameter, argument in zip(function.parameters, node.arguments, strict=True):
        found = place(argument, evaluation) if parameter.reference else None
        inside.variables[parameter] = found or Place([value(argument, evaluation)])
    evaluation.frame, evaluation.calls = inside, evaluation.calls + 1
    try:
        return _returned(function, node, evaluation)
    except NotConstant as stopped:
        stopped.inside = True
        raise
    finally:
        evaluation.frame, evaluation.calls = around, evaluation.calls - 1


def _returned(function: tree.Function, node: tree.Call, evaluation: Evaluation) -> Any:
    """Run the body of a function whose parameters have their values, and return its result."""
    _count(evaluation, node.span)
    try:
        run(function.body, evaluation)
    except _Return as done:
        return done.value
    if isinstance(function.result, Scalar | Pointer | Struct):
        raise NotConstant("the function ends here without a value", function.body.span.ending("}"))
    return None


def _count(evaluation: Evaluation, span: Span) -> None:
    evaluation.steps -= 1
    if evaluation.steps < 0:
        raise NotConstant("this takes too many steps for a constant", span)


# Statements.


class _Return(Exception):
    """`return`, on its way to the call."""

    def __init__(self, found: Any) -> None:
        super().__init__()
        self.value = found


class _Break(Exception):
    """`break`, on its way to the loop or switch."""


class _Continue(Exception):
    """`continue`, on its way to the loop."""


@run.register
def _assembly(node: tree.AsmBlock, evaluation: Evaluation) -> None:
    raise NotConstant("`asm` does something at run time only", node.span)


@run.register
def _block(node: tree.Block, evaluation: Evaluation) -> None:
    for child in node.body:
        run(child, evaluation)


@run.register
def _declaration(node: tree.Declaration, evaluation: Evaluation) -> None:
    symbol = node.symbol
    if symbol.storage is not tree.Storage.LOCAL:
        raise NotConstant(f"`{symbol.name}` is in memory that only a launch has", symbol.span)
    _count(evaluation, node.span)
    if symbol.reference and node.value is not None:
        evaluation.frame.variables[symbol] = place(node.value, evaluation)
    elif node.value is not None:
        evaluation.frame.variables[symbol] = Place([value(node.value, evaluation)])
    elif node.values is None and symbol.name != "this":
        what = f"`{symbol.name}` has no first value, as C++17 wants it in a `constexpr` function"
        raise NotConstant(what, symbol.span)
    else:
        first = unset(symbol.type)
        if node.values is not None:
            first = array_of(symbol.type, [value(part, evaluation) for part in node.values])
        evaluation.frame.variables[symbol] = Place([first])


@run.register
def _evaluate(node: tree.Evaluate, evaluation: Evaluation) -> None:
    _count(evaluation, node.span)
    if isinstance(node.expression, tree.Assign | tree.CompoundAssign | tree.Increment):
        place(node.expression, evaluation)
    else:
        value(node.expression, evaluation)


@run.register
def _if(node: tree.If, evaluation: Evaluation) -> None:
    chosen = node.then if value(node.test, evaluation) else node.other
    if chosen is not None:
        run(chosen, evaluation)


@run.register
def _loop(node: tree.Loop, evaluation: Evaluation) -> None:
    for child in node.start:
        run(child, evaluation)
    first = node.kind == "do"
    while first or node.test is None or value(node.test, evaluation):
        first = False
        _count(evaluation, node.span)
        try:
            run(node.body, evaluation)
        except _Continue:
            pass
        except _Break:
            return
        if node.step is not None:
            value(node.step, evaluation)


@run.register
def _switch(node: tree.Switch, evaluation: Evaluation) -> None:
    selected = value(node.selector, evaluation)
    labels = [(at, one) for at, one in enumerate(node.body.body) if isinstance(one, tree.CaseLabel)]
    start = next(
        (at for at, one in labels if one.value is not None and _is(one.value, selected)),
        next((at for at, one in labels if one.value is None), len(node.body.body)),
    )
    try:
        for child in node.body.body[start:]:
            run(child, evaluation)
    except _Break:
        return


def _is(label: tree.Expression, selected: Any) -> bool:
    return isinstance(label, tree.Literal) and label.value == selected


@run.register(tree.CaseLabel)
@run.register(tree.Empty)
def _nothing(node: tree.Statement, evaluation: Evaluation) -> None:
    pass


@run.register
def _break(node: tree.Break, evaluation: Evaluation) -> None:
    raise _Break


@run.register
def _continue(node: tree.Continue, evaluation: Evaluation) -> None:
    raise _Continue


@run.register
def _return(node: tree.Return, evaluation: Evaluation) -> None:
    raise _Return(copied(value(node.value, evaluation)) if node.value is not None else None)
