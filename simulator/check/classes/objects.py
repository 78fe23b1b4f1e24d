"""Make objects of classes, and convert them, by their constructors and conversions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from simulator.check import initializers, members, overloads, scopes, structures, templates
from simulator.check.copying import copies
from simulator.check.declared_types import element, resolved
from simulator.check.scopes import (
    CONSTRUCTOR,
    CONVERSION,
    Class,
    FunctionTemplate,
    Scope,
    Substitute,
    head_of,
)
from simulator.check.statements import statement
from simulator.ir import tree
from simulator.ir.conversions import as_lvalue, is_lvalue
from simulator.ir.types import (
    BOOL,
    CHAR,
    INT,
    LONG,
    VECTORS,
    VOID,
    Array,
    CType,
    FunctionPointer,
    Pointer,
    Scalar,
    Struct,
)
from simulator.ir.unchecked import (
    Alias,
    Checked,
    ClassContent,
    Constructed,
    Definition,
    Enumeration,
    InitializerList,
    MemberValue,
    Prototype,
    StaticAssertion,
    Structure,
)
from simulator.source import CompileError, Span

# Convert objects, by their classes' conversions and constructors.


def convert(
    node: tree.Expression, target: CType, scope: Scope, asked: bool
) -> tree.Expression | None:
    """Return what classes make of a checked value for a type; None if they do not take it.

    `asked` says that conversions which are `explicit` are meant, too.
    """
    copied = _copied(node, target, scope, asked)
    if copied is not None or not isinstance(target, Struct) or node.type == VOID:
        return copied
    owner = scope.shared.classes.get(target)
    makers = owner.functions.get(CONSTRUCTOR, []) if owner is not None else []
    implicit = [one for one in makers if _converts(head_of(one), target)]
    given = (Checked(node, span=node.span, type=node.type),)
    if owner is None or not implicit or not _makes(implicit, given, scope):
        return None
    return _constructed(owner, implicit, given, node, scope)


def _converts(maker: Prototype, target: Struct) -> bool:
    """Whether a constructor makes objects of values of another type, unasked."""
    copies = [p.type for p in maker.parameters[:1]] == [target]
    return "explicit" not in maker.specifiers and not copies


def _makes(
    makers: list[Prototype | FunctionTemplate], given: tuple[Checked, ...], scope: Scope
) -> bool:
    """Whether a constructor takes a value as it is, or as C converts it."""
    plain = not isinstance(given[0].type, Struct)
    takes = [one for one in makers if overloads.takes_without_classes(one, given, scope)]
    return bool(takes) and (plain or any(head_of(one).parameters for one in takes))


def _copied(
    node: tree.Expression, target: CType, scope: Scope, asked: bool
) -> tree.Expression | None:
    """Return the base or the conversion of an object, None if it has none of the type."""
    source = node.type
    if isinstance(target, FunctionPointer) and scope.shared.designate is not None:
        closure = Checked(node, span=node.span, type=source)
        return scope.shared.designate(closure, scope, target)
    if isinstance(target, Struct) and scopes.inherits(source, target, scope):
        return scopes.as_base(node, target, scope)
    if isinstance(source, Pointer) and isinstance(target, Pointer):
        way = scopes.way_to_base(source.to, target.to, node.span, scope)
        if way and isinstance(source.to, Struct):
            made = replace(source, to=target.to)
            return shifted(node, scopes.place_of_base(way, source.to), made)
        return None
    found = members.functions_of(source, CONVERSION, scope)
    if found is None:
        return None
    heads = [head for head in found[1] if isinstance(head, Prototype)]
    unasked = [head for head in heads if "explicit" not in head.specifiers]
    exact = [head for head in (heads if asked else unasked) if head.result == target]
    others = heads if asked and target != BOOL else unasked
    numbers = [h for h in others if isinstance(h.result, Scalar) and isinstance(target, Scalar)]
    fitting = exact or numbers
    if not fitting:
        return None
    object_ = scopes.as_base(as_lvalue(node), found[0].type, scope)
    whole = (Checked(object_, span=node.span, type=object_.type),)
    chosen = fitting[0]
    called = tree.Call(chosen.name, whole, span=node.span)
    function = members.function_of(found[0], chosen, node.span)
    return initializers.call_of_function(called, function, scope, chosen, found[0].scope)


def shifted(node: tree.Expression, place: int, ctype: Pointer) -> tree.Expression:
    """Return a pointer as one to what lies so many bytes behind; a null pointer stays one."""
    if not place:
        return tree.Cast(node, explicit=True, span=node.span, type=ctype)
    raw = Pointer(CHAR, ctype.const, ctype.volatile)
    start = tree.Cast(node, explicit=True, span=node.span, type=raw)
    distance = tree.Literal(place, span=node.span, type=LONG)
    sum_ = tree.Binary("+", start, distance, span=node.span, type=raw)
    moved = tree.Cast(sum_, explicit=True, span=node.span, type=ctype)
    if isinstance(node, tree.AddressOf | tree.Decay):
        return moved
    if not all(map(_costs_nothing, tree.walk(node))):
        what = f"`{node.span.text}` is converted to `{ctype}`, which lies elsewhere in the object"
        raise CompileError(what, node.span, "keep the pointer in a variable first")
    null = tree.Literal(0, span=node.span, type=ctype)
    test = tree.Cast(node, span=node.span, type=BOOL)
    return tree.Conditional(test, moved, null, span=node.span, type=ctype)


_FREE = (tree.Literal, tree.Builtin, tree.Unary, tree.Binary, tree.Cast, tree.Decay)


def _costs_nothing(node: tree.Node) -> bool:
    """Whether a part of an expression may be evaluated twice: it loads and changes nothing."""
    if not isinstance(node, tree.Name):
        return isinstance(node, _FREE)
    own = (tree.Storage.LOCAL, tree.Storage.PARAMETER)
    return node.symbol is not None and node.symbol.storage in own and not node.symbol.reference


def as_related(node: tree.Expression, target: Pointer, scope: Scope) -> tree.Expression | None:
    """Return a pointer as one to a base or to a class that has it; None for other conversions."""
    source = node.type
    if not isinstance(source, Pointer):
        return None
    for outer, inner, sign in ((source.to, target.to, 1), (target.to, source.to, -1)):
        way = scopes.way_to_base(outer, inner, node.span, scope)
        if way and isinstance(outer, Struct):
            return shifted(node, sign * scopes.place_of_base(way, outer), target)
    return None


def as_number(node: tree.Expression, scope: Scope) -> tree.Expression:
    """Return an operand of C's operators: an object as the number that it converts to."""
    found = members.functions_of(node.type, CONVERSION, scope) if scope.shared.classes else None
    heads = found[1] if found is not None else []
    numbers = [one for one in heads if isinstance(one, Prototype) and _is_to_number(one)]
    if len(numbers) != 1:
        return node
    return _copied(node, numbers[0].result, scope, asked=False) or node


