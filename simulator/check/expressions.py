"""Check expressions: a handler for each kind of node."""

from __future__ import annotations

from dataclasses import replace

from simulator.builtins import ROWS
from simulator.check import (
    calls,
    complex_numbers,
    copying,
    function_pointers,
    groups,
    initializers,
    members,
    overloads,
)
from simulator.check.classes import objects
from simulator.check.declared_types import complete, has_auto, resolved, sized
from simulator.check.named_casts import check_named_cast
from simulator.check.names import pointee
from simulator.check.operators import (
    alike,
    as_enumeration,
    bracketed,
    check_bound,
    combined,
    updated,
)
from simulator.check.scopes import (
    AliasOf,
    Scope,
    adapted,
    as_base,
    condition,
    effect,
    expression,
    inherits,
    value,
    valued,
)
from simulator.hints import foreign
from simulator.hints.similar import nearest
from simulator.hints.unsupported import declaration, refuse_name
from simulator.ir import tree
from simulator.ir.constants import folded
from simulator.ir.conversions import (
    as_lvalue,
    as_operand,
    balanced,
    bits_of,
    cast,
    check_alike,
    convert,
    convert_explicitly,
    is_const,
    is_group,
    is_lvalue,
    operation_of,
    writable,
)
from simulator.ir.types import (
    BOOL,
    INT,
    PAIRS,
    TYPE_NAMES,
    ULONG,
    VECTORS,
    VOID,
    Array,
    CType,
    Enumerated,
    FunctionPointer,
    Pointer,
    Scalar,
    Struct,
    Void,
    align_of,
    is_complex,
    is_integer,
    is_scoped,
    promoted,
)
from simulator.ir.unchecked import (
    Called,
    Checked,
    Construct,
    Direct,
    Expansion,
    Fold,
    InitializerList,
    Made,
    Method,
    PackSize,
    Text,
)
from simulator.source import CompileError, Span


@expression.register
def _literal(node: tree.Literal, scope: Scope) -> tree.Expression:
    return node


@expression.register
def _text(node: Text, scope: Scope) -> tree.Expression:
    hint = "kernels have numbers and arrays; printf and assert take strings"
    raise CompileError("strings are not supported here", node.span, hint)


def _behind(span: Span) -> Span:
    """Return the place right behind an expression."""
    return Span(span.source, span.end_line, span.end_column, span.end_line, span.end_column + 1)


@expression.register
def _called(node: Called, scope: Scope) -> tree.Expression:
    inner = node.function
    while isinstance(inner, tree.Deref):
        inner = inner.pointer
    function = expression(inner, scope)
    if isinstance(function.type, FunctionPointer):
        return function_pointers.call(valued(function, scope), node.arguments, node, scope)
    function = expression(node.function, scope)
    if isinstance(node.function, tree.Literal):
        text = node.function.span.text
        what = f"an operator is missing after `{text}`"
        raise CompileError(
            what, _behind(node.function.span), f"for a product, write `{text} * (…)`"
        )
    if members.functions_of(function.type, "operator()", scope) is None:
        what = f"`{node.function.span.text}` is `{function.type}`, which cannot be called"
        raise CompileError(what, node.span, "a function is called by its name")
    return members.call(function.type, "operator()", function, node.arguments, node, scope)


def _own(
    op: str, operands: tuple[tree.Expression, ...], node: tree.Expression, scope: Scope
) -> tree.Expression | None:
    """Return the call of the program's own operator for these operands, if it has one."""
    own = members.operator(op, operands, node, scope)
    if own is not None:
        return own
    free = overloads.applied(op, operands, node.span, scope)
    return None if free is None else calls.call(free, scope)


def _is_own(name: str, scope: Scope) -> bool:
    """Whether the program has operators of a name, which C++ has without classes, too."""
    classes = scope.shared.classes.values()
    return scope.lookup(name) is not None or any(
        name in owner.functions or name in owner.friends for owner in classes
    )


