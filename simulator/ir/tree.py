"""The vocabulary of every stage: CUDA C as frozen nodes with source spans.

The reader builds these nodes without types; the checker rebuilds them with `type` filled, names
resolved to symbols and every conversion spelled out as a `Cast` or `Decay`; the compiler reads only
checked trees. `walk` and its siblings go over either, without recursion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from functools import cache, lru_cache
from itertools import chain
from typing import Any

from simulator.ir.format_strings import Pieces
from simulator.ir.types import VOID, Array, CType, Pointer, Struct
from simulator.source import Diagnostic, Span

# Declared variables: where they live, and what they are.


class Storage(Enum):
    """Where a variable lives."""

    PARAMETER = "parameter"
    LOCAL = "local"
    SHARED = "shared"
    CONSTANT = "constant"
    DEVICE = "device"
    LITERAL = "literal"  # nowhere: it stands for its value


@dataclass(frozen=True, eq=False)
class Symbol:
    """A declared variable; two symbols are the same only if they are the same object.

    `align` is what `__align__` asks for, 1 without it.
    """

    name: str
    type: CType
    storage: Storage
    span: Span
    const: bool = False
    reference: bool = False
    volatile: bool = False
    align: int = 1

    def __str__(self) -> str:
        """How C declares it as a parameter."""
        front = str(self.type)
        mark = "&" if self.reference else ""
        return f"{front}{'' if front.endswith('*') else ' '}{mark}{self.name}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Node:
    """Anything with a span in the source.

    What shows it is one function for all nodes: to make one for each takes a command's time.
    """

    span: Span

    def __repr__(self) -> str:
        shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"


#: What the checker calls where a function ends that should have returned a value before.
NO_VALUE = "end without a value"


# Expressions. `type` is VOID until the checker has filled it.


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Expression(Node):
    """Something with a value."""

    type: CType = field(default=VOID)


@dataclass(frozen=True, eq=False, repr=False)
class Literal(Expression):
    """A constant.

    A bool, int or float whose C type the reader has already settled from its suffix.
    """

    value: bool | int | float


@dataclass(frozen=True, eq=False, repr=False)
class Name(Expression):
    """A use of a variable. Unchecked: `symbol` is None."""

    name: str
    symbol: Symbol | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Builtin(Expression):
    """threadIdx, blockIdx, blockDim, gridDim with axis x, y or z; warpSize with an empty axis.

    Checked: also clusterDim, the blocks of a cluster, which has no such name in CUDA.
    """

    name: str
    axis: str


@dataclass(frozen=True, eq=False, repr=False)
class Unary(Expression):
    """`-`, `+`, `~` or `!` of a value."""

    op: str
    operand: Expression


@dataclass(frozen=True, eq=False, repr=False)
class Deref(Expression):
    """`*pointer`, an lvalue; `read_only` if it is read by `__ldg`."""

    pointer: Expression
    read_only: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class AddressOf(Expression):
    """`&lvalue`."""

    operand: Expression


@dataclass(frozen=True, eq=False, repr=False)
class Increment(Expression):
    """`++` or `--`; its value is the new one if `prefix`, else the old one."""

    op: str
    prefix: bool
    target: Expression


@dataclass(frozen=True, eq=False, repr=False)
class Binary(Expression):
    """Arithmetic, shifts, bit operations, comparisons, and the comma.

    Checked: both operands have the same scalar type, but for shifts (each promoted by itself),
    pointer plus or minus integer (pointer on the left), pointer minus pointer, and comparisons of
    pointers.
    """

    op: str
    left: Expression
    right: Expression


@dataclass(frozen=True, eq=False, repr=False)
class Logical(Expression):
    """`&&` or `||`: the right side is evaluated only by threads that need it. Checked.

    Both sides are bool.
    """

    op: str
    left: Expression
    right: Expression


@dataclass(frozen=True, eq=False, repr=False)
class Conditional(Expression):
    """`test ? then : other`; each side is evaluated only by its threads. Checked.

    `test` is bool.
    """

    test: Expression
    then: Expression
    other: Expression


@dataclass(frozen=True, eq=False, repr=False)
class Assign(Expression):
    """`target = value`. Checked: `value` has the target's type."""

    target: Expression
    value: Expression


