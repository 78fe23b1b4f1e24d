"""Statements of fuzzed kernels in which threads meet: phases, warps' exchanges, atomic updates.

Running one is a generator. It yields a list at a barrier of the block (the thread's vote) and a
pair of mask and value at an exchange among the lanes of a warp; it is sent all votes, or the values
by lane.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import Any, ClassVar

from tests.reference.expressions import (
    ArrayName,
    Assign,
    Binary,
    Cast,
    Expr,
    Literal,
    Subscript,
    Thread,
    Variable,
    read,
    write,
)
from tests.reference.guards import ATOMICS, stepped
from tests.reference.statements import Body, Declare, Evaluate, Loop, Run, Stmt, indented
from tests.reference.types import FLOAT, INT, UINT, Type, promoted

FULL = 0xFFFFFFFF


def mask_text(bits: int) -> str:
    """The lanes of `bits` that the warp has."""
    return "wmask" if bits == FULL else f"(0x{bits:x}u & wmask)"


def braced(*inner: str) -> list[str]:
    """Lines in braces."""
    return ["{", *indented(list(inner)), "}"]


@dataclass
class Phase(Stmt):
    """What threads do up to a barrier: each has cells of its own, declared in `cells`.

    `end` is a barrier of the block, a `WarpSync`, or None after which nobody waits.
    """

    cells: list[Declare]
    body: Body
    end: Stmt | None

    def parts(self) -> list[Stmt]:
        return [*self.cells, *self.body.statements, *([self.end] if self.end else [])]

    def lines(self) -> list[str]:
        return [line for part in self.parts() for line in part.lines()]

    def run(self, t: Thread) -> Run:
        for part in self.parts():
            ended = yield from part.run(t)
            if ended:
                return ended
        return None


@dataclass
class Fill(Stmt):
    """All cells of a shared array, set by all threads: a loop, which the shrinker leaves alone."""

    type: Type
    name: str
    length: int
    factor: int

    @cached_property
    def loop(self) -> Loop:
        s = Variable(INT, "s")
        scaled = Binary.of("*", s, Literal(INT, self.factor))
        value = Cast(self.type, Binary.of("&", scaled, Literal(INT, 1023)))
        cell = Subscript(self.type, ArrayName(self.type, self.name), s)
        test = Binary.of("<", s, Literal(INT, self.length))
        step = Assign(INT, "+", s, Variable(INT, "T"))
        body = Body([Evaluate(Assign(self.type, "", cell, value))])
        return Loop("for", Declare(INT, "s", Variable(INT, "tid")), test, step, body)

    def lines(self) -> list[str]:
        return self.loop.lines()

    def run(self, t: Thread) -> Run:
        return (yield from self.loop.run(t))


@dataclass
class WarpSync(Stmt):
    bits: int = FULL
    fixed: ClassVar[bool] = True

    def lines(self) -> list[str]:
        return [f"__syncwarp({mask_text(self.bits)});"]

    def run(self, t: Thread) -> Run:
        t.step(self)
        yield (self.bits & t.known("wmask"), None)
        return None


@dataclass
class Exchange(Stmt):
    """`type name = call;`, by which the lanes of `bits` learn something of each other's values."""

    type: Type
    kind: str
    name: str
    value: Expr
    bits: int = field(default=FULL, kw_only=True)

    def lines(self) -> list[str]:
        return [f"{self.type.name} {self.name} = {self.call(mask_text(self.bits))};"]

    def run(self, t: Thread) -> Run:
        mine, others = self.shown(t), self.place(t)
        t.step(self)
        values = yield (self.bits & t.known("wmask"), mine)
        t.frame[self.name] = ([self.learned(values, t.known("lane"), others)], 0)
        return None

    def call(self, mask: str) -> str:
        raise NotImplementedError

    def shown(self, t: Thread) -> Any:
        """The value that other lanes learn of."""
        return self.type.convert(self.value.eval(t), self.value.type)

    def place(self, t: Thread) -> int | None:
        """What else the lane gives to the function, for itself alone."""
        return None

    def learned(self, values: dict[int, Any], lane: int, place: int | None) -> Any:
        """What a lane learns from the values by lane."""
        raise NotImplementedError


