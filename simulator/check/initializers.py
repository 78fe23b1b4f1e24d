"""What a value becomes where it is stored or passed: lists, arguments of calls and of launches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from simulator.builtins.row import surplus
from simulator.check import scopes
from simulator.check.copying import check_copied, copies
from simulator.check.declared_types import element
from simulator.check.scopes import CONSTRUCTOR, COORDINATES, Class, Overloads, Scope, Substitute
from simulator.hints.unsupported import refuse_function
from simulator.ir import tree
from simulator.ir.conversions import (
    as_lvalue,
    bits_of,
    cast,
    check_list,
    convert,
    dim3,
    is_const,
    is_lvalue,
)
from simulator.ir.types import (
    DIM3,
    INT,
    PAIRS,
    UINT,
    ULONG,
    VECTORS,
    VOID,
    Array,
    CType,
    Enumerated,
    FunctionPointer,
    Pointer,
    Struct,
    is_complex,
    is_integer,
)
from simulator.ir.unchecked import (
    Checked,
    Constructed,
    Direct,
    InitializerList,
    Prototype,
    Variable,
)
from simulator.source import CompileError, Span

# Check lists of values: C's rules for which value goes to which member or element.
#
# Inner braces may be left out, as in `int a[2][2] = {1, 2, 3, 4}`; what is left out at the end of a
# structure or array is zero.


def first_value(node: tree.Expression, ctype: CType, what: str, scope: Scope) -> tree.Expression:
    """Check an expression or list as a value of type `ctype`; `what` names it in messages."""
    if isinstance(node, InitializerList):
        return from_list(node, ctype, scope)
    if isinstance(node, Direct) and (ctype in PAIRS or ctype in scope.shared.classes):
        return from_list(InitializerList(node.values, span=node.span), ctype, scope)
    if ctype == VECTORS["uint3"] and isinstance(node, tree.Name):
        node = _whole(node, scope)
    if isinstance(ctype, FunctionPointer):
        node = _function_for(node, ctype, scope)
    value = scopes.value(node, scope)
    return convert(copied(scopes.adapted(value, ctype, scope), scope), ctype, what)


def copied(value: tree.Expression, scope: Scope) -> tree.Expression:
    """Return a checked value as its class copies it, where it is one that somebody else has."""
    if is_lvalue(value):
        check_copied(value.type, value.span, scope)
    if not is_lvalue(value) or not copies(value.type, scope):
        return value
    given = Checked(value, span=value.span, type=value.type)
    return scopes.value(Constructed(value.type, (given,), span=value.span), scope)


def copied_elements(node: tree.Expression, ctype: Array, scope: Scope) -> tree.Expression:
    """Return a copy of an array, element by element."""
    first = scopes.valued(node, scope)
    parts: list[tree.Expression] = []
    for at in range(ctype.length or 0):
        number = tree.Literal(at, span=node.span, type=INT)
        part = tree.Index(first, number, span=node.span, type=ctype.of)
        if isinstance(ctype.of, Array):
            parts.append(copied_elements(part, ctype.of, scope))
        else:
            parts.append(copied(part, scope))
    return tree.Aggregate(tuple(parts), span=node.span, type=ctype)


def _function_for(node: tree.Expression, ctype: CType, scope: Scope) -> tree.Expression:
    """Return the one of several functions of a name that a pointer's type asks for."""
    assert scope.shared.designate is not None
    found = scope.shared.designate(node, scope, ctype)
    return node if found is None else Checked(found, span=node.span, type=found.type)


def _whole(node: tree.Name, scope: Scope) -> tree.Expression:
    """`make_uint3` of the axes of threadIdx or its kin; any other name as it is."""
    if node.name not in COORDINATES or scope.lookup(node.name) is not None:
        return node
    axes = tuple(tree.Member(node, axis, span=node.span) for axis in "xyz")
    return tree.Call("make_uint3", axes, span=node.span)


def from_list(node: InitializerList, ctype: CType, scope: Scope) -> tree.Expression:
    """Return what `{…}` makes of a `ctype`."""
    if isinstance(ctype, Struct):
        makes = has_constructor(ctype, scope)
        if makes or (not node.values and is_constructed(ctype, scope)):
            return scopes.value(Constructed(ctype, node.values, span=node.span), scope)
    return members_from_list(node, ctype, scope)


