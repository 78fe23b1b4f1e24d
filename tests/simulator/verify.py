"""Verify a checked tree, so that a malformed one fails at its producer and not stages later."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import singledispatch

from simulator.ir import tree
from simulator.ir.tree import walk
from simulator.ir.types import (
    BOOL,
    INT,
    LONG,
    UINT,
    VOID,
    Array,
    CType,
    Enumerated,
    FunctionPointer,
    Pointer,
    Scalar,
    Struct,
    Void,
)

_MAY_BE_VOID = (tree.Call, tree.DeviceLaunch, tree.Conditional, tree.Cast, tree.Binary)


class MalformedTreeError(AssertionError):
    """A checked tree that breaks the promises of tree.py: the mistake of a stage, not of a user."""


def verify(program: tree.Program) -> tree.Program:
    """Return `program` itself, if it is as tree.py says; raise MalformedTreeError otherwise."""
    for variable in program.variables:
        for node in walk(variable):
            _verify_type(node)
            _rule(node)
    outer = {variable.symbol for variable in program.variables}
    for function in program.functions.values():
        declared = outer | set(_declared(function))
        for node in walk(function.body):
            _verify_type(node)
            _rule(node)
            if isinstance(node, tree.Name):
                _require(node.symbol in declared, "a symbol of another function", node)
            if isinstance(node, tree.Return):
                result = node.value.type if node.value is not None else VOID
                _require(result == function.result, "a return of another type", node)
    return program


def _declared(function: tree.Function) -> Iterator[tree.Symbol]:
    yield from function.parameters
    for node in walk(function.body):
        if isinstance(node, tree.Declaration):
            yield node.symbol


def _require(holds: bool, what: str, node: tree.Node) -> None:
    if not holds:
        span = node.span
        raise MalformedTreeError(
            f"{what} at {span.source.name}:{span.line}:{span.column}: {span.text}"
        )


def _verify_type(node: tree.Node) -> None:
    if isinstance(node, tree.Expression):
        _require(_definite(node.type), f"a type that is not definite ({node.type})", node)
        _require(
            node.type != VOID or isinstance(node, _MAY_BE_VOID),
            f"{type(node).__name__} without type",
            node,
        )
    if isinstance(node, tree.Declaration):
        _require(_definite(node.symbol.type), "a declared type that is not definite", node)


def _definite(ctype: CType) -> bool:
    if isinstance(ctype, Pointer):
        return _definite(ctype.to)
    if isinstance(ctype, Array):
        return type(ctype) is Array and _definite(ctype.of)
    return type(ctype) in (Scalar, Enumerated, FunctionPointer, Struct, Void)


def _scalar(node: tree.Expression) -> bool:
    return isinstance(node.type, Scalar)


def _pointer(node: tree.Expression) -> bool:
    return isinstance(node.type, Pointer)


def _integer(node: tree.Expression) -> bool:
    return isinstance(node.type, Scalar) and node.type.is_integer


@singledispatch
def _rule(node: tree.Node) -> None:
    """Check what must hold of one node, beyond having a type."""
    known = type(node).__module__ == tree.__name__ and not isinstance(node, tree.SizeOf)
    _require(known, f"{type(node).__name__} in a checked tree", node)


@_rule.register
def _(node: tree.Literal) -> None:
    kind = (
        bool if node.type == BOOL else int if not (_scalar(node) and not _integer(node)) else float
    )
    _require(type(node.value) is kind, f"a {type(node.value).__name__} as {node.type}", node)


@_rule.register
def _(node: tree.Name) -> None:
    symbol = node.symbol
    _require(symbol is not None and symbol.type == node.type, "a name without its symbol", node)


@_rule.register
def _(node: tree.Builtin) -> None:
    _require(node.type == (UINT if node.axis else INT), "a built-in of another type", node)


@_rule.register
def _(node: tree.Aggregate) -> None:
    ctype = node.type
    if isinstance(ctype, Struct):
        wanted = [inner for _, inner, _ in ctype.members]
    else:
        wanted = [ctype.of] * (ctype.length or 0) if isinstance(ctype, Array) else []
    _require([v.type for v in node.values] == wanted, f"a list for {ctype}", node)


@_rule.register
def _(node: tree.Member) -> None:
    found = node.base.type.member(node.name) if isinstance(node.base.type, Struct) else None
    _require(found is not None and found[0] == node.type, f"member {node.name}", node)


@_rule.register
def _(node: tree.Unary) -> None:
    wanted = BOOL if node.op == "!" else node.type
    _require(
        node.operand.type == wanted and _scalar(node), f"{node.op} of {node.operand.type}", node
    )


@_rule.register
def _(node: tree.Deref) -> None:
    _require(
        _pointer(node.pointer) and node.pointer.type == _pointer_to(node.pointer, node.type),
        "*",
        node,
    )


def _pointer_to(pointer: tree.Expression, ctype: CType) -> CType:
    return replace(pointer.type, to=ctype) if isinstance(pointer.type, Pointer) else VOID


@_rule.register
def _(node: tree.AddressOf) -> None:
    holds = isinstance(node.type, Pointer) and node.type.to == node.operand.type
    lvalue = isinstance(node.operand, tree.Name | tree.Index | tree.Deref | tree.Member)
    _require(holds and lvalue, "&", node)


@_rule.register
def _(node: tree.Increment) -> None:
    _require(node.type == node.target.type and (_scalar(node) or _pointer(node)), node.op, node)


@_rule.register
def _(node: tree.Binary) -> None:
    left, right = node.left, node.right
    if node.op == ",":
        holds = node.type == right.type
    elif _pointer(left) and _pointer(right):
        holds = node.type in (LONG, BOOL)
    elif _pointer(left):
        holds = _integer(right) and node.type == left.type
    elif node.op in ("<<", ">>"):
        holds = _integer(left) and _integer(right) and node.type == left.type
    else:
        holds = _scalar(left) and left.type == right.type and node.type in (left.type, BOOL)
    _require(holds, f"{left.type} {node.op} {right.type}", node)


@_rule.register
def _(node: tree.Logical) -> None:
    _require(node.left.type == node.right.type == node.type == BOOL, node.op, node)


@_rule.register
def _(node: tree.Conditional) -> None:
    _require(node.test.type == BOOL and node.then.type == node.other.type == node.type, "?:", node)


@_rule.register
def _(node: tree.Assign) -> None:
    _require(node.target.type == node.value.type == node.type, "=", node)


@_rule.register
def _(node: tree.CompoundAssign) -> None:
    if _pointer(node.target):
        holds = node.value.type == LONG and node.compute == node.type
    elif node.op in ("<<", ">>"):
        holds = _integer(node.value)
    else:
        holds = node.value.type == node.compute
    _require(holds and node.type == node.target.type, f"{node.op}=", node)


@_rule.register
def _(node: tree.Index) -> None:
    holds = _integer(node.index) and node.base.type == _pointer_to(node.base, node.type)
    _require(holds, f"{node.base.type}[{node.index.type}]", node)


@_rule.register
def _(node: tree.Decay) -> None:
    inner = node.operand.type
    holds = isinstance(inner, Array) and isinstance(node.type, Pointer) and node.type.to == inner.of
    _require(holds, "a decay", node)


@_rule.register
def _(node: tree.Call) -> None:
    if node.function is None:
        return
    types = [argument.type for argument in node.arguments]
    _require(types == [p.type for p in node.function.parameters], "arguments of other types", node)
    _require(node.type == node.function.result, "a call of another type", node)


@_rule.register
def _(node: tree.Declaration) -> None:
    _require(type(node) is tree.Declaration, "an unchecked declaration", node)
    if node.value is not None:
        _require(node.value.type == node.symbol.type, "a first value of another type", node)


@_rule.register
def _(node: tree.If) -> None:
    _require(node.test.type == BOOL, "if", node)


@_rule.register
def _(node: tree.Switch) -> None:
    _require(_integer(node.selector), "switch", node)
    labels = [child.value for child in node.body.body if isinstance(child, tree.CaseLabel)]
    known = all(v is None or isinstance(v, tree.Literal) for v in labels)
    _require(known, "a label that is no literal", node)
    alike = all(v is None or v.type == node.selector.type for v in labels)
    _require(alike, "a label of another type", node)


@_rule.register
def _(node: tree.Loop) -> None:
    _require(node.test is None or node.test.type == BOOL, node.kind, node)
