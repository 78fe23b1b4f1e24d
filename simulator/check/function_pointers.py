"""Pointers to functions: numbers of the functions whose address is taken, and calls through them.

A call through a pointer that is no constant is one of a function that compares the number with
those of all functions of the type, and calls the one that it finds.
"""

from __future__ import annotations

from collections.abc import Iterator

from simulator.check import members, templates
from simulator.check.initializers import call_of_function, zero
from simulator.check.scopes import INVOKER, FunctionTemplate, Meaning, Overloads, Scope
from simulator.ir import tree
from simulator.ir.conversions import cast
from simulator.ir.types import (
    BOOL,
    ULONG,
    VOID,
    CType,
    FunctionPointer,
    Struct,
    function_pointer,
)
from simulator.ir.unchecked import Checked, Prototype, TemplateValue
from simulator.source import CompileError, Span


def designated(node: tree.Expression, scope: Scope, wanted: CType = VOID) -> tree.Expression | None:
    """Return the pointer to the function that `name`, `&name` or `name<…>` is; None for others.

    `wanted` tells which of several functions of a name is meant.
    """
    if isinstance(node, Checked):
        return _of_closure(node, scope, wanted)
    inner = node.operand if isinstance(node, tree.AddressOf) else node
    if not isinstance(inner, tree.Name | TemplateValue):
        return None
    meaning = scope.lookup(inner.name)
    found = _static(inner, scope, wanted) if meaning is None and "::" in inner.name else None
    if found is None and not isinstance(meaning, Prototype | FunctionTemplate | Overloads):
        return None
    function = found if found is not None else _function(inner, meaning, scope, wanted)
    return _pointer_to(function, node, scope)


def _of_closure(node: Checked, scope: Scope, wanted: CType) -> tree.Expression | None:
    """Return the pointer that a lambda without captures converts to; None of other values."""
    owner = scope.shared.classes.get(node.type) if isinstance(node.type, Struct) else None
    heads = owner.functions.get(INVOKER, ()) if owner is not None else ()
    for head in heads:
        assert owner is not None
        assert isinstance(head, Prototype)
        found = _pointer_to(members.function_of(owner, head, node.span), node, scope)
        if wanted in (VOID, found.type):
            return found
    return None


def _pointer_to(function: tree.Function, node: tree.Expression, scope: Scope) -> tree.Literal:
    """Return the pointer to a function, a number of its own."""
    ctype = function_pointer(function.result, tuple(p.type for p in function.parameters))
    if any(parameter.reference for parameter in function.parameters):
        what = "pointers to functions with references as parameters are not supported"
        raise CompileError(what, node.span, "take a pointer as the parameter")
    shared = scope.shared
    number = shared.pointed.setdefault(function.name, (len(shared.pointed) + 1, ctype, function))[0]
    return tree.Literal(number, span=node.span, type=ctype)


def _function(
    node: tree.Name | TemplateValue, meaning: Meaning | None, scope: Scope, wanted: CType
) -> tree.Function:
    """Return the one function that is meant."""
    known = meaning.candidates if isinstance(meaning, Overloads) else (meaning,)
    for one in known:
        if isinstance(one, FunctionTemplate):
            given = node.given if isinstance(node, TemplateValue) else ()
            found = templates.instance_of_type(one, given, wanted, scope, node.span)
            if found is not None:
                return found
        elif isinstance(one, Prototype) and not isinstance(node, TemplateValue):
            ctype = function_pointer(one.result, tuple(p.type for p in one.parameters))
            if len(known) == 1 or ctype == wanted:
                return _checked(one, node.span, scope)
    what = f"which function `{node.span.text}` means is not known here"
    raise CompileError(what, node.span, "assign it to a pointer of the function's type")


def _static(node: tree.Name | TemplateValue, scope: Scope, wanted: CType) -> tree.Function | None:
    """Return the static function of a class that `Class::name` means, None if it means none."""
    owner = members.qualified(node.name, node, scope)
    known = members.functions_of(owner[0].type, owner[1], scope) if owner is not None else None
    if known is None:
        return None
    heads = [one for one in known[1] if isinstance(one, Prototype) and "static" in one.specifiers]
    for head in heads:
        ctype = function_pointer(head.result, tuple(p.type for p in head.parameters))
        if ctype == wanted or len(heads) == 1:
            return members.function_of(known[0], head, node.span)
    return None