@dataclass(frozen=True, eq=False, repr=False)
class FirstValue(Assign):
    """`target = value` of a part of an object that is being made; the checker's."""


@dataclass(frozen=True, eq=False, repr=False)
class CompoundAssign(Expression):
    """`target op= value`: computed in type `compute`, then converted to the target's type.

    Checked: `value` has type `compute`, but for shifts (promoted by itself; `compute` is the
    target's promoted type) and pointers (`value` is long; `compute` is the pointer's type).
    """

    op: str
    target: Expression
    value: Expression
    compute: CType = field(default=VOID)


@dataclass(frozen=True, eq=False, repr=False)
class Index(Expression):
    """`base[index]`, an lvalue. Checked: `base` is a pointer, often a `Decay`.

    `index` is any integer type.
    """

    base: Expression
    index: Expression


@dataclass(frozen=True, eq=False, repr=False)
class Word(Index):
    """One of the `count` words that `memcpy` or `memset` moves; `base` is the first."""

    count: int


@dataclass(frozen=True, eq=False, repr=False)
class Aggregate(Expression):
    """A structure or array from its parts; the checker's.

    `values` has one value a member or element, another Aggregate for arrays within; of a union one
    value, that of its first member or of `member`.
    """

    values: tuple[Expression, ...]
    member: str = ""

    @property
    def parts(self) -> Iterator[tuple[str, CType, int, Expression]]:
        """The members of a structure with their values."""
        assert isinstance(self.type, Struct)
        members = self.type.members
        if self.type.union:
            members = tuple(m for m in members if m[0] == self.member) or members[:1]
        for (name, ctype, at), value in zip(members, self.values, strict=True):
            yield name, ctype, at, value


@dataclass(frozen=True, eq=False, repr=False)
class Member(Expression):
    """`base.name`. Of the checked trees only structures have it.

    `threadIdx.x` becomes a `Builtin`.
    """

    base: Expression
    name: str


@dataclass(frozen=True, eq=False, repr=False)
class Decay(Expression):
    """An array used as a pointer to its first element; the checker's."""

    operand: Expression


@dataclass(frozen=True, eq=False, repr=False)
class Cast(Expression):
    """A conversion to `type`, written by the programmer (`explicit`) or implied by C.

    Unchecked: `reinterprets` says that a pointer stays the address that it is, `named` is the cast
    that is written, such as `static_cast`.
    """

    operand: Expression
    explicit: bool = False
    reinterprets: bool = False
    named: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class IsEvaluated(Cast):
    """`__builtin_is_constant_evaluated()`: false in what runs, true in a constant expression."""


@dataclass(frozen=True, eq=False, repr=False)
class Call(Expression):
    """A call. Checked: arguments have the parameters' types.

    `function` is the device function, None if built in.
    """

    name: str
    arguments: tuple[Expression, ...]
    function: Function | None = None


@dataclass(frozen=True, eq=False, repr=False)
class OrderedCall(Call):
    """A call of a built-in access to memory that has a memory order and a scope.

    All are numbers, those of CUDA's macros (`__NV_ATOMIC_RELAXED`, `__NV_THREAD_SCOPE_BLOCK`).
    `failure` is the order of a compare-and-swap that does not swap.
    """

    order: Expression = field(kw_only=True)
    scope: Expression = field(kw_only=True)
    failure: Expression | None = field(kw_only=True, default=None)


@dataclass(frozen=True, eq=False, repr=False)
class Print(Expression):
    """A checked `printf`: the pieces of its format, and a value for each conversion.

    The values of `%s` number the `texts`.
    """

    pieces: Pieces
    texts: tuple[str, ...]
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, eq=False, repr=False)
class DeviceLaunch(Expression):
    """`name<<<grid, block, shared, stream>>>(arguments)` in device code.

    Checked: `configuration` is grid and block, each a dim3, and bytes of shared memory as unsigned
    long; the arguments have the parameters' types; `stream` is "default", "tail" or "fire".
    """

    name: str
    configuration: tuple[Expression, ...]
    arguments: tuple[Expression, ...]
    stream: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class SizeOf(Expression):
    """`sizeof(type)` or `sizeof expression`; the checker makes a literal of it.

    `aligns` says that it is `alignof(type)`, or GNU's `__alignof__ expression`.
    """

    operand: Expression | None
    of: CType | None
    aligns: bool = False


