"""Expressions of random kernels: each node prints itself as CUDA C and runs for one thread.

Everything in memory is a place in a Python list: a variable is a list of one, an array a list, a
pointer a pair of list and position, a reference a name bound to another's place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from tests.reference.types import (
    BOOL,
    COMPARE,
    Number,
    Type,
    apply,
    apply_unary,
    common,
    promoted,
    shift,
)

Place = tuple[list, int]


class Event(NamedTuple):
    """A step, or an access to `size` bytes; those of one key are one of their warp."""

    key: tuple[Any, ...]
    cells: Cells | None = None
    at: int = 0
    size: int = 0


@dataclass
class Thread:
    """One thread: its variables by name, what a function returned, the steps it has left.

    `specials` are threadIdx.x and its kind; `functions` those of the program; `statics` the shared
    variables of functions, by the functions' names: one for a block.

    `events` is what it does, if that is to be counted. `context` holds the iterations of the loops
    and the calls that it is in: lanes of a warp that execute the same node in the same context do
    so together, as they meet again where a statement ends.
    """

    frame: dict[str, Any]
    specials: dict[str, int] = field(default_factory=dict)
    functions: dict[str, Any] = field(default_factory=dict)
    statics: dict[str, Any] = field(default_factory=dict)
    events: list[Event] | None = None
    result: Any = None
    fuel: int = 20_000
    context: list[int] = field(default_factory=list)

    def known(self, name: str | int) -> int:
        """A literal's value, or that of a variable that every kernel declares."""
        return name if isinstance(name, int) else int(read(self.frame[name]))

    def load(self, node: Expr, place: Place) -> Any:
        """Read a place for a node."""
        if self.events is not None:
            self.note(node, "load", place)
        return read(place)

    def store(self, node: Expr, place: Place, value: Any) -> None:
        """Write a place for a node."""
        if self.events is not None:
            self.note(node, "store", place)
        write(place, value)

    def note(self, node: Expr, kind: str, place: Place) -> None:
        """Note an access to memory; the thread's own variables and arrays are none."""
        if self.events is not None and isinstance(place[0], Cells):
            key = (*self.context, id(node), kind)
            self.events.append(Event(key, place[0], place[1], node.type.dtype.itemsize))

    def step(self, node: Any, part: int = 0) -> None:
        """Execute one of the statements that a node stands for."""
        self.fuel -= 1
        if self.fuel < 0:
            raise OutOfFuelError
        if self.events is not None:
            self.events.append(Event((*self.context, id(node), part)))


class Cells(list):
    """The cells of an array that other threads can reach; `space` is global or shared."""

    def __init__(self, values: Any, space: str) -> None:
        super().__init__(values)
        self.space = space


class OutOfFuelError(Exception):
    """The program runs too long for a test."""


def read(place: Place) -> Any:
    storage, at = place
    assert 0 <= at < len(storage), "the generator made an access out of bounds"
    return storage[at]


def write(place: Place, value: Any) -> None:
    storage, at = place
    assert 0 <= at < len(storage), "the generator made an access out of bounds"
    storage[at] = value


@dataclass
class Expr:
    """`type` is the C type; pointers have the type of what they point to.

    `form` is how the expression is written in C, with the names of its parts in braces.
    """

    type: Type
    form: ClassVar[str]

    def c(self) -> str:
        return self.form.format_map(vars(self))

    def __format__(self, spec: str) -> str:
        return self.c()

    def eval(self, t: Thread) -> Any:
        raise NotImplementedError


@dataclass
class Literal(Expr):
    value: Number

    def c(self) -> str:
        if self.type == BOOL:
            return str(self.value).lower()
        text = f"{self.value!r}{self.type.suffix}".strip()
        text = f"({text})" if text.startswith("-") else text
        return text if self.type.suffix else f"(({self.type.name}){text})"

    def eval(self, t: Thread) -> Any:
        return self.value


@dataclass
class Special(Expr):
    """threadIdx.x and its kind."""

    name: str
    form = "{name}"

    def eval(self, t: Thread) -> Any:
        return t.specials[self.name]


@dataclass
class Variable(Expr):
    name: str
    form = "{name}"

    def place(self, t: Thread) -> Place:
        return t.frame[self.name]

    def eval(self, t: Thread) -> Any:
        return t.load(self, self.place(t))


@dataclass
class ArrayName(Expr):
    """An array, or a parameter that points to one, as a pointer to its first element."""

    name: str
    form = "{name}"

    def eval(self, t: Thread) -> Any:
        storage, at = t.frame[self.name]
        return storage[at] if isinstance(storage[at], tuple) else (storage, at)


@dataclass
class Subscript(Expr):
    """`base[index]`; `star` writes it as `*(base + index)`."""

    base: Expr
    index: Expr
    star: bool = False

    def c(self) -> str:
        if self.star:
            return f"(*({self.base.c()} + {self.index.c()}))"
        return f"{self.base.c()}[{self.index.c()}]"

    def place(self, t: Thread) -> Place:
        storage, at = self.base.eval(t)
        return storage, at + int(self.index.eval(t))

    def eval(self, t: Thread) -> Any:
        return t.load(self, self.place(t))


