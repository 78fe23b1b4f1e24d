"""Classes: structures with functions, constructors, a base class or first values.

A member function is a function whose first parameter is its object, the reference `this`; a
constructor is one that returns the object which it has made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from simulator.check import declarations, initializers, overloads, scopes, structures, templates
from simulator.check.scopes import (
    CONSTRUCTOR,
    CONVERSION,
    AliasOf,
    Class,
    DataMember,
    FunctionTemplate,
    MemberFunctions,
    Overloads,
    Scope,
    Shared,
    Substitute,
    class_named,
    complete,
    head_of,
    is_object,
    parameter_of,
    resolved,
)
from simulator.check.statements import statement
from simulator.ir import tree
from simulator.ir.conversions import as_lvalue, is_lvalue
from simulator.ir.types import INT, VECTORS, VOID, Array, CType, Pointer, Scalar, Struct
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
    Template,
    Variable,
)
from simulator.source import CompileError, Span

# Declare a class: its types and constants, its members, then its functions.


@statement.register
def declare(node: Structure, scope: Scope) -> tree.Statement:
    """Declare or define a structure; the node stays as it is."""
    if node.content is None or node.content.is_plain or node.fields is None:
        return structures.structure(node, scope)
    define(node, structures.declared(node, scope), scope)
    return node


def define(node: Structure, found: Struct, scope: Scope) -> Class:
    """Give a structure its members and functions, whose types stand in `scope`."""
    content, shared = node.content or ClassContent("struct"), scope.shared
    base = _base(content, scope, node.span)
    around = scope.snapshot() if scope.frame is None else scope
    inside = Scope(shared, _inherited(base, around, node.span))
    owner = Class(found, content, inside, base)
    inside.owner = owner
    inside.replace(node.name.rpartition("::")[2], AliasOf(found, node.span, tag=True))
    _declare_names(content, inside)
    structures.lay_out(found, node, inside, (owner.base_name, base) if base is not None else None)
    for field in node.fields or ():
        inside.declare(field.name, DataMember(field.span))
    owner.first_values = dict(content.first_values)
    shared.classes[found] = owner
    _declare_functions(content, owner)
    return owner


def _base(content: ClassContent, scope: Scope, span: Span) -> Struct | None:
    if not content.bases:
        return None
    base = complete(resolved(content.bases[0], scope, span), span)
    if not isinstance(base, Struct):
        raise CompileError(f"nothing can inherit from `{base}`", span, "inherit from a structure")
    return base


def _inherited(base: Struct | None, around: Scope, span: Span) -> Scope:
    """Return the scope of what a class inherits, in front of what is around it."""
    if base is None:
        return around
    known = around.shared.classes.get(base)
    scope = Scope(
        around.shared, _inherited(known.base, around, span) if known is not None else around
    )
    if known is not None:
        scope.take(known.scope)
    else:
        for name, _, _ in base.members:
            scope.declare(name, DataMember(span))
    return scope


def _declare_names(content: ClassContent, inside: Scope) -> None:
    """Declare the types, constants and templates of types that are members."""
    for member in content.members:
        if isinstance(member, Alias | Enumeration | StaticAssertion | Structure):
            statement(member, inside)
        elif isinstance(member, Variable):
            _declare_constant(member, inside)
        elif isinstance(member, Template) and isinstance(member.item, Structure | Alias):
            templates.declare_template(member, inside)


def _declare_constant(member: Variable, inside: Scope) -> None:
    symbol = member.symbol
    if not symbol.const:
        hint = "make it a `__device__` variable outside of the class"
        raise CompileError(
            "`static` members that are no constants are not supported", symbol.span, hint
        )
    declarations.outer_constant(replace(member, specifiers=member.specifiers - {"static"}), inside)


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
        if name not in (CONSTRUCTOR, CONVERSION) and owner.scope.here(name) is None:
            owner.scope.declare(name, MemberFunctions(owner, name, heads[0].span))


def _declare_friend(node: Definition, owner: Class) -> None:
    """Declare a function that is defined in the braces of a class and is no member."""
    seen = replace(node.head, specifiers=node.head.specifiers | {"static"})
    head = _with_object(seen, owner)
    owner.definitions[head.name] = replace(node, head=head), owner.scope
    owner.friends.setdefault(node.head.name, []).append(head)


def friends_of(
    name: str, arguments: Sequence[tree.Expression], scope: Scope
) -> tuple[Class, list[Prototype]] | None:
    """Return the friends of a name that the class of an argument has, None if none has."""
    for argument in arguments:
        found = scope.shared.classes.get(argument.type)  # type: ignore[call-overload]
        if found is not None and name in found.friends:
            return found, found.friends[name]
    return None


def call_friend(
    name: str, arguments: tuple[tree.Expression, ...], node: tree.Expression, scope: Scope
) -> tree.Expression | None:
    """Call a friend of the class of an argument; None if no class has one of the name."""
    found = friends_of(name, arguments, scope) if scope.shared.classes else None
    if found is None:
        return None
    owner, heads = found
    chosen = overloads.chosen(name, Overloads(tuple(heads)), arguments, node.span, scope)
    assert isinstance(chosen, Prototype)
    called = tree.Call(chosen.name, arguments, span=node.span)
    function = function_of(owner, chosen, node.span)
    return initializers.call_of_function(called, function, scope, chosen, owner.scope)


def _front(item: Prototype | Definition) -> Prototype:
    return item.head if isinstance(item, Definition) else item


def _key(head: Prototype) -> str:
    """Return the name under which a class keeps a function."""
    kinds = {"constructor": CONSTRUCTOR, "conversion": CONVERSION}
    return kinds.get(head.kind, head.name.rpartition("::")[2])


def _declare_function(item: Prototype | Definition, owner: Class) -> None:
    head = _front(item)
    if head.kind == "destructor":
        _check_destructor(item)
        return
    if head.kind == "constructor" and head.disposal == "default" and not head.parameters:
        owner.has_default = True
    if head.disposal or _is_host(head):
        return
    key, head = _key(head), _with_object(head, owner)
    if isinstance(item, Definition):
        head = _defined(item, head, owner, owner.scope)
    owner.functions.setdefault(key, []).append(head)


def _is_host(head: Prototype) -> bool:
    return not head.specifiers & {"__device__", "__global__"}


def _check_destructor(item: Prototype | Definition) -> None:
    """Refuse destructors that do something."""
    head = _front(item)
    empty = isinstance(item, Definition) and not item.body.body
    if head.disposal != "default" and not empty and not _is_host(head):
        hint = "call a function of your own where the object is no longer needed"
        raise CompileError("destructors are not supported", head.location, hint)


def _with_object(head: Prototype, owner: Class) -> Prototype:
    """Return the head of a member function with definite types and its object in front."""
    scope = owner.scope
    result = resolved(head.result, scope, head.span)
    if head.kind == "constructor":
        result = owner.type
    elif head.returns_reference:
        head = replace(head, returns_reference=False, refers=True)
        result = Pointer(result, head.const_result)
    parameters = tuple(parameter_of(symbol, scope) for symbol in head.parameters)
    written = ", ".join(overloads.written(p) for p in parameters)
    if head.kind != "constructor" and "static" not in head.specifiers:
        parameters = (_object(head, owner), *parameters)
    name = f"{label_of(owner)}::{head.name.rpartition('::')[2]}({written}){' const' * head.const}"
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
    return tree.rebuilt(body, changed)


def _declare_template(node: Template, owner: Class) -> None:
    """Declare a member function that is a template."""
    item = node.item
    assert isinstance(item, Prototype | Definition)
    head = _front(item)
    if _is_host(head) or head.disposal:
        return
    key = _key(head)
    if "static" not in head.specifiers and head.kind != "constructor":
        head = replace(head, parameters=(_object(head, owner), *head.parameters))
    if head.kind == "constructor":
        head = replace(head, result=owner.type)
    number = len(owner.functions.get(key, ()))
    name = f"{label_of(owner)}::{head.name}" + (f"({number})" if number else "")
    head = replace(head, name=name)
    item = replace(item, head=head) if isinstance(item, Definition) else head
    made = FunctionTemplate(name, node.parameters, item, owner.scope, head.span)
    owner.scope.shared.templates[name] = made
    owner.functions.setdefault(key, []).append(made)


def is_outside(head: Prototype, scope: Scope) -> bool:
    """Whether a function is a member of a class outside of whose braces it is defined."""
    front, _, _ = head.name.rpartition("::")
    meaning = scope.type_called(front) if front else None
    nested = bool(front) and class_named(front, scope, head.location) is not None
    return nested or (meaning is not None and isinstance(meaning.type, Struct))


def define_outside(item: Definition, scope: Scope) -> None:
    """Give a member function its body, which stands outside of the braces of its class."""
    front, _, _ = item.head.name.rpartition("::")
    owner = class_named(front, scope, item.head.location)
    if owner is None:
        what = f"`{front}` declares no such function"
        raise CompileError(what, item.head.location, "declare it in the structure")
    attach(item, owner, scope)


def attach(item: Definition, owner: Class, scope: Scope) -> None:
    """Give a declared member function of a class its body."""
    if item.head.kind == "destructor":
        _check_destructor(item)
        return
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
    inside = Scope(scope.shared, _inherited(owner.base, scope, span))
    inside.owner = owner
    inside.take(owner.scope)
    return inside


# Call member functions.


def functions_of(
    ctype: CType, name: str, scope: Scope
) -> tuple[Class, list[Prototype | FunctionTemplate]] | None:
    """Return the functions of a name in a class or its nearest base, None if there are none."""
    found = scope.shared.classes.get(ctype) if isinstance(ctype, Struct) else None
    while found is not None:
        if name in found.functions:
            return found, found.functions[name]
        found = scope.shared.classes.get(found.base) if found.base is not None else None
    return None


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
    function = function_of(owner, chosen, node.span)
    made = initializers.call_of_function(called, function, scope, chosen, owner.scope)
    if not chosen.returns_object:
        return made
    target = _seen_again(_argument_of(whole[0]))
    if target is None:
        return made
    return tree.Binary(",", made, target, span=node.span, type=target.type)


def _seen_again(node: tree.Expression) -> tree.Expression | None:
    """Return an object that has been evaluated; None where that would happen twice."""
    if isinstance(node, tree.Deref) and isinstance(node.pointer, tree.Binary):
        last = node.pointer.right
        node = last.operand if isinstance(last, tree.AddressOf) else node
    return node if _is_simple(node) else None


def qualified(path: str, node: tree.Expression, scope: Scope) -> tuple[Class, str] | None:
    """Return the class and the name that `Class::name` says; None for other names."""
    front, _, name = path.rpartition("::")
    found = class_named(front, scope, node.span) if front else None
    return (found, name) if found is not None else None


def constant_of(ctype: CType, name: str, span: Span, scope: Scope) -> tree.Expression | None:
    """Return a constant or an enumerator that is a member of a class, None if there is none."""
    found = scope.shared.classes.get(ctype) if isinstance(ctype, Struct) else None
    while found is not None:
        meaning = found.scope.here(name)
        if isinstance(meaning, tree.Symbol):
            check_access(found, name, span, scope)
            return tree.Name(name, meaning, span=span, type=meaning.type)
        found = scope.shared.classes.get(found.base) if found.base is not None else None
    return None


def replace_given(node: tree.Call, given: tuple[tree.Node, ...] | None) -> tree.Call:
    """Return a call with the arguments of its template, if they are written."""
    if given is None:
        return node
    return templates.TemplateCall(node.name, node.arguments, given=given, span=node.span)


def _argument_of(node: tree.Expression) -> tree.Expression:
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
        return _one(name, static, arguments, node.span, scope), arguments
    if base is None:
        hint = "call it of an object: `object.f(…)`"
        raise CompileError(f"`{name}` needs an object", node.span, hint)
    adjusted = scopes.as_base(as_lvalue(base), owner.type, scope)
    whole = (Checked(adjusted, span=base.span, type=owner.type), *arguments)
    return _one(name, candidates, whole, node.span, scope), whole


def _takes_object(one: Prototype | FunctionTemplate) -> bool:
    head = head_of(one) if isinstance(one, FunctionTemplate) else one
    return bool(head.parameters) and is_object(head.parameters[0])


def _one(
    name: str,
    candidates: list[Prototype | FunctionTemplate],
    arguments: tuple[tree.Expression, ...],
    span: Span,
    scope: Scope,
) -> Prototype | FunctionTemplate:
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
    if functions_of(first.type, name, scope) is None:
        checked = tuple(Checked(x, span=x.span, type=x.type) for x in operands)
        return call_friend(name, checked, node, scope)
    free = scope.lookup(name)
    given = tuple(Checked(x, span=x.span, type=x.type) for x in operands)
    if isinstance(free, Prototype | FunctionTemplate | Overloads):
        if overloads.takes(free, given, scope) and not _takes(name, given, scope):
            return None
    return call(first.type, name, first, given[1:], node, scope)


def _takes(name: str, given: Sequence[tree.Expression], scope: Scope) -> bool:
    found = functions_of(given[0].type, name, scope)
    return found is not None and overloads.takes(Overloads(tuple(found[1])), given, scope)


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
    except CompileError:
        shared.instances.remove(head.name)
        raise
    known = shared.unfinished.get(head.name)
    if known is not None:
        for name in ("parameters", "body"):
            object.__setattr__(known, name, getattr(shared.functions[head.name], name))
        shared.functions[head.name] = known
    return shared.functions[head.name]


def _unfinished(head: Prototype, span: Span, shared: Shared) -> tree.Function:
    """Return a function that is called while its body is being checked."""
    if head.name not in shared.unfinished:
        if scopes.has_auto(head.result):
            what = f"`{head.name}` calls itself before its result is known"
            raise CompileError(what, span, "write the type of its result instead of auto")
        nothing = tree.Block((), span=head.span)
        made = tree.Function(
            head.name, "__device__", head.result, head.parameters, nothing, span=head.span
        )
        shared.unfinished[head.name] = replace(made, recursive=True)
    return shared.unfinished[head.name]


def check_access(owner: Class, name: str, span: Span, scope: Scope) -> None:
    """Refuse names of members that are not public, outside of their class."""
    content = owner.content
    access = content.hidden.get(name, "public")
    inside = scope.member_of(owner.type, heirs=access == "protected")
    if access != "public" and not content.befriends and not inside:
        what = f"`{name}` is no public member of `{owner.type}`"
        raise CompileError(what, span, "use what is `public:`")


# Functions that return a reference to what one expression names are put in place of their call, so
# that objects in registers stay there.


def _substituted(
    owner: Class, head: Prototype, arguments: tuple[tree.Expression, ...], scope: Scope
) -> tree.Expression | None:
    """Return what a call of such a function stands for; None for other functions."""
    found = owner.definitions.get(head.name)
    if found is None or not head.refers or len(arguments) != len(head.parameters):
        return None
    body = found[0].body.body
    if len(body) != 1 or not isinstance(body[0], tree.Return) or body[0].value is None:
        return None
    if not all(_is_simple(_argument_of(argument)) for argument in arguments):
        return None
    inside = Scope(scope.shared, found[1])
    for parameter, argument in zip(head.parameters, arguments, strict=True):
        given = _argument_of(argument)
        if not parameter.reference:
            what = f"the argument `{parameter.name}` of `{head.name}`"
            given = initializers.first_value(argument, parameter.type, what, scope)
        if parameter.name:
            inside.replace(parameter.name, Substitute(given, parameter.span))
    return scopes.expression(body[0].value, inside)


def _is_simple(node: tree.Expression) -> bool:
    """Whether an expression can be evaluated twice, or not at all."""
    changes = tree.Call | tree.Assign | tree.CompoundAssign | tree.Increment
    return not any(isinstance(one, changes) for one in tree.walk(node))


def copies(ctype: CType, scope: Scope) -> bool:
    """Whether a class has a constructor of its own that copies objects."""
    return initializers.copies(ctype, scope)


# Convert objects, by their classes' conversions and constructors.


def convert(node: tree.Expression, target: CType, scope: Scope) -> tree.Expression | None:
    """Return what classes make of a checked value for a type; None if they do not take it."""
    copied = _copied(node, target, scope)
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
    takes = [one for one in makers if overloads.takes(one, given, scope)]
    return bool(takes) and (plain or any(head_of(one).parameters for one in takes))


def _copied(node: tree.Expression, target: CType, scope: Scope) -> tree.Expression | None:
    """Return the base or the conversion of an object, None if it has none of the type."""
    source = node.type
    if isinstance(target, Struct) and scopes.inherits(source, target, scope):
        return scopes.as_base(node, target, scope)
    if isinstance(source, Pointer) and isinstance(target, Pointer):
        if scopes.inherits(source.to, target.to, scope):
            return tree.Cast(node, span=node.span, type=replace(source, to=target.to))
        return None
    found = functions_of(source, CONVERSION, scope)
    if found is None:
        return None
    heads = [head for head in found[1] if isinstance(head, Prototype)]
    exact = [head for head in heads if head.result == target]
    numbers = [h for h in heads if isinstance(h.result, Scalar) and isinstance(target, Scalar)]
    fitting = exact or numbers
    if not fitting:
        return None
    object_ = scopes.as_base(as_lvalue(node), found[0].type, scope)
    whole = (Checked(object_, span=node.span, type=object_.type),)
    chosen = fitting[0]
    called = tree.Call(chosen.name, whole, span=node.span)
    function = function_of(found[0], chosen, node.span)
    return initializers.call_of_function(called, function, scope, chosen, found[0].scope)


def as_number(node: tree.Expression, scope: Scope) -> tree.Expression:
    """Return an operand of C's operators: an object as the number that it converts to."""
    found = functions_of(node.type, CONVERSION, scope) if scope.shared.classes else None
    if found is None or len(found[1]) != 1 or not isinstance(found[1][0], Prototype):
        return node
    return _copied(node, found[1][0].result, scope) or node


