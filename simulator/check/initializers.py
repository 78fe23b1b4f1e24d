"""What a value becomes where it is stored or passed: lists of values, and arguments of calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from simulator.builtins.row import surplus
from simulator.check import dispatch
from simulator.check.scopes import COORDINATES, Scope
from simulator.ir import tree
from simulator.ir.conversions import as_lvalue, cast, convert, dim3, is_const, is_lvalue
from simulator.ir.group_types import check_list
from simulator.ir.types import DIM3, INT, VECTORS, Array, CType, Struct
from simulator.ir.unchecked import InitializerList, Prototype
from simulator.source import CompileError, Span

# Check lists of values: C's rules for which value goes to which member or element.
#
# Inner braces may be left out, as in `int a[2][2] = {1, 2, 3, 4}`; what is left out at the end of a
# structure or array is zero.


def first_value(node: tree.Expression, ctype: CType, what: str, scope: Scope) -> tree.Expression:
    """A checked value of type `ctype` from an expression or a list; `what` names it in messages.

    Raises
    ------
    CompileError
        if it cannot be one
    """
    if isinstance(node, InitializerList):
        return from_list(node, ctype, scope)
    if ctype == VECTORS["uint3"] and isinstance(node, tree.Name):
        node = _whole(node, scope)
    return convert(dispatch.value(node, scope), ctype, what)


def _whole(node: tree.Name, scope: Scope) -> tree.Expression:
    """`make_uint3` of the axes of threadIdx or its kin; any other name as it is."""
    if node.name not in COORDINATES or scope.lookup(node.name) is not None:
        return node
    axes = tuple(tree.Member(node, axis, span=node.span) for axis in "xyz")
    return tree.Call("make_uint3", axes, span=node.span)


def from_list(node: InitializerList, ctype: CType, scope: Scope) -> tree.Expression:
    """What `{…}` makes of a `ctype`.

    Raises
    ------
    CompileError
        if there are too many values, or values of other types
    """
    check_list(ctype, node.span)
    cursor = _Cursor(node, scope)
    if not node.values and ctype != DIM3:
        return zero(ctype, node.span)
    if ctype == DIM3:
        return dim3([dispatch.value(v, scope) for v in node.values], node.span)
    copied = cursor.whole(ctype)
    if copied is not None and len(node.values) == 1:
        return copied
    if isinstance(ctype, Struct | Array):
        result: tree.Expression = cursor.aggregate(ctype)
    else:
        result = convert(dispatch.value(node.values[0], scope), ctype, "this value")
        cursor.at = 1
    cursor.check_end(ctype)
    return result


def elements(node: InitializerList, ctype: Array, scope: Scope) -> Iterator[tree.Expression]:
    """The innermost elements, structures, of the array that a list makes, up to the list's end.

    Raises
    ------
    CompileError
        as `from_list`
    """
    cursor = _Cursor(node, scope)
    for _ in range(ctype.length or 0):
        if cursor.done:
            break
        yield from _flat(cursor.part(ctype.of))
    cursor.check_end(ctype)


def rows(node: InitializerList, of: CType, scope: Scope) -> int:
    """How many elements of type `of` a list has values for."""
    cursor, count = _Cursor(node, scope), 0
    while not cursor.done:
        cursor.part(of)
        count += 1
    return count


def _flat(node: tree.Expression) -> Iterator[tree.Expression]:
    if isinstance(node, tree.Aggregate) and isinstance(node.type, Array):
        for inner in node.values:
            yield from _flat(inner)
    else:
        yield node


@dataclass
class _Cursor:
    """A list that is used up from its start."""

    list: InitializerList
    scope: Scope
    at: int = 0

    @property
    def done(self) -> bool:
        """Whether no value is left."""
        return self.at == len(self.list.values)

    def check_end(self, ctype: CType) -> None:
        """Refuse values that are left."""
        if not self.done:
            what = f"{len(self.list.values)} values do not fit `{ctype}`"
            raise CompileError(what, self.list.span)

    def part(self, ctype: CType) -> tree.Expression:
        """The next member or element: a list of its own, one value, or several for its parts."""
        if self.done:
            return zero(ctype, self.list.span)
        node = self.list.values[self.at]
        if isinstance(node, InitializerList):
            self.at += 1
            if not isinstance(ctype, Struct | Array):
                raise CompileError("a list stands where one value is needed", node.span)
            return from_list(node, ctype, self.scope)
        if not isinstance(ctype, Struct | Array):
            self.at += 1
            return convert(dispatch.value(node, self.scope), ctype, "this value")
        copied = self.whole(ctype)
        if copied is None:
            return self.aggregate(ctype)
        self.at += 1
        return copied

    def whole(self, ctype: CType) -> tree.Expression | None:
        """The next value, if it is a structure of the very type."""
        node = self.list.values[self.at]
        if not isinstance(ctype, Struct) or isinstance(node, InitializerList):
            return None
        checked = dispatch.value(node, self.scope)
        return checked if checked.type == ctype else None

    def aggregate(self, ctype: Struct | Array) -> tree.Aggregate:
        """A structure or array whose parts are the next values."""
        parts = tuple(self.part(inner) for inner in _parts(ctype))
        return tree.Aggregate(parts, span=self.list.span, type=ctype)


def _parts(ctype: Struct | Array) -> list[CType]:
    if isinstance(ctype, Struct):
        return [inner for _, inner, _ in ctype.members]
    return [ctype.of] * (ctype.length or 0)


def zero(ctype: CType, span: Span) -> tree.Expression:
    """A value all of whose bits are zero."""
    if isinstance(ctype, Struct | Array):
        parts = tuple(zero(inner, span) for inner in _parts(ctype))
        return tree.Aggregate(parts, span=span, type=ctype)
    return cast(tree.Literal(0, span=span, type=INT), ctype)


# Check the arguments of calls: what each parameter of a program's own function takes.


def call_of_function(
    node: tree.Call, function: tree.Function, scope: Scope, head: Prototype, home: Scope
) -> tree.Expression:
    """A checked call of a checked function; the default values in its `head` stand in `home`.

    Raises
    ------
    CompileError
        if it takes other arguments
    """
    defaults = _defaults(node, head, function)
    values = [*((v, scope) for v in node.arguments), *((v, home) for v in defaults)]
    arguments = tuple(
        _argument(value, parameter, function, where)
        for (value, where), parameter in zip(values, function.parameters, strict=True)
    )
    return tree.Call(node.name, arguments, function, span=node.span, type=function.result)


def _defaults(
    node: tree.Call, head: Prototype, function: tree.Function
) -> tuple[tree.Expression, ...]:
    """The default values of the parameters that a call leaves out."""
    wanted, given = len(function.parameters), len(node.arguments)
    if wanted - len(head.defaults) <= given <= wanted:
        return head.defaults[len(head.defaults) - (wanted - given) :]
    least = f"{wanted - len(head.defaults)} to " if head.defaults else ""
    noun = "argument" if wanted == 1 else "arguments"
    what = f"`{node.name}` takes {least}{wanted or 'no'} {noun}, not {given}"
    raise CompileError(what, surplus(node.arguments, wanted, node.span), signature(function))


def _argument(
    node: tree.Expression, parameter: tree.Symbol, function: tree.Function, scope: Scope
) -> tree.Expression:
    what = f"the argument `{parameter.name}` of `{function.name}`"
    if parameter.reference:
        return _referred(node, parameter, what, scope)
    try:
        return first_value(node, parameter.type, what, scope)
    except CompileError as error:
        if not error.message.startswith(what):
            raise
        raise CompileError(
            error.message, error.span, _joined(error.hint, signature(function))
        ) from None


def _referred(
    node: tree.Expression, parameter: tree.Symbol, what: str, scope: Scope
) -> tree.Expression:
    """An argument for a reference: a variable of the very type, or for a const one any value."""
    if parameter.const and isinstance(node, InitializerList):
        return first_value(node, parameter.type, what, scope)
    checked = as_lvalue(dispatch.expression(node, scope))
    if parameter.const and not (is_lvalue(checked) and checked.type == parameter.type):
        return convert(dispatch.value(node, scope), parameter.type, what)
    if not is_lvalue(checked) or checked.type != parameter.type:
        hint = f"it is a reference: pass a variable of type `{parameter.type}`"
        raise CompileError(
            f"{what} cannot be `{checked.span.text}` of type `{checked.type}`", checked.span, hint
        )
    if is_const(checked) and not parameter.const:
        raise CompileError(
            f"{what} would change `{checked.span.text}`, which is const", checked.span
        )
    if tree.is_volatile(checked) and not parameter.volatile:
        hint = f"make the parameter `{parameter.name}` volatile, too"
        what = f"{what} cannot be `{checked.span.text}`, which is volatile"
        raise CompileError(what, checked.span, hint)
    return checked


def signature(function: tree.Function) -> str:
    """How a function is declared."""
    return f"it is `{_signature(function)}`, line {_place(function.span)}"


def _signature(function: tree.Function) -> str:
    parameters = (str(parameter).strip() for parameter in function.parameters)
    return f"{function.result} {function.name}({', '.join(parameters)})"


def _place(span: Span) -> str:
    return f"{span.line} of {span.source.name}"


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)
