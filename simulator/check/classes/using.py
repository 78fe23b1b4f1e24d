"""Names of bases that a class makes its own: `using Base::name;`, and its constructors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from simulator.check.declared_types import resolved
from simulator.check.scopes import (
    CONSTRUCTOR,
    AliasOf,
    Class,
    DataMember,
    FunctionTemplate,
    MemberFunctions,
    head_of,
    inherits,
    with_bases,
)
from simulator.ir import tree
from simulator.ir.types import VOID, Struct
from simulator.ir.unchecked import Definition, MemberValue, Prototype, UsedName
from simulator.source import CompileError, Span

#: Declares a function that is a member of a class.
Declare = Callable[[Definition, Class], None]


def take_names(owner: Class, declare: Declare) -> None:
    """Give a class the names that it uses of its bases."""
    for node in owner.content.uses:
        base = resolved(node.base, owner.scope, node.span)
        if not isinstance(base, Struct) or not inherits(owner.type, base, owner.scope):
            raise CompileError(f"`{base}` is no base of `{owner.type}`", node.span)
        if node.name in _constructor_names(base, owner):
            _take_constructors(node, base, owner, declare)
        else:
            _take(node, base, owner)


def declare_names(owner: Class) -> None:
    """Give names that a class uses of its bases their meanings in it, before its functions."""
    for node in owner.content.uses:
        base = resolved(node.base, owner.scope, node.span)
        if owner.scope.here(node.name) is not None:
            continue
        meanings = (one.scope.here(node.name) for one in with_bases(base, owner.scope))
        meaning = next((one for one in meanings if one is not None), None)
        if meaning is None and isinstance(base, Struct) and base.member(node.name) is not None:
            meaning = DataMember(node.span)
        if meaning is not None:
            owner.scope.replace(node.name, meaning)


def _constructor_names(base: Struct, owner: Class) -> set[str]:
    """Return what the constructors of a base are called."""
    known = owner.scope.shared.classes.get(base)
    plain = base.name.split("<")[0].rpartition("::")[2]
    return {plain, known.plain.split("<")[0] if known is not None else plain}


def _take(node: UsedName, base: Struct, owner: Class) -> None:
    """Take functions, a type or a data member."""
    owner.used.add(node.name)
    for known in with_bases(base, owner.scope):
        if node.name in known.functions:
            _take_functions(node.name, known, owner)
            return
        if isinstance(meaning := known.scope.type_here(node.name), AliasOf):
            owner.scope.replace(node.name, meaning)
            return
        heads = (one.head if isinstance(one, Definition) else one for one in known.content.members)
        host = any(isinstance(one, Prototype) and one.name == node.name for one in heads)
        if host or known.scope.here(node.name) is not None:
            return
    if base.member(node.name) is None:
        raise CompileError(f"`{base}` has no member `{node.name}`", node.span)


def _take_functions(name: str, known: Class, owner: Class) -> None:
    """Take the functions of a name, but for those that the class has itself."""
    own = owner.functions.setdefault(name, [])
    owner.scope.replace(name, MemberFunctions(owner, name, known.functions[name][0].span))
    mine = [_sign(head_of(one)) for one in own]
    for one in known.functions[name]:
        if isinstance(one, FunctionTemplate) or _sign(one) not in mine:
            own.append(one)
            if one.name in known.definitions:
                owner.definitions[one.name] = known.definitions[one.name]


def _sign(head: Prototype) -> tuple[object, ...]:
    """Return what tells functions of a name apart, but for their object."""
    skipped = 0 if "static" in head.specifiers else 1
    types = tuple((p.type, p.reference) for p in head.parameters[skipped:])
    return (*types, head.const)


def _take_constructors(node: UsedName, base: Struct, owner: Class, declare: Declare) -> None:
    """Write constructors that hand their values over to those of a base."""
    known = owner.scope.shared.classes.get(base)
    mine = [_types(head_of(one)) for one in owner.functions.get(CONSTRUCTOR, ())]
    for one in known.functions.get(CONSTRUCTOR, ()) if known is not None else ():
        if isinstance(one, FunctionTemplate):
            what = f"`using` of a constructor of `{base}` that is a template is not supported"
            raise CompileError(what, node.span, "write the constructor")
        types = _types(one)
        if types and types != [base] and types not in mine:
            declare(_handing_over(one, base, owner, node.span), owner)


def _types(head: Prototype) -> list[object]:
    return [parameter.type for parameter in head.parameters]


def _handing_over(head: Prototype, base: Struct, owner: Class, span: Span) -> Definition:
    """Return a constructor that makes its base by another one."""
    named = enumerate(head.parameters)
    parameters = tuple(replace(p, name=p.name or f"value {at}") for at, p in named)
    values = tuple(tree.Name(p.name, span=span) for p in parameters)
    made = replace(head, name=owner.plain, result=VOID, parameters=parameters, span=span)
    body = tree.Block((), span=span)
    of_base = MemberValue(base.name, base, values, False, span=span)
    return Definition(made, body, (of_base,), span=span)