def _is_to_number(conversion: Prototype) -> bool:
    """Whether a conversion makes numbers or pointers of objects, unasked."""
    unasked = "explicit" not in conversion.specifiers
    return unasked and isinstance(conversion.result, Scalar | Pointer)


# Make objects.


def construct(
    ctype: Struct, values: Sequence[tree.Expression], node: tree.Expression, scope: Scope
) -> tree.Expression:
    """Return an object that is made of values, as `Type(values…)` does."""
    owner = scope.shared.classes.get(ctype)
    makers = owner.functions.get(CONSTRUCTOR, []) if owner is not None else []
    if len(values) == 1 and not isinstance(values[0], InitializerList):
        (only,) = overloads.checked_once(values, scope)
        given = members.argument_of(only)
        if given.type == ctype and is_lvalue(as_lvalue(given)) and copies(ctype, scope):
            assert owner is not None
            if owner.copier is not None:
                makers = [owner.copier]
            return _constructed(owner, makers, (only,), node, scope)
        copied = given if given.type == ctype else _copied(given, ctype, scope, asked=True)
        if copied is not None and copied.type == ctype:
            return initializers.copied(scopes.valued(copied, scope), scope)
        values = (only,)
    if owner is not None:
        _check_device(owner, bool(values) or not owner.has_default, node.span)
    if owner is not None and makers and (values or initializers.made_of_nothing(owner)):
        return _constructed(owner, makers, values, node, scope)
    if not values:
        return without_values(ctype, node.span, scope)
    given = InitializerList(tuple(values), span=node.span)
    return initializers.members_from_list(given, ctype, scope)