# Make objects.


def construct(
    ctype: Struct, values: Sequence[tree.Expression], node: tree.Expression, scope: Scope
) -> tree.Expression:
    """Return an object that is made of values, as `Type(values…)` does."""
    owner = scope.shared.classes.get(ctype)
    makers = owner.functions.get(CONSTRUCTOR, []) if owner is not None else []
    if len(values) == 1 and not isinstance(values[0], InitializerList):
        (only,) = overloads.checked_once(values, scope)
        given = _argument_of(only)
        if given.type == ctype and is_lvalue(as_lvalue(given)) and copies(ctype, scope):
            assert owner is not None
            return _constructed(owner, makers, (only,), node, scope)
        copied = given if given.type == ctype else _copied(given, ctype, scope)
        if copied is not None and copied.type == ctype:
            return scopes.valued(copied, scope)
        values = (only,)
    if owner is not None and makers:
        if not values and not owner.has_default and not initializers.made_of_nothing(owner):
            what = f"`{ctype}` has no constructor that takes no values"
            raise CompileError(what, node.span, f"give it values, or write `{ctype}() = default;`")
        if not values and not initializers.made_of_nothing(owner):
            return without_values(ctype, node.span, scope)
        return _constructed(owner, makers, values, node, scope)
    if not values:
        return without_values(ctype, node.span, scope)
    given = InitializerList(tuple(values), span=node.span)
    return initializers.members_from_list(given, ctype, scope)


