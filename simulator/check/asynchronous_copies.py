"""`cg::memcpy_async`, the waits for it, and `cuda::memcpy_async`: loops of asynchronous copies.

The threads of a group share the copies out by their ranks.
"""

from __future__ import annotations

from simulator.builtins import ROWS
from simulator.builtins.copies import ANYWHERE, moved_type
from simulator.builtins.group_members import ask, group_of
from simulator.check import members, scopes
from simulator.check.scopes import Scope, constant
from simulator.ir import tree
from simulator.ir.conversions import BLOCK, COALESCED, cast, convert, tile_size
from simulator.ir.types import (
    BOOL,
    ULONG,
    VOID,
    CType,
    Pointer,
    Scalar,
    Struct,
    align_of,
    size_of,
)
from simulator.ir.unchecked import TemplateCall
from simulator.source import CompileError, Span

Expression = tree.Expression


def copied(node: tree.Call, group: Expression, scope: Scope) -> Expression:
    """`cg::memcpy_async(group, to, from, bytes)`, or with a count behind each pointer."""
    _divisible(node, group)
    given = [scopes.value(argument, scope) for argument in node.arguments[1:]]
    to, source = given[0], given[len(given) - 2 if len(given) == 3 else 2]
    counts = given[2:] if len(given) == 3 else [given[1], given[3]]
    element = _element(node, to, source)
    numbers = [convert(count, ULONG, "the number of bytes") for count in counts]
    size = max(align_of(element), _alignment(node.arguments[-1], scope))
    if len(numbers) == 2:
        fewest = ROWS["min"].call(numbers, node.span)
        many = tree.Literal(size_of(element), span=node.span, type=ULONG)
        numbers = [tree.Binary("*", fewest, many, span=node.span, type=ULONG)]
    begun = _begun(node, (to, source, numbers[0]), size, _shares(group, node.span))
    batch = tree.Call(ROWS["__pipeline_commit"].key, (), span=node.span, type=VOID)
    return tree.Binary(",", begun, batch, span=node.span, type=VOID)


def _shares(group: Expression, span: Span) -> tuple[Expression, Expression]:
    """Return the rank of a thread in its group, and how many threads share the copies."""
    target = group_of(group, span)
    rank, threads = (cast(ask(target, n, ()), ULONG) for n in ("thread_rank", "num_threads"))
    return rank, threads


def _begun(
    node: tree.Call,
    what: tuple[Expression, Expression, Expression],
    alignment: int,
    shares: tuple[Expression, Expression] | None,
) -> Expression:
    """Return the copies by one thread: of all that is copied, unless several share it out."""
    to, source, count = what
    element = _element(node, to, source)
    size = min(16, alignment)
    moved = element if size < 4 else moved_type(to.type, size)
    pointers = cast(to, Pointer(moved), True), cast(source, Pointer(moved, True), True)
    if shares is None and isinstance(count, tree.Literal) and count.value == size_of(moved):
        read = tree.Deref(pointers[1], span=node.span, type=moved)
        return tree.Call(ANYWHERE, (pointers[0], read), span=node.span, type=VOID)
    zero, one = (tree.Literal(n, span=node.span, type=ULONG) for n in (0, 1))
    chunk = tree.Literal(size_of(moved), span=node.span, type=ULONG)
    chunks = tree.Binary("/", count, chunk, span=node.span, type=ULONG)
    arguments = (*pointers, chunks, *(shares or (zero, one)))
    return tree.Call(node.name, arguments, _copying(moved, node.span), span=node.span, type=VOID)


# Copies of `cuda::memcpy_async`, by which a barrier or a pipeline tells when they are there.

#: The classes of the simulator's own texts, and the functions of theirs that take copies in.
_TAKES = {"cuda::barrier": "__take_copies", "cuda::pipeline": ""}
_FORMS = (
    "it is `cuda::memcpy_async(group, to, from, bytes, object)`, or without the group; the object\n"
    "is a `cuda::pipeline` or a `cuda::barrier`"
)


def with_object(node: tree.Call, scope: Scope) -> Expression:
    """`cuda::memcpy_async(group, to, from, bytes, pipeline)`, or by one thread without a group.

    Raises
    ------
    CompileError
        if it takes other arguments
    """
    if len(node.arguments) not in (4, 5):
        what = f"`{node.name}` takes 4 or 5 arguments, not {len(node.arguments)}"
        raise CompileError(what, node.span, _FORMS)
    *groups, first, second, bytes_, last = node.arguments
    taken = scopes.expression(last, scope)
    name = (taken.type.made_of or ("",))[0] if isinstance(taken.type, Struct) else ""
    if name not in _TAKES:
        what = f"`{node.name}` needs a pipeline or a barrier, not `{taken.type}`"
        raise CompileError(what, taken.span, _FORMS)
    shares = None
    for given in groups:
        group = scopes.expression(given, scope)
        _divisible(node, group)
        shares = _shares(group, node.span)
    to, source = scopes.value(first, scope), scopes.value(second, scope)
    count = convert(scopes.value(bytes_, scope), ULONG, "the number of bytes")
    alignment = max(align_of(_element(node, to, source)), _alignment(bytes_, scope))
    begun = _begun(node, (to, source, count), alignment, shares)
    if not _TAKES[name]:
        return begun
    handed = members.call(taken.type, _TAKES[name], taken, (), node, scope)
    return tree.Binary(",", begun, handed, span=node.span, type=VOID)


