"""`asm` statements: their operands as variables, their instructions as the C that they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any

from simulator.check import scopes
from simulator.check.ptx import Operands, expressions
from simulator.check.ptx.operands import Register
from simulator.check.scopes import Scope, constant
from simulator.ir import tree
from simulator.ir.conversions import convert_explicitly
from simulator.ir.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    SCHAR,
    SHORT,
    UCHAR,
    UINT,
    ULLONG,
    USHORT,
    VECTORS,
    CType,
    Pointer,
    Scalar,
)
from simulator.ir.unchecked import AsmOperand, Assembly, Checked
from simulator.read import grammar
from simulator.read.names import TypeNames
from simulator.read.ptx import Brace, Instruction, Piece, Registers, instructions
from simulator.source import CompileError, Source, Span

#: The types of PTX that the letters of constraints stand for.
_CONSTRAINTS = {"h": "u16", "r": "u32", "l": "u64", "f": "f32", "d": "f64"}
_NAMED: dict[str, CType] = {
    "pred": BOOL,
    "u8": UCHAR,
    "s8": SCHAR,
    "u16": USHORT,
    "s16": SHORT,
    "u32": UINT,
    "s32": INT,
    "u64": ULLONG,
    "s64": LLONG,
    "f32": FLOAT,
    "f64": DOUBLE,
}
_HEADERS = frozenset(["cuda_pipeline.h", "cuda_fp16.h"])
_LETTERS = (
    '"h", "r" and "l" take integers of 16, 32 and 64 bits, "f" and "d" floats, "n" a constant'
)


@dataclass
class _Made:
    """What an `asm` statement becomes: variables, and statements with them.

    `inside` is the scope of these variables alone, so that a program's own names mean nothing to
    its instructions.
    """

    span: Span
    inside: Scope
    declared: list[tree.Statement] = field(default_factory=list)

    def variable(self, ptx_type: str, value: tree.Expression | None = None) -> str:
        """Declare a variable of a type of PTX, or of a vector of C."""
        name = f"asm_{len(self.declared)}"
        ctype: CType = _NAMED.get(ptx_type) or VECTORS[ptx_type]
        symbol = tree.Symbol(name, ctype, tree.Storage.LOCAL, self.span)
        self.inside.replace(name, symbol)
        self.declared.append(tree.Declaration(symbol, value, span=self.span))
        return name

    def name(self, name: str) -> tree.Name:
        """Return the use of a variable."""
        symbol = self.inside.lookup(name)
        assert isinstance(symbol, tree.Symbol)
        return tree.Name(name, symbol, span=self.span, type=symbol.type)


def checked(node: Assembly, scope: Scope) -> tree.Statement:
    """Return what `asm("…" : "=r"(x) : "r"(y));` does, as a block of C."""
    shared = replace(scope.shared, headers=scope.shared.headers | _HEADERS)
    made = _Made(node.span, Scope(shared, None, scope.frame))
    operands = Operands(made.variable)
    given = (*node.outputs, *node.inputs)
    for number, operand in enumerate(given):
        is_output = number < len(node.outputs)
        operands.registers[0][f"%{number}"] = _operand(operand, is_output, made, scope)
    body = tuple(_body(node, operands, made))
    results = [
        _result(operand, operands.registers[0][f"%{number}"], made, scope)
        for number, operand in enumerate(node.outputs)
    ]
    return tree.AsmBlock((*made.declared, *body, *results), span=node.span)


# Operands.


def _operand(operand: AsmOperand, is_output: bool, made: _Made, scope: Scope) -> Register | int:
    """Return what stands for an operand: a register, or a constant."""
    letters = operand.constraint.strip()
    mark = letters[:1] if letters[:1] in ("=", "+") else ""
    letter = letters[len(mark) :].lstrip("&")
    if is_output != bool(mark):
        what = f'the constraint "{letters}" is that of {"an input" if is_output else "an output"}'
        hint = 'outputs come first, with "=" or "+"; inputs stand behind the second `:`'
        raise CompileError(what, operand.span, hint)
    if letter == "n" and not mark:
        return _constant(operand, scope)
    if letter not in _CONSTRAINTS:
        what = f'the constraint "{letters}" is not supported'
        raise CompileError(what, operand.span, _LETTERS)
    ptx_type = _CONSTRAINTS[letter]
    value = None
    if mark == "+" and any(isinstance(n, _EFFECTS) for n in tree.walk(operand.expression)):
        hint = "keep it in a variable, and pass that"
        raise CompileError("this operand would be evaluated twice", operand.span, hint)
    if mark != "=":
        found = scopes.value(operand.expression, scope)
        _check_size(operand, letter, found.type)
        value = convert_explicitly(found, _NAMED[ptx_type])
    return Register(made.variable(ptx_type, value), ptx_type)


_EFFECTS = (tree.Assign, tree.CompoundAssign, tree.Increment, tree.Call)


def _constant(operand: AsmOperand, scope: Scope) -> int:
    found = constant(operand.expression, scope)
    if found is None or isinstance(found.value, float):
        what = f"`{operand.expression.span.text}` is no constant integer"
        raise CompileError(what, operand.span, 'pass it as "r"')
    return int(found.value)


def _check_size(operand: AsmOperand, letter: str, ctype: CType) -> None:
    """Refuse operands of another size than their constraint's, as CUDA's compiler does."""
    wanted = _NAMED[_CONSTRAINTS[letter]]
    if isinstance(ctype, Pointer) and letter == "l":
        return
    assert isinstance(wanted, Scalar)
    is_float, size = wanted.is_float, wanted.size
    if isinstance(ctype, Scalar) and (ctype.is_float, ctype.size) == (is_float, size):
        return
    what = f'"{letter}" does not take `{operand.expression.span.text}`, which is `{ctype}`'
    raise CompileError(what, operand.expression.span, f"convert it: {_LETTERS}")


def _result(
    operand: AsmOperand, register: Register | int, made: _Made, scope: Scope
) -> tree.Statement:
    """Store an output where it belongs."""
    assert isinstance(register, Register)
    target = scopes.expression(operand.expression, scope)
    _check_size(operand, operand.constraint.strip().lstrip("=+&"), target.type)
    value = convert_explicitly(made.name(register.code), target.type)
    checked = Checked(value, span=operand.span, type=value.type)
    assign = tree.Assign(operand.expression, checked, span=operand.span)
    return tree.Evaluate(scopes.effect(assign, scope), span=operand.span)


# Instructions.


def _body(node: Assembly, operands: Operands, made: _Made) -> Iterator[tree.Statement]:
    for piece in instructions(node.strings):
        if isinstance(piece, Brace):
            operands.open() if piece.text == "{" else operands.close(piece.span)
        elif isinstance(piece, Registers):
            for name in piece.names:
                operands.add(name, piece.type, piece.span)
        elif isinstance(piece, Instruction):
            yield from _instruction(piece, operands, made)
    if len(operands.registers) > 1:
        what = "a `{` of this `asm` is not closed"
        raise CompileError(what, node.span, "write `}` behind its instructions")


def _instruction(found: Instruction, operands: Operands, made: _Made) -> Iterator[tree.Statement]:
    steps = tuple(
        tree.Evaluate(_checked(code, found.span, made), span=found.span)
        for code in expressions(found, operands)
    )
    if not found.predicate:
        yield from steps
        return
    sign = "!" if found.negated else ""
    predicate = Piece(f"{sign}{found.predicate}", found.span)
    test = _checked(operands.value(predicate, "pred"), found.span, made)
    block = tree.Block(steps, span=found.span)
    yield tree.If(test, block, None, span=found.span)


def _checked(code: str, span: Span, made: _Made) -> tree.Expression:
    """Check C that an instruction is, all of which stands where the instruction does."""
    return scopes.effect(_placed(_read(code), span), made.inside)


@lru_cache(maxsize=512)
def _read(code: str) -> tree.Expression:
    source = Source(code, "asm")
    tokens = TypeNames(set()).classify(grammar.lex(source))
    end = Span(source, 1, len(code) + 1, 1, len(code) + 1)
    found: tree.Expression = grammar.parse(tokens, end, "expression")
    return found


def _placed(node: Any, span: Span) -> Any:
    """Return a tree of which each node stands at one place."""
    if isinstance(node, tuple):
        return tuple(_placed(one, span) for one in node)
    if not isinstance(node, tree.Node):
        return node
    parts = {f.name: _placed(getattr(node, f.name), span) for f in fields(node) if f.name != "span"}
    return replace(node, span=span, **parts)