def _as_pointer(operand: tree.Expression, scope: Scope) -> tree.Expression | None:
    """Return what `+` makes of a pointer, or of a lambda that converts to one; None of others."""
    if isinstance(operand.type, Pointer | FunctionPointer):
        return operand
    closure = Checked(operand, span=operand.span, type=operand.type)
    return function_pointers.designated(closure, scope)


@expression.register
def _unary(node: tree.Unary, scope: Scope) -> tree.Expression:
    if scope.lookup(f"operator{node.op}") is not None or scope.shared.classes:
        operand = value(node.operand, scope)
        own = _own(node.op, (operand,), node, scope)
        if own is not None:
            return own
        operand = operand if node.op == "!" else objects.as_number(operand, scope)
        node = replace(node, operand=Checked(operand, span=operand.span, type=operand.type))
    if node.op == "!":
        test = condition(node.operand, scope)
        return folded(tree.Unary("!", test, span=node.span, type=BOOL))
    operand = as_operand(value(node.operand, scope))
    if node.op == "+" and (pointer := _as_pointer(operand, scope)) is not None:
        return pointer
    ctype = operand.type
    if (ctype in PAIRS and node.op == "-") or (is_complex(ctype) and node.op == "+"):
        return ROWS[f"operator{node.op}"].call((operand,), node.span)
    scoped = is_scoped(ctype)
    if not isinstance(ctype, Scalar) or (node.op == "~" and ctype.is_float) or scoped:
        needs = "an integer" if node.op == "~" else "a number"
        what = f"`{node.op}` needs {needs}, not `{ctype}`"
        raise CompileError(what, node.span, "cast it first" if isinstance(ctype, Scalar) else "")
    result = promoted(ctype)
    return folded(tree.Unary(node.op, cast(operand, result), span=node.span, type=result))


@expression.register
def _index(node: tree.Index, scope: Scope) -> tree.Expression:
    return _element(node, scope, 0)


def _element(node: tree.Index, scope: Scope, beyond: int) -> tree.Expression:
    """`base[index]`; a constant index may go `beyond` the last element of a known array."""
    base = value(node.base, scope)
    if isinstance(base.type, Struct):
        own = _own("[]", (base, expression(node.index, scope)), node, scope)
        if own is not None:
            return own
    of = pointee(base, "[…]")
    position = objects.as_number(value(node.index, scope), scope)
    if not is_integer(position.type):
        what = f"a subscript must be an integer, not `{position.type}`"
        raise CompileError(what, position.span, f"cast it: `(int){bracketed(position)}`")
    if _is_comma(node.index) and isinstance(of, Array):
        raise CompileError("a subscript takes one index", position.span, "write `[…][…]`")
    if isinstance(position, tree.Literal) and isinstance(base, tree.Decay):
        check_bound(base.operand, position, beyond)
    return tree.Index(base, position, span=node.span, type=of)


def _is_comma(node: tree.Expression) -> bool:
    return isinstance(node, tree.Binary) and node.op == ","


@expression.register
def _address_of(node: tree.AddressOf, scope: Scope) -> tree.Expression:
    inner = node.operand
    function = function_pointers.designated(inner, scope)
    if function is not None:
        return replace(function, span=node.span)
    element = _element(inner, scope, 1) if isinstance(inner, tree.Index) else None
    operand = as_lvalue(element or expression(inner, scope))
    if not is_lvalue(operand):
        what = f"`{operand.span.text}` has no address"
        raise CompileError(what, node.span, "copy it to a variable first")
    if bits_of(operand) is not None:
        what = f"the bit field `{operand.span.text}` has no address"
        raise CompileError(what, node.span, "copy it to a variable first")
    if isinstance(operand, tree.Name) and _is_global(operand):
        what = f"the constant `{operand.name}` has no address"
        raise CompileError(what, node.span, "copy it to a variable first")
    if is_group(operand.type):
        what = f"pointers to `{operand.type}` are not supported"
        raise CompileError(what, node.span, "pass the group itself")
    pointer = Pointer(operand.type, is_const(operand), tree.is_volatile(operand))
    return tree.AddressOf(operand, span=node.span, type=pointer)


