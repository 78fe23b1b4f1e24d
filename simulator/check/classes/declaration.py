"""Declare classes: structures with functions, constructors, a base class or first values.

A member function is a function whose first parameter is its object, the reference `this`; a
constructor is one that returns the object which it has made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from simulator.check import (
    copying,
    file_variables,
    members,
    overloads,
    structures,
    templates,
)
from simulator.check.classes import using
from simulator.check.declared_types import (
    class_named,
    complete,
    element,
    parameter_of,
    resolved,
    result_of,
)
from simulator.check.scopes import (
    CONSTRUCTOR,
    CONVERSION,
    DESTRUCTOR,
    AliasOf,
    Class,
    DataMember,
    FunctionTemplate,
    MemberFunctions,
    Scope,
    base_name,
)
from simulator.check.statements import statement
from simulator.ir import tree
from simulator.ir.types import VOID, CType, Pointer, Struct
from simulator.ir.unchecked import (
    Alias,
    ClassContent,
    Definition,
    Enumeration,
    Forwarded,
    Prototype,
    StaticAssertion,
    Structure,
    Template,
    Variable,
)
from simulator.source import CompileError, Span

# Declare a class: its types and constants, its members, then its functions.


@statement.register
def declare(node: Structure, scope: Scope) -> tree.Statement:
    """Declare or define a structure; the node stays as it is."""
    if node.content is None or node.content.is_plain or node.fields is None:
        done = structures.structure(node, scope)
        if node.fields is not None and scope.shared.classes:
            _define_plain(node, scope)
        return done
    define(node, structures.declared(node, scope), scope)
    return node


def _define_plain(node: Structure, scope: Scope) -> None:
    """Make a class of a structure of C whose members are copied by functions of theirs."""
    found = structures.declared(node, scope)
    parts = [element(ctype) for _, ctype, _ in found.members]
    if any(copying.copies(one, scope) or copying.assigns(one, scope) for one in parts):
        owner = Class(found, ClassContent("struct"), Scope(scope.shared, scope))
        owner.scope.owner = scope.shared.classes[found] = owner
        declare_copying(owner, node.span)


def define(
    node: Structure, found: Struct, scope: Scope, dependent: tuple[CType, ...] = ()
) -> Class:
    """Give a structure its members and functions, whose types stand in `scope`.

    Names without an object do not mean members of bases that are `dependent` on the arguments of
    its template.
    """
    content, shared = node.content or ClassContent("struct"), scope.shared
    bases = tuple(_base(ctype, scope, node.span) for ctype in content.bases)
    for at, base in enumerate(bases):
        if base in bases[:at]:
            what = f"`{base}` is a base of `{found}` twice"
            raise CompileError(what, node.span, "leave one out, or make a member of it")
    around = scope.snapshot() if scope.frame is None else scope
    hidden = [one in dependent for one in content.bases]
    seen = tuple(base for base, hides in zip(bases, hidden, strict=True) if not hides)
    inside = Scope(shared, _inherited(seen, around, node.span))
    plain = node.name.rpartition("::")[2]
    unseen = tuple(base for base in bases if base not in seen)
    owner = Class(found, content, inside, bases, plain=plain, unseen=unseen)
    inside.owner = owner
    for name in {plain, node.name}:  # in a namespace the reader has made the whole name of it
        inside.replace(name, AliasOf(found, node.span, tag=True))
    _declare_names(content, inside, str(found))
    placed = [(base_name(base), base) for base in bases]
    structures.lay_out(found, node, inside, placed, _keeps_padding(content, node))
    for field in node.fields or ():
        _declare_member(field, found, inside)
    owner.first_values = dict(content.first_values)
    shared.classes[found] = owner
    using.declare_names(owner)
    _declare_functions(content, owner)
    using.take_names(owner, _declare_function)
    declare_copying(owner, node.span)
    return owner


def declare_copying(owner: Class, span: Span) -> None:
    """Give a class the functions that C++ writes where members have their own for copies."""
    maker, assigner = copying.copier(owner, span), copying.assigner(owner, span)
    if maker is not None:
        owner.copier = _with_object(maker.head, owner)
        owner.definitions[owner.copier.name] = replace(maker, head=owner.copier), owner.scope
    if assigner is not None:
        _declare_function(assigner, owner)


def _declare_member(field: tree.Symbol, found: Struct, inside: Scope) -> None:
    """Declare a member; of one without a name those of its structure."""
    if not field.name.startswith("<"):
        if field.name:
            inside.declare(field.name, DataMember(field.span))
        return
    member = found.member(field.name)
    assert member is not None
    for name in structures.names_in(member[0]):
        inside.declare(name, DataMember(field.span))


def _keeps_padding(content: ClassContent, node: Structure) -> bool:
    """Whether classes that inherit from this one leave the padding at its end alone.

    They do where it is what C++ called a plain old structure in 1998, as far as its braces say.
    """
    fields = node.fields or ()
    if content.bases or content.first_values or any(f.name in content.hidden for f in fields):
        return False
    return not any(_changes_layout(_front_of(member)) for member in content.members)


def _front_of(node: tree.Node) -> Prototype | None:
    """Return the head of a function, or of a template of one; None for other members."""
    node = node.item if isinstance(node, Template) else node
    return _front(node) if isinstance(node, Prototype | Definition) else None


def _changes_layout(head: Prototype | None) -> bool:
    """Whether a function is a constructor, a destructor or an assignment that does something."""
    if head is None or (head.disposal and "explicit" not in head.specifiers):
        return False
    return head.kind in ("constructor", "destructor") or head.name == "operator="


def _base(ctype: CType, scope: Scope, span: Span) -> Struct:
    base = complete(resolved(ctype, scope, span), span)
    if not isinstance(base, Struct) or base.union:
        raise CompileError(f"nothing can inherit from `{base}`", span, "inherit from a structure")
    return base


def _inherited(bases: tuple[Struct, ...], around: Scope, span: Span) -> Scope:
    """Return the scope of what a class inherits, in front of what is around it."""
    for base in reversed(bases):
        known = around.shared.classes.get(base)
        if known is not None:
            around = Scope(around.shared, _inherited(known.bases, around, span))
            around.take(known.scope)
            continue
        around = Scope(around.shared, around)
        for name in structures.names_in(base):
            around.declare(name, DataMember(span))
    return around


def _declare_names(content: ClassContent, inside: Scope, name: str) -> None:
    """Declare the types, constants and templates of types that are members of the class `name`."""
    for member in content.members:
        if isinstance(member, Structure):
            statement(replace(member, label=f"{name}::{member.label}"), inside)
        elif isinstance(member, Alias | Enumeration | StaticAssertion):
            statement(member, inside)
        elif isinstance(member, Variable):
            _declare_constant(member, inside, name)
        elif isinstance(member, Template) and isinstance(member.item, Structure | Alias):
            _declare_inner(member, inside)


def _declare_inner(member: Template, inside: Scope) -> None:
    assert inside.shared.declare is not None
    inside.shared.declare(member, inside)


def _declare_constant(member: Variable, inside: Scope, owner: str) -> None:
    symbol = member.symbol
    if not symbol.const:
        hint = "make it a `__device__` variable outside of the class"
        raise CompileError(
            "`static` members that are no constants are not supported", symbol.span, hint
        )
    plain = replace(member, specifiers=member.specifiers - {"static", "inline"})
    whole = replace(symbol, name=f"{owner}::{symbol.name}")
    around = Scope(inside.shared, inside)
    made = file_variables.file_variable(replace(plain, symbol=whole), around)
    meaning = around.here(whole.name)
    assert meaning is not None
    inside.declare(symbol.name, meaning)
    if made is not None:
        inside.shared.variables.append(made)


def _declare_functions(content: ClassContent, owner: Class) -> None:
    for node in content.friends:
        if isinstance(node, Definition) and not _is_host(node.head):
            _declare_friend(node, owner)
    for member in content.members:
        if isinstance(member, Prototype | Definition):
            _declare_function(member, owner)
        elif isinstance(member, Template) and isinstance(member.item, Prototype | Definition):
            _declare_template(member, owner)
    for name, heads in owner.functions.items():
        if name not in (CONSTRUCTOR, CONVERSION, DESTRUCTOR) and owner.scope.here(name) is None:
            owner.scope.declare(name, MemberFunctions(owner, name, heads[0].span))


def _declare_friend(node: Definition, owner: Class) -> None:
    """Declare a function that is defined in the braces of a class and is no member."""
    seen = replace(node.head, specifiers=node.head.specifiers | {"static"})
    head = _with_object(seen, owner)
    owner.definitions[head.name] = replace(node, head=head), owner.scope
    owner.friends.setdefault(node.head.name, []).append(head)


def _front(item: Prototype | Definition) -> Prototype:
    return item.head if isinstance(item, Definition) else item


def _key(head: Prototype) -> str:
    """Return the name under which a class keeps a function."""
    kinds = {
        "constructor": CONSTRUCTOR,
        "conversion": CONVERSION,
        "destructor": DESTRUCTOR,
    }
    return kinds.get(head.kind, head.name.rpartition("::")[2])


def _declare_function(item: Prototype | Definition, owner: Class) -> None:
    head = _front(item)
    _check_count(head, owner)
    if head.kind == "destructor" and _is_empty(item):
        return
    if head.kind == "constructor" and head.disposal == "default" and not head.parameters:
        owner.has_default = True
    if head.kind == "constructor" and not head.disposal and _is_host(head):
        owner.host_made = head
    if head.disposal == "delete":
        _delete(head, owner)
    if head.disposal or _is_host(head):
        return
    key, head = _key(head), _with_object(head, owner)
    if isinstance(item, Definition):
        head = _defined(item, head, owner, owner.scope)
    known = owner.functions.setdefault(key, [])
    _check_new(head, key, [one for one in known if isinstance(one, Prototype)], owner)
    known.append(head)


#: How many parameters operators have that are members, where it is not one.
_COUNTS = {
    "operator()": range(1000),
    "operator->": range(1),
    **dict.fromkeys(("operator~", "operator!"), range(1)),
    **{f"operator{op}": range(2) for op in ("++", "--", "+", "-", "*", "&")},
}


def _check_count(head: Prototype, owner: Class) -> None:
    """Refuse parameters of a destructor, and an operator with too many or too few."""
    count, name = len(head.parameters), head.name.rpartition("::")[2]
    if head.kind == "destructor" and count:
        raise CompileError("a destructor has no parameters", head.location)
    symbols = name.startswith("operator") and not name[8:9].isidentifier()
    if not symbols or head.kind or name[8:9] in ("", " ", '"'):
        return
    if count not in _COUNTS.get(name, range(1, 2)):
        what = f"`{name}` of `{owner.type}` cannot have {count} parameters"
        hint = "the object is its first operand: it has a parameter for the other one only"
        raise CompileError(what, head.location, hint)


def _delete(head: Prototype, owner: Class) -> None:
    """Note that objects of a class cannot be copied."""
    given = (p.type.of if isinstance(p.type, Forwarded) else p.type for p in head.parameters)
    types = [resolved(one, owner.scope, head.span) for one in given]
    if types == [owner.type] and head.kind == "constructor":
        owner.deleted.add("copy")
    elif types == [owner.type] and _key(head) == "operator=":
        owner.deleted.add("=")


def _check_new(head: Prototype, name: str, known: list[Prototype], owner: Class) -> None:
    """Refuse a second function of the same name and parameters, and a member of the name."""
    for old in known if head.kind != "conversion" else ():
        if _same(old, head) and len(old.parameters) == len(head.parameters):
            hint = f"first in line {old.span.line}"
            what = f"`{owner.type}` declares `{name}` twice"
            raise CompileError(what, head.location, hint)
    if head.kind == "" and owner.type.member(name) is not None:
        what = f"`{name}` is a member of `{owner.type}` already"
        raise CompileError(what, head.location, "choose another name")


def _is_host(head: Prototype) -> bool:
    return not head.specifiers & {"__device__", "__global__"}


def _is_empty(item: Prototype | Definition) -> bool:
    """Whether a destructor does nothing."""
    return isinstance(item, Definition) and not item.body.body


def _with_object(head: Prototype, owner: Class) -> Prototype:
    """Return the head of a member function with definite types and its object in front."""
    scope = owner.scope
    parameters = tuple(parameter_of(symbol, scope) for symbol in head.parameters)
    result = result_of(head, parameters, scope)
    if head.kind == "constructor":
        result = owner.type
    elif head.returns_reference:
        head = replace(head, returns_reference=False, refers=True)
        result = Pointer(result, head.const_result)
    if head.kind == "constructor" and "const reference" in owner.type.marks.values():
        pairs = zip(parameters, head.parameters, strict=True)
        parameters = tuple(replace(p, reference=given.reference) for p, given in pairs)
    written = ", ".join(overloads.written(p) for p in parameters)
    if head.kind != "constructor" and "static" not in head.specifiers:
        parameters = (_object(head, owner), *parameters)
    plain = head.name.rpartition("::")[2].removeprefix("~")
    plain = f"~{plain}" if head.kind == "destructor" else plain
    name = f"{label_of(owner)}::{plain}({written}){' const' * head.const}"
    return replace(head, name=name, result=result, parameters=parameters)


def _object(head: Prototype, owner: Class) -> tree.Symbol:
    """Return the parameter `this`."""
    at, kind = head.location, tree.Storage.PARAMETER
    return tree.Symbol("this", owner.type, kind, at, const=head.const, reference=True)


def label_of(owner: Class) -> str:
    """Return how the names of a class's functions begin: unlike those of any other class."""
    known = [one for one in owner.scope.shared.classes if str(one) == str(owner.type)]
    return str(owner.type) if known[0] is owner.type else str(owner.type.tag)