def _constructed(
    owner: Class,
    makers: list[Prototype | FunctionTemplate],
    values: Sequence[tree.Expression],
    node: tree.Expression,
    scope: Scope,
) -> tree.Expression:
    arguments = overloads.checked_once(values, scope)
    name = str(owner.type)
    chosen = _one(name, makers, arguments, node.span, scope)
    check_access(owner, chosen.name, node.span, scope)
    called = tree.Call(chosen.name, arguments, span=node.span)
    if isinstance(chosen, FunctionTemplate):
        return templates.call(called, chosen, scope)
    function = function_of(owner, chosen, node.span)
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
    values = tuple(_first(name, inner, owner, span, scope) for name, inner, _ in ctype.members)
    return tree.Aggregate(values, span=span, type=ctype)


def _first(
    name: str, ctype: CType, owner: Class | None, span: Span, scope: Scope
) -> tree.Expression:
    """Return what a member is that gets no value."""
    given = owner.first_values.get(name) if owner is not None else None
    if given is None or owner is None:
        return without_values(ctype, span, scope)
    return initializers.first_value(given, ctype, f"the first value of `{name}`", owner.scope)


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
    given = {_named_by(one, owner, scope): one for one in definition.member_values}
    if (whole := given.pop("", None)) is not None:
        value = construct(
            owner.type, whole.values, Constructed(owner.type, (), span=whole.span), scope
        )
        yield _assigned(itself, value, whole.span)
        return
    names = {name for name, _, _ in owner.type.members}
    for name, one in given.items():
        if name not in names and name != owner.base_name:
            raise CompileError(f"`{owner.type}` has no member `{one.name}`", one.span)
    for name, ctype, _ in owner.type.members:
        target = tree.Member(itself, name, span=itself.span, type=ctype)
        one = given.get(name)
        if one is not None:
            yield from _given(target, one, scope)
        elif name in owner.first_values or initializers.is_constructed(ctype, scope):
            value = _first(name, ctype, owner, itself.span, scope)
            yield from _stored(target, value)


def _named_by(one: MemberValue, owner: Class, scope: Scope) -> str:
    """Return which member a value is for: "" for the whole object."""
    ctype = None if one.type == VOID else resolved(one.type, scope, one.span)
    if ctype is None and owner.type.member(one.name) is None:
        meaning = scope.type_called(one.name)
        ctype = meaning.type if meaning is not None else None
    if ctype is None:
        return one.name
    if ctype == owner.type:
        return ""
    if owner.base is None or ctype != owner.base:
        raise CompileError(f"`{one.name}` is no base of `{owner.type}`", one.span)
    return owner.base_name


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
    made = tree.Assign(target, value, span=span, type=target.type)
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
