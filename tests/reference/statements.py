"""Statements of random kernels: each prints itself as CUDA C and runs for one thread.

Running a statement is a generator: it yields at barriers and returns how it ended (None, "break",
"continue", "return"). What counts as a step is what the simulator calls a statement: expression
statements, initialised declarations, tests, break, continue and return.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from tests.reference.expressions import Comma, Expr, Thread, Variable
from tests.reference.types import INT, Type

Run = Generator[Any, Any, str | None]


@dataclass
class Stmt:
    def lines(self) -> list[str]:
        raise NotImplementedError

    def run(self, t: Thread) -> Run:
        raise NotImplementedError
        yield


def indented(lines: list[str]) -> list[str]:
    return ["  " + line for line in lines]


@dataclass
class Body(Stmt):
    statements: list[Stmt]

    def lines(self) -> list[str]:
        inner = [line for s in self.statements for line in s.lines()]
        return ["{", *indented(inner), "}"]

    def run(self, t: Thread) -> Run:
        for statement in self.statements:
            ended = yield from statement.run(t)
            if ended:
                return ended
        return None


def dropped(expression: Expr) -> Expr:
    """What is left of an expression whose value nobody wants: `x, y` does not read y."""
    while isinstance(expression, Comma) and isinstance(expression.right, Variable):
        expression = expression.left
    return expression


@dataclass
class Evaluate(Stmt):
    expression: Expr

    def lines(self) -> list[str]:
        return [f"{self.expression.c()};"]

    def run(self, t: Thread) -> Run:
        dropped(self.expression).eval(t)
        t.step(self)
        return None
        yield


@dataclass
class Declare(Stmt):
    """`type name = value;`, a pointer with `star`; without a value it must be set before use."""

    type: Type
    name: str
    value: Expr | None
    const: bool = False
    star: bool = False

    def lines(self) -> list[str]:
        init = f" = {self.value.c()}" if self.value is not None else ""
        const = "const " if self.const else ""
        return [f"{const}{self.type.name} {'*' * self.star}{self.name}{init};"]

    def run(self, t: Thread) -> Run:
        value = 0 if self.value is None else self.value.eval(t)
        t.frame[self.name] = ([self.bound(value)], 0)
        if self.value is not None:
            t.step(self)
        return None
        yield

    def bound(self, value: Any) -> Any:
        """What the variable holds at first."""
        if self.star or self.value is None:
            return value
        return self.type.convert(value, self.value.type)


@dataclass
class DeclareArray(Stmt):
    type: Type
    name: str
    values: list[Expr]
    length: int

    def lines(self) -> list[str]:
        inner = ", ".join(v.c() for v in self.values)
        return [f"{self.type.name} {self.name}[{self.length}] = {{{inner}}};"]

    def run(self, t: Thread) -> Run:
        t.frame[self.name] = (self.elements([v.eval(t) for v in self.values]), 0)
        t.step(self)
        return None
        yield

    def elements(self, values: list[Any]) -> list[Any]:
        """The array at first: the values of the list, then zeros."""
        pairs = zip(values, self.values, strict=True)
        given = [self.type.convert(v, node.type) for v, node in pairs]
        return given + [self.type.convert(0)] * (self.length - len(given))


@dataclass
class If(Stmt):
    test: Expr
    then: Body
    other: Body | None

    def lines(self) -> list[str]:
        head = [f"if ({self.test.c()})", *self.then.lines()]
        return head + (["else", *self.other.lines()] if self.other else [])

    def run(self, t: Thread) -> Run:
        holds = self.test.eval(t)
        t.step(self)
        side = self.then if holds else self.other
        return (yield from side.run(t)) if side else None


@dataclass
class Loop(Stmt):
    """for, while or do; `start` is a declaration and `step` an expression of a for."""

    kind: str
    start: Stmt | None
    test: Expr | None
    step: Expr | None
    body: Body

    def lines(self) -> list[str]:
        test = self.test.c() if self.test is not None else ""
        if self.kind == "do":
            return ["do", *self.body.lines(), f"while ({test});"]
        if self.kind == "while":
            return [f"while ({test})", *self.body.lines()]
        start = self.start.lines()[0] if self.start else ";"
        last = self.step.c() if self.step else ""
        return [f"for ({start} {test}; {last})", *self.body.lines()]

    def run(self, t: Thread) -> Run:
        if self.start:
            yield from self.start.run(t)
        t.context.append(0)
        ended = yield from self.iterations(t)
        t.context.pop()
        return ended

    def iterations(self, t: Thread) -> Run:
        first = self.kind == "do"
        while first or self._holds(t):
            first = False
            ended = yield from self.body.run(t)
            if ended == "break":
                return None
            if ended == "return":
                return ended
            if self.step:
                self.step.eval(t)
                t.step(self, 1)
            t.context[-1] += 1
        return None

    def _holds(self, t: Thread) -> bool:
        if self.test is None:
            return True
        holds = self.test.eval(t)
        t.step(self)
        return bool(holds)


@dataclass
class Switch(Stmt):
    """`switch (test)` over case 0, 1, …, the last being default, each ending with break or not.

    `test` is below the number of cases, or not: then it is the last one's.
    """

    test: Expr
    cases: list[Body]
    breaks: list[bool]

    def lines(self) -> list[str]:
        made: list[str] = []
        for at, (body, ends) in enumerate(zip(self.cases, self.breaks, strict=True)):
            last = at == len(self.cases) - 1
            made += ["default:" if last else f"case {at}:", *indented(body.lines())]
            made += ["  break;"] if ends else []
        return [f"switch ({self.test.c()})", "{", *indented(made), "}"]

    def run(self, t: Thread) -> Run:
        at = min(int(self.test.eval(t)), len(self.cases) - 1)
        t.step(self)
        for body, ends in list(zip(self.cases, self.breaks, strict=True))[at:]:
            ended = yield from body.run(t)
            if ended:
                return None if ended == "break" else ended
            if ends:
                t.step(self, 1 + at)
                break
            at += 1
        return None


@dataclass
class Jump(Stmt):
    """`break;` or `continue;`."""

    word: str

    def lines(self) -> list[str]:
        return [f"{self.word};"]

    def run(self, t: Thread) -> Run:
        t.step(self)
        return self.word
        yield


@dataclass
class Return(Stmt):
    type: Type | None
    value: Expr | None

    def lines(self) -> list[str]:
        return [f"return {self.value.c()};" if self.value is not None else "return;"]

    def run(self, t: Thread) -> Run:
        if self.value is not None and self.type is not None:
            t.result = self.type.convert(self.value.eval(t), self.value.type)
        t.step(self)
        return "return"
        yield


@dataclass
class Barrier(Stmt):
    """`__syncthreads();`, or with a vote `int name = __syncthreads_count(test);` and its kind."""

    vote: str = ""
    name: str = ""
    test: Expr | None = None

    def lines(self) -> list[str]:
        if self.test is None:
            return ["__syncthreads();"]
        return [f"int {self.name} = __syncthreads_{self.vote}({self.test.c()});"]

    def run(self, t: Thread) -> Run:
        mine = self.test is not None and self.predicate(self.test.eval(t))
        votes = yield [mine]
        if self.test is not None:
            t.frame[self.name] = ([self.result(votes)], 0)
        t.step(self)
        return None

    def predicate(self, value: Any) -> bool:
        """A vote is an int that is not 0."""
        assert self.test is not None
        return bool(INT.convert(value, self.test.type))

    def result(self, votes: list[bool]) -> int:
        """The value that every thread receives."""
        return int({"count": sum(votes), "and": all(votes), "or": any(votes)}[self.vote])


@dataclass
class Parameter:
    """`mode` is value, reference or pointer."""

    type: Type
    name: str
    mode: str = "value"

    def c(self) -> str:
        mark = {"value": " ", "reference": " &", "pointer": " *"}[self.mode]
        return f"{self.type.name}{mark}{self.name}"

    def bound(self, value: Any, source: Type) -> Any:
        """What the parameter holds when `value` is passed."""
        return value if self.mode == "pointer" else self.type.convert(value, source)


@dataclass
class Function:
    name: str
    result: Type | None
    parameters: list[Parameter]
    body: Body

    def lines(self) -> list[str]:
        kind = self.result.name if self.result else "void"
        head = f"__device__ {kind} {self.name}({', '.join(p.c() for p in self.parameters)})"
        return [head, *self.body.lines()]
