"""Random C expressions over every scalar type, without undefined behaviour by construction.

Divisors are never 0 nor -1 where that could overflow, shift counts stay below the width, floats are
clamped before they become integers, and of two operands in no fixed order neither changes what the
other uses. Signed overflow is left in: it wraps.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.reference.types import BOOL, INT, INTEGERS, TYPES, UINT, ULONG, Type, common, promoted
from tests.simulator.cpp.literals import limits, literal
from tests.simulator.cpp.pieces import (
    AND,
    ASSIGN,
    BIT_AND,
    BIT_OR,
    BIT_XOR,
    CHOICE,
    COMMA,
    EQUAL,
    LESS,
    OR,
    POSTFIX,
    PRIMARY,
    PRODUCT,
    SHIFT,
    SUM,
    UNARY,
    Helper,
    Pool,
    Typed,
    Variable,
)


class Expressions:
    """Writes random expressions.

    `inputs` are the leaves that need no pool: parameters of the kernel, values of the lane.
    """

    def __init__(self, rng: random.Random, inputs: Sequence[Typed]) -> None:
        self.rng = rng
        self.inputs = list(inputs)
        self.helpers: list[Helper] = []
        self._makers: dict[Callable[[int, Pool], Typed], int] = {
            self._arithmetic: 10,
            self._bits: 6,
            self._shift: 5,
            self._division: 5,
            self._comparison: 6,
            self._logical: 5,
            self._unary: 6,
            self._cast: 6,
            self._choice: 5,
            self._comma: 2,
            self._assign: 3,
            self._compound: 5,
            self._increment: 3,
            self._call: 3,
            self._size: 1,
        }

    def expression(self, depth: int, pool: Pool) -> Typed:
        """An expression of any type, at most `depth` operators deep."""
        if depth <= 0 or self.rng.random() < 0.1:
            return self.leaf(pool)
        (maker,) = self.rng.choices(list(self._makers), list(self._makers.values()))
        return maker(depth - 1, pool)

    def leaf(self, pool: Pool) -> Typed:
        kind = self.rng.random()
        if kind < 0.25:
            text, ctype = literal(self.rng)
            binds = PRIMARY if text[0] != "-" else SUM if " - " in text else UNARY
            return Typed(text, ctype, binds)
        if kind < 0.6 and pool.read:
            return self.place(self.rng.choice(pool.read), pool.frozen())
        return self.rng.choice(self.inputs)

    def place(self, variable: Variable, pool: Pool, depth: int = 1) -> Typed:
        """An lvalue that denotes `variable`, or an element of it."""
        name = variable.name
        if variable.kind == "pointed" and self.rng.random() < 0.5:
            return Typed(f"*q_{name}", variable.type, UNARY)
        if variable.kind != "array":
            return Typed(name, variable.type, POSTFIX if name[-1] == "]" else PRIMARY)
        if self.rng.random() < 0.5:
            return Typed(f"{name}[{self.rng.randrange(4)}]", variable.type, POSTFIX)
        index = self.integer(
            depth, Pool(tuple(v for v in pool.read if v.kind == "plain"), pool.write)
        )
        return Typed(f"{name}[{self.operand(index, BIT_AND)} & 3]", variable.type, POSTFIX)

    # What keeps undefined behaviour out.

    def integer(self, depth: int, pool: Pool) -> Typed:
        """An expression of an integer type or bool."""
        value = self.expression(depth, pool)
        return self._converted(value, self.rng.choice(INTEGERS)) if value.type.real else value

    def fitting(self, target: Type, depth: int, pool: Pool) -> Typed:
        """An expression that C may convert to `target` by itself."""
        value = self.expression(depth, pool)
        if value.type.real and not target.real and target != BOOL:
            return self._clamped(value, target)
        return value

    def _clamped(self, value: Typed, target: Type) -> Typed:
        low, high = limits(target)
        call = f"within_{value.type.tag}({self.operand(value, ASSIGN)}, {low}, {high})"
        return Typed(call, value.type, POSTFIX)

    def _converted(self, value: Typed, target: Type) -> Typed:
        """An explicit conversion that is defined, in one of its three notations."""
        if value.type.real and not target.real and target != BOOL:
            value = self._clamped(value, target)
        form = self.rng.random()
        if form < 0.15:
            return Typed(f"static_cast<{target.name}>({value.text})", target, POSTFIX)
        if form < 0.3 and " " not in target.name:
            return Typed(f"{target.name}({self.operand(value, ASSIGN)})", target, POSTFIX)
        return Typed(f"({target.name}){self.operand(value, UNARY)}", target, UNARY)

    def _divisor(self, depth: int, pool: Pool, dividend: Type) -> Typed:
        """An integer that is not 0, and neither 1 nor -1 unless the division is unsigned.

        GCC 12 makes `a / -b` of `-(a / b)`, which traps for the lowest `a` where `b` is 1.
        """
        value = self.integer(depth, pool)
        ctype = common(dividend, value.type)
        form = self.rng.random()
        if not ctype.signed and form < 0.6:
            return Typed(f"{self.operand(value, BIT_OR)} | 1", common(value.type, INT), BIT_OR)
        masked = f"({self.operand(value, BIT_AND)} & {self.rng.choice((3, 15, 1023))})"
        if form < 0.8:
            return Typed(f"{masked} + 2", common(value.type, INT), SUM)
        return Typed(f"-2 - {masked}", common(value.type, INT), SUM)

    def _count(self, depth: int, pool: Pool, shifted: Type) -> Typed:
        """A shift count below the width of `shifted`."""
        most = promoted(shifted).bits - 1
        if self.rng.random() < 0.3:
            text = f"{self.rng.randint(0, most)}{self.rng.choice(('', 'u', 'l', 'ull'))}"
            return Typed(text, INT)
        value = self.integer(depth, pool)
        return Typed(f"{self.operand(value, BIT_AND)} & {most}", common(value.type, INT), BIT_AND)

    # Writing operators.

    def operand(self, value: Typed, least: int) -> str:
        """`value` as an operand that must bind at least as tightly as `least`."""
        spare = value.binds < PRIMARY and self.rng.random() < 0.3
        return f"({value.text})" if value.binds < least or spare else value.text

    def _join(self, op: str, left: Typed, right: Typed, ctype: Type, binds: int) -> Typed:
        return Typed(
            f"{self.operand(left, binds)} {op} {self.operand(right, binds + 1)}", ctype, binds
        )

    def _arithmetic(self, depth: int, pool: Pool) -> Typed:
        one, two = pool.split(self.rng)
        left, right = self.expression(depth, one), self.expression(depth, two)
        op = self.rng.choice("+-*")
        binds = PRODUCT if op == "*" else SUM
        return self._join(op, left, right, common(left.type, right.type), binds)

    def _bits(self, depth: int, pool: Pool) -> Typed:
        one, two = pool.split(self.rng)
        left, right = self.integer(depth, one), self.integer(depth, two)
        op, binds = self.rng.choice((("&", BIT_AND), ("|", BIT_OR), ("^", BIT_XOR)))
        return self._join(op, left, right, common(left.type, right.type), binds)

    def _shift(self, depth: int, pool: Pool) -> Typed:
        """C++17 evaluates the left side first."""
        left = self.integer(depth, pool)
        count = self._count(depth, pool, left.type)
        return self._join(self.rng.choice(("<<", ">>")), left, count, promoted(left.type), SHIFT)

    def _division(self, depth: int, pool: Pool) -> Typed:
        one, two = pool.split(self.rng)
        if self.rng.random() < 0.3:
            left, right = self.expression(depth, one), self.expression(depth, two)
            if left.type.real or right.type.real:
                return self._join("/", left, right, common(left.type, right.type), PRODUCT)
        left = self.integer(depth, one)
        right = self._divisor(depth, two, left.type)
        op = self.rng.choice("/%")
        return self._join(op, left, right, common(left.type, right.type), PRODUCT)

    def _comparison(self, depth: int, pool: Pool) -> Typed:
        one, two = pool.split(self.rng)
        left, right = self.expression(depth, one), self.expression(depth, two)
        op = self.rng.choice(("<", "<=", ">", ">=", "==", "!="))
        return self._join(op, left, right, BOOL, EQUAL if op in ("==", "!=") else LESS)

    def _logical(self, depth: int, pool: Pool) -> Typed:
        left, right = self.expression(depth, pool), self.expression(depth, pool)
        op, binds = self.rng.choice((("&&", AND), ("||", OR)))
        return self._join(op, left, right, BOOL, binds)

    def _unary(self, depth: int, pool: Pool) -> Typed:
        op = self.rng.choice("-+~!-")
        value = self.integer(depth, pool) if op == "~" else self.expression(depth, pool)
        ctype = BOOL if op == "!" else promoted(value.type)
        space = " " if value.text[0] in "+-" else ""
        return Typed(f"{op}{space}{self.operand(value, UNARY)}", ctype, UNARY)

    def _cast(self, depth: int, pool: Pool) -> Typed:
        return self._converted(self.expression(depth, pool), self.rng.choice(TYPES))

    def _choice(self, depth: int, pool: Pool) -> Typed:
        test, then, other = (self.expression(depth, pool) for _ in range(3))
        ctype = then.type if then.type == other.type else common(then.type, other.type)
        sides = f"{self.operand(then, COMMA)} : {self.operand(other, CHOICE)}"
        return Typed(f"{self.operand(test, OR)} ? {sides}", ctype, CHOICE)

    def _comma(self, depth: int, pool: Pool) -> Typed:
        left, right = self.expression(depth, pool), self.expression(depth, pool)
        return self._join(",", left, right, right.type, COMMA)

    # Assignments.

    def _sides(self, pool: Pool) -> tuple[Pool, Pool]:
        """The pools of the right side, which C++17 evaluates first, and of the left.

        GCC 12 has `a[i++] op= i` wrong, so that what changes on the left is not used on the right.
        """
        return (pool, pool.frozen()) if self.rng.random() < 0.5 else pool.split(self.rng)

    def _assign(self, depth: int, pool: Pool) -> Typed:
        targets = pool.writable()
        if not targets:
            return self.expression(depth, pool)
        target = self.rng.choice(targets)
        inside, outside = self._sides(pool)
        value = self.fitting(target.type, depth, inside)
        place = self.place(target, outside)
        return Typed(f"{place.text} = {self.operand(value, ASSIGN)}", target.type, ASSIGN)

    def _compound(self, depth: int, pool: Pool) -> Typed:
        targets = pool.writable()
        if not targets:
            return self.expression(depth, pool)
        target = self.rng.choice(targets)
        op = self.rng.choice(("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"))
        if target.type.real and op not in ("+", "-", "*", "/"):
            op = "+"
        inside, outside = self._sides(pool)
        value = self._operand(op, target.type, depth, inside)
        place = self.place(target, outside)
        return Typed(f"{place.text} {op}= {self.operand(value, ASSIGN)}", target.type, ASSIGN)

    def _operand(self, op: str, target: Type, depth: int, pool: Pool) -> Typed:
        """What may stand on the right of `target op=`."""
        if op in ("<<", ">>"):
            return self._count(depth, pool, target)
        if target.real:
            return self.expression(depth, pool)
        if op in ("/", "%"):
            return self._divisor(depth, pool, target)
        return (
            self.expression(depth, pool)
            if target == BOOL and op in "+-*"
            else self.integer(depth, pool)
        )

    def _increment(self, depth: int, pool: Pool) -> Typed:
        targets = [v for v in pool.writable() if v.type != BOOL]
        if not targets:
            return self.expression(depth, pool)
        target = self.rng.choice(targets)
        place, op = self.place(target, pool), self.rng.choice(("++", "--"))
        if self.rng.random() < 0.5:
            return Typed(f"{op}{self.operand(place, UNARY)}", target.type, UNARY)
        return Typed(f"{self.operand(place, POSTFIX)}{op}", target.type, POSTFIX)

    # Calls.

    def _call(self, depth: int, pool: Pool) -> Typed:
        """Arguments are evaluated in no fixed order."""
        if not self.helpers:
            return self.expression(depth, pool)
        helper = self.rng.choice(self.helpers)
        arguments: list[str] = []
        for at, parameter in enumerate(helper.parameters):
            if helper.by_reference and at == 0:
                targets = [v for v in pool.writable() if v.type == parameter]
                if not targets:
                    return self.expression(depth, pool)
                target = self.rng.choice(targets)
                arguments.append(self.place(target, Pool()).text)
                pool = Pool(tuple(v for v in pool.read if v != target), pool.write - {target})
            else:
                mine, pool = pool.split(self.rng)
                arguments.append(self.operand(self.fitting(parameter, depth, mine), ASSIGN))
        return Typed(f"{helper.name}({', '.join(arguments)})", helper.result, POSTFIX)

    def _size(self, depth: int, pool: Pool) -> Typed:
        value = self.expression(min(depth, 1), pool)
        return Typed(f"sizeof({value.text})", ULONG, UNARY)


#: Values that every thread has.
COORDINATES = tuple(Typed(t, UINT, POSTFIX) for t in ("threadIdx.x", "blockIdx.x", "blockDim.x"))
