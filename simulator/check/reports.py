"""Check calls of `printf`, conversions of the format against arguments, and of `assert`.

`dim3` and others, which are no plain built-in functions, either, are in the same table.
"""

from __future__ import annotations

from collections.abc import Callable

from simulator.check import asynchronous_copies, initializers, memcpy, scopes
from simulator.check.scopes import Scope
from simulator.ir import constants, tree
from simulator.ir.conversions import cast, convert
from simulator.ir.format_strings import FLOATS, Conversion, FormatError, Pieces, pieces
from simulator.ir.types import (
    BOOL,
    CHAR,
    DOUBLE,
    INT,
    LLONG,
    LONG,
    ULLONG,
    ULONG,
    VOID,
    CType,
    Pointer,
    Scalar,
    promoted,
)
from simulator.ir.unchecked import Text
from simulator.source import CompileError

#: CUDA's printf takes no more.
MOST_ARGUMENTS = 32

_PRINTF = 'it is `int printf("format", …)`'


def _printf(node: tree.Call, scope: Scope) -> tree.Expression:
    if not node.arguments or not isinstance(node.arguments[0], Text):
        raise CompileError("`printf` needs a string literal first", node.span, _PRINTF)
    form, rest = node.arguments[0], node.arguments[1:]
    try:
        found = pieces(constants.string(form.text, form.span))
    except FormatError as error:
        raise CompileError(error.args[0], form.span, error.args[1]) from None
    wanted = list(_wanted(found))
    if len(wanted) != len(rest):
        plural = "" if len(wanted) == 1 else "s"
        what = f"the format needs {len(wanted)} value{plural}, but {len(rest)} follow"
        raise CompileError(what, node.span, "give one value for each conversion")
    if len(rest) > MOST_ARGUMENTS:
        what = f"`printf` takes at most {MOST_ARGUMENTS} values, not {len(rest)}"
        raise CompileError(what, node.span, "print them in two calls")
    texts: list[str] = []
    values = tuple(_value(a, c, texts, scope) for a, c in zip(rest, wanted, strict=True))
    return tree.Print(found, tuple(texts), values, span=node.span, type=INT)


def _wanted(found: Pieces) -> list[Conversion]:
    """Return a conversion for each argument: a width of `*` takes an int of its own."""
    star = Conversion("", None, None, "", "d")
    given = (piece for piece in found if isinstance(piece, Conversion))
    return [c for piece in given for c in ([star, piece] if piece.width == "*" else [piece])]


def _value(
    node: tree.Expression, wanted: Conversion, texts: list[str], scope: Scope
) -> tree.Expression:
    if wanted.kind == "s":
        return _text(node, texts, scope)
    if isinstance(node, Text):
        what = f"`{wanted}` shows no string"
        raise CompileError(what, node.span, "write `%s`")
    checked = scopes.value(node, scope)
    ctype = checked.type
    if wanted.kind == "p" and isinstance(ctype, Pointer):
        return convert(checked, Pointer(VOID, ctype.const), "the value")
    if wanted.kind != "p" and isinstance(ctype, Scalar):
        ctype = DOUBLE if ctype.is_float else promoted(ctype)
        size = max(4, wanted.size)
        if ctype == DOUBLE if wanted.kind in FLOATS else ctype.is_integer and ctype.size == size:
            return cast(checked, ctype)
    what = f"`{wanted}` does not show a value of type `{checked.type}`"
    raise CompileError(what, checked.span, _remedy(checked.type))


def _text(node: tree.Expression, texts: list[str], scope: Scope) -> tree.Expression:
    """Return what `%s` shows: the number of a string among `texts`, or a pointer to characters.

    `?:` chooses between two strings.
    """
    if isinstance(node, Text):
        texts.append(constants.string(node.text, node.span))
        return tree.Literal(len(texts) - 1, span=node.span, type=INT)
    if isinstance(node, tree.Conditional) and Text in (type(node.then), type(node.other)):
        test = scopes.condition(node.test, scope)
        then, other = _text(node.then, texts, scope), _text(node.other, texts, scope)
        if then.type == other.type:
            return tree.Conditional(test, then, other, span=node.span, type=INT)
        what, hint = "`%s` takes two strings, or two pointers", "print them in two calls"
        raise CompileError(what, node.span, hint)
    checked = scopes.value(node, scope)
    if isinstance(checked.type, Pointer) and checked.type.to == CHAR:
        return cast(checked, Pointer(CHAR, const=True))
    what = f"`%s` shows strings and arrays of char, not `{checked.type}`"
    raise CompileError(what, node.span, 'write `"text"`, or `condition ? "one" : "other"`')


def _remedy(ctype: CType) -> str:
    """Return the usual conversion for a type."""
    if isinstance(ctype, Pointer):
        return "write `%p` for the pointer, or read what it points to"
    if not isinstance(ctype, Scalar):
        return "print its members one by one"
    if ctype.is_float:
        return "write `%f`, `%e` or `%g`"
    words = {LONG: "ld", ULONG: "lu` or `%zu", LLONG: "lld", ULLONG: "llu"}
    usual = words.get(ctype, "d" if promoted(ctype).is_signed else "u")
    return f"write `%{usual}`, or convert the value"


def _assert(node: tree.Call, scope: Scope) -> tree.Expression:
    if len(node.arguments) != 1:
        what = f"`assert` takes 1 condition, not {len(node.arguments)}"
        raise CompileError(what, node.span, 'it is `assert(condition)`; join a text by `&& "text"`')
    test = scopes.condition(node.arguments[0], scope)
    assert test.type == BOOL
    return tree.Call("assert", (test,), span=node.span, type=VOID)


def _passed_on(node: tree.Call, scope: Scope) -> tree.Expression:
    """`std::forward<T>(x)` and `std::move(x)`: `x` itself, for there is nothing to move."""
    if len(node.arguments) != 1:
        what = f"`{node.name}` takes 1 argument, not {len(node.arguments)}"
        raise CompileError(what, node.span)
    return scopes.expression(node.arguments[0], scope)


#: Functions that are no plain built-in ones, by name, with what checks a call.
CHECKED_APART: dict[str, Callable[[tree.Call, Scope], tree.Expression]] = {
    "printf": _printf,
    "assert": _assert,
    "dim3": initializers.size,
    "memcpy": memcpy.memcpy,
    "memset": memcpy.memset,
    "std::forward": _passed_on,
    "std::move": _passed_on,
    "cuda::memcpy_async": asynchronous_copies.with_object,
}
