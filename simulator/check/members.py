"""Call the functions of classes: members, operators, friends; and refuse what is not public."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from simulator.check import declared_types, initializers, overloads, scopes, templates
from simulator.check.declared_types import class_named
from simulator.check.scopes import (
    CONSTRUCTOR,
    CONVERSION,
    Class,
    DataMember,
    FunctionTemplate,
    Meaning,
    Overloads,
    Scope,
    Shared,
    Substitute,
    head_of,
    is_object,
)
from simulator.ir import tree
from simulator.ir.conversions import as_lvalue, is_lvalue
from simulator.ir.types import CType, Enumerated, Pointer, Struct
from simulator.ir.unchecked import (
    Checked,
    Prototype,
    TemplateCall,
)
from simulator.source import CompileError, Span, of_program

# Call member functions.


def friends_of(
    name: str, arguments: Sequence[tree.Expression], scope: Scope
) -> list[tuple[Prototype, Class]]:
    """Return the friends of a name that the classes of arguments and their bases have.

    Those of what arguments point to are meant, too.
    """
    found: dict[int, tuple[Prototype, Class]] = {}
    for argument in arguments:
        ctype = argument.type
        ctype = ctype.to if isinstance(ctype, Pointer) else ctype
        for owner in scopes.with_bases(ctype, scope):
            found |= {id(head): (head, owner) for head in owner.friends.get(name, ())}
    return list(found.values())


def call_friend(
    name: str,
    arguments: tuple[tree.Expression, ...],
    node: tree.Expression,
    scope: Scope,
    others: Sequence[Prototype | FunctionTemplate] = (),
) -> tree.Expression | None:
    """Call a friend of an argument's class; None if there is none, or one of `others` is meant."""
    found = friends_of(name, arguments, scope) if scope.shared.classes else []
    if not found:
        return None
    candidates = (*others, *(head for head, _ in found))
    chosen = overloads.chosen(name, Overloads(candidates), arguments, node.span, scope)
    owner = next((owner for head, owner in found if head is chosen), None)
    if owner is None:
        return None
    assert isinstance(chosen, Prototype)
    called = tree.Call(chosen.name, arguments, span=node.span)
    function = function_of(owner, chosen, node.span)
    return initializers.call_of_function(called, function, scope, chosen, owner.scope)


def functions_of(
    ctype: CType, name: str, scope: Scope
) -> tuple[Class, list[Prototype | FunctionTemplate]] | None:
    """Return the functions of a name in a class or its nearest base, None if there are none.

    Raises
    ------
    CompileError
        if several bases have some
    """
    owner = scope.shared.classes.get(ctype) if isinstance(ctype, Struct) else None
    if owner is None:
        return None
    if name in owner.functions:
        return owner, owner.functions[name]
    if isinstance(owner.scope.here(name), DataMember):
        return None
    found = [one for base in owner.bases if (one := functions_of(base, name, scope)) is not None]
    if len({id(one[1]) for one in found}) > 1 and name != CONVERSION:
        what = f"several bases of `{ctype}` have functions `{name}`"
        hint = f"write `{found[0][0].type}::{name}(…)`, or `using {found[0][0].type}::{name};`"
        raise CompileError(what, head_of(found[1][1][0]).location, hint)
    return found[0] if found else None


