"""Check shared variables: those outside functions, and that `extern` ones of a name agree."""

from __future__ import annotations

from dataclasses import replace

from simulator.check.resolve import has_auto
from simulator.check.scopes import FunctionTemplate, Scope
from simulator.ir import tree
from simulator.ir.unchecked import Prototype, Variable
from simulator.source import CompileError

_NOT_HERE = frozenset(
    "register inline __inline__ __forceinline__ __noinline__ __host__".split()
) | {
    "__constant__",
    "__managed__",
    "__global__",
    "constexpr",
}


def outer_shared(node: Variable) -> Variable:
    """A shared variable outside functions, with the words that one in a function may have.

    Raises
    ------
    CompileError
        if it cannot stand there
    """
    symbol = node.symbol
    for word in sorted(node.words & _NOT_HERE):
        what = f"`{word}` cannot stand before the shared variable `{symbol.name}`"
        raise CompileError(what, symbol.span, f"leave `{word}` out")
    if symbol.reference or has_auto(symbol.type):
        what = f"`{symbol.name}` needs a type of its own"
        raise CompileError(what, symbol.span, "write the type, without `&` and `auto`")
    if symbol.const and "extern" not in node.words:
        raise CompileError(f"the constant `{symbol.name}` needs a value", node.span)
    return replace(node, words=node.words - {"__device__", "static"})


def agreed(symbol: tree.Symbol, scope: Scope) -> tree.Symbol:
    """An `extern` shared array, or the same one as it was declared in the file before.

    Its name is the file's, or its namespace's, even in functions, and has one type.

    Raises
    ------
    CompileError
        if it was declared with another type, or as something else
    """
    name = _whole_name(symbol.name, scope)
    old = scope.shared.dynamic.setdefault(name, symbol)
    if old is not symbol and _kind(old) != _kind(symbol):
        what = f"`{symbol.name}` is `{_named(symbol)}` here, and `{_named(old)}` in line "
        hint = (
            "dynamic shared memory of one name has one type in the whole file: choose another name,"
            "\nor cast: `T *values = (T *)bytes;`; all of it begins at the same place"
        )
        raise CompileError(f"{what}{old.span.line}", symbol.span, hint)
    outer = scope.outermost.here(name)
    if isinstance(outer, Prototype | FunctionTemplate):
        hint = f"it was declared in line {outer.span.line}; choose another name"
        raise CompileError(f"`{symbol.name}` is a function, too", symbol.span, hint)
    return old if scope.frame is None and outer is old else symbol


def _whole_name(name: str, scope: Scope) -> str:
    if scope.frame is None:
        return name
    path, separator, _ = scope.frame.name.partition("<")[0].rpartition("::")
    return f"{path}{separator}{name}"


def _kind(symbol: tree.Symbol) -> tuple[object, bool, bool]:
    return symbol.type, symbol.const, symbol.volatile


def _named(symbol: tree.Symbol) -> str:
    return f"{'const ' * symbol.const}{'volatile ' * symbol.volatile}{symbol.type}"
