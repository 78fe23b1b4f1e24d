"""Asynchronous copies to shared memory, as `cuda_pipeline.h` has them for single threads."""

from __future__ import annotations

from simulator.builtins.lowerings import AsyncCopy, AsyncCopyBatch, AsyncCopyWait, Lowering
from simulator.builtins.row import Arguments, Row
from simulator.ir import tree
from simulator.ir.constants import folded
from simulator.ir.conversions import cast
from simulator.ir.types import (
    BOOL,
    UINT,
    ULONG,
    VECTORS,
    VOID,
    CType,
    Pointer,
    Scalar,
    Struct,
    size_of,
)
from simulator.source import Span

PIPELINE_HEADER = "cuda_pipeline.h"
#: What moves as many bytes by one access.
_MOVED: dict[int, CType] = {4: UINT, 8: VECTORS["uint2"], 16: VECTORS["uint4"]}
#: The calls that begin a copy: to shared memory only, or to any.
STRICT, ANYWHERE = "begin copy to shared", "begin copy"

CALLS: dict[str, Lowering] = {
    STRICT: AsyncCopy(strict=True),
    ANYWHERE: AsyncCopy(strict=False),
}


def moved_type(pointer: CType, size: int) -> CType:
    """Return the type as which `size` bytes move: that which is pointed to, if it fits."""
    to = pointer.to if isinstance(pointer, Pointer) else VOID
    plain = isinstance(to, Scalar) or (isinstance(to, Struct) and to.whole)
    return to if plain and size_of(to) == size else _MOVED[size]


class _MemcpyAsync(Row):
    """A copy of 4, 8 or 16 bytes, of which zeros may take the place."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call."""
        self._count(arguments, span)
        to, source = arguments[:2]
        super().call((*arguments[:2], *arguments[2:]), span)  # which checks the types
        moved = moved_type(to.type, self._size(arguments[2]))
        read = tree.Deref(cast(source, Pointer(moved, True), True), span=source.span, type=moved)
        value: tree.Expression = read
        if len(arguments) > 3:
            value = self._filled(read, arguments[3])
        target = cast(to, Pointer(moved), True)
        return tree.Call(STRICT, (target, value), span=span, type=VOID)

    def _size(self, given: tree.Expression) -> int:
        size = folded(cast(given, ULONG))
        if not isinstance(size, tree.Literal) or size.value not in _MOVED:
            hint = "CUDA copies 4, 8 or 16 bytes at a time: write the number, or sizeof"
            raise self._error(f"cannot copy `{given.span.text}` bytes", given.span, hint)
        return int(size.value)

    def _filled(self, read: tree.Deref, given: tree.Expression) -> tree.Expression:
        """Return what is read, or zeros where the last argument says that all is filled."""
        fill, size = folded(cast(given, ULONG)), size_of(read.type)
        if isinstance(fill, tree.Literal) and fill.value not in (0, size):
            hint = f"the simulator fills all {size} bytes or none: write the rest yourself"
            raise self._error(f"cannot fill {fill.value} bytes", given.span, hint)
        zero = tree.Literal(0, span=given.span, type=ULONG)
        none = folded(tree.Binary("==", fill, zero, span=given.span, type=BOOL))
        zeros = _zeros(read.type, given.span)
        if isinstance(none, tree.Literal):
            return read if none.value else zeros
        return tree.Conditional(none, read, zeros, span=read.span, type=read.type)


def _zeros(ctype: CType, span: Span) -> tree.Expression:
    if isinstance(ctype, Struct):
        members = ctype.members[: 1 if ctype.union else None]
        values = tuple(_zeros(member, span) for _, member, _ in members)
        return tree.Aggregate(values, span=span, type=ctype)
    zero = tree.Literal(0, span=span, type=UINT)
    return folded(cast(zero, ctype))


ROWS = (
    _MemcpyAsync(
        "void __pipeline_memcpy_async(void *shared, const void *source, size_t size,"
        " size_t zfill = 0)",
        CALLS[STRICT],
        header=PIPELINE_HEADER,
    ),
    Row("void __pipeline_commit()", AsyncCopyBatch(), header=PIPELINE_HEADER),
    Row(
        "void __pipeline_wait_prior(size_t batches)",
        AsyncCopyWait(),
        header=PIPELINE_HEADER,
    ),
)