def _check_device(owner: Class, needed: bool, span: Span) -> None:
    """Refuse to make an object whose constructors are all the host's."""
    if needed and owner.host_made is not None and CONSTRUCTOR not in owner.functions:
        what = f"the constructor of `{owner.type}` is the host's"
        raise CompileError(what, span, "write `__device__` in front of it")


def _constructed(
    owner: Class,
    makers: list[Prototype | FunctionTemplate],
    values: Sequence[tree.Expression],
    node: tree.Expression,
    scope: Scope,
) -> tree.Expression:
    arguments = overloads.checked_once(values, scope)
    name = str(owner.type)
    chosen = members.one_of(name, makers, arguments, node.span, scope)
    if chosen is not owner.copier:
        members.check_access(owner, owner.plain, node.span, scope)
    called = tree.Call(chosen.name, arguments, span=node.span)
    if isinstance(chosen, FunctionTemplate):
        return templates.call(called, chosen, scope)
    function = members.function_of(owner, chosen, node.span)
    return initializers.call_of_function(called, function, scope, chosen, owner.scope)


def without_values(ctype: CType, span: Span, scope: Scope) -> tree.Expression:
    """Return an object that is made of nothing: first values, and zero for other members."""
    if isinstance(ctype, Array):
        parts = tuple(without_values(ctype.of, span, scope) for _ in range(ctype.length or 0))
        return tree.Aggregate(parts, span=span, type=ctype)
    if not isinstance(ctype, Struct):
        return initializers.zero(ctype, span)
    owner = scope.shared.classes.get(ctype)
    if owner is not None and initializers.made_of_nothing(owner):
        makers = owner.functions[CONSTRUCTOR]
        return _constructed(owner, makers, (), Constructed(ctype, (), span=span), scope)
    _check_made(ctype, owner, span, scope)
    if ctype.union and owner is not None and owner.first_values:
        return initializers.union_of_first(owner, span)
    values: dict[str, tree.Expression] = {}
    for name, inner, _ in ctype.members[: 1 if ctype.union else None]:
        if owner is not None and name in owner.first_values:
            values[name] = initializers.first_value_of_member(owner, name, inner, values)
        else:
            values[name] = without_values(inner, span, scope)
    return tree.Aggregate(tuple(values.values()), span=span, type=ctype)


def _check_made(ctype: Struct, owner: Class | None, span: Span, scope: Scope) -> None:
    """Refuse to make an object of nothing that needs values, for itself, a base or a member."""
    if initializers.has_constructor(ctype, scope) and initializers.needs_values(ctype, scope):
        what = f"`{ctype}` has no constructor that takes no values"
        raise CompileError(what, span, f"give it values, or write `{ctype}() = default;`")
    for base in owner.bases if owner is not None else ():
        if not base.members:
            _check_made(base, scope.shared.classes.get(base), span, scope)
    if unset := initializers.unset_member(ctype, scope):
        what = f"`{ctype}` needs a value for its member `{unset}`"
        raise CompileError(what, span, "write a list of values: `{…}`")


