"""Scopes: what names mean where; and the dispatch of expressions by kinds of node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any, TypeGuard

from simulator.check.constants import NotConstant, as_tree, evaluated
from simulator.ir import tree
from simulator.ir.conversions import (
    as_condition,
    as_value,
    cast,
    is_const,
    is_lvalue,
)
from simulator.ir.types import (
    BOOL,
    VOID,
    CType,
    Enumerated,
    FunctionPointer,
    Pointer,
    Struct,
)
from simulator.ir.unchecked import (
    Alias,
    ClassContent,
    Definition,
    PackType,
    Prototype,
    Structure,
    Template,
    TemplateId,
    TemplateParameter,
    Text,
    Variable,
)
from simulator.source import CompileError, Diagnostic, Span

COORDINATES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})


@dataclass(frozen=True)
class AliasOf:
    """A name for a type; `tag` says that it is that of a `struct` or `enum` itself.

    A variable or function may have the same name as a tag.
    """

    type: CType
    span: Span
    const: bool = False
    tag: bool = False


@dataclass(frozen=True, eq=False)
class FunctionTemplate:
    """A function template: its head or definition, and what it can see of the file.

    `special` are the definitions of its explicit specialisations by the names of these instances.
    """

    name: str
    parameters: tuple[TemplateParameter, ...]
    item: Prototype | Definition
    scope: Scope
    span: Span
    special: dict[str, tuple[Definition, Scope]] = field(default_factory=dict)


def head_of(function: Prototype | FunctionTemplate) -> Prototype:
    """Return the head of a function or of a template."""
    item = function.item if isinstance(function, FunctionTemplate) else function
    return item.head if isinstance(item, Definition) else item


def is_pack(parameter: tree.Symbol) -> bool:
    """Whether a parameter of a function is a pack."""
    return isinstance(parameter.type, PackType)


def count_taken(head: Prototype) -> tuple[int, int | None]:
    """Return how many arguments a function takes at least, and at most if there is a limit."""
    packs = sum(map(is_pack, head.parameters))
    most = len(head.parameters) - packs
    return most - len(head.defaults), None if packs else most


@dataclass(frozen=True, eq=False)
class Overloads:
    """Several functions and templates of one name."""

    candidates: tuple[Prototype | FunctionTemplate, ...]

    @property
    def span(self) -> Span:
        """Where the first is."""
        return self.candidates[0].span


@dataclass(eq=False)
class ClassTemplate:
    """A template of a class, a name for a type or a constant, and what it can see of the file.

    `special` are its specialisations, `outside` the members that are defined outside its braces,
    `values` those of the instances of a constant, None while one is being found out.
    """

    name: str
    parameters: tuple[TemplateParameter, ...]
    item: Structure | Alias | Variable
    scope: Scope
    span: Span
    special: list[Template] = field(default_factory=list)
    outside: list[Template] = field(default_factory=list)
    instances: dict[str, CType] = field(default_factory=dict)
    values: dict[str, tree.Expression | None] = field(default_factory=dict)


@dataclass(frozen=True)
class DataMember:
    """What the name of a data member means in the functions of its class.

    `object` is what these call their object: `this`, or the closure of a lambda.
    """

    span: Span
    object: str = "this"
    const: bool = False


#: How the parameter of a lambda's function begins that is the closure.
CLOSURE = "closure"


def is_object(parameter: tree.Symbol) -> bool:
    """Whether a parameter is the object of a member function, or a lambda's closure."""
    return parameter.name == "this" or parameter.name.startswith(f"{CLOSURE} ")


@dataclass(frozen=True)
class Substitute:
    """A name that stands for a checked expression; `part` of a value that a binding names."""

    node: tree.Expression
    span: Span
    part: bool = False


#: The names under which a class keeps the functions that no program calls by name.
CONSTRUCTOR, CONVERSION, DESTRUCTOR = "constructor", "conversion", "destructor"
#: The same of what a pointer to a lambda calls.
INVOKER = "invoker"