def call(
    ctype: CType,
    name: str,
    base: tree.Expression | None,
    given: Sequence[tree.Expression],
    node: tree.Expression,
    scope: Scope,
    template: tuple[tree.Node, ...] | None = None,
) -> tree.Expression:
    """Call a member function of an object, or a static one where `base` is None.

    Raises
    ------
    CompileError
        if the class has no such function, or it takes other arguments
    """
    found = functions_of(ctype, name, scope)
    if found is None:
        raise CompileError(f"`{ctype}` has no function `{name}`", node.span, _known(ctype, scope))
    owner, candidates = found
    check_inherited(ctype, owner.type, node.span, scope)
    check_access(owner, name, node.span, scope)
    arguments = overloads.checked_once(given, scope)
    chosen, whole = _chosen(owner, name, candidates, base, arguments, node, scope)
    called = tree.Call(chosen.name, whole, span=node.span)
    if isinstance(chosen, FunctionTemplate):
        named = replace_given(called, template)
        return templates.call(named, chosen, scope)
    inlined = _substituted(owner, chosen, whole, scope)
    if inlined is not None:
        return replace(inlined, span=node.span)
    target = _seen_again(argument_of(whole[0])) if chosen.returns_object else None
    if chosen.returns_object and target is None:
        chosen = _returning(chosen, argument_of(whole[0]))
        called = replace(called, name=chosen.name)
    function = function_of(owner, chosen, node.span)
    made = initializers.call_of_function(called, function, scope, chosen, owner.scope)
    if target is None:
        return made
    return tree.Binary(",", made, target, span=node.span, type=target.type)


def _returning(head: Prototype, given: tree.Expression) -> Prototype:
    """Return the form of a function that returns `*this` of an object that is no mere variable."""
    return by_address(head) if is_lvalue(as_lvalue(given)) else by_value(head)


def by_address(head: Prototype) -> Prototype:
    """Return the head of a function that returns the address of its object."""
    result = Pointer(head.parameters[0].type)
    name = f"{head.name} of an address"
    return replace(head, name=name, result=result, refers=True, returns_object=False)


def by_value(head: Prototype) -> Prototype:
    """Return the head of a function that takes an object that nobody else has, and returns it."""
    this, *others = head.parameters
    return replace(
        head,
        name=f"{head.name} of a value",
        result=this.type,
        parameters=(replace(this, reference=False), *others),
        refers=False,
        returns_object=False,
    )


def _seen_again(node: tree.Expression) -> tree.Expression | None:
    """Return an object that has been evaluated; None where that would happen twice."""
    if isinstance(node, tree.Deref) and isinstance(node.pointer, tree.Binary):
        last = node.pointer.right
        node = last.operand if isinstance(last, tree.AddressOf) else node
    return node if is_simple(node) else None


def part_named(base: tree.Expression, path: str, span: Span, scope: Scope) -> tree.Expression:
    """Return the object or the base of it whose class a program calls by `path`."""
    owner = class_named(path, scope, span)
    target = owner.type if owner is not None else None
    if target is None and (meaning := scope.type_called(path)) is not None:
        target = meaning.type if isinstance(meaning.type, Struct) else None
    known = target is not None and (
        base.type == target or scopes.inherits(base.type, target, scope)
    )
    if target is None or not known:
        raise CompileError(f"`{path}` is no base of `{base.type}`", span)
    check_inherited(base.type, target, span, scope)
    return scopes.as_base(as_lvalue(base), target, scope)


def qualified(path: str, node: tree.Expression, scope: Scope) -> tuple[Class, str] | None:
    """Return the class and the name that `Class::name` says; None for other names."""
    front, _, name = path.rpartition("::")
    found = class_named(front, scope, node.span) if front else None
    return (found, name) if found is not None else None


def constant_of(ctype: CType, name: str, span: Span, scope: Scope) -> tree.Expression | None:
    """Return a constant or an enumerator that is a member of a type, None if there is none."""
    if isinstance(ctype, Enumerated):
        symbol = scope.shared.enumerators.get(ctype, {}).get(name)
        return None if symbol is None else tree.Name(name, symbol, span=span, type=ctype)
    for found in scopes.with_bases(ctype, scope):
        meaning = found.scope.here(name)
        if isinstance(meaning, tree.Symbol):
            check_access(found, name, span, scope)
            return tree.Name(name, meaning, span=span, type=meaning.type)
    return None


def replace_given(node: tree.Call, given: tuple[tree.Node, ...] | None) -> tree.Call:
    """Return a call with the arguments of its template, if they are written."""
    if given is None:
        return node
    return TemplateCall(node.name, node.arguments, given=given, span=node.span)