def constructor_body(definition: Definition, scope: Scope) -> tree.Block:
    """Return what a constructor does: declare its object, give its members values, return it."""
    span, result = definition.head.location, definition.head.result
    assert isinstance(result, Struct)
    owner = scope.shared.classes[result]
    this = tree.Symbol("this", owner.type, tree.Storage.LOCAL, span)
    scope.declare("this", this)
    itself = tree.Name("this", this, span=span, type=owner.type)
    made = [tree.Declaration(this, span=span), *_member_values(definition, owner, itself, scope)]
    body = tuple(statement(child, scope) for child in definition.body.body)
    last = tree.Return(itself, span=span)
    kept = (s for s in body if not isinstance(s, Alias | Structure | Enumeration | StaticAssertion))
    return tree.Block((*made, *kept, last), span=definition.body.span)


def _member_values(
    definition: Definition, owner: Class, itself: tree.Expression, scope: Scope
) -> Iterator[tree.Statement]:
    """Yield assignments to the members of an object that is being made, in their order."""
    given: dict[str, MemberValue] = {}
    for one in definition.member_values:
        old = given.setdefault(_named_by(one, owner, scope), one)
        if old is not one:
            raise CompileError(f"`{one.name}` has a value already", one.span, "leave one out")
    if (whole := given.pop("", None)) is not None:
        value = construct(
            owner.type, whole.values, Constructed(owner.type, (), span=whole.span), scope
        )
        yield _assigned(itself, value, whole.span)
        return
    names = {name for name, _, _ in owner.type.members} | set(structures.names_in(owner.type))
    names |= set(map(scopes.base_name, owner.bases))
    for name, one in given.items():
        if name not in names:
            raise CompileError(f"`{owner.type}` has no member `{one.name}`", one.span)
    yield from _values_of_empty_bases(owner, given, itself.span, scope)
    yield from _values_of_members(itself, owner, given, scope)


def _values_of_empty_bases(
    owner: Class, given: Mapping[str, MemberValue], span: Span, scope: Scope
) -> Iterator[tree.Statement]:
    """Yield the calls of constructors of bases without members, whose objects nobody keeps."""
    for base in owner.bases:
        one = given.get(scopes.base_name(base))
        if base.members or not (one or _needs_making(base, scope)):
            continue
        values, at = (one.values, one.span) if one is not None else ((), span)
        value = construct(base, values, Constructed(base, values, span=at), scope)
        yield tree.Evaluate(value, span=at)


def _values_of_members(
    itself: tree.Expression, owner: Class, given: Mapping[str, MemberValue], scope: Scope
) -> Iterator[tree.Statement]:
    """Yield assignments to the members of a part of an object; of a union to one."""
    firsts = owner.first_values
    if owner.type.union and any(name in given for name in structures.names_in(owner.type)):
        firsts = {}
    for name, ctype, _ in owner.type.members:
        mark = owner.type.marks.get(name, "")
        target = tree.Member(itself, name, span=itself.span, type=structures.declared_type(ctype))
        inner = scope.shared.classes.get(ctype) if isinstance(ctype, Struct) else None
        if name in given and "reference" in mark:
            yield _referring(target, owner.type, given[name], scope)
        elif name in given:
            yield from _given(target, given[name], scope)
        elif name.startswith("<") and any(n in given for n in structures.names_in(ctype)):
            assert isinstance(ctype, Struct)
            unnamed = inner or Class(ctype, ClassContent("struct"), owner.scope)
            yield from _values_of_members(target, unnamed, given, scope)
        elif name in firsts:
            what, inside = f"the first value of `{name}`", Scope(scope.shared, owner.scope)
            inside.replace("this", Substitute(itself, itself.span))
            yield from _stored(target, initializers.first_value(firsts[name], ctype, what, inside))
        elif "reference" in mark:
            what = f"the reference `{name}` of `{owner.type}` needs something to refer to"
            raise CompileError(what, itself.span, f"write `: {name}(…)` behind the constructor")
        elif not owner.type.union and _needs_making(ctype, scope):
            yield from _stored(target, without_values(ctype, itself.span, scope))
        elif mark == "const":
            what = f"the constructor of `{owner.type}` gives the constant `{name}` no value"
            raise CompileError(what, itself.span, f"write `: {name}(…)` behind it")