def _checked(head: Prototype, span: Span, scope: Scope) -> tree.Function:
    if "__global__" in head.specifiers:
        what = f"the kernel `{head.name}` cannot be called from device code"
        raise CompileError(what, span, "point to a `__device__` function")
    assert scope.shared.demand is not None
    function = scope.shared.demand(head.name)
    if function is None:
        what = f"`{head.name}` is declared, but not defined"
        raise CompileError(what, span, "define it in this program")
    return function


def call(
    pointer: tree.Expression,
    arguments: tuple[tree.Expression, ...],
    node: tree.Expression,
    scope: Scope,
) -> tree.Expression:
    """Call the function that a checked pointer leads to."""
    assert isinstance(pointer.type, FunctionPointer)
    wanted, count = len(pointer.type.parameters), len(arguments)
    if wanted != count:
        plural = "" if wanted == 1 else "s"
        what = f"`{pointer.span.text}` takes {wanted or 'no'} argument{plural}, not {count}"
        raise CompileError(what, node.span, f"it is `{pointer.type}`")
    called = tree.Call("", arguments, span=node.span)
    if isinstance(pointer, tree.Literal):
        for number, _, function in scope.shared.pointed.values():
            if number == pointer.value:
                return _call(called, function, scope)
    function = _dispatcher(pointer.type, node.span, scope)
    first = Checked(cast(pointer, ULONG), span=pointer.span, type=ULONG)
    return _call(tree.Call("", (first, *arguments), span=node.span), function, scope)


def _call(node: tree.Call, function: tree.Function, scope: Scope) -> tree.Expression:
    head = Prototype(
        function.name, function.result, function.parameters, frozenset(), span=node.span
    )
    named = tree.Call(function.name, node.arguments, span=node.span)
    return call_of_function(named, function, scope, head, scope.outermost)


def _dispatcher(ctype: FunctionPointer, span: Span, scope: Scope) -> tree.Function:
    """Return the function that calls the one of a number; its body is written at the end."""
    shared = scope.shared
    name = f"call through `{ctype}`"
    if name not in shared.functions:
        kind = tree.Storage.PARAMETER
        given = [tree.Symbol("function", ULONG, kind, span)]
        given += [
            tree.Symbol(f"argument_{at}", one, kind, span)
            for at, one in enumerate(ctype.parameters)
        ]
        nothing = tree.Block((), span=span)
        shared.functions[name] = tree.Function(
            name, "__device__", ctype.result, tuple(given), nothing, span=span
        )
        shared.instances.append(name)
        shared.dispatchers[ctype] = shared.functions[name]
    return shared.functions[name]


def write_dispatchers(scope: Scope) -> None:
    """Write the functions that call others by their numbers."""
    for ctype, function in scope.shared.dispatchers.items():
        body = tree.Block(tuple(_cases(ctype, function, scope)), span=function.span)
        object.__setattr__(function, "body", body)


def _cases(
    ctype: FunctionPointer, function: tree.Function, scope: Scope
) -> Iterator[tree.Statement]:
    span = function.span
    number, *given = (tree.Name(p.name, p, span=span, type=p.type) for p in function.parameters)
    for known, of, target in scope.shared.pointed.values():
        if of != ctype:
            continue
        literal = tree.Literal(known, span=span, type=ULONG)
        test = tree.Binary("==", number, literal, span=span, type=BOOL)
        made = tree.Call(target.name, tuple(given), target, span=span, type=ctype.result)
        yield tree.Selection(test, _returning(made, span), None, span=span)
    yield tree.Evaluate(tree.Call("__trap", (), span=span, type=VOID), span=span)
    if ctype.result != VOID:
        yield tree.Return(zero(ctype.result, span), span=span)


def _returning(made: tree.Expression, span: Span) -> tree.Statement:
    if made.type == VOID:
        body = tree.Evaluate(made, span=span), tree.Return(None, span=span)
        return tree.Block(body, span=span)
    return tree.Block((tree.Return(made, span=span),), span=span)