# Statements.


@dataclass(frozen=True, eq=False, repr=False)
class Statement(Node):
    """Something done."""


@dataclass(frozen=True, eq=False, repr=False)
class Block(Statement):
    """`{ … }`."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, eq=False, repr=False)
class AsmBlock(Block):
    """What an `asm` statement does: its operands as variables, its instructions, its results."""


@dataclass(frozen=True, eq=False, repr=False)
class Declaration(Statement):
    """One declared variable; `int a = 1, b;` is two of these in a row.

    Arrays may have an initialiser list. Outside functions all values are literals.
    """

    symbol: Symbol
    value: Expression | None = None
    values: tuple[Expression, ...] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Evaluate(Statement):
    """An expression for its effect."""

    expression: Expression


@dataclass(frozen=True, eq=False, repr=False)
class If(Statement):
    """Checked: `test` is bool."""

    test: Expression
    then: Statement
    other: Statement | None


@dataclass(frozen=True, eq=False, repr=False)
class Selection(If):
    """A step of a call through a pointer to a function, which is no branch of the program's."""


@dataclass(frozen=True, eq=False, repr=False)
class Loop(Statement):
    """while, do-while and for. `start` runs once, `step` after each iteration.

    `test` None means for ever.

    `kind` is "while", "do" or "for"; `unroll` is the text after `#pragma unroll`, None without the
    pragma.
    """

    kind: str
    start: tuple[Statement, ...]
    test: Expression | None
    step: Expression | None
    body: Statement
    unroll: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class CaseLabel(Statement):
    """`case value:`, or `default:` if `value` is None, on the top level of a switch's body.

    Checked: `value` is a literal of the selector's type.
    """

    value: Expression | None


@dataclass(frozen=True, eq=False, repr=False)
class Switch(Statement):
    """`switch (selector) { … }`. Checked: the selector has a promoted integer type."""

    selector: Expression
    body: Block


@dataclass(frozen=True, eq=False, repr=False)
class Break(Statement):
    """`break;`."""


@dataclass(frozen=True, eq=False, repr=False)
class Continue(Statement):
    """`continue;`."""


@dataclass(frozen=True, eq=False, repr=False)
class Return(Statement):
    """`return;` or `return value;`. Checked: the value has the function's result type."""

    value: Expression | None


@dataclass(frozen=True, eq=False, repr=False)
class Empty(Statement):
    """`;`."""


@dataclass(frozen=True, eq=False, repr=False)
class Function(Node):
    """A `__global__` kernel or a `__device__` function.

    `max_threads` is what `__launch_bounds__` promises, `linkage` "C" for what is `extern "C"`,
    `recursive` says that it calls itself, perhaps through others; `cluster` are the blocks of a
    cluster along x, y and z, as `__cluster_dims__` says; `constant` says that it is `constexpr`.
    """

    name: str
    kind: str
    result: CType
    parameters: tuple[Symbol, ...]
    body: Block
    max_threads: int | None = None
    linkage: str = ""
    recursive: bool = False
    cluster: tuple[int, int, int] | None = None
    constant: bool = False

    @property
    def is_closure(self) -> bool:
        """Whether it is what a lambda does."""
        return self.name.startswith("lambda of line")

    @property
    def takes_closures(self) -> bool:
        """Whether it is a lambda's, or is given lambdas that it may call."""
        types = (p.type for p in self.parameters if isinstance(p.type, Struct))
        return any(ctype.name.startswith("lambda of line") for ctype in types)