def _defined(item: Definition, head: Prototype, owner: Class, scope: Scope) -> Prototype:
    """Keep the body of a member function, and return its head."""
    body = item.body
    if head.refers and head.result == Pointer(owner.type) and _returns_itself(body):
        for other in (members.by_address(head), members.by_value(head)):
            owner.definitions[other.name] = replace(item, head=other), scope
        head = replace(head, refers=False, result=VOID, returns_object=True)
        body = _without_object(body)
    owner.definitions[head.name] = replace(item, head=head, body=body), scope
    return head


def _returns(body: tree.Block) -> Iterator[tree.Return]:
    return (node for node in tree.walk(body) if isinstance(node, tree.Return))


def _is_itself(node: tree.Expression | None) -> bool:
    """Whether a value is `*this`."""
    if not isinstance(node, tree.Deref):
        return False
    return isinstance(node.pointer, tree.Name) and node.pointer.name == "this"


def _returns_itself(body: tree.Block) -> bool:
    found = list(_returns(body))
    return bool(found) and all(_is_itself(node.value) for node in found)


def _without_object(body: tree.Block) -> tree.Block:
    """Return a body whose returns have no value."""
    changed = {id(node): replace(node, value=None) for node in _returns(body)}
    made: tree.Block = tree.rebuilt(body, changed)
    return made


