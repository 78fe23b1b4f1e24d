"""Nodes and types that only the tree has which `read/` makes of a file; `check/` replaces them.

Types that are still names or sizes to evaluate, initializers in braces, declarations of structures,
enumerations, aliases and templates, and a file as the list of what it declares, in its order. All
other nodes are those of `tree.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from simulator.ir import tree
from simulator.ir.types import Array, CType, Void
from simulator.source import Span, Token


@dataclass(frozen=True)
class Named(Void):
    """A type called by its name, which the checker looks up; `tag` is the `struct` before it."""

    name: str
    span: Span
    tag: str = ""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class TemplateId(Void):
    """A type called by a template's name and arguments, such as `thread_block_tile<32>`."""

    name: str
    arguments: tuple[tree.Node, ...]
    span: Span

    def __str__(self) -> str:
        return self.span.text


@dataclass(frozen=True)
class Nested(Void):
    """`typename Type<…>::name`."""

    of: CType
    name: str
    span: Span

    def __str__(self) -> str:
        return self.span.text


@dataclass(frozen=True)
class Auto(Void):
    """`auto`: the type of the initialiser."""

    def __str__(self) -> str:
        return "auto"


@dataclass(frozen=True)
class Sized(Array):
    """An array whose length is an expression, which the checker evaluates."""

    expression: tree.Expression


@dataclass(frozen=True)
class PackType(Void):
    """`type...`: a type for each element of the parameter packs that it names."""

    of: CType

    def __str__(self) -> str:
        return f"{self.of}..."


@dataclass(frozen=True)
class Forwarded(Void):
    """`type &&`: of a template's parameter, a reference to what has an address, or a value."""

    of: CType

    def __str__(self) -> str:
        return f"{self.of} &&"


@dataclass(frozen=True)
class TypeOf(Void):
    """`decltype(expression)`."""

    expression: tree.Expression

    def __str__(self) -> str:
        return f"decltype({self.expression.span.text})"


@dataclass(frozen=True, eq=False)
class InitializerList(tree.Expression):
    """`{a, b, …}`, possibly nested; `direct` where it stands behind a name without `=`."""

    values: tuple[tree.Expression, ...]
    direct: bool = False


@dataclass(frozen=True, eq=False)
class Expansion(tree.Expression):
    """`pattern...`: the pattern once for each element of the parameter packs that it names."""

    pattern: tree.Expression


@dataclass(frozen=True, eq=False)
class Fold(tree.Expression):
    """`(left op ... op right)`; one side may be missing, and one has parameter packs."""

    op: str
    left: tree.Expression | None
    right: tree.Expression | None


@dataclass(frozen=True, eq=False)
class PackSize(tree.Expression):
    """`sizeof...(name)`."""

    name: str


@dataclass(frozen=True, eq=False)
class Direct(tree.Expression):
    """The values of `Type name(a, b, …);`."""

    values: tuple[tree.Expression, ...]


@dataclass(frozen=True, eq=False)
class Made(tree.Expression):
    """`Type{a, b, …}` or `Type()`: a value of `made` from a list."""

    made: CType
    values: tuple[tree.Expression, ...]


@dataclass(frozen=True, eq=False)
class Text(tree.Expression):
    """A string, with its quotes."""

    text: str


@dataclass(frozen=True, eq=False)
class Variable(tree.Declaration):
    """A declaration with its specifiers, which the checker judges.

    `alignments` are the arguments of `__align__(…)` among them; `arguments` those that a template
    of a constant is specialised for.
    """

    specifiers: frozenset[str] = frozenset()
    alignments: tuple[tree.Expression, ...] = ()
    arguments: tuple[tree.Node, ...] | None = None


@dataclass(frozen=True, eq=False)
class Alias(tree.Statement):
    """`typedef type name;` or `using name = type;`."""

    name: str
    type: CType
    const: bool = False


@dataclass(frozen=True, eq=False)
class Field(tree.Symbol):
    """A member: a bit field where it has a `width`, which may have no name."""

    width: tree.Expression | None = None
    mutable: bool = False


@dataclass(frozen=True, eq=False)
class Structure(tree.Statement):
    """`struct name { … }`, called `label` in messages; `fields` is None if only declared."""

    name: str
    label: str
    fields: tuple[tree.Symbol, ...] | None
    alignments: tuple[tree.Expression, ...] = ()
    content: ClassContent | None = None