def _is_global(node: tree.Name) -> bool:
    return node.symbol is not None and node.symbol.storage is tree.Storage.LITERAL


@expression.register
def _increment(node: tree.Increment, scope: Scope) -> tree.Expression:
    given = expression(node.target, scope)
    if isinstance(given.type, Struct | Enumerated):
        zero = tree.Literal(0, span=node.span, type=INT)  # tells the suffix from the prefix
        operands = (given,) if node.prefix else (given, zero)
        own = _own(node.op, operands, node, scope)
        if own is not None:
            return own
    target = writable(given)
    if isinstance(target.type, Pointer):
        pointee(target, node.op)
    elif target.type == BOOL or isinstance(target.type, Struct | Enumerated):
        what = f"`{node.op}` cannot be used on {target.type}"
        hint = "assign true or false" if target.type == BOOL else "change one of its members"
        hint = as_enumeration(target.type) if isinstance(target.type, Enumerated) else hint
        raise CompileError(what, node.span, hint)
    return tree.Increment(node.op, node.prefix, target, span=node.span, type=target.type)


@expression.register
def _binary(node: tree.Binary, scope: Scope) -> tree.Expression:
    if node.op != ",":
        left, right = value(node.left, scope), value(node.right, scope)
        own = _own(node.op, (left, right), node, scope)
        if own is not None:
            return own
        left, right = objects.as_number(left, scope), objects.as_number(right, scope)
        return combined(node, left, right)
    left, right = effect(node.left, scope), effect(node.right, scope)
    if _is_own("operator,", scope):
        own = _own(",", (left, right), node, scope)
        if own is not None:
            return own
    right = right if right.type == VOID else valued(right, scope)
    return tree.Binary(",", left, right, span=node.span, type=right.type)


@expression.register
def _logical(node: tree.Logical, scope: Scope) -> tree.Expression:
    if _is_own(f"operator{node.op}", scope):
        sides = value(node.left, scope), value(node.right, scope)
        own = _own(node.op, sides, node, scope)
        if own is not None:
            return own
        again = [Checked(one, span=one.span, type=one.type) for one in sides]
        node = replace(node, left=again[0], right=again[1])
    left, right = condition(node.left, scope), condition(node.right, scope)
    return folded(tree.Logical(node.op, left, right, span=node.span, type=BOOL))


@expression.register
def _conditional(node: tree.Conditional, scope: Scope) -> tree.Expression:
    test = condition(node.test, scope)
    then, other = effect(node.then, scope), effect(node.other, scope)
    if then.type == VOID == other.type:
        return tree.Conditional(test, then, other, span=node.span, type=VOID)
    then, other = valued(then, scope), valued(other, scope)
    if isinstance(then.type, FunctionPointer) or isinstance(other.type, FunctionPointer):
        kind = then.type if isinstance(then.type, FunctionPointer) else other.type
        then, other = (convert(side, kind, "the other value") for side in (then, other))
    elif isinstance(then.type, Scalar) and isinstance(other.type, Scalar):
        then, other = _common_sides(then, other, node.span)
    elif is_complex(then.type) != is_complex(other.type):
        both = then.type if is_complex(then.type) else other.type
        then, other = (convert(side, both, "the other value") for side in (then, other))
    elif not isinstance(then.type, Struct) or then.type != other.type:
        then, other = alike(node, then, other)
    return folded(tree.Conditional(test, then, other, span=node.span, type=then.type))


def _common_sides(
    then: tree.Expression, other: tree.Expression, span: Span
) -> tuple[tree.Expression, tree.Expression]:
    """Return two numbers in the type that `?:` of them has."""
    if then.type == other.type:
        return then, other
    then, other = as_operand(then), as_operand(other)
    if is_scoped(then.type) or is_scoped(other.type):
        what = f"`?:` cannot choose between `{then.type}` and `{other.type}`"
        raise CompileError(what, span, "convert one of them")
    check_alike("?:", then.type, other.type, span)
    then, other, _ = balanced(then, other)
    return then, other