@dataclass(eq=False)
class Class:
    """A structure with more than members: functions, a base, first values.

    `functions` are its member functions by their names, as functions that take their object as
    their first parameter, `this`; `definitions` those that have a body, by the names of their
    heads; `bases` are what it inherits from, members of it called as `base_name` says; `friends`
    are the functions that are defined in its braces and are no members; `has_default` says that it
    has a constructor without values by `= default`; `copier` is the constructor that C++ writes for
    it; `plain` is what its constructors are called, `host_made` a constructor without `__device__`;
    `used` are the names of bases that it makes its own, `unseen` the bases that depend on the
    arguments of its template, whose members are named through an object only; `deleted` says
    which copies are: those that make objects (`copy`), those that assign (`=`).
    """

    type: Struct
    content: ClassContent
    scope: Scope
    bases: tuple[Struct, ...] = ()
    functions: dict[str, list[Prototype | FunctionTemplate]] = field(default_factory=dict)
    definitions: dict[str, tuple[Definition, Scope]] = field(default_factory=dict)
    first_values: dict[str, tree.Expression] = field(default_factory=dict)
    friends: dict[str, list[Prototype]] = field(default_factory=dict)
    has_default: bool = False
    copier: Prototype | None = None
    plain: str = ""
    host_made: Prototype | None = None
    deleted: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    unseen: tuple[Struct, ...] = ()

    @property
    def is_trivial(self) -> bool:
        """Whether its objects begin without values, and are copied and given up as bytes."""
        makers = [head_of(one) for one in self.functions.get(CONSTRUCTOR, ())]
        starts = any(len(head.parameters) == len(head.defaults) for head in makers)
        copies = any(
            head.parameters[-1:] and head.parameters[-1].type == self.type
            for head in (*makers, *map(head_of, self.functions.get("operator=", ())))
        )
        made = (self.has_default or not makers) and DESTRUCTOR not in self.functions
        return made and not (starts or copies or self.first_values or self.copier)

    def hides(self, base: Struct) -> bool:
        """Whether it inherits from a base of its own so that others must not know."""
        return self.bases.index(base) in self.content.hides_base


def base_name(base: Struct) -> str:
    """Return the name of the member that a base is."""
    return f"base {base}"


@dataclass(frozen=True, eq=False)
class MemberFunctions:
    """What the name of member functions means in their class."""

    owner: Class
    name: str
    span: Span


def plain_name(name: str) -> str:
    """Return what a program calls a function.

    Examples
    --------
    >>> plain_name("twice(float)"), plain_name("twice")
    ('twice', 'twice')
    """
    return name.split("(")[0]


@dataclass(frozen=True)
class Frame:
    """The function whose body is being checked; `declared` is every name in it so far.

    `reference` says that it returns the address of what its returns name, `constructs` that it is a
    constructor, which returns its object; `returned` are the types of what it has returned so far.
    """

    name: str
    kind: str
    result: CType
    declared: dict[str, Span] = field(default_factory=dict, compare=False)
    reference: bool = False
    constructs: bool = False
    returned: list[CType] = field(default_factory=list, compare=False)


@dataclass
class Shared:
    """What all scopes of a program know: its constants and the functions checked so far.

    `objects` are the values of constant structures and arrays, `variables` the variables in memory.
    `templates` are the latest declarations of templates, `instances` their instances' names,
    `instance_types` for each name the types and values of the templates' instances that have it,
    `declare` declares one, `define` checks the definition of an instance in a scope, `demand` gives
    a function that is defined, but perhaps not checked yet; `cooperative` says whether kernels are
    launched so that grids can wait for each other. `dynamic` are the arrays in dynamic shared
    memory by their names, `warnings` what is legal and probably wrong, `headers` the standard ones
    that are included. `pointed` are the functions whose address is taken, each with its number and
    type; `statics` the static variables of functions, which `declare_static` declares;
    `dispatchers` those that call one by its number, `designate` gives the pointer that a name
    is; `unfinished` are functions that are called in their own bodies. `classes` are the structures
    with more than members, `instantiate` makes one of a template, `made_by` are the templates of
    those that are instances, `convert` is what their
    constructors and conversions make of a value, if they take it. `enumerators` are the names of
    each enumeration.
    """

    constants: dict[tree.Symbol, tree.Literal] = field(default_factory=dict)
    objects: dict[tree.Symbol, Any] = field(default_factory=dict)
    variables: list[tree.Declaration | None] = field(default_factory=list)
    functions: dict[str, tree.Function] = field(default_factory=dict)
    templates: dict[str, FunctionTemplate] = field(default_factory=dict)
    instances: list[str] = field(default_factory=list)
    instance_types: dict[str, list[tuple[object, ...]]] = field(default_factory=dict)
    define: Callable[[Definition, Scope], tree.Function] | None = None
    declare: Callable[[Template, Scope], None] | None = None
    demand: Callable[[str], tree.Function | None] | None = None
    cooperative: bool = False
    structures: int = 0
    dynamic: dict[str, tree.Symbol] = field(default_factory=dict)
    warnings: list[Diagnostic] = field(default_factory=list)
    headers: frozenset[str] = frozenset()
    classes: dict[Struct, Class] = field(default_factory=dict)
    made_by: dict[CType, ClassTemplate] = field(default_factory=dict)
    enumerators: dict[Enumerated, dict[str, tree.Symbol]] = field(default_factory=dict)
    pointed: dict[str, tuple[int, CType, tree.Function]] = field(default_factory=dict)
    statics: dict[tuple[str, Span], tree.Declaration] = field(default_factory=dict)
    declare_static: Callable[[Variable, Scope], None] | None = None
    unfinished: dict[str, tree.Function] = field(default_factory=dict)
    dispatchers: dict[FunctionPointer, tree.Function] = field(default_factory=dict)
    designate: Callable[[tree.Expression, Scope, CType], tree.Expression | None] | None = None
    instantiate: Callable[[TemplateId, ClassTemplate, Scope], CType] | None = None
    convert: Callable[[tree.Expression, CType, Scope, bool], tree.Expression | None] | None = None