def has_constructor(ctype: Struct, scope: Scope) -> bool:
    """Whether values go to a constructor, and not to members."""
    owner = scope.shared.classes.get(ctype)
    if owner is None:
        return False
    return CONSTRUCTOR in owner.functions or owner.host_made is not None


def is_constructed(ctype: CType, scope: Scope) -> bool:
    """Whether an object that is declared without values gets some."""
    if isinstance(ctype, Array):
        return is_constructed(ctype.of, scope)
    if not isinstance(ctype, Struct) or not scope.shared.classes:
        return False
    owner = scope.shared.classes.get(ctype)
    if owner is not None and (owner.first_values or made_of_nothing(owner)):
        return True
    return any(is_constructed(inner, scope) for _, inner, _ in ctype.members)


def sets_values(ctype: CType, scope: Scope) -> bool:
    """Whether an object that is declared without values gets some: no constructor is empty."""
    owner = scope.shared.classes.get(ctype) if isinstance(ctype, Struct) else None
    if owner is not None and (owner.first_values or not _is_empty(owner)):
        return True
    parts = ctype.members if isinstance(ctype, Struct) else ()
    return any(sets_values(element(inner), scope) for _, inner, _ in parts)


def _is_empty(owner: Class) -> bool:
    """Whether the constructor that takes no values, if there is one, does nothing."""
    makers = [one for one in owner.functions.get(CONSTRUCTOR, ()) if isinstance(one, Prototype)]
    makers = [one for one in makers if len(one.parameters) == len(one.defaults)]
    known = [owner.definitions[one.name][0] for one in makers if one.name in owner.definitions]
    return not any(one.body.body or one.member_values for one in known)


def needs_values(ctype: CType, scope: Scope) -> bool:
    """Whether no constructor of a class takes no values, or a member needs one."""
    if unset_member(ctype, scope):
        return True
    if not isinstance(ctype, Struct) or not scope.shared.classes:
        return False
    owner = scope.shared.classes.get(ctype)
    if owner is None or not has_constructor(ctype, scope):
        empty = (base for base in owner.bases if not base.members) if owner is not None else ()
        parts = [*(element(inner) for _, inner, _ in ctype.members), *empty]
        return any(needs_values(part, scope) for part in parts)
    return not owner.has_default and not made_of_nothing(owner)


def unset_member(ctype: CType, scope: Scope) -> str:
    """Return a member that is constant or a reference and no constructor gives a value."""
    if not isinstance(ctype, Struct) or not ctype.marks or has_constructor(ctype, scope):
        return ""
    owner = scope.shared.classes.get(ctype)
    firsts = owner.first_values if owner is not None else {}
    kept = (name for name, mark in ctype.marks.items() if mark != "mutable" and name not in firsts)
    return next(kept, "")


def made_of_nothing(owner: Class) -> bool:
    """Whether a constructor of the class takes no values."""
    heads = (scopes.head_of(maker) for maker in owner.functions.get(CONSTRUCTOR, ()))
    return any(scopes.count_taken(head)[0] == 0 for head in heads)


def members_from_list(node: InitializerList, ctype: CType, scope: Scope) -> tree.Expression:
    """Return what `{…}` makes of a `ctype`, a value for each of its members."""
    check_list(ctype, node.span)
    cursor = _Cursor(node, scope)
    if is_complex(ctype) and len(node.values) == 1:
        return first_value(node.values[0], ctype, "this value", scope)
    if not node.values and ctype != DIM3 and not unset_member(ctype, scope):
        return _left_out(ctype, node.span, scope)
    if ctype == DIM3:
        return dim3([scopes.value(v, scope) for v in node.values], node.span)
    copied = cursor.whole(ctype) if node.values else None
    if copied is not None and len(node.values) == 1:
        return copied
    if isinstance(ctype, Struct | Array):
        result: tree.Expression = cursor.aggregate(ctype)
    else:
        value = scopes.value(node.values[0], scope)
        numbered = isinstance(ctype, Enumerated) and ctype.fixed and is_integer(value.type)
        result = cast(value, ctype) if numbered else convert(value, ctype, "this value")
        cursor.at = 1
    cursor.check_end(ctype)
    return result


def elements(node: InitializerList, ctype: Array, scope: Scope) -> Iterator[tree.Expression]:
    """Yield the innermost elements, structures, of the array that a list makes, up to its end."""
    cursor = _Cursor(node, scope)
    made = is_constructed(ctype, scope) or needs_values(element(ctype), scope)
    for _ in range(ctype.length or 0):
        if cursor.done and not made:
            break
        yield from tree.elements_of(cursor.part(ctype.of))
    cursor.check_end(ctype)