def _declare_template(node: Template, owner: Class) -> None:
    """Declare a member function that is a template."""
    item = node.item
    assert isinstance(item, Prototype | Definition)
    head = _front(item)
    if _is_host(head) or head.disposal:
        return
    known = owner.functions.setdefault(_key(head), [])
    name = f"{label_of(owner)}::{head.name}" + (f"({len(known)})" if known else "")
    known.append(_template(node, name, owner, owner.scope))


def _template(node: Template, name: str, owner: Class, scope: Scope) -> FunctionTemplate:
    item = node.item
    assert isinstance(item, Prototype | Definition)
    head = replace(_front(item), name=name)
    if "static" not in head.specifiers and head.kind != "constructor":
        head = replace(head, parameters=(_object(head, owner), *head.parameters))
    if head.kind == "constructor":
        head = replace(head, result=owner.type)
    item = replace(item, head=head) if isinstance(item, Definition) else head
    made = FunctionTemplate(name, node.parameters, item, scope, head.span)
    owner.scope.shared.templates[name] = made
    return made


def attach_template(node: Template, owner: Class, scope: Scope) -> None:
    """Give a declared member function that is a template its body."""
    assert isinstance(node.item, Definition)
    head = node.item.head
    known = owner.functions.get(_key(head), [])
    for at, old in enumerate(known):
        if not isinstance(old, FunctionTemplate) or not isinstance(old.item, Prototype):
            continue
        words = head.specifiers | old.item.specifiers
        whole = replace(head, specifiers=words, defaults=head.defaults or old.item.defaults)
        item = replace(node.item, head=whole)
        inside = _merged(scope, owner, node.span)
        made = _template(replace(node, item=item), old.name, owner, inside)
        if templates.is_same(old, made):
            pairs = zip(node.parameters, old.parameters, strict=True)
            both = tuple(replace(new, default=new.default or one.default) for new, one in pairs)
            known[at] = owner.scope.shared.templates[old.name] = replace(made, parameters=both)
            return
        owner.scope.shared.templates[old.name] = old
    what = f"`{owner.type}` declares no such function"
    raise CompileError(what, head.location, "declare it in the class")