def _part_assigned(node: tree.Expression, ctype: CType, scope: Scope) -> tree.Expression:
    """Return the base of an object that is assigned to one, which is not copied before."""
    if isinstance(ctype, Struct) and inherits(node.type, ctype, scope):
        return as_base(as_lvalue(node), ctype, scope)
    return node


@expression.register
def _assign(node: tree.Assign, scope: Scope) -> tree.Expression:
    given = expression(node.target, scope)
    classes_own = given.type in scope.shared.classes
    if isinstance(given.type, Struct) and not classes_own:
        copying.check_assigned(given.type, node.span, scope)
    if classes_own and not isinstance(node.value, InitializerList):
        right = expression(node.value, scope)
        if not copying.has_assignment(given.type, scope):
            right = _part_assigned(right, given.type, scope)
        plain = right.type == given.type and not copying.assigns(given.type, scope)
        own = None if plain else _own("=", (given, right), node, scope)
        if plain:
            copying.check_assigned(given.type, node.span, scope)
        if own is not None:
            return own
        if plain:
            target, new = writable(given), valued(right, scope)
            return tree.Assign(target, new, span=node.span, type=target.type)
        node = replace(node, value=Checked(right, span=right.span, type=right.type))
    target = writable(given)
    new = initializers.first_value(node.value, target.type, "the assigned value", scope)
    return tree.Assign(target, new, span=node.span, type=target.type)


@expression.register
def _compound_assign(node: tree.CompoundAssign, scope: Scope) -> tree.Expression:
    target, given = expression(node.target, scope), value(node.value, scope)
    own = _own(f"{node.op}=", (target, given), node, scope)
    if own is not None:
        return own
    return updated(node, writable(target), objects.as_number(given, scope))


def _drops_const(source: CType, target: Pointer) -> bool:
    return isinstance(source, Pointer) and source.const and not target.const


@expression.register
def _explicit_cast(node: tree.Cast, scope: Scope) -> tree.Expression:
    target: CType = resolved(node.type, scope, node.span)
    if isinstance(target, Array) or has_auto(target):
        raise CompileError(f"nothing can be cast to `{target}`", node.span)
    checked = effect if target == VOID else value
    if isinstance(target, FunctionPointer):
        pointer = function_pointers.designated(node.operand, scope, target)
        if pointer is not None:
            return replace(cast(pointer, target), span=node.span)
    operand = checked(node.operand, scope)
    if isinstance(target, Struct) and target in scope.shared.classes:
        given = (Checked(operand, span=operand.span, type=operand.type),)
        return objects.construct(target, given, node, scope)
    if isinstance(operand.type, Struct):
        operand = adapted(operand, target, scope, asked=True)
    if isinstance(target, Pointer) and scope.shared.classes and not node.reinterprets:
        related = objects.as_related(operand, target, scope)
        if related is not None and not (node.named and _drops_const(operand.type, target)):
            return related
    check_named_cast(node, operand, target)
    if target in VECTORS.values() and isinstance(operand.type, Scalar):
        what, made = f"`{target}` is made by a function", f"write `make_{target}(…)`"
        raise CompileError(what, node.span, made)
    return replace(convert_explicitly(operand, target), span=node.span)


@expression.register
def _made(node: Made, scope: Scope) -> tree.Expression:
    return _value_of(node.values, resolved(node.made, scope, node.span), node, scope)


@expression.register
def _size_of(node: tree.SizeOf, scope: Scope) -> tree.Expression:
    if node.operand is not None:
        _check_known(node.operand, scope)
        found = expression(node.operand, scope)
        if bits_of(found) is not None:
            what = f"the bit field `{found.span.text}` has no size of its own"
            raise CompileError(what, node.span, "name a type in its place")
        ctype = found.type
    else:
        assert node.of is not None
        ctype = resolved(node.of, scope, node.span)
    size = sized(ctype, node.span)
    if node.aligns:
        size = align_of(ctype)
    return tree.Literal(size, span=node.span, type=ULONG)