@dataclass
class Address(Expr):
    """`&place`."""

    of: Any
    form = "(&{of})"

    def eval(self, t: Thread) -> Any:
        return self.of.place(t)


@dataclass
class Step(Expr):
    """`pointer + count`."""

    pointer: Expr
    count: Expr
    form = "({pointer} + {count})"

    def eval(self, t: Thread) -> Any:
        storage, at = self.pointer.eval(t)
        return storage, at + int(self.count.eval(t))


@dataclass
class Cast(Expr):
    operand: Expr
    form = "(({type.name}){operand})"

    def eval(self, t: Thread) -> Any:
        return self.type.convert(self.operand.eval(t), self.operand.type)


@dataclass
class Unary(Expr):
    op: str
    operand: Expr

    @classmethod
    def of(cls, op: str, operand: Expr) -> Unary:
        return cls(BOOL if op == "!" else promoted(operand.type), op, operand)

    form = "({op}{operand})"

    def eval(self, t: Thread) -> Any:
        value = self.operand.eval(t)
        if self.op == "!":
            return not value
        return apply_unary(self.op, self.type.convert(value), self.type)


@dataclass
class Binary(Expr):
    op: str
    left: Expr
    right: Expr

    @classmethod
    def of(cls, op: str, left: Expr, right: Expr) -> Binary:
        if op in ("<<", ">>"):
            return cls(promoted(left.type), op, left, right)
        if op in COMPARE:
            return cls(BOOL, op, left, right)
        return cls(common(left.type, right.type), op, left, right)

    form = "({left} {op} {right})"

    def eval(self, t: Thread) -> Any:
        a, b = self.left.eval(t), self.right.eval(t)
        if self.op in ("<<", ">>"):
            return shift(self.op, self.type.convert(a), b, self.type)
        wide = common(self.left.type, self.right.type)
        return apply(self.op, wide.convert(a), wide.convert(b), wide)


@dataclass
class Logical(Expr):
    op: str
    left: Expr
    right: Expr
    form = "({left} {op} {right})"

    def eval(self, t: Thread) -> Any:
        left = bool(self.left.eval(t))
        if left == (self.op == "||"):
            return left
        return bool(self.right.eval(t))


@dataclass
class Choice(Expr):
    """`test ? then : other`, of numbers or of pointers."""

    test: Expr
    then: Expr
    other: Expr
    form = "({test} ? {then} : {other})"

    def eval(self, t: Thread) -> Any:
        value = (self.then if self.test.eval(t) else self.other).eval(t)
        return value if isinstance(value, tuple) else self.type.convert(value)


@dataclass
class Comma(Expr):
    left: Expr
    right: Expr
    form = "({left}, {right})"

    def eval(self, t: Thread) -> Any:
        self.left.eval(t)
        return self.right.eval(t)


@dataclass
class Assign(Expr):
    """`target = value`, or `target op= value` with an `op`."""

    op: str
    target: Any
    value: Expr
    form = "({target} {op}= {value})"

    def eval(self, t: Thread) -> Any:
        place, value = self.target.place(t), self.value.eval(t)
        if self.op:
            value = self.changed(t.load(self, place), value)
        elif not isinstance(value, tuple):
            value = self.type.convert(value, self.value.type)
        t.store(self, place, value)
        return value

    def changed(self, old: Number, value: Number) -> Number:
        """`old op value`, in the type in which C computes it, as the target's type."""
        if self.op in ("<<", ">>"):
            wide = promoted(self.type)
            return self.type.convert(shift(self.op, wide.convert(old), value, wide), wide)
        wide = common(self.type, self.value.type)
        new = apply(self.op, wide.convert(old), wide.convert(value), wide)
        return self.type.convert(new, wide)


@dataclass
class Increment(Expr):
    op: str
    prefix: bool
    target: Any

    def c(self) -> str:
        parts = (self.op, self.target.c()) if self.prefix else (self.target.c(), self.op)
        return f"({''.join(parts)})"

    def eval(self, t: Thread) -> Any:
        place = self.target.place(t)
        old = t.load(self, place)
        new = self.changed(old)
        t.store(self, place, new)
        return new if self.prefix else old

    def changed(self, old: Any) -> Any:
        change = 1 if self.op == "++" else -1
        if isinstance(old, tuple):
            return old[0], old[1] + change
        return self.type.convert(old + change)


@dataclass
class Extreme(Expr):
    """`min(a, b)` or `max(a, b)` of numbers of one type."""

    name: str
    left: Expr
    right: Expr
    form = "{name}({left}, {right})"

    def eval(self, t: Thread) -> Any:
        return {"min": min, "max": max}[self.name](self.left.eval(t), self.right.eval(t))
