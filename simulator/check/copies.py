"""`cg::memcpy_async` and the waits for it: loops of asynchronous copies, shared out by ranks."""

from __future__ import annotations

from simulator.builtins import ROWS
from simulator.builtins.copies import ANYWHERE, moved_type
from simulator.builtins.group_members import ask, group_of
from simulator.check import scopes
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
    size = min(16, max(align_of(element), _alignment(node.arguments[-1], scope)))
    if len(numbers) == 2:
        fewest = ROWS["min"].call(numbers, node.span)
        many = tree.Literal(size_of(element), span=node.span, type=ULONG)
        numbers = [tree.Binary("*", fewest, many, span=node.span, type=ULONG)]
    moved = element if size < 4 else moved_type(to.type, size)
    chunk = tree.Literal(size_of(moved), span=node.span, type=ULONG)
    chunks = tree.Binary("/", numbers[0], chunk, span=node.span, type=ULONG)
    target = group_of(group, node.span)
    rank, threads = (cast(ask(target, n, ()), ULONG) for n in ("thread_rank", "num_threads"))
    pointers = cast(to, Pointer(moved), True), cast(source, Pointer(moved, True), True)
    function = _copying(moved, node.span)
    arguments = (*pointers, chunks, rank, threads)
    begun = tree.Call(node.name, arguments, function, span=node.span, type=VOID)
    batch = tree.Call(ROWS["__pipeline_commit"].key, (), span=node.span, type=VOID)
    return tree.Binary(",", begun, batch, span=node.span, type=VOID)


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