def argument_of(node: tree.Expression) -> tree.Expression:
    """Return an argument that has been checked."""
    return node.checked if isinstance(node, Checked) else node


def _known(ctype: CType, scope: Scope) -> str:
    found = scope.shared.classes.get(ctype) if isinstance(ctype, Struct) else None
    names = [n for n in found.functions if n not in (CONSTRUCTOR, CONVERSION)] if found else []
    return f"its functions are {', '.join(names)}" if names else "it has no functions"


def _chosen(
    owner: Class,
    name: str,
    candidates: list[Prototype | FunctionTemplate],
    base: tree.Expression | None,
    arguments: tuple[tree.Expression, ...],
    node: tree.Expression,
    scope: Scope,
) -> tuple[Prototype | FunctionTemplate, tuple[tree.Expression, ...]]:
    """Return the function that a call means, and its arguments with the object."""
    static = [one for one in candidates if not _takes_object(one)]
    if static and (base is None or len(static) == len(candidates)):
        return one_of(name, static, arguments, node.span, scope), arguments
    if base is None:
        hint = "call it of an object: `object.f(…)`"
        raise CompileError(f"`{name}` needs an object", node.span, hint)
    adjusted = scopes.as_base(as_lvalue(base), owner.type, scope)
    whole = (Checked(adjusted, span=base.span, type=owner.type), *arguments)
    return one_of(name, candidates, whole, node.span, scope), whole


def _takes_object(one: Prototype | FunctionTemplate) -> bool:
    head = head_of(one) if isinstance(one, FunctionTemplate) else one
    return bool(head.parameters) and is_object(head.parameters[0])


def one_of(
    name: str,
    candidates: list[Prototype | FunctionTemplate],
    arguments: tuple[tree.Expression, ...],
    span: Span,
    scope: Scope,
) -> Prototype | FunctionTemplate:
    """Return the one function that a call means."""
    if len(candidates) == 1 and isinstance(candidates[0], FunctionTemplate):
        return candidates[0]
    return overloads.chosen(name, Overloads(tuple(candidates)), arguments, span, scope)


def operator(
    op: str, operands: Sequence[tree.Expression], node: tree.Expression, scope: Scope
) -> tree.Expression | None:
    """Return the call of a class's own operator for these checked operands, if it has one."""
    name, first = f"operator{op}", operands[0]
    if not scope.shared.classes:
        return None
    given = tuple(Checked(x, span=x.span, type=x.type) for x in operands)
    free = candidates_of(scope.lookup(name))
    own = functions_of(first.type, name, scope)
    members = tuple(own[1]) if own is not None else ()
    if own is None or (free or friends_of(name, given, scope)):
        friend = call_friend(name, given, node, scope, (*members, *free))
        if friend is not None or own is None:
            return friend
    known = Overloads((*members, *free))
    if free and overloads.chosen(name, known, given, node.span, scope) in free:
        return None
    return call(first.type, name, first, given[1:], node, scope)


def candidates_of(meaning: Meaning | None) -> tuple[Prototype | FunctionTemplate, ...]:
    """Return the functions that a name means."""
    if isinstance(meaning, Overloads):
        return meaning.candidates
    return (meaning,) if isinstance(meaning, Prototype | FunctionTemplate) else ()


def function_of(owner: Class, head: Prototype, span: Span) -> tree.Function:
    """Return a member function, checked at its first call."""
    shared = owner.scope.shared
    if head.name in shared.functions:
        return shared.functions[head.name]
    if head.name not in owner.definitions:
        what = f"`{head.name}` is declared, but not defined"
        raise CompileError(what, span, "define it in this program")
    if head.name in shared.instances:
        return _unfinished(head, span, shared)
    definition, scope = owner.definitions[head.name]
    shared.instances.append(head.name)
    assert shared.define is not None
    try:
        shared.functions[head.name] = shared.define(definition, scope)
    except CompileError as error:
        shared.instances.remove(head.name)
        raise of_program(error, span) from None
    known = shared.unfinished.get(head.name)
    if known is not None:
        for name in ("parameters", "body"):
            object.__setattr__(known, name, getattr(shared.functions[head.name], name))
        shared.functions[head.name] = known
    return shared.functions[head.name]


