"""Check variables outside functions: those in device and constant memory, and shared ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from simulator.check.classes.destructors import destroys
from simulator.check.declarations import check_specifiers, outer_constant, outer_shared, typed
from simulator.check.declared_types import has_auto
from simulator.check.scopes import Scope
from simulator.ir import tree
from simulator.ir.types import Scalar
from simulator.ir.unchecked import Variable
from simulator.source import CompileError

_MEMORY = frozenset({"__device__", "__constant__"})
_ALLOWED = frozenset({"static", "volatile", "const", "constexpr"})
_WRONG = frozenset(
    "extern register inline __inline__ __forceinline__ __noinline__ __global__ __host__".split()
) | {"__shared__", "__managed__", "__grid_constant__"}


def file_variable(node: Variable, scope: Scope) -> tree.Declaration | None:
    """Check a variable outside functions; None if it is a constant that needs no memory."""
    if node.symbol.storage is tree.Storage.SHARED:
        plain = outer_shared(node)
        check_specifiers(plain)
        return typed(plain, scope)
    is_number = isinstance(node.symbol.type, Scalar)
    if node.symbol.name.startswith("<"):
        what = "a union without a name stands in a function or in a class only"
        raise CompileError(what, node.symbol.span, "give it a name")
    if not node.specifiers & _MEMORY or ("constexpr" in node.specifiers and is_number):
        outer_constant(replace(node, specifiers=node.specifiers - _MEMORY), scope)
        return None
    _check_specifiers(node)
    symbol = node.symbol
    checked = typed(replace(node, specifiers=node.specifiers - _MEMORY - _ALLOWED), scope)
    if destroys(checked.symbol.type, scope):
        what = f"`{symbol.name}` has a destructor, which nobody calls"
        raise CompileError(what, symbol.span, "make it a thread's own variable")
    for value in leaves(checked):
        if not isinstance(value, tree.Literal):
            what = f"the first value of `{symbol.name}` is not constant"
            raise CompileError(what, value.span, "only numbers can stand here; let a kernel set it")
    return checked


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
