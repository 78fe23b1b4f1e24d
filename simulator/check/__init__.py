"""Check: a program as it was read, to one that is typed, resolved and explicit."""

from __future__ import annotations

from dataclasses import replace

from simulator import tree
from simulator.check.call_order import callees_first
from simulator.check.file_variables import file_variable
from simulator.check.operators import complete
from simulator.check.resolve import constant, has_auto, resolved
from simulator.check.scopes import Frame, Scope, Shared
from simulator.check.statements import body, completes, statement
from simulator.ctype import VOID, Array, CType, Pointer, Scalar
from simulator.declared import Definition, Item, Naming, Prototype, Unit, Variable
from simulator.source import CompileError

_LINKED = '"C"'
_WRONG_WORDS = ("__shared__", "__constant__", "__managed__", "register")


def check(program: Unit) -> tree.Program:
    """Check a whole program.

    Parameters
    ----------
    program
        what `read` gave

    Returns
    -------
    Program
        its functions, checked as tree.py describes; constants are literals in them

    Raises
    ------
    CompileError
        at the first thing that breaks C's rules, or that is not supported

    Examples
    --------
    >>> from simulator.read import read
    >>> from simulator.source import Source
    >>> program = check(read(Source("__global__ void fill(float *a) { a[threadIdx.x] = 7; }")))
    >>> print(program.kernels["fill"].body.body[0].expression.value.type)
    float
    """
    try:
        return _Checker(program).program()
    except RecursionError:
        raise CompileError("the program is nested too deeply", program.span) from None


class _Checker:
    """The state of one check: the scope of the file, and what each definition could see of it."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._shared = Shared()
        self._file = Scope(self._shared)
        self._variables: list[tree.Declaration | None] = []
        self._definitions: dict[str, tuple[Definition, Scope]] = {}

    def program(self) -> tree.Program:
        for item in self._unit.items:
            self._item(item)
        order = callees_first(
            {name: definition for name, (definition, _) in self._definitions.items()}
        )
        for name in order:
            self._shared.functions[name] = self._function(*self._definitions[name])
        functions = {name: self._shared.functions[name] for name in self._definitions}
        variables = tuple(found for found in self._variables if found is not None)
        return tree.Program(functions, variables, span=self._unit.span)

    def _item(self, item: Item) -> None:
        if isinstance(item, Naming):
            statement(item, self._file)
        elif isinstance(item, Variable):
            self._variables.append(file_variable(item, self._file))
        elif isinstance(item, Prototype):
            self._head(item)
        else:
            head = self._head(item.head)
            if head.name in self._definitions:
                line = self._definitions[head.name][0].span.line
                raise CompileError(
                    f"`{head.name}` is defined twice", head.span, f"first in line {line}"
                )
            self._definitions[head.name] = (replace(item, head=head), self._file.snapshot())

    def _head(self, head: Prototype) -> Prototype:
        """A head with definite types, declared in the file, where its like may stand already."""
        _check_words(head)
        result = complete(resolved(head.result, self._file, head.span), head.span)
        if has_auto(result):
            raise CompileError(
                f"`{head.name}` needs a result type", head.span, "write the type instead of auto"
            )
        if _kind(head) == "__global__" and result != VOID:
            raise CompileError(
                f"the kernel `{head.name}` must return void", head.span, "write results to an array"
            )
        head = replace(head, result=result, parameters=tuple(map(self._parameter, head.parameters)))
        _check_kernel(head)
        return self._declare(head)

    def _declare(self, head: Prototype) -> Prototype:
        """`head` in the file's scope, with the linkage of an earlier declaration."""
        old = self._file.here(head.name)
        if isinstance(old, Prototype):
            if _shape(old) != _shape(head):
                hint = f"it was declared in line {old.span.line}; overloading is not supported"
                raise CompileError(f"`{head.name}` is declared differently", head.span, hint)
            if head.defaults and old.defaults:
                hint = f"they stand in line {old.span.line} already"
                what = f"the default values of `{head.name}` are given twice"
                raise CompileError(what, head.defaults[0].span, hint)
            words = head.words | (old.words & {_LINKED})
            head = replace(head, words=words, defaults=head.defaults or old.defaults)
            self._file.replace(head.name, head)
        else:
            self._file.declare(head.name, head)
        return head

    def _parameter(self, symbol: tree.Symbol) -> tree.Symbol:
        ctype = resolved(symbol.type, self._file, symbol.span)
        if isinstance(ctype, Array):
            ctype = Pointer(ctype.of, symbol.const)
        complete(ctype, symbol.span)
        if ctype == VOID or has_auto(ctype):
            raise CompileError(f"a parameter cannot be `{ctype}`", symbol.span)
        by_value = symbol.reference and symbol.const and isinstance(ctype, Scalar | Pointer)
        return replace(symbol, type=ctype, reference=symbol.reference and not by_value)

    def _function(self, definition: Definition, outer: Scope) -> tree.Function:
        head = definition.head
        scope = Scope(self._shared, outer, Frame(head.name, _kind(head), head.result))
        for parameter in head.parameters:
            if parameter.name:
                scope.declare(parameter.name, parameter)
        checked = body(definition.body, scope)
        if head.result != VOID and completes(checked):
            raise CompileError(
                f"`{head.name}` can end without returning `{head.result}`",
                head.span,
                "add a return at its end",
            )
        return tree.Function(
            head.name,
            _kind(head),
            head.result,
            head.parameters,
            checked,
            self._bounds(head),
            "C" if _LINKED in head.words else "",
            span=definition.span,
        )

    def _bounds(self, head: Prototype) -> int | None:
        """The most threads of a block that `__launch_bounds__` promises."""
        if not head.bounds:
            return None
        most = constant(head.bounds[0], self._file)
        if most is None or not isinstance(most.value, int) or most.value <= 0:
            raise CompileError(
                "__launch_bounds__ needs a constant number of threads", head.bounds[0].span
            )
        return most.value


def _kind(head: Prototype) -> str:
    return "__global__" if "__global__" in head.words else "__device__"


def _shape(head: Prototype) -> tuple[str, CType, list[tuple[CType, bool]]]:
    return _kind(head), head.result, [(p.type, p.reference) for p in head.parameters]


def _check_words(head: Prototype) -> None:
    if {"__global__", "__device__"} <= head.words:
        raise CompileError(
            f"`{head.name}` cannot be both __global__ and __device__", head.span, "keep one of them"
        )
    if not {"__global__", "__device__"} & head.words:
        hint = (
            "write `__global__` for a kernel, `__device__` for its helper; keep host code in Python"
        )
        raise CompileError(f"`{head.name}` is a host function", head.span, hint)
    for word in _WRONG_WORDS:
        if word in head.words:
            raise CompileError(f"a function cannot be `{word}`", head.span)


def _check_kernel(head: Prototype) -> None:
    for parameter in head.parameters:
        if parameter.reference and _kind(head) == "__global__":
            raise CompileError(
                "a kernel's parameter cannot be a reference", parameter.span, "use a pointer"
            )
