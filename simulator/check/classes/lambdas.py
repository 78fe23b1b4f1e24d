"""Lambdas: closures as structures of what is captured by value, whose function is a member.

What is captured by reference is no member: the function is put in place of its call, and sees the
variable itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from simulator.check import declared_types, scopes
from simulator.check.classes import declaration
from simulator.check.initializers import copied, copied_elements
from simulator.check.scopes import (
    CLOSURE,
    INVOKER,
    Class,
    DataMember,
    FunctionTemplate,
    Scope,
    Substitute,
    object_here,
)
from simulator.check.structures import laid_out
from simulator.ir import tree
from simulator.ir.conversions import is_const
from simulator.ir.types import Array, CType, Pointer, Struct
from simulator.ir.unchecked import (
    Auto,
    Capture,
    ClassContent,
    Definition,
    Forwarded,
    Lambda,
    Named,
    PackType,
    Prototype,
    TemplateParameter,
    Variable,
)
from simulator.source import CompileError

#: Variables that are captured: each thread's own.
_OWN = frozenset([tree.Storage.LOCAL, tree.Storage.PARAMETER])


@scopes.expression.register
def _lambda(node: Lambda, scope: Scope) -> tree.Expression:
    shared = scope.shared
    shared.structures += 1
    number = shared.structures
    object_name = f"{CLOSURE} {number}"
    kept = dict(_kept(node, scope))
    label = f"lambda of line {node.span.line}"
    found = Struct(label, (), 0, 1, f"lambda_{number}")
    members = [(name, value.type) for name, value in kept.items()]
    definition, more = laid_out(members)
    found.define(*definition, **more)
    inside = Scope(shared, scope.snapshot())  # what is declared later has no meaning in it
    owner = Class(found, ClassContent("struct"), inside)
    inside.owner = owner
    for name, value in kept.items():
        inside.replace(name, DataMember(value.span, object_name, not node.mutable))
    shared.classes[found] = owner
    declaration.declare_copying(owner, node.span)
    made = _function(node, owner, f"{label}, {number}", object_name)
    owner.functions["operator()"] = [made]
    if isinstance(made, Prototype) and not node.captures:
        owner.functions[INVOKER] = [_invoker(made, owner)]
    return tree.Aggregate(tuple(kept.values()), span=node.span, type=found)


def _function(
    node: Lambda, owner: Class, name: str, object_name: str
) -> Prototype | FunctionTemplate:
    """Declare what a call of the lambda calls."""
    kind = tree.Storage.PARAMETER
    const = not node.mutable
    closure = tree.Symbol(object_name, owner.type, kind, node.span, const=const, reference=True)
    parameters, invented = _without_auto(node.head.parameters)
    head = replace(node.head, name=name, parameters=(closure, *parameters))
    definition = Definition(head, node.body, span=node.span)
    if invented:
        made = FunctionTemplate(name, invented, definition, owner.scope, node.span)
        owner.scope.shared.templates[name] = made
        return made
    resolved = [head.parameters[0], *(_definite(p, owner.scope) for p in parameters)]
    result = declared_types.result_of(head, resolved, owner.scope)
    if head.returns_reference:
        result = Pointer(result, head.const_result)
        head = replace(head, returns_reference=False, refers=True)
    head = replace(head, parameters=tuple(resolved), result=result)
    owner.definitions[name] = replace(definition, head=head), owner.scope
    return head


def _invoker(call: Prototype, owner: Class) -> Prototype:
    """Declare what a pointer to a lambda calls: its function without an object."""
    name, words = f"{call.name}, called", call.specifiers | {"static"}
    head = replace(call, name=name, parameters=call.parameters[1:], specifiers=words)
    definition, scope = owner.definitions[call.name]
    owner.definitions[name] = replace(definition, head=head), scope
    return head


def _definite(symbol: tree.Symbol, scope: Scope) -> tree.Symbol:
    return declared_types.parameter_of(symbol, scope)


def _without_auto(
    parameters: tuple[tree.Symbol, ...],
) -> tuple[tuple[tree.Symbol, ...], tuple[TemplateParameter, ...]]:
    """Return parameters with an invented type in place of each `auto`, and those types."""
    made: list[tree.Symbol] = []
    invented: list[TemplateParameter] = []
    for at, symbol in enumerate(parameters):
        name = f"auto {at + 1}"
        ctype = _replaced(symbol.type, Named(name, symbol.span))
        if ctype != symbol.type:
            pack = scopes.is_pack(symbol)
            invented.append(TemplateParameter(name, None, pack=pack, span=symbol.span))
        made.append(replace(symbol, type=ctype))
    return tuple(made), tuple(invented)


def _replaced(ctype: CType, auto: Named) -> CType:
    if isinstance(ctype, Auto):
        return auto
    if isinstance(ctype, Pointer):
        return replace(ctype, to=_replaced(ctype.to, auto))
    if isinstance(ctype, PackType | Forwarded):
        return replace(ctype, of=_replaced(ctype.of, auto))
    return ctype


# What a lambda keeps.


def _kept(node: Lambda, scope: Scope) -> Iterator[tuple[str, tree.Expression]]:
    """Yield the names that a lambda captures by value, with their values."""
    default = next((c.name for c in node.captures if c.name in ("=", "&")), "")
    _check_captures(node, default, scope)
    named = {capture.name: capture for capture in node.captures if capture.name not in ("=", "&")}
    for capture in named.values():
        yield from _named(capture, scope)
    own = _declared_in(node)
    for name, used in _used(node).items():
        if name not in own and name not in named:
            _check_no_binding(name, used, scope)
        if name in named or not _is_own(name, scope):
            continue
        if default == "=":
            yield from _copy(name, used, scope)
        elif not default and name not in own:
            what = f"the lambda does not capture `{name}`"
            raise CompileError(what, used.span, f"write `[{name}]`, `[&{name}]`, `[=]` or `[&]`")


def _check_captures(node: Lambda, default: str, scope: Scope) -> None:
    """Refuse names that are captured twice, or as the default captures them anyway."""
    seen: set[str] = set()
    for one in node.captures:
        if one.name in seen:
            raise CompileError(f"`{one.name}` is captured twice", one.span, "leave one out")
        seen.add(one.name)
        if one.name == "this" and object_here(scope) is None:
            what = "there is no `this` here: this is no member function"
            raise CompileError(what, one.span, "name what the lambda uses")
        plain = one.value is None and one.name not in ("=", "&", "this")
        if plain and not one.pack and default == ("&" if one.reference else "="):
            what = f"`{default}` captures `{one.name}` already"
            raise CompileError(what, one.span, f"leave `{one.name}` out")


def _check_no_binding(name: str, used: tree.Expression, scope: Scope) -> None:
    """Refuse names of structured bindings, which C++17 lets no lambda see."""
    meaning = scope.lookup(name)
    if isinstance(meaning, Substitute) and meaning.part:
        what = f"a lambda cannot capture the structured binding `{name}`"
        raise CompileError(what, used.span, f"copy it: `auto copy = {name};`, or `[copy = {name}]`")


def _named(capture: Capture, scope: Scope) -> Iterator[tuple[str, tree.Expression]]:
    """Yield what one capture with a name keeps."""
    if capture.name == "this":
        return
    if capture.value is not None:
        if capture.reference:
            what = "captures by reference with a value are not supported"
            raise CompileError(what, capture.span, "declare the reference before the lambda")
        yield capture.name, copied(scopes.value(capture.value, scope), scope)
    elif not capture.reference:
        yield from _copy(capture.name, capture, scope)
    elif scope.lookup(capture.name) is None:
        raise CompileError(f"`{capture.name}` is not declared", capture.span)


def _copy(
    name: str, used: Capture | tree.Expression, scope: Scope
) -> Iterator[tuple[str, tree.Expression]]:
    """Yield the value of a variable; constant arrays are seen as they are, not copied."""
    checked = scopes.expression(tree.Name(name, span=used.span), scope)
    if not isinstance(checked.type, Array):
        yield name, copied(scopes.valued(checked, scope), scope)
    elif not is_const(checked):
        yield name, copied_elements(checked, checked.type, scope)


def _is_own(name: str, scope: Scope) -> bool:
    """Whether a name is that of a thread's own variable, or of what a lambda around keeps."""
    meaning = scope.lookup(name)
    if isinstance(meaning, DataMember):
        return meaning.object.startswith(CLOSURE)
    if not isinstance(meaning, tree.Symbol) or meaning in scope.shared.constants:
        return False
    return meaning.storage in _OWN and not meaning.name.startswith(CLOSURE) and name != "this"


def _used(node: Lambda) -> dict[str, tree.Expression]:
    """Return the names in a lambda, each with a place where it stands."""
    found: dict[str, tree.Expression] = {}
    for inner in tree.walk(node.body):
        if isinstance(inner, tree.Name | tree.Call):
            found.setdefault(inner.name, inner)
    return found


def _declared_in(node: Lambda) -> set[str]:
    """Return the names that a lambda declares."""
    own = {symbol.name for symbol in node.head.parameters}
    inner = (n for n in tree.walk(node.body) if isinstance(n, Variable))
    return own | {one.symbol.name for one in inner}