@dataclass
class Vote(Exchange):
    """`type name = __ballot_sync(mask, test);`, or any, or all."""

    def call(self, mask: str) -> str:
        return f"__{self.kind}_sync({mask}, {self.value.c()})"

    def shown(self, t: Thread) -> bool:
        return bool(INT.convert(self.value.eval(t), self.value.type))

    def learned(self, values: dict[int, Any], lane: int, place: int | None) -> int:
        ballot = sum(1 << lane for lane, vote in values.items() if vote)
        return int({"ballot": ballot, "any": ballot != 0, "all": all(values.values())}[self.kind])


@dataclass
class Shuffle(Exchange):
    """`type name = __shfl…_sync(mask, value, place[, width]);`.

    `whole`: some lane reads beyond those that a warp cut short has. Without a `source` all read the
    first lane of the mask.
    """

    source: Expr | None
    width: int = 32
    whole: bool = False

    def call(self, mask: str) -> str:
        source = self.source.c() if self.source else f"__ffs((int){mask}) - 1"
        width = f", {self.width}" if self.width != 32 else ""
        return (
            f"__shfl{self.kind}_sync({mask}, ({self.type.name}){self.value.c()}, {source}{width})"
        )

    def place(self, t: Thread) -> int | None:
        return None if self.source is None else int(self.source.eval(t))

    def learned(self, values: dict[int, Any], lane: int, place: int | None) -> Any:
        if place is None:
            return values[min(values)]
        start = lane - lane % self.width
        if not self.kind:
            return values[start + place % self.width]
        target = {"_up": lane - place, "_down": lane + place, "_xor": lane ^ place}[self.kind]
        outside = target < start if self.kind == "_up" else target >= start + self.width
        return values[lane if outside else target]


@dataclass
class Match(Exchange):
    """`unsigned name = __match_any_sync(mask, value);`, or `__match_all_sync` with its flag."""

    def lines(self) -> list[str]:
        if self.kind == "any":
            return super().lines()
        return [f"int h{self.name} = 0;", super().lines()[0].replace(";", f" + h{self.name};")]

    def call(self, mask: str) -> str:
        flag = "" if self.kind == "any" else f", &h{self.name}"
        of = promoted(self.value.type).name
        return f"__match_{self.kind}_sync({mask}, ({of}){self.value.c()}{flag})"

    def shown(self, t: Thread) -> Any:
        return promoted(self.value.type).convert(self.value.eval(t))

    def learned(self, values: dict[int, Any], lane: int, place: int | None) -> int:
        alike = sum(1 << other for other, value in values.items() if value == values[lane])
        if self.kind == "any":
            return alike
        return int(UINT.convert(alike + 1)) if len(set(values.values())) == 1 else 0


#: What `__reduce_…_sync` makes of two values.
REDUCED: dict[str, Any] = {
    "add": operator.add,
    "min": min,
    "max": max,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}


@dataclass
class Reduce(Exchange):
    """`type name = __reduce_…_sync(mask, value);`."""

    def call(self, mask: str) -> str:
        return f"__reduce_{self.kind}_sync({mask}, ({self.type.name}){self.value.c()})"

    def learned(self, values: dict[int, Any], lane: int, place: int | None) -> Any:
        combine = REDUCED[self.kind]
        return reduce(lambda a, b: self.type.convert(combine(a, b)), values.values())


@dataclass
class Split(Stmt):
    """The lanes of `bits` go one way and the others the other, each able to exchange."""

    bits: int
    then: Body
    other: Body

    def lines(self) -> list[str]:
        head = f"if ((0x{self.bits:x}u >> lane) & 1u)"
        return [head, *self.then.lines(), "else", *self.other.lines()]

    def run(self, t: Thread) -> Run:
        t.step(self)
        inside = self.bits >> t.known("lane") & 1
        return (yield from (self.then if inside else self.other).run(t))