@dataclass(frozen=True, eq=False, repr=False)
class Program(Node):
    """A whole source file, its kernels and functions by name in the order of their definition.

    `names` are other ways in which the host writes them: instances of templates. `templates` are
    the function templates. Checked: `warnings` says what is legal in it and probably wrong;
    `identity` tells it from all others on disk, empty where nothing of it is kept, and `common` is
    what it has in common with what is kept of its kernels.
    """

    functions: dict[str, Function]
    variables: tuple[Declaration, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    templates: frozenset[str] = frozenset()
    warnings: tuple[Diagnostic, ...] = field(default=(), kw_only=True)
    identity: str = field(default="", kw_only=True)
    common: tuple[object, ...] = field(default=(), kw_only=True, repr=False)

    @property
    def kernels(self) -> dict[str, Function]:
        """The functions that a host can launch."""
        return {name: f for name, f in self.functions.items() if f.kind == "__global__"}


def is_volatile(node: Expression) -> bool:
    """Whether an lvalue is volatile, by its own declaration or by the pointer that leads to it."""
    if isinstance(node, Name):
        return node.symbol is not None and node.symbol.volatile
    if isinstance(node, (Index, Deref)):
        pointer = node.base if isinstance(node, Index) else node.pointer
        return isinstance(pointer.type, Pointer) and pointer.type.volatile
    return isinstance(node, Member) and is_volatile(node.base)


# Walks over trees.


#: Fields that never hold nodes to walk over, and types of others that do not either.
_NO_NODES = ("span", "type", "symbol", "reinterprets", "named", "member")
_PLAIN = frozenset({"bool", "int", "str", "int | None", "str | None"})


@cache
def _field_names(cls: Any) -> tuple[str, ...]:
    may_hold = (one for one in fields(cls) if one.type not in _PLAIN)
    return tuple(one.name for one in may_hold if one.name not in _NO_NODES)


def children(node: Node) -> list[Node]:
    """List the nodes directly below `node`, in source order; calls are not followed."""
    kind: Any = type(node)
    found: list[Node] = []
    for name in _field_names(kind):
        value = getattr(node, name)
        if isinstance(value, Node):
            if not isinstance(value, Function):
                found.append(value)
        elif value and isinstance(value, tuple):
            nodes = (one for one in value if isinstance(one, Node))
            found += (one for one in nodes if not isinstance(one, Function))
    return found


def elements_of(node: Expression) -> Iterator[Expression]:
    """Yield the innermost elements of an array's list of values."""
    if isinstance(node, Aggregate) and isinstance(node.type, Array):
        for inner in node.values:
            yield from elements_of(inner)
    else:
        yield node


def walk(root: Node) -> Iterator[Node]:
    """`root` and everything below it, each node before its children."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(children(node)))


def rebuilt(root: Any, changed: Mapping[int, Node]) -> Any:
    """Return `root` with some nodes below it replaced, by their identities."""
    if id(root) in changed:
        return changed[id(root)]
    kind: Any = type(root)
    new: dict[str, Any] = {}
    for name in _field_names(kind):
        value = getattr(root, name)
        made: Any = value
        if isinstance(value, tuple):
            made = tuple(rebuilt(v, changed) if isinstance(v, Node) else v for v in value)
            made = value if all(a is b for a, b in zip(made, value, strict=True)) else made
        elif isinstance(value, Node) and not isinstance(value, Function):
            made = rebuilt(value, changed)
        if made is not value:
            new[name] = made
    return replace(root, **new) if new else root


def deepest(root: Node, limit: int) -> Node | None:
    """Find a node more than `limit` levels below `root`, None if there is none."""
    waiting = [(root, 0)]
    while waiting:
        node, level = waiting.pop()
        if level > limit:
            return node
        waiting.extend((child, level + 1) for child in children(node))
    return None


def with_closures(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return nodes with those of the lambdas that they, or what they call, call.

    Lambdas see the variables around them.
    """
    seen: set[Function] = set()
    found, waiting = list(nodes), [nodes]
    while waiting:
        for node in waiting.pop():
            called = node.function if isinstance(node, Call) else None
            if called is not None and called.takes_closures and called not in seen:
                seen.add(called)
                inner = tuple(walk(called.body))
                waiting.append(inner)
                found += inner if called.is_closure else ()
    return tuple(found)


@lru_cache(maxsize=16)
def reached(kernel: Function) -> dict[Function, tuple[Node, ...]]:
    """List a kernel and all functions that it calls, directly or not, each with its nodes."""
    waiting, seen = [kernel], {kernel}
    found = {}
    while waiting:
        function = waiting.pop()
        nodes = found[function] = tuple(walk(function.body))
        for called in (node.function for node in nodes if isinstance(node, Call)):
            if called is not None and called not in seen:
                seen.add(called)
                waiting.append(called)
    return found


def nodes_of(kernel: Function) -> Iterator[Node]:
    """All nodes of a kernel and of the functions that it calls, directly or not."""
    return chain.from_iterable(reached(kernel).values())