def rows(node: InitializerList, of: CType, scope: Scope) -> int:
    """How many elements of type `of` a list has values for."""
    cursor, count = _Cursor(node, scope), 0
    while not cursor.done:
        cursor.part(of)
        count += 1
    return count


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
        """Take the next member or element: a list, one value, or several values for its parts."""
        if self.done:
            return _left_out(ctype, self.list.span, self.scope)
        node = self.list.values[self.at]
        if isinstance(node, InitializerList):
            self.at += 1
            if not isinstance(ctype, Struct | Array):
                raise CompileError("a list stands where one value is needed", node.span)
            return from_list(node, ctype, self.scope)
        if not isinstance(ctype, Struct | Array) or is_complex(ctype):
            self.at += 1
            return first_value(node, ctype, "this value", self.scope)
        copied = self.whole(ctype)
        if copied is None:
            return self.aggregate(ctype)
        self.at += 1
        return copied

    def whole(self, ctype: CType) -> tree.Expression | None:
        """Return the next value, if it is a structure of the very type."""
        node = self.list.values[self.at]
        if not isinstance(ctype, Struct) or isinstance(node, InitializerList):
            return None
        if isinstance(node, tree.Name) and isinstance(self.scope.lookup(node.name), Overloads):
            return None  # which of them is meant, the member's type says
        checked = scopes.adapted(scopes.value(node, self.scope), ctype, self.scope)
        return copied(checked, self.scope) if checked.type == ctype else None

    def aggregate(self, ctype: Struct | Array) -> tree.Expression:
        """Return a structure or array whose parts are the next values."""
        if isinstance(ctype, Struct):
            return self._members(ctype)
        parts = tuple(self.part(inner) for inner in _parts(ctype))
        return tree.Aggregate(parts, span=self.list.span, type=ctype)

    def _members(self, ctype: Struct) -> tree.Expression:
        """Take the members of a structure, which may have first values: of a union one."""
        owner = self.scope.shared.classes.get(ctype)
        first_values = owner.first_values if owner is not None else {}
        if ctype.union and self.done and first_values:
            assert owner is not None
            return union_of_first(owner, self.list.span)
        made: dict[str, tree.Expression] = {}
        for name, inner, _ in ctype.members[: 1 if ctype.union else None]:
            if self.done and name in first_values:
                assert owner is not None
                made[name] = first_value_of_member(owner, name, inner, made)
            elif "reference" in ctype.marks.get(name, ""):
                made[name] = self._referred(ctype, name)
            else:
                made[name] = self.part(inner)
        return tree.Aggregate(tuple(made.values()), span=self.list.span, type=ctype)

    def _referred(self, ctype: Struct, name: str) -> tree.Expression:
        """Take what a member refers to."""
        if self.done:
            what = f"the reference `{name}` of `{ctype}` needs something to refer to"
            raise CompileError(what, self.list.span)
        node = self.list.values[self.at]
        self.at += 1
        return referred(node, ctype, name, self.scope)


def referred(node: tree.Expression, ctype: Struct, name: str, scope: Scope) -> tree.Expression:
    """Return the address of what a member that is a reference refers to."""
    target = as_lvalue(scopes.expression(node, scope))
    pointer, _ = ctype.member(name) or (VOID, 0)
    assert isinstance(pointer, Pointer)
    if isinstance(pointer.to, Struct):
        target = scopes.as_base(target, pointer.to, scope)
    if not is_lvalue(target) or target.type != pointer.to or bits_of(target) is not None:
        what = f"the reference `{name}` cannot refer to `{target.span.text}` of type"
        hint = f"refer to a variable of type `{pointer.to}`"
        raise CompileError(f"{what} `{target.type}`", target.span, hint)
    if is_const(target) and not pointer.const:
        what = f"`{name}` would change `{target.span.text}`, which is const"
        raise CompileError(what, target.span, "make the reference const")
    return tree.AddressOf(target, span=node.span, type=pointer)


def union_of_first(owner: Class, span: Span) -> tree.Expression:
    """Return a union that begins with the first value of one of its members."""
    name = next(iter(owner.first_values))
    ctype, _ = owner.type.member(name) or (VOID, 0)
    value = first_value_of_member(owner, name, ctype, {})
    return tree.Aggregate((value,), name, span=span, type=owner.type)