def _unfinished(head: Prototype, span: Span, shared: Shared) -> tree.Function:
    """Return a function that is called while its body is being checked."""
    if head.name not in shared.unfinished:
        if declared_types.has_auto(head.result):
            what = f"`{head.name}` calls itself before its result is known"
            raise CompileError(what, span, "write the type of its result instead of auto")
        nothing = tree.Block((), span=head.span)
        made = tree.Function(
            head.name, "__device__", head.result, head.parameters, nothing, span=head.span
        )
        constant = "constexpr" in head.specifiers
        shared.unfinished[head.name] = replace(made, recursive=True, constant=constant)
    return shared.unfinished[head.name]


def check_access(owner: Class, name: str, span: Span, scope: Scope) -> None:
    """Refuse names of members that are not public, outside of their class."""
    content = owner.content
    access = content.hidden.get(name, "public")
    inside = scope.member_of(owner.type, heirs=access == "protected")
    if access != "public" and not content.befriends and not inside:
        what = f"`{name}` is no public member of `{owner.type}`"
        raise CompileError(what, span, "use what is `public:`")


def check_inherited(ctype: CType, base: Struct, span: Span, scope: Scope) -> None:
    """Refuse what a class inherits privately, outside of it and of its heirs."""
    for inner in scopes.way_to_base(ctype, base, span, scope) or ():
        known = scope.shared.classes[ctype] if isinstance(ctype, Struct) else None
        assert known is not None
        hides = known.hides(inner) and not known.content.befriends
        if hides and not scope.member_of(known.type, heirs=True):
            what = f"`{ctype}` inherits from `{inner}` privately"
            raise CompileError(what, span, f"write `: public {inner}` behind its name")
        ctype = inner


# Functions that return a reference to what one expression names are put in place of their call, so
# that objects in registers stay there.


def _substituted(
    owner: Class, head: Prototype, arguments: tuple[tree.Expression, ...], scope: Scope
) -> tree.Expression | None:
    """Return what a call of such a function stands for; None for other functions."""
    found = owner.definitions.get(head.name)
    if found is None or not head.refers or len(arguments) != len(head.parameters):
        return None
    pairs = tuple(zip(head.parameters, arguments, strict=True))
    body = found[0].body.body
    if len(body) != 1 or not isinstance(body[0], tree.Return) or body[0].value is None:
        return None
    if changes(body[0].value) or not all(is_simple(argument_of(one)) for one in arguments):
        return None
    if any(p.reference and p.type != argument_of(a).type for p, a in pairs):
        return None
    inside = Scope(scope.shared, found[1])
    for parameter, argument in pairs:
        given = argument_of(argument)
        if not parameter.reference:
            what = f"the argument `{parameter.name}` of `{head.name}`"
            given = initializers.first_value(argument, parameter.type, what, scope)
        if parameter.name:
            inside.replace(parameter.name, Substitute(given, parameter.span))
    meant = scopes.expression(body[0].value, inside)
    return _constant(meant) if head.const_result else meant


def _constant(node: tree.Expression) -> tree.Expression:
    """Return an element or what a pointer leads to as one that must not be written."""
    if isinstance(node, tree.Index) and isinstance(node.base.type, Pointer):
        base = replace(node.base, type=replace(node.base.type, const=True))
        return replace(node, base=base)
    return node


def is_simple(node: tree.Expression) -> bool:
    """Whether an expression can be evaluated twice, or not at all."""
    return not changes(node) and not any(isinstance(one, tree.Call) for one in tree.walk(node))


def changes(node: tree.Expression) -> bool:
    """Whether an expression assigns something."""
    kinds = tree.Assign | tree.CompoundAssign | tree.Increment
    return any(isinstance(one, kinds) for one in tree.walk(node))
