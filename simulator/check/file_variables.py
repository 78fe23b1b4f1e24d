"""Check variables outside functions: those in device and constant memory, and shared ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from simulator.check.declarations import check_specifiers, outer_constant, outer_shared, typed
from simulator.check.declared_types import destroys, has_auto, qualified, resolved
from simulator.check.scopes import Scope, constant_of
from simulator.ir import tree
from simulator.ir.types import Array, Scalar, Struct
from simulator.ir.unchecked import Variable
from simulator.source import CompileError

_MEMORY = frozenset({"__device__", "__constant__"})
_ALLOWED = frozenset({"static", "volatile", "const", "constexpr"})
_WRONG = frozenset(
    "extern register inline __inline__ __forceinline__ __noinline__ __global__ __host__".split()
) | {"__shared__", "__managed__", "__grid_constant__"}


def file_variable(node: Variable, scope: Scope) -> tree.Declaration | None:
    """Check a variable outside functions; None if it is a constant that needs no memory."""
    node = replace(node, symbol=qualified(node.symbol, scope))
    if node.symbol.storage is tree.Storage.SHARED:
        plain = outer_shared(node)
        check_specifiers(plain)
        return typed(plain, scope)
    is_number = isinstance(node.symbol.type, Scalar)
    if node.symbol.name.startswith("<"):
        what = "a union without a name stands in a function or in a class only"
        raise CompileError(what, node.symbol.span, "give it a name")
    if not node.specifiers & _MEMORY or ("constexpr" in node.specifiers and is_number):
        plain = replace(node, specifiers=node.specifiers - _MEMORY - {"inline"})
        if node.symbol.const and _is_object(node, scope):
            return constant_object(plain, scope)
        outer_constant(plain, scope)
        return None
    _check_specifiers(node)
    symbol = node.symbol
    kept = node.specifiers - _MEMORY - _ALLOWED | (node.specifiers & {"constexpr"})
    checked = typed(replace(node, specifiers=kept), scope)
    checked = _evaluated(_constructed(checked), scope)
    if destroys(checked.symbol.type, scope):
        what = f"`{symbol.name}` has a destructor, which nobody calls"
        raise CompileError(what, symbol.span, "make it a thread's own variable")
    for value in leaves(checked):
        if not isinstance(value, tree.Literal):
            what = f"the first value of `{symbol.name}` is not constant"
            raise CompileError(what, value.span, "only numbers can stand here; let a kernel set it")
    return checked


def _evaluated(node: tree.Declaration, scope: Scope) -> tree.Declaration:
    """Return a variable with the values of calls of `constexpr` functions in place of these."""
    if all(isinstance(value, tree.Literal) for value in leaves(node)):
        return node
    first = node.value
    if first is not None:
        return replace(node, value=constant_of(first, scope) or first)
    values = tuple(constant_of(value, scope) or value for value in node.values or ())
    return replace(node, values=values)


def _is_object(node: Variable, scope: Scope) -> bool:
    """Whether a constant is an array or a structure, which needs memory."""
    ctype = node.symbol.type
    if has_auto(ctype) or node.symbol.reference:
        return False
    return isinstance(ctype, Array) or isinstance(resolved(ctype, scope, node.span), Struct | Array)


def constant_object(node: Variable, scope: Scope) -> tree.Declaration:
    """Check a constant array or structure outside functions, which CUDA keeps in global memory."""
    symbol = replace(node.symbol, storage=tree.Storage.DEVICE)
    words = node.specifiers | {"__device__"}
    found = file_variable(replace(node, symbol=symbol, specifiers=words), scope)
    assert found is not None
    return found


def _check_specifiers(node: Variable) -> None:
    symbol = node.symbol
    for word in sorted(node.specifiers & _WRONG):
        remedy = "write `__device__` alone" if word == "__managed__" else f"leave `{word}` out"
        raise CompileError(f"`{word}` cannot stand before `{symbol.name}`", symbol.span, remedy)
    if symbol.reference or has_auto(symbol.type):
        what = f"`{symbol.name}` needs a type of its own"
        raise CompileError(what, symbol.span, "write the type, without `&` and `auto`")
    unset = node.value is None and node.values is None
    if symbol.const and unset and symbol.storage is tree.Storage.DEVICE:
        raise CompileError(f"the constant `{symbol.name}` needs a value", node.span)


def leaves(node: tree.Declaration) -> Iterator[tree.Expression]:
    """Yield the numbers that a variable starts with."""
    waiting = [*(node.values or ()), *([node.value] if node.value is not None else [])]
    while waiting:
        value = waiting.pop()
        if isinstance(value, tree.Aggregate):
            waiting += value.values
        else:
            yield value


def _constructed(node: tree.Declaration) -> tree.Declaration:
    """Return a variable of one of the simulator's own classes with the members that it is made of.

    Their constructors give members, in order, the values of their parameters.
    """
    made, ctype = node.value, node.symbol.type
    if not isinstance(made, tree.Call) or not isinstance(ctype, Struct):
        return node
    own = made.function is not None and made.function.span.source.library
    if not own or len(made.arguments) != len(ctype.members):
        return node
    return replace(node, value=tree.Aggregate(made.arguments, span=made.span, type=ctype))