def first_value_of_member(
    owner: Class, name: str, ctype: CType, made: dict[str, tree.Expression]
) -> tree.Expression:
    """Return the first value of a member of an object whose members before it are `made`."""
    inside = Scope(owner.scope.shared, owner.scope)
    for before, value in made.items():
        if not any(isinstance(one, _ONCE) for one in tree.walk(value)):
            inside.replace(before, Substitute(value, value.span))
    return first_value(owner.first_values[name], ctype, f"the first value of `{name}`", inside)


#: What is not written twice: it changes something or loads it from memory.
_ONCE = tree.Call | tree.Assign | tree.CompoundAssign | tree.Increment | tree.Deref | tree.Index


def _parts(ctype: Struct | Array) -> list[CType]:
    if isinstance(ctype, Struct):
        return [inner for _, inner, _ in ctype.members[: 1 if ctype.union else None]]
    return [ctype.of] * (ctype.length or 0)


def _left_out(ctype: CType, span: Span, scope: Scope) -> tree.Expression:
    """Return what a part of a list is that is left out: zero, or what its class says."""
    if not is_constructed(ctype, scope) and not needs_values(element(ctype), scope):
        return zero(ctype, span)
    if not isinstance(ctype, Array):
        return scopes.value(Constructed(ctype, (), span=span), scope)
    parts = tuple(_left_out(ctype.of, span, scope) for _ in range(ctype.length or 0))
    return tree.Aggregate(parts, span=span, type=ctype)


def zero(ctype: CType, span: Span) -> tree.Expression:
    """Return a value all of whose bits are zero."""
    if isinstance(ctype, Struct | Array):
        parts = tuple(zero(inner, span) for inner in _parts(ctype))
        return tree.Aggregate(parts, span=span, type=ctype)
    return cast(tree.Literal(0, span=span, type=INT), ctype)


# Check the arguments of calls: what each parameter of a program's own function takes.


def call_of_function(
    node: tree.Call, function: tree.Function, scope: Scope, head: Prototype, outer: Scope
) -> tree.Expression:
    """Check a call of a checked function; the default values in its `head` stand in `outer`."""
    defaults = _defaults(node, head, function)
    values = [*((v, scope) for v in node.arguments), *((v, outer) for v in defaults)]
    arguments = tuple(
        _argument(value, parameter, function, where)
        for (value, where), parameter in zip(values, function.parameters, strict=True)
    )
    made = tree.Call(node.name, arguments, function, span=node.span, type=function.result)
    if not (head.refers or head.returns_reference):
        return made
    assert isinstance(function.result, Pointer)
    return tree.Deref(made, span=node.span, type=function.result.to)


def _defaults(
    node: tree.Call, head: Prototype, function: tree.Function
) -> tuple[tree.Expression, ...]:
    """Return the default values of the parameters that a call leaves out."""
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
    """Check an argument for a reference: a variable of its type, or any value for a const one."""
    if parameter.const and isinstance(node, InitializerList):
        return first_value(node, parameter.type, what, scope)
    checked = as_lvalue(scopes.expression(node, scope))
    if isinstance(parameter.type, Struct):
        checked = scopes.as_base(checked, parameter.type, scope)
    if scopes.is_object(parameter) and not is_lvalue(checked):
        return checked
    named = is_lvalue(checked) and bits_of(checked) is None
    if parameter.const and not (named and checked.type == parameter.type):
        return first_value(node, parameter.type, what, scope)
    if not named or checked.type != parameter.type:
        hint = f"it is a reference: pass a variable of type `{parameter.type}`"
        what = f"{what} cannot be `{checked.span.text}` of type `{checked.type}`"
        raise CompileError(what, checked.span, hint)
    if is_const(checked) and not parameter.const:
        what = f"{what} would change `{checked.span.text}`, which is const"
        raise CompileError(what, checked.span)
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
    return f"{function.result} {scopes.plain_name(function.name)}({', '.join(parameters)})"


def _place(span: Span) -> str:
    return f"{span.line} of {span.source.name}"


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


# Check launches of kernels from device code, and the dim3 that say how large they are.


STREAMS = {"cudaStreamTailLaunch": "tail", "cudaStreamFireAndForget": "fire"}

_COORDINATES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})


