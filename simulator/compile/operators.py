"""Operators: arithmetic, comparisons, conversions, and those whose parts run on some lanes only."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from simulator.compile.functions import TABLES
from simulator.compile.lvalues import pointee
from simulator.compile.pointers import PointerEmitter
from simulator.compile.values import Value, constant, dtype_name, known, typed
from simulator.ir import tree
from simulator.ir.events import CONDITION, Operand
from simulator.ir.types import BOOL, CType, Pointer, Scalar, Void, size_of
from simulator.lanes.arithmetic import LaneError, divide, remainder

_FOLD: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


class OperatorEmitter(PointerEmitter):
    """Everything that is computed from values."""

    def _value_Cast(self, node: tree.Cast) -> Value:
        if isinstance(node.operand.type, Pointer) and isinstance(node.type, Pointer):
            return self._address_node(node)
        return self.convert(self.plain_value(node.operand), node.type)

    def _value_Unary(self, node: tree.Unary) -> Value:
        operand = self.value(node.operand)
        if operand.constant is not None:
            folded: dict[str, Callable[[Any], Any]] = {
                "-": operator.neg,
                "+": operator.pos,
                "~": operator.invert,
                "!": operator.not_,
            }
            with np.errstate(all="ignore"):
                result = np.asarray(folded[node.op](known(operand)))
            return constant(result.item(), node.type)
        if node.op == "!":
            return Value(f"(~{operand.code})", BOOL, operand.scalar)
        return Value(f"({node.op}{operand.code})", node.type, operand.scalar)

    def _value_Binary(self, node: tree.Binary) -> Value:
        if node.op == ",":
            self.value(node.left)
            return self.value(node.right)
        if isinstance(node.left.type, Pointer):
            return self._pointer_arithmetic(node)
        left, right = self.value(node.left), self.value(node.right)
        return self.combine(node.op, left, right, node.type)

    def _pointer_arithmetic(self, node: tree.Binary) -> Value:
        if not isinstance(node.right.type, Pointer):
            return self._address_node(node)
        left, right = self.plain_value(node.left), self.plain_value(node.right)
        scalar = left.scalar and right.scalar
        if node.op == "-":
            size = size_of(pointee(node.left.type))
            return Value(f"(({left.code} - {right.code}) // {size})", node.type, scalar)
        return Value(f"({left.code} {node.op} {right.code})", node.type, scalar)

    def combine(self, op: str, left: Value, right: Value, ctype: CType) -> Value:
        """`left op right`, both already of the type that C computes in."""
        scalar = left.scalar and right.scalar
        if left.constant is not None and right.constant is not None:
            folded = self._fold(op, left, right, ctype)
            if folded is not None:
                return folded
        if op in ("/", "%") and isinstance(left.type, Scalar) and not left.type.is_float:
            function = "divide" if op == "/" else "remainder"
            return self.keep(
                "q", Value(f"{function}({typed(left)}, {typed(right)})", ctype, scalar)
            )
        if op in ("<<", ">>"):
            count = right if right.constant is not None else self.convert(right, left.type)
            return Value(f"({typed(left)} {op} {count.code})", ctype, scalar)
        first = typed(left) if right.constant is not None or right.scalar else left.code
        return Value(f"({first} {op} {right.code})", ctype, scalar)

    def _fold(self, op: str, left: Value, right: Value, ctype: CType) -> Value | None:
        a, b = known(left), known(right)
        try:
            with np.errstate(all="ignore"):
                if op in ("/", "%"):
                    if a.dtype.kind == "f":
                        return constant((a / b).item(), ctype)
                    return constant((divide if op == "/" else remainder)(a, b).item(), ctype)
                if op in ("<<", ">>"):
                    b = b.astype(a.dtype)
                result = _FOLD[op](a, b)
        except LaneError:
            return None
        return constant(result.item(), ctype)

    # Expressions whose parts run on some of the lanes only.

    def _value_Logical(self, node: tree.Logical) -> Value:
        left = self.value(node.left)
        short = node.op == "||"
        if left.constant is not None:
            return left if bool(left.constant) == short else self.value(node.right)
        if is_pure(node.right):
            right = self._unneeded(node.right)
            op = "|" if short else "&"
            return Value(f"({left.code} {op} {typed(right)})", BOOL, left.scalar and right.scalar)
        left = self.keep("test", left)
        # Counters have the branch where the right side stands; traces show whose truth it is.
        self.branched(left, node.left if self.build.steps else node.right)
        needed = Value(f"(~{left.code})", BOOL, left.scalar) if short else left
        return self._partly(needed, node.right, left, BOOL)

    def _value_Conditional(self, node: tree.Conditional) -> Value:
        test = self.value(node.test)
        if test.constant is not None:
            return self.value(node.then if test.constant else node.other)
        if is_pure(node.then) and is_pure(node.other):
            then, other = self._unneeded(node.then), self._unneeded(node.other)
            return self.select(test, then, other, node.type)
        test = self.branched(test, node.test)
        start = Value(f"{dtype_name(node.type)}(0)", node.type, True)
        first = self._partly(test, node.then, start, node.type)
        return self._partly(
            Value(f"(~{test.code})", BOOL, test.scalar), node.other, first, node.type
        )

    def _unneeded(self, node: tree.Expression) -> Value:
        """The value of a pure expression, for lanes that do not need it, too."""
        outer, self.unneeded = self.unneeded, True
        result = self.value(node)
        self.unneeded = outer
        return result

    def select(self, test: Value, then: Value, other: Value, ctype: CType) -> Value:
        """`then` where `test` holds, else `other`."""
        if test.scalar and then.scalar and other.scalar:
            return Value(f"({typed(then)} if {test.code} else {typed(other)})", ctype, True)
        code = f"np.where({test.code}, {typed(then)}, {typed(other)})"
        return Value(code, ctype)

    def branched(self, test: Value, node: tree.Expression) -> Value:
        """Note that the lanes part by `test`, at the place of `node`."""
        test = self.keep("test", test)
        self.log(Operand(CONDITION, self.site("branch", node.span)), test.code)
        return test

    def _partly(self, test: Value, node: tree.Expression, rest: Value, ctype: CType) -> Value:
        """`node` for the lanes where `test` holds, `rest` for the others."""
        test = self.keep("test", test)
        self.close()
        result = "" if isinstance(ctype, Void) else self.writer.fresh("either")
        if result:
            self.put(
                f"{result} = spread({rest.code}, {self.region.lanes}.size, {dtype_name(ctype)})"
            )
        with self.where(test) as picked:
            value = self.value(node)
            if result:
                self.put(f"{result}[{picked or ':'}] = {value.code}")
        return Value(result, ctype) if result else rest

    @contextmanager
    def where(self, test: Value) -> Iterator[str]:
        """What is written meanwhile is for the lanes where `test` holds.

        Gives the name of their places among the active lanes, "" where all lanes agree on `test`.
        """
        self.close()
        outer, picked, lanes = self.region.lanes, "", None
        if test.scalar:
            self.put(f"if {test.code}:")
        else:
            picked, lanes = self.writer.fresh("pick"), self.writer.fresh("lanes")
            self.put(f"{picked} = {test.code}.nonzero()[0]")
            self.put(f"if {picked}.size:")
        self.writer.indent += 1
        self.enter(picked, lanes)
        if picked:
            self.put(f"{lanes} = {outer}[{picked}]")
        yield picked
        self.leave()
        self.put("pass")
        self.writer.indent -= 1


def is_pure(node: tree.Expression) -> bool:
    """Whether lanes that do not need `node` may evaluate it: no accesses, effects or faults."""
    if isinstance(node, (tree.Literal, tree.Builtin)):
        return True
    if isinstance(node, tree.Name):
        assert node.symbol is not None
        held = node.symbol.storage in (tree.Storage.LOCAL, tree.Storage.PARAMETER)
        return held and not node.symbol.reference
    if isinstance(node, (tree.Unary, tree.Cast)):
        return is_pure(node.operand)
    if isinstance(node, (tree.Binary, tree.Logical)):
        safe = node.op not in ("/", "%") or (isinstance(node.type, Scalar) and node.type.is_float)
        return safe and is_pure(node.left) and is_pure(node.right)
    if isinstance(node, tree.Call):
        return node.name in TABLES or node.name == "group tile size"
    if isinstance(node, tree.Member):
        return node.name.startswith("group ") and is_pure(node.base)
    if isinstance(node, tree.Conditional):
        return is_pure(node.test) and is_pure(node.then) and is_pure(node.other)
    return False