Meaning = (
    tree.Symbol
    | AliasOf
    | Prototype
    | FunctionTemplate
    | Overloads
    | ClassTemplate
    | DataMember
    | MemberFunctions
    | Substitute
)


def _is_tag(meaning: Meaning | None) -> TypeGuard[AliasOf]:
    return isinstance(meaning, AliasOf) and meaning.tag


class Scope:
    """The names of one block, on top of those around it."""

    def __init__(
        self, shared: Shared, parent: Scope | None = None, frame: Frame | None = None
    ) -> None:
        self.shared = shared
        self.parent = parent
        self.frame: Frame | None = frame or (parent.frame if parent else None)
        self.in_loop: bool = parent.in_loop if parent and not frame else False
        self.in_switch: bool = parent.in_switch if parent and not frame else False
        #: Whether blocks right in this one cannot declare the same names again.
        self.is_head = False
        self.owner: Class | None = None  # the class whose members these names are
        self._names: dict[str, Meaning] = {}
        self._tags: dict[str, AliasOf] = {}  # those whose names mean something else, too

    def inner(self, loop: bool = False, switch: bool = False) -> Scope:
        """Return a block inside this one."""
        scope = Scope(self.shared, self)
        scope.in_loop = self.in_loop or loop
        scope.in_switch = self.in_switch or switch
        return scope

    def snapshot(self) -> Scope:
        """Return a scope as this one is now, whatever is declared in it later."""
        scope = Scope(self.shared, self.parent, self.frame)
        scope._names = dict(self._names)
        scope._tags = dict(self._tags)
        scope.owner = self.owner
        return scope

    def declare(self, name: str, meaning: Meaning) -> None:
        """Give `name` a meaning from here on."""
        old = self._names.get(name)
        if old is None and self.parent is not None and self.parent.is_head:
            old = self.parent._names.get(name)
        if _is_tag(old) and not isinstance(meaning, AliasOf):
            self._tags[name], old = old, None
        elif _is_tag(meaning) and not isinstance(old, AliasOf | None):
            self._tags[name] = meaning
            return
        if old is not None:
            hint = f"it was declared in line {old.span.line}; choose another name"
            raise CompileError(f"`{name}` is already declared in this scope", meaning.span, hint)
        self._names[name] = meaning
        if self.frame is not None:
            self.frame.declared[name] = meaning.span

    def replace(self, name: str, meaning: Meaning) -> None:
        """Give `name` a meaning, even if it has one."""
        self._names[name] = meaning

    def lookup(self, name: str) -> Meaning | None:
        """Return what `name` means here."""
        found = (scope._names[name] for scope in self._outwards() if name in scope._names)
        return next(found, None)

    def type_called(self, name: str) -> AliasOf | None:
        """Return the type that `name` means where one must stand."""
        found = (scope.type_here(name) for scope in self._outwards())
        return next((meaning for meaning in found if meaning is not None), None)

    def class_template(self, name: str) -> ClassTemplate | None:
        """Return the template of a class that `name` means in front of `<`."""
        found = (scope._names.get(name) for scope in self._outwards())
        return next((one for one in found if isinstance(one, ClassTemplate)), None)

    def type_here(self, name: str) -> AliasOf | None:
        """Return the type of this very scope that `name` means where one must stand."""
        meaning = self._names.get(name)
        return meaning if isinstance(meaning, AliasOf) else self._tags.get(name)

    def here(self, name: str) -> Meaning | None:
        """Return what this very scope says of `name`."""
        return self._names.get(name)

    def names(self, *kinds: type) -> Iterator[str]:
        """Yield the names of some kinds of meaning that can be seen from here."""
        for scope in self._outwards():
            found = scope._names.items()
            yield from (name for name, meaning in found if isinstance(meaning, kinds))

    def take(self, other: Scope) -> None:
        """Give the names of another scope the same meanings here."""
        self._names.update(other._names)
        self._tags.update(other._tags)

    def member_of(self, ctype: Struct, heirs: bool) -> bool:
        """Whether this is inside of a class, or of its `heirs`, where hidden members have names."""
        around = [scope.owner.type for scope in self._outwards() if scope.owner is not None]
        return any(one is ctype or (heirs and inherits(one, ctype, self)) for one in around)

    @property
    def outermost(self) -> Scope:
        """The scope of the file."""
        return list(self._outwards())[-1]

    def _outwards(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent


# Dispatch: `value`, `condition` and `effect` call the handler of a kind of node.
#
# Each value gets its type, each name its symbol, each conversion its node. Handlers register
# themselves with `expression`; none of them is known here.


def value(node: tree.Expression, scope: Scope) -> tree.Expression:
    """`node` checked, where its value is wanted: constants replaced, arrays decayed."""
    return valued(expression(node, scope), scope)


def valued(node: tree.Expression, scope: Scope) -> tree.Expression:
    """Return a checked expression where its value is wanted."""
    return literal_if_constant(as_value(node), scope)


def literal_if_constant(node: tree.Expression, scope: Scope) -> tree.Expression:
    """`node`, or the number that it is the name of."""
    if isinstance(node, tree.Name) and node.symbol in scope.shared.constants:
        return replace(scope.shared.constants[node.symbol], span=node.span)
    if isinstance(node, tree.Index | tree.Member) and _is_part_of_constant(node, scope):
        found = constant_of(node, scope)
        return found if isinstance(found, tree.Literal) else node
    return node


def _is_part_of_constant(node: tree.Expression, scope: Scope) -> bool:
    """Whether a number is a member or an element, at a known place, of a `constexpr` object."""
    while isinstance(node, tree.Index | tree.Member | tree.Decay):
        if isinstance(node, tree.Index):
            if not isinstance(node.index, tree.Literal):
                return False
            node = node.base
        else:
            node = node.operand if isinstance(node, tree.Decay) else node.base
    return isinstance(node, tree.Name) and node.symbol in scope.shared.objects


def condition(node: tree.Expression, scope: Scope) -> tree.Expression:
    """`node` checked as a condition, a bool."""
    if isinstance(node, Text):  # the address of its characters, as in `assert(x && "why")`
        return tree.Literal(True, span=node.span, type=BOOL)
    return as_condition(adapted(value(node, scope), BOOL, scope, asked=True))


def adapted(
    node: tree.Expression, target: CType, scope: Scope, asked: bool = False
) -> tree.Expression:
    """Return a checked value as what classes make of it for a type; any other stays as it is.

    `asked` says that the program writes the conversion, so that `explicit` ones are meant, too.
    """
    if node.type == target or scope.shared.convert is None or not scope.shared.classes:
        return node
    return scope.shared.convert(node, target, scope, asked) or node


def as_base(node: tree.Expression, target: Struct, scope: Scope) -> tree.Expression:
    """Return the part of an object that is its base class `target`, or the object itself."""
    for ctype in way_to_base(node.type, target, node.span, scope) or ():
        if ctype.members:
            node = tree.Member(node, base_name(ctype), span=node.span, type=ctype)
        else:
            node = _empty_base(node, ctype)
    return node


def way_to_base(ctype: CType, target: CType, span: Span, scope: Scope) -> tuple[Struct, ...] | None:
    """Return the bases of bases that lead from a class to one of them; None if none does.

    Raises
    ------
    CompileError
        if it has that base several times
    """
    ways = list(_ways(ctype, target, scope))
    if len(ways) > 1:
        what = f"`{ctype}` has several bases `{target}`"
        raise CompileError(what, span, "convert it to the class that has the one that is meant")
    return ways[0] if ways else None


def _ways(ctype: CType, target: CType, scope: Scope) -> Iterator[tuple[Struct, ...]]:
    if ctype == target:
        yield ()
        return
    known = scope.shared.classes.get(ctype) if isinstance(ctype, Struct) else None
    for base in known.bases if known is not None else ():
        yield from ((base, *way) for way in _ways(base, target, scope))


def place_of_base(way: tuple[Struct, ...], ctype: Struct) -> int:
    """Return how many bytes behind an object the base begins to which a way leads."""
    place = 0
    for base in way:
        found = ctype.member(base_name(base))
        place += found[1] if found is not None else 0
        ctype = base
    return place


def with_bases(ctype: CType | None, scope: Scope) -> Iterator[Class]:
    """Yield a class and what it inherits from, the nearest first."""
    waiting = [ctype]
    while waiting:
        known = (
            scope.shared.classes.get(found) if isinstance(found := waiting.pop(0), Struct) else None
        )
        if known is not None:
            yield known
            waiting += known.bases


def _empty_base(node: tree.Expression, ctype: Struct) -> tree.Expression:
    """Return a base without members: it lies where the object does, for it may be cast back."""
    if not is_lvalue(node):
        return tree.Aggregate((), span=node.span, type=ctype)
    const = is_const(node)
    at = tree.AddressOf(node, span=node.span, type=Pointer(node.type, const))
    return tree.Deref(cast(at, Pointer(ctype, const)), span=node.span, type=ctype)


def itself(scope: Scope) -> tree.Expression:
    """Return the object of the member function whose body this is; raise where there is none."""
    found = object_here(scope)
    assert found is not None
    return found


def object_here(scope: Scope, name: str = "this") -> tree.Expression | None:
    """Return `*this`, None outside of member functions; `name` is another name of the object."""
    meaning = scope.lookup(name)
    if isinstance(meaning, Substitute):
        return meaning.node
    if isinstance(meaning, tree.Symbol):
        return tree.Name(name, meaning, span=meaning.span, type=meaning.type)
    return None


def inherits(ctype: CType, target: CType, scope: Scope) -> bool:
    """Whether `target` is a base of a class, or a base's base."""
    known = scope.shared.classes.get(ctype) if isinstance(ctype, Struct) else None
    bases = known.bases if known is not None else ()
    return any(base == target or inherits(base, target, scope) for base in bases)


def effect(node: tree.Expression, scope: Scope) -> tree.Expression:
    """`node` checked where its value is dropped."""
    if isinstance(node, tree.Cast) and node.type == VOID:
        return effect(node.operand, scope)
    return literal_if_constant(expression(node, scope), scope)


@singledispatch
def expression(node: tree.Expression, scope: Scope) -> tree.Expression:
    """Check `node`: an lvalue stays one, an array stays an array."""
    raise CompileError("this cannot stand here", node.span)


def constant(node: tree.Expression, scope: Scope) -> tree.Literal | None:
    """Return the value of a constant expression, None if it is none."""
    found = constant_of(value(node, scope), scope)
    return found if isinstance(found, tree.Literal) else None


def constant_of(checked: tree.Expression, scope: Scope) -> tree.Expression | None:
    """Return the literal, or the aggregate of literals, that a checked expression comes to.

    None if it is no constant at all.

    Raises
    ------
    CompileError
        if it calls a function whose value is no constant, where the function stops to be one
    """
    if isinstance(checked, tree.Literal):
        return checked
    try:
        found = evaluated(checked, scope.shared.constants, scope.shared.objects)
    except NotConstant as stopped:
        if not stopped.inside:
            return None
        line = checked.span.line
        hint = f"so `{checked.span.text}`, line {line}, has no value while the program is compiled"
        raise CompileError(stopped.message, stopped.span, hint) from None
    return as_tree(found, checked.type, checked.span)