def is_outside(head: Prototype, scope: Scope) -> bool:
    """Whether a function is a member of a class outside of whose braces it is defined."""
    front, _, _ = head.name.rpartition("::")
    meaning = scope.type_called(front) if front else None
    nested = bool(front) and class_named(front, scope, head.location) is not None
    return nested or (meaning is not None and isinstance(meaning.type, Struct))


def define_outside(item: Definition, scope: Scope) -> None:
    """Give a member function its body, which stands outside of the braces of its class."""
    attach(item, owner_of(item, scope), scope)


def owner_of(item: Definition, scope: Scope) -> Class:
    """Return the class whose member a definition outside of its braces is."""
    front, _, _ = item.head.name.rpartition("::")
    owner = class_named(front, scope, item.head.location)
    if owner is None:
        what = f"`{front}` declares no such function"
        raise CompileError(what, item.head.location, "declare it in the structure")
    return owner


def attach(item: Definition, owner: Class, scope: Scope) -> None:
    """Give a declared member function of a class its body."""
    inside = _merged(scope, owner, item.span)
    known = owner.functions.get(_key(item.head), [])
    seen = replace(owner, scope=inside)
    head = _with_object(item.head, seen)
    for at, old in enumerate(known):
        if isinstance(old, Prototype) and _same(old, head):
            words = old.specifiers | head.specifiers
            head = replace(head, name=old.name, specifiers=words, defaults=old.defaults)
            head = replace(head, parameters=_like(old, head))
            known[at] = _defined(item, head, owner, inside)
            return
    if not _is_host(item.head):
        what = f"`{owner.type}` declares no such function"
        raise CompileError(what, item.head.location, "declare it in the class")


def _like(old: Prototype, head: Prototype) -> tuple[tree.Symbol, ...]:
    """Return parameters, of a function that was declared `static` without an object."""
    return head.parameters[len(head.parameters) - len(old.parameters) :]


def _same(old: Prototype, head: Prototype) -> bool:
    mine = [(p.type, p.reference) for p in _like(old, head)]
    theirs = [(p.type, p.reference) for p in old.parameters]
    return mine == theirs and old.const == head.const


def _merged(scope: Scope, owner: Class, span: Span) -> Scope:
    """Return the scope of a body outside of its class: the class's names, then those around."""
    inside = Scope(scope.shared, _inherited(owner.bases, scope, span))
    inside.owner = owner
    inside.take(owner.scope)
    return inside