@dataclass(frozen=True, eq=False)
class ClassContent:
    """What a structure has beyond members without values.

    `word` is struct, class or union, `bases` are what it inherits from, `first_values` those of its
    members that have one, by their names, `members` its functions, types, constants and templates
    in their order, `hidden` the names that are not public with their access, `friends` the
    functions that are its friends, `arguments` those that a template is specialised for, None if it
    is no specialisation; `hides_base` are the places of bases that are not public; `uses` are the
    names of bases that it makes its own.
    """

    word: str
    bases: tuple[CType, ...] = ()
    first_values: tuple[tuple[str, tree.Expression], ...] = ()
    members: tuple[tree.Node, ...] = ()
    hidden: Mapping[str, str] = field(default_factory=dict)
    friends: tuple[tree.Node, ...] = ()
    befriends: bool = False
    arguments: tuple[tree.Node, ...] | None = None
    hides_base: frozenset[int] = frozenset()
    uses: tuple[UsedName, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing beyond members: what C has, too."""
        more = self.bases or self.first_values or self.members or self.friends or self.uses
        return not (more or self.hidden or self.arguments)


@dataclass(frozen=True, eq=False)
class UsedName(tree.Node):
    """`using Base::name;` in a class."""

    base: CType
    name: str


@dataclass(frozen=True, eq=False)
class Enumerator(tree.Node):
    """One name of an enumeration, and its value if it is given."""

    name: str
    value: tree.Expression | None


@dataclass(frozen=True, eq=False)
class Enumeration(tree.Statement):
    """`enum name { … }`; those of a `scoped` one are called `name::enumerator` only."""

    name: str
    scoped: bool
    underlying: CType | None
    enumerators: tuple[Enumerator, ...]


@dataclass(frozen=True, eq=False)
class StaticAssertion(tree.Statement):
    """`static_assert(condition, "message");`."""

    condition: tree.Expression
    message: str


@dataclass(frozen=True, eq=False)
class Prototype(tree.Node):
    """The head of a function.

    `bounds` are what `__launch_bounds__` says, `defaults` the values of the
    last parameters, `name_span` is where its name stands; `cluster` is what `__cluster_dims__`
    says.
    """

    name: str
    result: CType
    parameters: tuple[tree.Symbol, ...]
    specifiers: frozenset[str]
    bounds: tuple[tree.Expression, ...] = ()
    defaults: tuple[tree.Expression, ...] = ()
    name_span: Span | None = None
    cluster: tuple[tree.Expression, ...] = ()
    kind: str = ""  # constructor, destructor or conversion
    const: bool = False  # of a member function: whether it leaves its object alone
    disposal: str = ""  # default or delete
    returns_reference: bool = False
    const_result: bool = False
    refers: bool = False  # checked: its result is the address of what it returns
    returns_object: bool = False  # checked: it returns `*this`, and nothing as it is compiled
    arguments: tuple[tree.Node, ...] | None = None  # of an explicit specialisation

    @property
    def location(self) -> Span:
        """Where messages point: the name."""
        return self.name_span or self.span


@dataclass(frozen=True, eq=False)
class LocalPrototype(tree.Statement):
    """The head of a function, declared in a function."""

    head: Prototype


@dataclass(frozen=True, eq=False)
class Definition(tree.Node):
    """A function with its body."""

    head: Prototype
    body: tree.Block
    member_values: tuple[MemberValue, ...] = ()


@dataclass(frozen=True, eq=False)
class MemberValue(tree.Node):
    """`name(values…)` between the head of a constructor and its body; `name` may be a type."""

    name: str
    type: CType
    values: tuple[tree.Expression, ...]
    braces: bool


@dataclass(frozen=True, eq=False)
class TypeArgument(tree.Node):
    """A type as the argument of a template."""

    type: CType
    const: bool = False


@dataclass(frozen=True, eq=False)
class TemplateParameter(tree.Node):
    """`typename name`, where `type` is None, or `int name`, with what it is if left out.

    `pack` says that it is `typename... name`; `inner` are the parameters of one that is itself a
    template, `template <typename> class name`.
    """

    name: str
    type: CType | None
    default: tree.Node | None = None
    pack: bool = False
    inner: tuple[TemplateParameter, ...] | None = None


@dataclass(frozen=True, eq=False)
class Template(tree.Node):
    """A function template, or its head."""

    parameters: tuple[TemplateParameter, ...]
    item: Prototype | Definition | Structure | Alias | Template | Variable


@dataclass(frozen=True, eq=False)
class TemplateCall(tree.Call):
    """`name<given…>(arguments…)`."""

    given: tuple[tree.Node, ...] = ()


@dataclass(frozen=True, eq=False)
class TemplateValue(tree.Expression):
    """`name<given…>` of a template of a variable."""

    name: str
    given: tuple[tree.Node, ...]


@dataclass(frozen=True, eq=False)
class Method(tree.Expression):
    """`base.name(arguments…)`."""

    base: tree.Expression
    name: str
    arguments: tuple[tree.Expression, ...]
    given: tuple[tree.Node, ...] | None = None


@dataclass(frozen=True, eq=False)
class Called(tree.Expression):
    """`function(arguments…)`, where `function` is an expression, an object perhaps."""

    function: tree.Expression
    arguments: tuple[tree.Expression, ...]


@dataclass(frozen=True, eq=False)
class MemberOf(tree.Expression):
    """`Type<…>::name`, and with arguments a call of it."""

    of: CType
    name: str
    arguments: tuple[tree.Expression, ...] | None = None


@dataclass(frozen=True, eq=False)
class Constructed(tree.Expression):
    """`Type(a, b, …)`."""

    made: CType
    values: tuple[tree.Expression, ...]


@dataclass(frozen=True, eq=False)
class Capture:
    """What a lambda keeps: a `name` by value or by reference; `=` and `&` for those unsaid."""

    name: str
    reference: bool
    span: Span
    value: tree.Expression | None = None
    pack: bool = False


@dataclass(frozen=True, eq=False)
class Lambda(tree.Expression):
    """`[captures](parameters) { … }`."""

    captures: tuple[Capture, ...]
    head: Prototype
    body: tree.Block
    mutable: bool = False


@dataclass(frozen=True, eq=False)
class Construct(tree.Expression):
    """`type()`, or `type<…>(a, b)`: a value of it from the arguments."""

    values: tuple[tree.Expression, ...] = ()


@dataclass(frozen=True, eq=False)
class Checked(tree.Expression):
    """An argument that has been checked already, to find out its type."""

    checked: tree.Expression


@dataclass(frozen=True, eq=False)
class FunctionType(Void):
    """The type of a function: it may have a name, and no variables."""


@dataclass(frozen=True, eq=False)
class RangeLoop(tree.Statement):
    """`for (variable : range) body`."""

    variable: Variable | Bindings
    range: tree.Expression
    body: tree.Statement
    unroll: str | None = None


@dataclass(frozen=True, eq=False)
class Bindings(tree.Statement):
    """`auto [names] = value;`: names for the parts of `whole`, which no program can name."""

    names: tuple[tree.Name, ...]
    whole: Variable


@dataclass(frozen=True, eq=False)
class Scoped(tree.Block):
    """What the parentheses of a statement declare, and the statement.

    Blocks that stand right in it cannot declare the same names again.
    """


@dataclass(frozen=True, eq=False)
class ConstexprIf(tree.If):
    """`if constexpr`: only one side is compiled, and only that one is checked."""


@dataclass(frozen=True, eq=False)
class AsmOperand(tree.Node):
    """`"=r"(x)`: a constraint, without its quotes, and an expression."""

    constraint: str
    expression: tree.Expression


@dataclass(frozen=True, eq=False)
class Assembly(tree.Statement):
    """`asm("…" : outputs : inputs : clobbers);`; clobbers change nothing here."""

    strings: tuple[Token, ...]
    outputs: tuple[AsmOperand, ...]
    inputs: tuple[AsmOperand, ...]


#: Statements that only say what names mean, and leave nothing to do.
Naming = Alias | Structure | Enumeration | StaticAssertion
Item = Prototype | Definition | Variable | Naming | Template


@dataclass(frozen=True, eq=False)
class NameExpression(tree.Node):
    """A function as the host names it, such as `kernel<float, 256>`; `text` is how it does."""

    text: str
    name: str
    given: tuple[tree.Node, ...] | None


@dataclass(frozen=True, eq=False)
class Unit(tree.Program):
    """A program as it was read: its declarations in their order.

    `functions` is empty until it is checked; `asked` are those that the host will ask for;
    `headers` are the standard ones that it includes.
    """

    items: tuple[Item, ...] = ()
    asked: tuple[NameExpression, ...] = ()
    headers: frozenset[str] = frozenset()
