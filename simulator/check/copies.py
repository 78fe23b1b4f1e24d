"""Check calls of `memcpy` and `memset`: copies of words, as large as both sides are aligned."""

from __future__ import annotations

from functools import reduce

from simulator.check import scopes
from simulator.check.scopes import Scope
from simulator.ir import tree
from simulator.ir.conversions import cast, convert
from simulator.ir.types import (
    INT,
    UCHAR,
    UINT,
    ULONG,
    USHORT,
    VECTORS,
    VOID,
    Array,
    CType,
    Pointer,
    Scalar,
    Struct,
    Void,
    align_of,
)
from simulator.source import CompileError

#: What is moved at once, the largest first.
Word = Scalar | Struct
_WORDS: tuple[Word, ...] = (VECTORS["uint4"], VECTORS["uint2"], UINT, USHORT, UCHAR)

#: How many words are copied without a loop.
MOST_UNROLLED = 64


def memcpy(node: tree.Call, scope: Scope) -> tree.Expression:
    """Return `memcpy(target, source, bytes)` as assignments.

    Raises
    ------
    CompileError
        if the number of bytes is not a small constant
    """
    target, source, count = _three(node, scope)
    source = _pointer(source)
    size = _size(node, count)
    word = _word(size, target, source)
    pairs = zip(_places(target, word, size), _places(source, word, size), strict=True)
    return _done(target, [_assigned(to, value) for to, value in pairs], node)


def memset(node: tree.Call, scope: Scope) -> tree.Expression:
    """Return `memset(target, value, bytes)` as assignments."""
    target, value, count = _three(node, scope)
    given = convert(value, INT, "the value of `memset`")
    if not isinstance(given, tree.Literal):
        what = "`memset` is supported for a constant value"
        raise CompileError(what, given.span, "assign in a loop")
    size = _size(node, count)
    fitting = [word for word in _WORDS if isinstance(word, Scalar)]
    word = _word(size, target, target, tuple(fitting))
    repeated = int.from_bytes(bytes([int(given.value) & 255]) * word.size, "little")
    made = cast(tree.Literal(repeated, span=given.span, type=ULONG), word)
    return _done(target, [_assigned(to, made) for to in _places(target, word, size)], node)


def _three(node: tree.Call, scope: Scope) -> tuple[tree.Expression, ...]:
    if len(node.arguments) != 3:
        what = f"`{node.name}` takes 3 arguments, not {len(node.arguments)}"
        raise CompileError(what, node.span)
    target, middle, count = (scopes.value(argument, scope) for argument in node.arguments)
    return _pointer(target), middle, convert(count, ULONG, "the number of bytes")


def _pointer(node: tree.Expression) -> tree.Expression:
    if not isinstance(node.type, Pointer):
        what = f"`{node.span.text}` is `{node.type}`, and no pointer"
        raise CompileError(what, node.span, "write `&` in front of a variable")
    changes = tree.Call | tree.Assign | tree.CompoundAssign | tree.Increment
    if any(isinstance(inner, changes) for inner in tree.walk(node)):
        what = "what is copied needs a plain pointer here"
        raise CompileError(what, node.span, "keep it in a variable first")
    return node


def _size(node: tree.Call, count: tree.Expression) -> int:
    if not isinstance(count, tree.Literal):
        what = f"`{node.name}` is supported for a constant number of bytes"
        raise CompileError(what, count.span, "copy in a loop")
    return int(count.value)


def _word(
    size: int, one: tree.Expression, other: tree.Expression, words: tuple[Word, ...] = _WORDS
) -> Word:
    """Return the largest word in which `size` bytes can be moved."""
    aligned = min(_alignment(one.type), _alignment(other.type))
    return next(w for w in words if size % w.size == 0 and w.size <= aligned) if size else UCHAR


def _alignment(pointer: CType) -> int:
    assert isinstance(pointer, Pointer)
    to = pointer.to
    return 1 if isinstance(to, Void) else align_of(to.of if isinstance(to, Array) else to)


def _places(pointer: tree.Expression, word: Word, size: int) -> list[tree.Expression]:
    """Return the words that a pointer leads to."""
    assert isinstance(pointer.type, Pointer)
    count = size // word.size
    if count > MOST_UNROLLED:
        what = f"more than {MOST_UNROLLED * word.size} bytes are too many here"
        raise CompileError(what, pointer.span, "copy in a loop")
    ctype = Pointer(word, pointer.type.const, pointer.type.volatile)
    first = cast(pointer, ctype, explicit=True)
    numbers = (tree.Literal(at, span=pointer.span, type=INT) for at in range(count))
    return [tree.Word(first, at, count, span=pointer.span, type=word) for at in numbers]


def _assigned(target: tree.Expression, value: tree.Expression) -> tree.Expression:
    return tree.Assign(target, value, span=target.span, type=target.type)


def _done(
    target: tree.Expression, assigned: list[tree.Expression], node: tree.Call
) -> tree.Expression:
    """Return assignments, and then the pointer that the function returns."""
    whole = [*assigned, cast(target, Pointer(VOID), explicit=True)]

    def joined(a: tree.Expression, b: tree.Expression) -> tree.Expression:
        return tree.Binary(",", a, b, span=node.span, type=b.type)

    return reduce(joined, whole)