#: Updates that commute with themselves: C of the new value, and its meaning.
UPDATES: dict[str, tuple[str, Any]] = {
    "add": ("{0} + {1}", lambda old, v, m: old + v),
    "max": ("max({0}, {1})", lambda old, v, m: max(old, v)),
    "min": ("min({0}, {1})", lambda old, v, m: min(old, v)),
    "xor": ("{0} ^ {1}", lambda old, v, m: old ^ v),
    "or": ("{0} | {1}", lambda old, v, m: old | v),
    "and": ("{0} & {1}", lambda old, v, m: old & v),
    "addmod": ("({0} % {2}u + {1} % {2}u) % {2}u", lambda old, v, m: (old % m + v % m) % m),
    "mulmod": ("({0} % {2}u) * ({1} % {2}u) % {2}u", lambda old, v, m: old % m * (v % m) % m),
    "inc": ("{0} >= {2}u ? 0u : {0} + 1u", lambda old, v, m: stepped(old, m)),
}


@dataclass
class CasLoop(Stmt):
    """An update made by a compare-and-swap loop; floats are swapped by their bits."""

    name: str
    update: str
    target: Any
    value: Expr
    modulus: int = 1

    def lines(self) -> list[str]:
        of, number = self.target.type, self.name
        base, index = self.target.base.c(), self.target.index.c()
        old, seen, p, v = (f"{x}{number}" for x in ("old", "seen", "p", "v"))
        real = of == FLOAT
        kept = INT if real else of
        current = f"__int_as_float({seen})" if real else seen
        new = UPDATES[self.update][0].format(current, v, self.modulus)
        new = f"__float_as_int({new})" if real else new
        start = f"const {of.name} {v} = ({of.name}){self.value.c()};"
        swap = f"atomicCAS({p}, {seen}, {new})"
        loop = ["do", *braced(f"{seen} = {old};", f"{old} = {swap};"), f"while ({old} != {seen});"]
        cast = f"({kept.name} *)" if real else ""
        pointer = f"{kept.name} *{p} = {cast}({base} + {index});"
        return braced(start, pointer, f"{kept.name} {seen} = 0, {old} = 0;", *loop)

    def run(self, t: Thread) -> Run:
        of = self.target.type
        value = of.convert(self.value.eval(t), self.value.type)
        place = self.target.place(t)
        write(place, of.convert(UPDATES[self.update][1](read(place), value, self.modulus)))
        t.step(self)
        return None
        yield


@dataclass
class Ticket(Stmt):
    """Every thread that comes draws the next number of a counter and uses nothing but it.

    Who draws which number is open; which numbers are drawn is not.
    """

    name: str
    counter: Any
    sink: Any
    factor: int
    marks: str = ""
    length: int = 0

    def lines(self) -> list[str]:
        t = f"t{self.name}"
        mark = f"if ({t} < {self.length}u) {self.marks}[{t}] = {t} * {self.factor}u;"
        return braced(
            f"const unsigned int {t} = atomicAdd(&{self.counter.c()}, 1u);",
            f"atomicXor(&{self.sink.c()}, {t} * {self.factor}u + 1u);",
            *([mark] if self.marks else []),
        )

    def run(self, t: Thread) -> Run:
        place, sink = self.counter.place(t), self.sink.place(t)
        number = read(place)
        write(place, UINT.convert(number + 1))
        write(sink, read(sink) ^ UINT.convert(number * self.factor + 1))
        if self.marks and number < self.length:
            storage, _ = read(t.frame[self.marks])
            storage[number] = UINT.convert(number * self.factor)
        t.step(self)
        return None
        yield


@dataclass
class Claim(Stmt):
    """The first thread to reach a cell swaps it and counts; who it is leaves no trace."""

    target: Any
    expected: int
    new: int
    sink: Any

    def lines(self) -> list[str]:
        swap = f"atomicCAS(&{self.target.c()}, {self.expected}u, {self.new}u)"
        head = f"if ({swap} == {self.expected}u)"
        return [head, f"  atomicAdd(&{self.sink.c()}, 1u);"]

    def run(self, t: Thread) -> Run:
        place = self.target.place(t)
        if read(place) == self.expected:
            write(place, self.new)
            sink = self.sink.place(t)
            write(sink, UINT.convert(ATOMICS["Add"](read(sink), 1)))
        t.step(self)
        return None
        yield