def _check_known(node: tree.Expression, scope: Scope) -> None:
    """Refuse `sizeof(name)` of a name that means nothing: a type may be meant."""
    if not isinstance(node, tree.Name) or scope.lookup(node.name) is not None:
        return
    if node.name == "warpSize":
        return
    span = node.span
    if span.text.startswith("("):
        span = replace(span, column=span.column + 1, end_column=span.end_column - 1)
    refuse_name(node.name, span)
    known = [*TYPE_NAMES, *scope.names(tree.Symbol, AliasOf)]
    hint = foreign.TYPES.get(node.name) or nearest(node.name, known)
    hint = hint or declaration(node.name)
    raise CompileError(f"`{node.name}` is neither a type nor a variable", span, hint)


@expression.register
def _method(node: Method, scope: Scope) -> tree.Expression:
    base = expression(node.base, scope)
    if "::" in node.name and isinstance(base.type, Struct):
        front, _, name = node.name.rpartition("::")
        base = members.part_named(base, front, node.span, scope)
        node = replace(node, name=name)
    if is_complex(base.type):
        return complex_numbers.method(node, base, scope)
    found = base.type.member(node.name) if isinstance(base.type, Struct) else None
    if found is not None and isinstance(found[0], FunctionPointer):
        member = tree.Member(base, node.name, span=node.span, type=found[0])
        return function_pointers.call(member, node.arguments, node, scope)
    if found is not None and members.functions_of(found[0], "operator()", scope) is not None:
        called = tree.Member(
            Checked(base, span=base.span, type=base.type), node.name, span=node.span
        )
        return expression(Called(called, node.arguments, span=node.span), scope)
    if isinstance(base.type, Struct) and base.type in scope.shared.classes:
        return members.call(base.type, node.name, base, node.arguments, node, scope, node.given)
    return groups.method(replace(node, base=Checked(base, span=base.span, type=base.type)), scope)


@expression.register
def _checked(node: Checked, scope: Scope) -> tree.Expression:
    return node.checked


@expression.register
def _construct(node: Construct, scope: Scope) -> tree.Expression:
    return _value_of(node.values, resolved(node.type, scope, node.span), node, scope)


def _value_of(
    values: tuple[tree.Expression, ...], ctype: CType, node: tree.Expression, scope: Scope
) -> tree.Expression:
    """Return what `ctype{values…}` makes."""
    if isinstance(ctype, Struct) and operation_of(ctype) is not None and not values:
        return tree.Call(f"make {ctype}", (), span=node.span, type=ctype)
    if isinstance(complete(ctype, node.span), Array | Void):
        raise CompileError(f"there are no values of type `{ctype}`", node.span)
    return initializers.from_list(InitializerList(values, span=node.span), ctype, scope)


@expression.register
def _list(node: InitializerList, scope: Scope) -> tree.Expression:
    hint = "write the type in front: `Type{…}`"
    raise CompileError("nothing says of which type this list is", node.span, hint)


@expression.register
def _direct(node: Direct, scope: Scope) -> tree.Expression:
    raise CompileError("one value is expected here", node.span, "write it without commas")


@expression.register(Expansion)
@expression.register(Fold)
@expression.register(PackSize)
def _of_no_pack(node: Expansion | Fold | PackSize, scope: Scope) -> tree.Expression:
    what = f"`{node.span.text}` names no parameter pack"
    raise CompileError(what, node.span, "declare it: `template <typename... Types>`")


@expression.register
def _launch(node: tree.DeviceLaunch, scope: Scope) -> tree.Expression:
    return initializers.launch(node, scope)


@expression.register
def _call(node: tree.Call, scope: Scope) -> tree.Expression:
    return calls.call(node, scope)
