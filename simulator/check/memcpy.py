"""Check calls of `memcpy` and `memset`: copies of bytes, as NVRTC makes them.

A `void *` says nothing of an alignment: an H200 executes sixteen loads for sixteen bytes. Between
a thread's own variables, where nothing is counted, words are copied, as large as both are aligned.
Few bytes are copied one by one, more, or as many as only the launch knows, in a loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from simulator.check import scopes
from simulator.check.scopes import Scope
from simulator.ir import tree
from simulator.ir.conversions import cast, convert, variable_in
from simulator.ir.types import (
    BOOL,
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
from simulator.source import CompileError, Span

Word = Scalar | Struct
#: What is moved at once, the largest first.
_WORDS: tuple[Word, ...] = (VECTORS["uint4"], VECTORS["uint2"], UINT, USHORT, UCHAR)

#: How many words are copied without a loop.
MOST_UNROLLED = 256


def memcpy(node: tree.Call, scope: Scope) -> tree.Expression:
    """Return what `memcpy(target, source, bytes)` does.

    Raises
    ------
    CompileError
        if it takes other arguments
    """
    target, source, count = _three(node, scope)
    return _copied(target, _pointer(source), count, node)


def memset(node: tree.Call, scope: Scope) -> tree.Expression:
    """Return what `memset(target, value, bytes)` does."""
    target, value, count = _three(node, scope)
    given = convert(value, INT, "the value of `memset`")
    if not isinstance(given, tree.Literal):
        what = "`memset` is supported for a constant value"
        raise CompileError(what, given.span, "assign in a loop")
    return _copied(target, given, count, node)


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
    return node


def _copied(
    target: tree.Expression, source: tree.Expression, count: tree.Expression, node: tree.Call
) -> tree.Expression:
    """Copy bytes from where a pointer leads, or those that are all the same number."""
    size = int(count.value) if isinstance(count, tree.Literal) else None
    word = _word(size, target, source)
    simple = _is_simple(target) and _is_simple(source)
    words = None if size is None else size // word.size
    if simple and words is not None and words <= MOST_UNROLLED:
        done = list(_assignments(target, source, word, words))
    else:
        done = [_call(target, source, count, word, words, node)]
    whole = [*done, cast(target, Pointer(VOID), explicit=True)] if simple else done
    return reduce(lambda a, b: tree.Binary(",", a, b, span=node.span, type=b.type), whole)


def _is_simple(node: tree.Expression) -> bool:
    """Whether an expression may be evaluated several times."""
    changes = tree.Call | tree.Assign | tree.CompoundAssign | tree.Increment
    return not any(isinstance(inner, changes) for inner in tree.walk(node))


def _word(size: int | None, target: tree.Expression, source: tree.Expression) -> Word:
    """Return in what words `size` bytes are moved; None is any number of them."""
    fills = isinstance(source, tree.Literal)
    if not (_is_own(target) and (fills or _is_own(source))):
        return UCHAR
    aligned = _alignment(target.type) if fills else min(map(_alignment, (target.type, source.type)))
    if not size:
        return UCHAR
    words = (word for word in _WORDS if isinstance(word, Scalar) or not fills)
    return next(w for w in words if size % w.size == 0 and w.size <= aligned)


def _is_own(pointer: tree.Expression) -> bool:
    """Whether a pointer leads to a variable of the thread, by its text."""
    while isinstance(pointer, tree.Cast):
        pointer = pointer.operand
    if not isinstance(pointer, tree.AddressOf | tree.Decay):
        return False
    symbol = variable_in(pointer.operand)
    own = symbol is not None and symbol.storage in (tree.Storage.LOCAL, tree.Storage.PARAMETER)
    return own and symbol is not None and not symbol.reference and _is_inside(pointer.operand)


def _is_inside(lvalue: tree.Expression) -> bool:
    """Whether an lvalue is a part of a variable, and not of what a pointer in it leads to."""
    while not isinstance(lvalue, tree.Name):
        if isinstance(lvalue, tree.Index):
            if not isinstance(lvalue.base, tree.Decay):
                return False
            lvalue = lvalue.base.operand
        elif isinstance(lvalue, tree.Member):
            lvalue = lvalue.base
        else:
            return False
    return True


def _alignment(pointer: CType) -> int:
    assert isinstance(pointer, Pointer)
    to = pointer.to
    while isinstance(to, Array):
        to = to.of
    return 1 if isinstance(to, Void) else align_of(to)


def _first(pointer: tree.Expression, word: Word) -> tree.Expression:
    """Return a pointer as one to words."""
    assert isinstance(pointer.type, Pointer)
    ctype = Pointer(word, pointer.type.const, pointer.type.volatile)
    return cast(pointer, ctype, explicit=True)


def _assignments(
    target: tree.Expression, source: tree.Expression, word: Word, count: int
) -> Iterator[tree.Expression]:
    for number in range(count):
        at = tree.Literal(number, span=target.span, type=INT)
        yield _assigned(target, source, at, word, count)


def _assigned(
    target: tree.Expression,
    source: tree.Expression,
    at: tree.Expression,
    word: Word,
    count: int,
) -> tree.Expression:
    """Return the copy of one word."""
    to = tree.Word(_first(target, word), at, count, span=target.span, type=word)
    value: tree.Expression
    if isinstance(source, tree.Literal):
        repeated = int.from_bytes(bytes([int(source.value) & 255]) * word.size, "little")
        value = cast(tree.Literal(repeated, span=source.span, type=ULONG), word)
    else:
        value = tree.Word(_first(source, word), at, count, span=source.span, type=word)
    return tree.Assign(to, value, span=target.span, type=word)


def _call(
    target: tree.Expression,
    source: tree.Expression,
    count: tree.Expression,
    word: Word,
    words: int | None,
    node: tree.Call,
) -> tree.Expression:
    """Return the call of a function that copies: its pointers are evaluated once."""
    size = tree.Literal(word.size, span=count.span, type=ULONG)
    number = tree.Binary("/", count, size, span=count.span, type=ULONG)
    fills = isinstance(source, tree.Literal)
    arguments = [_first(target, word), *([] if fills else [_first(source, word)]), number]
    names = ("target", "count") if fills else ("target", "source", "count")
    symbols = [
        tree.Symbol(name, one.type, tree.Storage.PARAMETER, one.span)
        for name, one in zip(names, arguments, strict=True)
    ]
    given = [tree.Name(s.name, s, span=s.span, type=s.type) for s in symbols]
    to, value, length = given[0], source if fills else given[1], given[-1]
    if words is not None and words <= MOST_UNROLLED:
        made = _assignments(to, value, word, words)
        body: list[tree.Statement] = [tree.Evaluate(one, span=node.span) for one in made]
    else:
        body = [_loop(to, value, length, word, node.span)]
    last = tree.Return(cast(to, Pointer(VOID), explicit=True), span=node.span)
    block = tree.Block((*body, last), span=node.span)
    function = tree.Function(
        node.name, "__device__", Pointer(VOID), tuple(symbols), block, span=node.span
    )
    return tree.Call(node.name, tuple(arguments), function, span=node.span, type=Pointer(VOID))


def _loop(
    to: tree.Expression, value: tree.Expression, count: tree.Expression, word: Word, span: Span
) -> tree.Statement:
    """Return a loop over words."""
    symbol = tree.Symbol("at", ULONG, tree.Storage.LOCAL, span)
    at = tree.Name("at", symbol, span=span, type=ULONG)
    zero = tree.Literal(0, span=span, type=ULONG)
    start = tree.Declaration(symbol, zero, span=span)
    test = tree.Binary("<", at, count, span=span, type=BOOL)
    step = tree.Increment("++", True, at, span=span, type=ULONG)
    copy = tree.Evaluate(_assigned(to, value, at, word, 1), span=span)
    return tree.Loop("for", (start,), test, step, copy, span=span)