def _alignment(count: Expression, scope: Scope) -> int:
    """Return what `cuda::aligned_size_t<16>(bytes)` promises, 1 for other numbers."""
    if not isinstance(count, TemplateCall) or count.name != "cg::aligned_size_t":
        return 1
    given = count.given[0] if len(count.given) == 1 else None
    found = constant(given, scope) if isinstance(given, tree.Expression) else None
    if found is None or found.value not in (1, 2, 4, 8, 16, 32, 64, 128):
        what = "`cuda::aligned_size_t` needs a power of two in its `<…>`"
        raise CompileError(what, count.span, "write `cuda::aligned_size_t<16>(bytes)`")
    return int(found.value)


def waited(node: tree.Call, group: Expression, scope: Scope) -> Expression:
    """`cg::wait(group)` and `cg::wait_prior<batches>(group)`."""
    _divisible(node, group)
    prior = tree.Literal(0, span=node.span, type=ULONG)
    if isinstance(node, TemplateCall):
        given = node.given[0] if len(node.given) == 1 else None
        found = constant(given, scope) if isinstance(given, tree.Expression) else None
        if found is None:
            what = f"`{node.name}` needs one constant number of batches in its `<…>`"
            raise CompileError(what, node.span, "write `cg::wait_prior<1>(…)`")
        prior = tree.Literal(int(found.value), span=node.span, type=ULONG)
    waits = ROWS["__pipeline_wait_prior"].call((prior,), node.span)
    return tree.Binary(
        ",", waits, ask(group_of(group, node.span), "sync", ()), span=node.span, type=VOID
    )


def _divisible(node: tree.Call, group: Expression) -> None:
    if group.type not in (BLOCK, COALESCED) and tile_size(group.type) is None:
        what = f"`{node.name}` takes a block, a tile or a coalesced group, not `{group.type}`"
        raise CompileError(what, group.span, "copy by `cg::this_thread_block()`")


def _element(node: tree.Call, to: Expression, source: Expression) -> CType:
    """Return what both pointers point to."""
    if not isinstance(to.type, Pointer) or not isinstance(source.type, Pointer):
        wrong = source if isinstance(to.type, Pointer) else to
        what = f"`{node.name}` needs two pointers, not `{wrong.type}`"
        raise CompileError(what, wrong.span, "use `&` for the address of a variable")
    if to.type.const:
        what = f"`{node.name}` cannot change what `{to.type}` points to"
        raise CompileError(what, to.span, "remove the const")
    if to.type.to != source.type.to:
        what = f"`{node.name}` copies `{source.type.to}` to `{to.type.to}`"
        raise CompileError(what, source.span, f"write the conversion: `({to.type})…`")
    element = to.type.to
    if not isinstance(element, Scalar | Struct):
        what = f"`{node.name}` does not know how `{to.type}` is aligned"
        raise CompileError(what, to.span, "pass pointers to numbers or structures")
    return element


def _copying(moved: CType, span: Span) -> tree.Function:
    """Return the function by which a thread copies every so many chunks, from its rank on."""
    types: tuple[CType, ...] = (Pointer(moved), Pointer(moved, True), ULONG, ULONG, ULONG)
    names = ("shared", "source", "chunks", "rank", "threads")
    symbols = [
        tree.Symbol(name, ctype, tree.Storage.PARAMETER, span)
        for name, ctype in zip(names, types, strict=True)
    ]
    index = tree.Symbol("chunk", ULONG, tree.Storage.LOCAL, span)
    to, source, chunks, rank, threads, at = (
        tree.Name(symbol.name, symbol, span=span, type=symbol.type) for symbol in (*symbols, index)
    )
    test = tree.Binary("<", at, chunks, span=span, type=BOOL)
    step = tree.CompoundAssign("+", at, threads, ULONG, span=span, type=ULONG)
    place = tree.Binary("+", to, at, span=span, type=to.type)
    read = tree.Index(source, at, span=span, type=moved)
    copy = tree.Evaluate(tree.Call(ANYWHERE, (place, read), span=span, type=VOID), span=span)
    start = tree.Declaration(index, rank, span=span)
    body = tree.Block((copy,), span=span)
    loop = tree.Loop("for", (start,), test, step, body, span=span)
    whole = tree.Block((loop,), span=span)
    return tree.Function("cg::memcpy_async", "__device__", VOID, tuple(symbols), whole, span=span)
