"""Expressions of fuzzed kernels that no shape of the operands can make undefined.

They join those of `tests/reference/expressions.py`: each prints itself as CUDA C and runs for one
thread. A *guard* keeps its operand in a range, so the shrinker never lets the operand take the
guard's place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from tests.reference.expressions import Cast, Expr, Thread, read, write
from tests.reference.types import (
    INT,
    LLONG,
    UINT,
    ULLONG,
    Number,
    Type,
    promoted,
    shift,
)

#: What every kernel knows of the thread, and how C computes it.
KNOWN: dict[str, str] = {
    "tid": "const int tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);",
    "T": "const int T = blockDim.x * blockDim.y * blockDim.z;",
    "bid": "const int bid = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);",
    "seg": "const int seg = bid * T;",
    "gid": "const int gid = bid * T + tid;",
    "mine": "const int mine = gid * 4;",
    "G": "const int G = T * gridDim.x * gridDim.y * gridDim.z;",
    "lane": "const int lane = tid & 31;",
    "warp": "const int warp = tid / 32;",
    "first": "const int first = tid - lane;",
    "live": "const int live = min(32, T - first);",
    "wmask": "const unsigned int wmask = live == 32 ? 0xffffffffu : (1u << live) - 1u;",
}


def whole(node: Expr) -> Expr:
    """A number without a fraction."""
    return Cast(INT, node) if node.type.real else node


def unsigned(of: Type) -> Type:
    return {INT: UINT, LLONG: ULLONG}[of]


@dataclass
class Wrapped(Expr):
    """Signed +, -, * or << computed on unsigned operands: C leaves overflow undefined."""

    op: str
    left: Expr
    right: Expr

    def c(self) -> str:
        of = unsigned(self.type).name
        right = self.right.c() if self.op == "<<" else f"({of}){self.right.c()}"
        return f"(({self.type.name})(({of}){self.left.c()} {self.op} {right}))"

    def eval(self, t: Thread) -> Number:
        a, b = self.type.convert(self.left.eval(t)), self.right.eval(t)
        if self.op == "<<":
            return shift("<<", a, b, self.type)
        b = self.type.convert(b)
        return self.type.convert({"+": a + b, "-": a - b, "*": a * b}[self.op])


@dataclass
class Mask(Expr):
    """`operand & bits`: a number from 0 to `bits`."""

    operand: Expr
    bits: int
    guard: ClassVar[bool] = True

    @classmethod
    def of(cls, operand: Expr, bits: int) -> Mask:
        operand = whole(operand)
        return cls(promoted(operand.type), operand, bits)

    form = "({operand} & {bits})"

    def eval(self, t: Thread) -> int:
        return int(self.operand.eval(t)) & self.bits


@dataclass
class Divisor(Expr):
    """`(operand & 7) + 1`."""

    operand: Expr
    guard: ClassVar[bool] = True

    @classmethod
    def of(cls, operand: Expr) -> Divisor:
        operand = whole(operand)
        return cls(promoted(operand.type), operand)

    form = "(({operand} & 7) + 1)"

    def eval(self, t: Thread) -> int:
        return (int(self.operand.eval(t)) & 7) + 1


@dataclass
class Bounded(Expr):
    """An index from `base` on, below `base + limit`; both are literals or names of `KNOWN`.

    With a `cast`, the limit is a power of 2, by whose bits the index is masked before it is cast.
    """

    operand: Expr
    limit: str | int
    base: str = ""
    cast: Type | None = None
    guard: ClassVar[bool] = True

    def c(self) -> str:
        if self.cast and isinstance(self.limit, int):
            index = f"({self.cast.name})({self.operand.c()} & {self.limit - 1})"
            return f"({self.base} + {index})" if self.base else f"({index})"
        limit = f"{self.limit}u" if isinstance(self.limit, int) else f"(unsigned int){self.limit}"
        index = f"(int)((unsigned int){self.operand.c()} % {limit})"
        return f"({self.base} + {index})" if self.base else f"({index})"

    def eval(self, t: Thread) -> int:
        index = int(self.operand.eval(t) if self.cast else UINT.convert(self.operand.eval(t)))
        index %= t.known(self.limit)
        index = int(self.cast.convert(index)) if self.cast else index
        return index + (t.known(self.base) if self.base else 0)


@dataclass
class Small(Expr):
    """A number from 0 to 1023 as a float or double, so that a few sums and products are exact."""

    operand: Expr
    guard: ClassVar[bool] = True

    def c(self) -> str:
        inner = f"(int){self.operand.c()}" if self.operand.type.real else self.operand.c()
        return f"(({self.type.name})({inner} & 1023))"

    def eval(self, t: Thread) -> float:
        value = self.operand.eval(t)
        if self.operand.type.real:
            value = INT.convert(value, self.operand.type)
        return float(int(value) & 1023)


@dataclass
class Own(Expr):
    """The one cell of this thread: `who` permuted among `count`, from `base` on.

    `scale` has no divisor in common with `count`; `turn` names a loop's counter that shifts it.
    """

    who: str
    count: str | int
    scale: int = 1
    shift: int = 0
    turn: str = ""
    base: str = ""
    fixed: ClassVar[bool] = True

    def c(self) -> str:
        terms = [self.who if self.scale == 1 else f"{self.who} * {self.scale}"]
        terms += [f"{self.turn} * 3"] if self.turn else []
        terms += [str(self.shift)] if self.shift else []
        place = f"({' + '.join(terms)}) % {self.count}" if len(terms) > 1 else terms[0]
        if len(terms) == 1 and self.scale != 1:
            place = f"{self.who} * {self.scale} % {self.count}"
        return f"({self.base} + {place})" if self.base else f"({place})"

    def eval(self, t: Thread) -> int:
        turn = 3 * t.known(self.turn) if self.turn else 0
        place = (t.known(self.who) * self.scale + turn + self.shift) % t.known(self.count)
        return place + (t.known(self.base) if self.base else 0)


@dataclass
class Ldg(Expr):
    """`__ldg(&place)`."""

    place: Any
    form = "__ldg(&{place})"

    def eval(self, t: Thread) -> Number:
        value: Number = self.place.eval(t)
        return value


def called(t: Thread, parameters: Any, arguments: list[Any]) -> dict[str, Any]:
    """The frame of a function that is called with these arguments."""
    frame: dict[str, Any] = {}
    for parameter, argument in zip(parameters, arguments, strict=True):
        if parameter.mode == "reference":
            frame[parameter.name] = argument.place(t)
        else:
            frame[parameter.name] = ([parameter.bound(argument.eval(t), argument.type)], 0)
    return frame


@dataclass
class Call(Expr):
    """A call of a device function of the program."""

    name: str
    arguments: list[Any]

    def c(self) -> str:
        return f"{self.name}({', '.join(a.c() for a in self.arguments)})"

    def eval(self, t: Thread) -> Any:
        function = t.functions[self.name]
        outer, t.frame = t.frame, called(t, function.parameters, self.arguments)
        t.context.append(id(self))
        for _ in function.body.run(t):
            raise AssertionError("a barrier in a device function")
        t.context.pop()
        t.frame = outer
        return t.result


def stepped(old: int, most: int) -> int:
    """atomicInc's rule."""
    return 0 if old >= most else old + 1


def stepped_down(old: int, most: int) -> int:
    """atomicDec's rule."""
    return most if old == 0 or old > most else old - 1


ATOMICS: dict[str, Callable[[Any, Any], Any]] = {
    "Add": lambda old, v: old + v,
    "Sub": lambda old, v: old - v,
    "Min": min,
    "Max": max,
    "And": lambda old, v: old & v,
    "Or": lambda old, v: old | v,
    "Xor": lambda old, v: old ^ v,
    "Inc": stepped,
    "Dec": stepped_down,
}


@dataclass
class Atomic(Expr):
    """`atomicName(&target, value)`; `value` is cast to the target's type."""

    name: str
    target: Any
    value: Expr
    form = "atomic{name}(&{target}, ({type.name}){value})"

    def eval(self, t: Thread) -> Number:
        place = self.target.place(t)
        value = self.type.convert(self.value.eval(t), self.value.type)
        t.note(self, "atomic", place)
        old: Number = read(place)
        write(place, self.type.convert(ATOMICS[self.name](old, value)))
        return old