def size(node: tree.Call, scope: Scope) -> tree.Expression:
    """`dim3(…)` as an expression."""
    if len(node.arguments) == 1:
        return extent(node.arguments[0], "the size", scope)
    return dim3([scopes.value(v, scope) for v in node.arguments], node.span)


def first_size(node: Variable, symbol: tree.Symbol, scope: Scope) -> tree.Expression:
    """Return the first value of a dim3 variable: `(…)`, `= …`, `{…}`, or all ones."""
    if node.value is None or isinstance(node.value, Direct):
        values = node.value.values if node.value is not None else node.values or ()
        return dim3([scopes.value(v, scope) for v in values], symbol.span)
    return extent(node.value, f"the first value of `{symbol.name}`", scope)


def extent(node: tree.Expression, what: str, scope: Scope) -> tree.Expression:
    """Return a value as a dim3: a number, a dim3 or uint3, or `gridDim` and its like as a whole."""
    named = isinstance(node, tree.Name) and node.name in _COORDINATES
    if isinstance(node, tree.Name) and named and scope.lookup(node.name) is None:
        axes = [tree.Builtin(node.name, axis, span=node.span, type=UINT) for axis in "xyz"]
        return dim3(axes, node.span)
    return first_value(node, DIM3, what, scope)


def launch(node: tree.DeviceLaunch, scope: Scope) -> tree.Expression:
    """Check a launch."""
    head = _kernel(node, scope)
    given = node.configuration
    if not 2 <= len(given) <= 4:
        hint = "it is `<<<grid, block>>>`, `<<<grid, block, shared>>>` or with a stream behind"
        raise CompileError(f"a launch takes 2 to 4 values, not {len(given)}", node.span, hint)
    grid = extent(given[0], "the grid", scope)
    block = extent(given[1], "the block", scope)
    none = tree.Literal(0, span=node.span, type=ULONG)
    bytes_of = scopes.value(given[2], scope) if len(given) > 2 else none
    shared = convert(bytes_of, ULONG, "the size of shared memory")
    stream = _stream(given[3], scope) if len(given) > 3 else "default"
    arguments = _launch_arguments(node, head, scope)
    return tree.DeviceLaunch(node.name, (grid, block, shared), arguments, stream, span=node.span)


def _kernel(node: tree.DeviceLaunch, scope: Scope) -> Prototype:
    meaning = scope.lookup(node.name)
    if isinstance(meaning, Prototype) and "__global__" in meaning.specifiers:
        return meaning
    if isinstance(meaning, Prototype):
        what = f"`{node.name}` is a device function, no kernel"
        raise CompileError(what, node.span, f"call it: `{node.name}(…)`")
    if meaning is None:
        refuse_function(node.name, node.span)
        hint = "a kernel of the same program is declared before it is launched"
        raise CompileError(f"the kernel `{node.name}` is not declared", node.span, hint)
    raise CompileError(f"`{node.name}` is no kernel", node.span)


def _stream(node: tree.Expression, scope: Scope) -> str:
    if isinstance(node, tree.Name) and node.name in STREAMS and scope.lookup(node.name) is None:
        return STREAMS[node.name]
    if isinstance(node, tree.Literal) and node.value == 0:
        return "default"
    names = " and ".join(STREAMS)
    what = f"`{node.span.text}` is no stream that the simulator has"
    raise CompileError(what, node.span, f"device code has 0 (the default stream), {names} here")


def _launch_arguments(
    node: tree.DeviceLaunch, head: Prototype, scope: Scope
) -> tuple[tree.Expression, ...]:
    wanted, given = len(head.parameters), len(node.arguments)
    parameters = ", ".join(str(parameter).strip() for parameter in head.parameters)
    hint = f"it is `{head.name}({parameters})`, line {head.span.line} of {head.span.source.name}"
    if not wanted - len(head.defaults) <= given <= wanted:
        plural = "" if wanted == 1 else "s"
        least = f"{wanted - len(head.defaults)} to " if head.defaults else ""
        what = f"`{node.name}` takes {least}{wanted} argument{plural}, not {given}"
        raise CompileError(what, node.span, hint)
    defaults = head.defaults[len(head.defaults) - (wanted - given) :]
    values = [*((v, scope) for v in node.arguments), *((v, scope.outermost) for v in defaults)]
    return tuple(
        first_value(value, parameter.type, f"the argument `{parameter.name}` of `{node.name}`", at)
        for parameter, (value, at) in zip(head.parameters, values, strict=True)
    )