def _needs_making(ctype: CType, scope: Scope) -> bool:
    made = initializers.is_constructed(ctype, scope)
    return made or initializers.needs_values(element(ctype), scope)


def _referring(
    target: tree.Expression, ctype: Struct, one: MemberValue, scope: Scope
) -> tree.Statement:
    """Return the assignment of what a member refers to."""
    if len(one.values) != 1:
        raise CompileError(f"`{one.name}` takes one value", one.span)
    value = initializers.referred(one.values[0], ctype, one.name, scope)
    return _assigned(target, value, one.span)


def _named_by(one: MemberValue, owner: Class, scope: Scope) -> str:
    """Return which member a value is for: "" for the whole object."""
    ctype = None if one.type == VOID else resolved(one.type, scope, one.span)
    known = owner.type.member(one.name) is not None or one.name in structures.names_in(owner.type)
    if ctype is None and not known:
        meaning = scope.type_called(one.name)
        ctype = meaning.type if meaning is not None else None
    if ctype is None:
        return one.name
    if ctype == owner.type:
        return ""
    if not isinstance(ctype, Struct) or ctype not in owner.bases:
        raise CompileError(f"`{one.name}` is no base of `{owner.type}`", one.span)
    return scopes.base_name(ctype)


def _given(target: tree.Expression, one: MemberValue, scope: Scope) -> Iterator[tree.Statement]:
    what = f"the first value of `{one.name}`"
    if isinstance(target.type, Struct):
        node = Constructed(target.type, one.values, span=one.span)
        value = construct(target.type, one.values, node, scope)
    elif isinstance(target.type, Array) or (one.braces and len(one.values) != 1):
        value = initializers.from_list(
            InitializerList(one.values, span=one.span), target.type, scope
        )
    elif not one.values:
        value = initializers.zero(target.type, one.span)
    elif len(one.values) > 1:
        raise CompileError(f"`{one.name}` takes one value", one.span)
    else:
        value = initializers.first_value(one.values[0], target.type, what, scope)
    yield from _stored(target, value)


def _stored(target: tree.Expression, value: tree.Expression) -> Iterator[tree.Statement]:
    """Yield assignments of a value, of arrays element by element."""
    if not (isinstance(target.type, Array) and isinstance(value, tree.Aggregate)):
        yield _assigned(target, value, value.span)
        return
    of = target.type.of
    first = tree.Decay(target, span=target.span, type=Pointer(of))
    for number, part in enumerate(value.values):
        at = tree.Literal(number, span=value.span, type=INT)
        element = tree.Index(first, at, span=value.span, type=of)
        yield from _stored(element, part)


def _assigned(target: tree.Expression, value: tree.Expression, span: Span) -> tree.Statement:
    made = tree.FirstValue(target, value, span=span, type=target.type)
    return tree.Evaluate(made, span=span)


@scopes.expression.register
def _constructed_value(node: Constructed, scope: Scope) -> tree.Expression:
    ctype = resolved(node.made, scope, node.span)
    if ctype in VECTORS.values():
        what, made = f"`{ctype}` is made by a function", f"write `make_{ctype}(…)`"
        raise CompileError(what, node.span, made)
    if isinstance(ctype, Struct):
        return construct(ctype, node.values, node, scope)
    if len(node.values) != 1:
        raise CompileError(f"`{ctype}` takes one value", node.span)
    cast = tree.Cast(node.values[0], explicit=True, span=node.span, type=ctype)
    return scopes.expression(cast, scope)
