"""Atomic accesses with a memory order and a scope: CUDA's `__nv_atomic_…`, which libcu++ is of."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.builtins.lowerings import (
    REDUCTION,
    SUM,
    Atomic,
    OrderedFence,
    OrderedLoad,
    OrderedStore,
)
from simulator.builtins.overloads import ReadModifyWrite
from simulator.builtins.row import Arguments, Row
from simulator.ir import tree
from simulator.ir.conversions import convert
from simulator.ir.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    LONG,
    SCALARS,
    UINT,
    ULLONG,
    ULONG,
    VOID,
    Pointer,
    Scalar,
)
from simulator.source import Span

#: The header that brings compare-and-swaps, which CUDA's own functions store by a pointer.
HEADER = "cuda/atomic"
_INTEGERS = (INT, UINT, LONG, ULONG, LLONG, ULLONG)
_WORDS = (*_INTEGERS, FLOAT, DOUBLE)
_ANY = (*(t for t in SCALARS if t.size <= 8 and not t.is_narrow), BOOL)


@dataclass(frozen=True)
class Ordered(ReadModifyWrite):
    """A pointer to one of the types `on`, values of that type, then a memory order and a scope.

    `reads` says that nothing is changed there.
    """

    reads: bool = False

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call, whose result has the type that is pointed to, or is void."""
        self._count(arguments, span)
        target, *rest = (*arguments, *self._defaults(len(arguments), span))
        failure = convert(rest.pop(), INT, "the memory order") if self._swaps else None
        *values, order, scope = rest
        ctype = self._pointee(target)
        return tree.OrderedCall(
            self.key,
            (target, *(self._converted(value, ctype) for value in values)),
            order=convert(order, INT, "the memory order"),
            scope=convert(scope, INT, "the scope"),
            failure=failure,
            span=span,
            type=VOID if self.types.result == VOID else ctype,
        )

    @property
    def _swaps(self) -> bool:
        return isinstance(self.lowering, Atomic) and self.lowering.swaps

    def _pointee(self, target: tree.Expression) -> Scalar:
        if self.reads and isinstance(target.type, Pointer):
            if isinstance(target.type.to, Scalar) and target.type.to in self.on:
                return target.type.to
            hint = "there are atomic loads and stores of numbers of up to 8 bytes"
            raise self._error(f"does not exist for `{target.type.to}`", target.span, hint)
        return super()._pointee(target)


def _modifying(operation: str, on: tuple[Scalar, ...], how: Atomic) -> Ordered:
    values = "T compare, T value" if how.swaps else "T value"
    orders = "int order, int scope, int failure" if how.swaps else "int order, int scope = 4"
    signature = f"T __nv_atomic_{operation}(T *address, {values}, {orders})"
    return Ordered(signature, how, on, header=HEADER if how.swaps else "")


ROWS = (
    Ordered(
        "T __nv_atomic_load_n(const T *address, int order, int scope = 4)",
        OrderedLoad(),
        _ANY,
        reads=True,
    ),
    Ordered(
        "void __nv_atomic_store_n(T *address, T value, int order, int scope = 4)",
        OrderedStore(),
        _ANY,
    ),
    _modifying("exchange_n", _WORDS, Atomic("atomic_exch", replaces=True)),
    _modifying("found_by_swap", _WORDS, Atomic("atomic_cas", replaces=True, swaps=True)),
    _modifying(
        "fetch_add", _WORDS, Atomic("atomic_add", merges=SUM, neutral_zero=True, draws=True)
    ),
    _modifying(
        "fetch_sub", _WORDS, Atomic("atomic_sub", merges=SUM, neutral_zero=True, draws=True)
    ),
    _modifying("fetch_min", _INTEGERS, Atomic("atomic_min", merges=REDUCTION)),
    _modifying("fetch_max", _INTEGERS, Atomic("atomic_max", merges=REDUCTION)),
    _modifying("fetch_and", _INTEGERS, Atomic("atomic_and", merges=REDUCTION)),
    _modifying("fetch_or", _INTEGERS, Atomic("atomic_or", merges=REDUCTION, neutral_zero=True)),
    _modifying("fetch_xor", _INTEGERS, Atomic("atomic_xor", merges=REDUCTION, neutral_zero=True)),
    Row("void __nv_atomic_thread_fence(int order, int scope = 4)", OrderedFence()),
)
